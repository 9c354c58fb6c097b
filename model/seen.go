package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"optcomplete/data"
	"optcomplete/internal/columnar"
)

const (
	seenFile = "seen.parquet"
	// maxSeen is how many seen entries are saved: beyond it they would make up
	// most of the model. Recommendations then need the ratings file.
	maxSeen = 50_000_000
)

// seen is which columns each row has an entry for. A loaded model reads it from
// its file when it is first asked for, because only recommendations ask.
type seen struct {
	once    sync.Once
	file    string      // to read it from; "" if columns or source has it
	columns [][]int32   // n, increasing; nil if it is not known, or source has it
	source  data.Source // to read rows from when they are asked for; nil: none
	err     error
}

// SetSeen tells the model which columns its rows have entries for, where that
// is more than it was fitted on: entries held out were seen too. It must be
// called before the model is in use.
//
// Entries that are not in memory are read where they are when they are asked
// for, at the latest by Save: until then their file must stay open. More of them
// than are saved are not remembered.
func (m *Model) SetSeen(entries data.Source) {
	m.seen.file, m.seen.columns, m.seen.source = "", nil, nil
	matrix, inMemory := entries.(*data.Matrix)
	if !inMemory {
		if entries.Observed() <= maxSeen {
			m.seen.source = entries
		}
		return
	}
	m.seen.columns = make([][]int32, len(m.RowIDs))
	for i := range m.seen.columns {
		m.seen.columns[i], _ = matrix.Row(i)
	}
}

// Seen returns the columns, increasing, that row i has an entry for. known is
// false if the model was saved without them. The slice must not be changed.
func (m *Model) Seen(i int) (columns []int32, known bool, err error) {
	m.loadSeen()
	switch {
	case m.seen.source != nil:
		columns, _, err = m.seen.source.Reader().Append(i, nil, nil)
		return columns, err == nil, err
	case m.seen.err != nil || m.seen.columns == nil:
		return nil, false, m.seen.err
	}
	return m.seen.columns[i], true, nil
}

func (m *Model) loadSeen() {
	m.seen.once.Do(func() {
		if m.seen.file == "" {
			return
		}
		m.seen.columns, m.fitted.columns, m.seen.err = m.readSeen(m.seen.file)
		if errors.Is(m.seen.err, fs.ErrNotExist) {
			m.seen.columns, m.fitted.columns, m.seen.err = nil, nil, nil
		}
	})
}

// saveSeen writes the seen entries into a saved model, unless there are none
// known or too many.
func (m *Model) saveSeen(dir string) error {
	m.loadSeen()
	if m.seen.err != nil {
		return m.seen.err
	}
	total := 0
	for i := range m.RowIDs {
		total += m.seen.count(i)
	}
	if m.seen.columns == nil && m.seen.source == nil || total > maxSeen {
		return nil
	}
	return writeFile(dir, seenFile, m.writeSeen)
}

// count is how many columns row i has an entry for.
func (s *seen) count(i int) int {
	switch {
	case s.source != nil:
		return s.source.Entries(i)
	case s.columns != nil:
		return len(s.columns[i])
	}
	return 0
}

// reader reads one row after the other; the slice is valid until the next call.
func (s *seen) reader() func(i int) ([]int32, error) {
	if s.source == nil {
		return func(i int) ([]int32, error) {
			if s.columns == nil {
				return nil, nil
			}
			return s.columns[i], nil
		}
	}
	r := data.NewRowReader(s.source)
	return func(i int) ([]int32, error) {
		columns, _, err := r.Row(i)
		return columns, err
	}
}

func (m *Model) writeSeen(w io.Writer) error {
	out := columnar.NewWriter(w, []columnar.Field{{Name: "row", Kind: columnar.Text, Repeats: true}, {Name: "column", Kind: columnar.Text, Repeats: true}, {Name: "held_out", Kind: columnar.Int}})
	row, fittedOn := m.seen.reader(), m.fitted.reader()
	for lo := 0; lo < len(m.RowIDs); {
		hi, cells := lo, 0
		for hi < len(m.RowIDs) && (cells == 0 || cells+m.seen.count(hi) <= parquetCells) {
			cells += m.seen.count(hi)
			hi++
		}
		rows, columns, held := make([]int32, 0, cells), make([]int32, 0, cells), make([]int32, 0, cells)
		for i := lo; i < hi; i++ {
			at, err := row(i)
			if err != nil {
				return err
			}
			fitted, err := fittedOn(i)
			if err != nil {
				return err
			}
			for _, j := range at {
				out := int32(0)
				if _, used := slices.BinarySearch(fitted, j); !used {
					out = 1
				}
				rows, columns, held = append(rows, int32(i-lo)), append(columns, j), append(held, out)
			}
		}
		if err := out.WriteGroup(coded(m.RowIDs[lo:hi], rows), coded(m.ColumnIDs, columns), held); err != nil {
			return err
		}
		lo = hi
	}
	return out.Close()
}

// coded are texts by their places.
func coded(texts []string, at []int32) columnar.Coded {
	return columnar.Coded{Texts: texts, N: len(at), At: func(cell int) int { return int(at[cell]) }}
}

// readSeen reads what writeSeen wrote: all columns seen, and those fitted on. Pairs
// whose row or column the model does not have are an error: they belong to another
// model. Earlier programs did not tell what was held out.
func (m *Model) readSeen(path string) (columns, fitted [][]int32, err error) {
	in, err := columnar.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: damaged or not a Parquet file: %w", path, err)
	}
	defer in.Close()
	if c := in.Columns; len(c) < 2 || len(c) > 3 || c[0].Kind != columnar.Text || c[1].Kind != columnar.Text || c[0].List || c[1].List ||
		len(c) == 3 && (c[2].Kind != columnar.Int || c[2].List) {
		return nil, nil, fmt.Errorf("%s: its columns are not the ids of rows and columns, and held_out", path)
	}
	columns, fitted = make([][]int32, len(m.RowIDs)), make([][]int32, len(m.RowIDs))
	err = in.Scan(context.Background(), []int{0, 1, 2}[:len(in.Columns)], groupRows, func(batch []columnar.Vector) error {
		var held []int64
		if len(batch) == 3 {
			held = batch[2].Ints
		}
		return m.takeSeen(&batch[0], &batch[1], held, columns, fitted)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Clean(path), err)
	}
	for i := range columns {
		slices.Sort(columns[i]) // another program may have written it in another order
		slices.Sort(fitted[i])
	}
	return columns, fitted, nil
}

func (m *Model) takeSeen(rowIDs, columnIDs *columnar.Vector, held []int64, columns, fitted [][]int32) error {
	row, at := "", -1 // of the pair before: they stand by rows
	for x := range rowIDs.Len() {
		if id := rowIDs.Text(x); at < 0 || string(id) != row {
			i, known := m.Row(string(id))
			if !known {
				return fmt.Errorf("row %q is not in the model", id)
			}
			row, at = string(id), i
		}
		j, known := m.Column(string(columnIDs.Text(x)))
		if !known {
			return fmt.Errorf("column %q is not in the model", columnIDs.Text(x))
		}
		columns[at] = append(columns[at], int32(j))
		if held == nil || held[x] == 0 {
			fitted[at] = append(fitted[at], int32(j))
		}
	}
	return nil
}
