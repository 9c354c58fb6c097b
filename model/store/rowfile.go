package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

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
