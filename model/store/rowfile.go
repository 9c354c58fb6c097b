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
	out    *columnar.Writer
	first  int // of the columns of the file, the one of the first term

	rowGroups
	in *columnar.File
}

var _ estimate.RowStore = (*RowFile)(nil)

// CreateRowFile begins the file of rows of a model that is to be saved in dir.
// terms are the names of the coefficients, effects says whether rows have one,
// threads how many goroutines will read rows in order, each in a part of its own.
func CreateRowFile(dir string, ids, terms []string, effects bool, threads int) (*RowFile, error) {
	f := &RowFile{ids: ids, first: 2}
	f.k, f.keep, f.floats = len(terms), parallel.Threads(threads)+1, f.readTerm
	f.find = func(_ []int, i int) (g, offset int) { return i / estimate.BlockRows, i % estimate.BlockRows }
	for i := 0; i < len(ids); i += estimate.BlockRows {
		f.starts = append(f.starts, i)
	}
	f.starts = append(f.starts, len(ids))
	f.table = &Table{file: rowsFile, id: "row", effect: effects, names: columnNames(terms)}
	if effects {
		f.first++
	}
	var err error
	if f.file, f.named, err = atomicfile.Temp(dir, RowsKind); err != nil {
		return nil, err
	}
	f.buffer = bufio.NewWriterSize(f.file, 1<<18)
	f.out = columnar.NewWriter(f.buffer, f.table.Fields())
	return f, nil
}

// Take writes a block of rows. Blocks are as stream makes them: each is a row
// group.
func (f *RowFile) Take(b estimate.RowBlock) error {
	n := len(b.Entries)
	if err := finite(b, f.ids[b.First:], f.table.names); err != nil {
		return err
	}
	t := *f.table
	t.ids, t.entries, t.effects, t.values = f.ids[b.First:b.First+n], b.Entries, b.Effects, b.Coefficients
	if err := f.out.WriteGroup(t.group(0, n)...); err != nil {
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

// readTerm reads one term of a row group.
func (f *RowFile) readTerm(g, term int, out []float64) error {
	if f.in == nil {
		return fmt.Errorf("reading %s back: it is not open", rowsFile)
	}
	if err := f.in.Floats(g, f.first+term, out); err != nil {
		return fmt.Errorf("reading %s back: %w", rowsFile, err)
	}
	return nil
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
	f.in = nil
	f.forget()
	err := f.file.Close()
	if f.named {
		f.named = false
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}

// rowGroups are the coefficients of rows on disk, read a group of consecutive rows at a
// time: what files of rows are as a RowStore.
type rowGroups struct {
	k      int                                       // coefficients of a row
	starts []int                                     // the first row of each group, and the end
	floats func(g, term int, out []float64) error    // reads one term of a group
	find   func(starts []int, i int) (g, offset int) // the group of a row
	keep   int                                       // how many groups to keep

	mu     sync.Mutex
	groups map[int][]float64 // those read last
	recent []int             // their numbers, oldest first
	err    error
}

// Row returns the coefficients of row i.
func (r *rowGroups) Row(i int) []float64 {
	g, at := r.find(r.starts, i)
	u := r.group(g)
	return u[at*r.k : (at+1)*r.k]
}

// group returns the coefficients of a group.
func (r *rowGroups) group(g int) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if u, ok := r.groups[g]; ok {
		return u
	}
	u := make([]float64, r.rows(g)*r.k)
	column := make([]float64, r.rows(g))
	for term := range r.k {
		r.read(g, term, column)
		for i, v := range column {
			u[i*r.k+term] = v
		}
	}
	if len(r.recent) == r.keep {
		delete(r.groups, r.recent[0])
		r.recent = r.recent[1:]
	}
	if r.groups == nil {
		r.groups = map[int][]float64{}
	}
	r.groups[g], r.recent = u, append(r.recent, g)
	return u
}

// rows is the number of rows in a group.
func (r *rowGroups) rows(g int) int { return r.starts[g+1] - r.starts[g] }

// Term gives a coefficient of every row.
func (r *rowGroups) Term(term int, row func(i int, u float64)) {
	var column []float64
	for g := range len(r.starts) - 1 {
		if n := r.rows(g); cap(column) < n {
			column = make([]float64, n)
		}
		part := column[:r.rows(g)]
		r.mu.Lock()
		r.read(g, term, part)
		r.mu.Unlock()
		for i, u := range part {
			row(r.starts[g]+i, u)
		}
	}
}

// read reads one term of a group. After an error all is zero.
func (r *rowGroups) read(g, term int, out []float64) {
	if r.err == nil {
		r.err = r.floats(g, term, out)
	}
	if r.err != nil {
		clear(out)
	}
}

// Len is the number of rows.
func (r *rowGroups) Len() int { return r.starts[len(r.starts)-1] }

// Err is what went wrong in reading.
func (r *rowGroups) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// forget gives up what was read.
func (r *rowGroups) forget() { r.groups, r.recent = nil, nil }
