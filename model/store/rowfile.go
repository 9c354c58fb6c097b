package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/columnar"
	"optcomplete/internal/dense"
	"optcomplete/internal/parallel"
	"optcomplete/model/estimate"
)

// RowFile is rows.parquet of a model that is being fitted: a RowSink (Take) that
// writes the rows as they come, and once it is closed for writing (Finish) a
// RowStore that reads them back, a group of rows at a time. Save gives it its
// place in the saved model. Until then it has no name, where the system allows
// that, so that a killed process leaves nothing behind.
type RowFile struct {
	table  *Table // without content
	ids    []string
	file   *os.File
	named  bool // it has a name that Close must remove
	placed bool // it has a place in a saved model
	buffer *bufio.Writer
	out    *tableWriter
	first  int // of the columns of the file, the one of the first term

	mu     sync.Mutex
	in     *columnar.File
	groups map[int][]float64 // those read last
	recent []int             // their numbers, oldest first
	keep   int               // how many to keep
	err    error
}

var _ estimate.RowStore = (*RowFile)(nil)

// CreateRowFile begins the file of rows of a model that is to be saved in dir.
// terms are the names of the coefficients, effects says whether rows have one,
// threads how many goroutines will read rows in order, each in a part of its own.
func CreateRowFile(dir string, ids, terms []string, effects bool, threads int) (*RowFile, error) {
	f := &RowFile{ids: ids, first: 2, keep: parallel.Threads(threads) + 1, groups: map[int][]float64{}}
	f.table = &Table{file: rowsFile, id: "row", effect: effects, names: columnNames(terms)}
	if effects {
		f.first++
	}
	var err error
	if f.file, f.named, err = atomicfile.Temp(dir, RowsKind); err != nil {
		return nil, err
	}
	f.buffer = bufio.NewWriterSize(f.file, 1<<18)
	f.out = f.table.writer(f.buffer)
	return f, nil
}

// Take writes a block of rows. Blocks are as stream makes them: each is a row
// group.
func (f *RowFile) Take(b estimate.RowBlock) error {
	n := len(b.Entries)
	if at := dense.NotFinite(b.Coefficients); at >= 0 {
		k := len(f.table.names)
		return fmt.Errorf("model: row %q has a coefficient %v for %q", f.ids[b.First+at/k], b.Coefficients[at], f.table.names[at%k])
	}
	t := *f.table
	t.ids, t.entries, t.effects, t.values = f.ids[b.First:b.First+n], b.Entries, b.Effects, b.Coefficients
	if err := f.out.group(&t, 0, n); err != nil {
		return fmt.Errorf("writing %s: %w", rowsFile, err)
	}
	return nil
}

// Finish ends the writing and opens the file for reading.
func (f *RowFile) Finish() (err error) {
	if err := errors.Join(f.out.Close(), f.buffer.Flush()); err != nil {
		return fmt.Errorf("writing %s: %w", rowsFile, err)
	}
	f.out, f.buffer = nil, nil
	info, err := f.file.Stat()
	if err == nil {
		f.in, err = columnar.NewFile(f.file, info.Size())
	}
	if err != nil {
		return fmt.Errorf("reading %s back: %w", rowsFile, err)
	}
	return nil
}

// Row returns the coefficients of row i.
func (f *RowFile) Row(i int) []float64 {
	k := len(f.table.names)
	g := f.group(i / estimate.BlockRows)
	i %= estimate.BlockRows
	return g[i*k : (i+1)*k]
}

// group returns the coefficients of a row group.
func (f *RowFile) group(g int) []float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if u, ok := f.groups[g]; ok {
		return u
	}
	k := len(f.table.names)
	u := make([]float64, f.rows(g)*k)
	column := make([]float64, f.rows(g))
	for term := range k {
		f.read(g, term, column)
		for i, v := range column {
			u[i*k+term] = v
		}
	}
	if len(f.recent) == f.keep {
		delete(f.groups, f.recent[0])
		f.recent = f.recent[1:]
	}
	f.groups[g], f.recent = u, append(f.recent, g)
	return u
}

// rows is the number of rows in a group.
func (f *RowFile) rows(g int) int { return min(estimate.BlockRows, len(f.ids)-g*estimate.BlockRows) }

// Term gives a coefficient of every row.
func (f *RowFile) Term(term int, row func(i int, u float64)) {
	column := make([]float64, min(estimate.BlockRows, len(f.ids)))
	for lo := 0; lo < len(f.ids); lo += estimate.BlockRows {
		part := column[:f.rows(lo/estimate.BlockRows)]
		f.mu.Lock()
		f.read(lo/estimate.BlockRows, term, part)
		f.mu.Unlock()
		for i, u := range part {
			row(lo+i, u)
		}
	}
}

// read reads one term of a row group. After an error all is zero.
func (f *RowFile) read(g, term int, out []float64) {
	if f.err == nil {
		f.err = f.tryRead(g, term, out)
	}
	if f.err != nil {
		clear(out)
	}
}

func (f *RowFile) tryRead(g, term int, out []float64) error {
	if f.in == nil {
		return fmt.Errorf("reading %s back: it is not open", rowsFile)
	}
	if err := f.in.Floats(g, f.first+term, out); err != nil {
		return fmt.Errorf("reading %s back: %w", rowsFile, err)
	}
	return nil
}

// Len is the number of rows.
func (f *RowFile) Len() int { return len(f.ids) }

// Err is what went wrong in reading.
func (f *RowFile) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// save puts the file into a saved model that is being written. The first gets the
// file itself, the others a copy.
func (f *RowFile) save(path string) error {
	if !f.placed && atomicfile.Name(f.file, path) == nil {
		f.placed = true
		return nil
	}
	to, err := os.Create(path)
	if err != nil {
		return err
	}
	info, err := f.file.Stat()
	if err == nil {
		_, err = io.Copy(to, io.NewSectionReader(f.file, 0, info.Size()))
	}
	return errors.Join(err, to.Close())
}

// Close ends the use of the file; a model that was saved keeps it.
func (f *RowFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.in, f.groups, f.recent = nil, map[int][]float64{}, nil
	err := f.file.Close()
	if f.named {
		f.named = false
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}
