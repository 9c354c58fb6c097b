package model

import (
	"errors"
	"io"

	"optcomplete/data"
	"optcomplete/model/estimate"
	"optcomplete/result"
)

// Fitted is a fitted model of any kind: of a matrix, of products of features, of a table.
type Fitted interface {
	// Selects gives the names of what is selected, and what is proven of it.
	Selects() ([]string, *result.Certificate)

	// Ask predicts. An error says what the kind of model cannot be asked.
	Ask(q Query) (result.Answer, error)

	// WriteJSON writes all that is known of the fit.
	WriteJSON(w io.Writer) error

	// Save writes the model to a directory. An earlier model there is replaced only
	// once the new one is complete.
	Save(dir string) error

	// Close releases what the model holds outside memory.
	Close() error
}

var _ Fitted = (*Model)(nil)

// Query asks for one prediction: of a row and a column of a matrix, by their ids, or, of
// a table, for a record by the names of its fields.
type Query struct {
	Row, Column string
	Record      map[string]string
}

// Table is the record as a table of one line.
func (q Query) Table() *data.RawTable {
	var names, cells []string
	for name, cell := range q.Record {
		names, cells = append(names, name), append(cells, cell)
	}
	return data.NewRawTable("the record", []string{""}, names, cells)
}

// Storage keeps models in folders. Package model/store is it, in programs that import it:
// who only fits in memory does not need what reads and writes Parquet.
type Storage interface {
	Save(m *Model, dir string) error
	Load(dir string) (Fitted, error) // of any kind that the program knows

	// RowFile begins the file of the rows of a model that is to be saved in dir.
	RowFile(dir string, ids, terms []string, effects bool, threads int) (RowFile, error)

	// RowShards begins several files of rows that are written elsewhere.
	RowShards(dir string, terms []string, effects bool, threads int) (interface {
		estimate.RowStore
		io.Closer
	}, *estimate.ShardSink, error)
}

// RowFile takes the rows of a fit, and then gives them.
type RowFile interface {
	estimate.RowStore
	Take(b estimate.RowBlock) error
	Finish() error
	io.Closer
}

// Stored is the storage of the program; see NeedStorage.
var Stored Storage

var (
	errNoStorage = errors.New("models are kept in folders by packages that the program does not have: import _ \"optcomplete/files\"")
	errNoRecords = errors.New("a model of a matrix has rows and columns: ask for them by their ids, not by a record")
)

// NeedStorage is the storage of the program, or an error that says how to have one.
func NeedStorage() (Storage, error) {
	if Stored == nil {
		return nil, errNoStorage
	}
	return Stored, nil
}

// Selects gives the names of what is selected, and what is proven of it.
func (m *Model) Selects() ([]string, *result.Certificate) { return m.Selected, &m.Certificate }

// Ask predicts for any row and column; see Answer.
func (m *Model) Ask(q Query) (result.Answer, error) {
	if q.Record != nil {
		return result.Answer{}, errNoRecords
	}
	return m.Answer(q.Row, q.Column), nil
}

// Save writes the model to a directory; see Storage.
func (m *Model) Save(dir string) error {
	to, err := NeedStorage()
	if err != nil {
		return err
	}
	return to.Save(m, dir)
}
