package columnar

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/internal/record"
)

// File is a Parquet file that is open for reading.
type File struct {
	Columns []Column
	meta    format.FileMetaData
	from    io.ReaderAt
	size    int64
	closer  io.Closer
}

func init() {
	record.OpenParquet = func(r io.ReaderAt, size int64) (record.Table, error) {
		f, err := NewFile(r, size)
		if err != nil {
			return nil, err
		}
		return table{f}, nil
	}
}

// table is a file as tables of other formats are.
type table struct{ *File }

func (t table) Columns() []record.Column {
	return lists.Each(t.File.Columns, func(c Column) record.Column { return c.Column })
}

// Open opens the file at a path.
func Open(path string) (*File, error) {
	from, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := from.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var f *File
	if err == nil {
		f, err = NewFile(from, info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	f.closer = from
	return f, nil
}

// NewFile reads a file of a given size.
func NewFile(from io.ReaderAt, size int64) (f *File, err error) {
	defer record.Recovered(&err)
	f = &File{from: from, size: size}
	if err := f.footer(); err != nil {
		return nil, err
	}
	if f.Columns, err = columnsOf(f.meta.Schema); err != nil {
		return nil, err
	}
	for _, group := range f.meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > f.meta.NumRows {
			return nil, fmt.Errorf("a row group announces %d of %d rows", group.NumRows, f.meta.NumRows)
		}
		if len(group.Columns) != len(f.Columns) {
			return nil, fmt.Errorf("a row group has %d columns, the file %d", len(group.Columns), len(f.Columns))
		}
	}
	return f, nil
}

// footer reads what the file says about itself: it is at its end, before its length.
func (f *File) footer() error {
	const frame = int64(len(magic)) // at both ends of a file
	if f.size < 2*frame+4 {
		return fmt.Errorf("it has %d bytes only", f.size)
	}
	head, tail := make([]byte, frame), make([]byte, 4+frame)
	if _, err := f.from.ReadAt(head, 0); err != nil {
		return err
	}
	if _, err := f.from.ReadAt(tail, f.size-int64(len(tail))); err != nil {
		return err
	}
	if string(head) == secret || string(tail[4:]) == secret {
		return encrypted("the file")
	}
	if string(head) != magic || string(tail[4:]) != magic {
		return fmt.Errorf("it does not begin and end with %s", magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > f.size-frame-int64(len(tail)) {
		return fmt.Errorf("its footer announces %d bytes, more than there are", length)
	}
	text := make([]byte, length)
	if _, err := f.from.ReadAt(text, f.size-int64(len(tail))-length); err != nil {
		return err
	}
	err := thrift.Unmarshal(new(thrift.CompactProtocol), text, &f.meta)
	if f.meta.EncryptionAlgorithm.Value != nil { // only the footer is not; a signature follows it
		return encrypted("the file")
	}
	if err != nil {
		return fmt.Errorf("its footer cannot be understood: %w", err)
	}
	return nil
}

func encrypted(what string) error {
	return &record.UnfitError{Problem: what + " is encrypted", Remedy: "write it without encryption"}
}

// Close closes what Open opened.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Rows is the number of rows that the file announces.
func (f *File) Rows() int64 { return f.meta.NumRows }

// Groups is the number of row groups.
func (f *File) Groups() int { return len(f.meta.RowGroups) }

// Floats reads a column of numbers without gaps, of one row group.
func (f *File) Floats(group, column int, out []float64) (err error) {
	defer record.Recovered(&err)
	if f.Columns[column].Kind != Float || f.Columns[column].List {
		return fmt.Errorf("column %q holds %v", f.Columns[column].Name, f.Columns[column].Kind)
	}
	c, err := f.cursor(group, column, new(scratch))
	if err != nil {
		return err
	}
	var v Vector
	if err := c.read(&v, len(out)); err != nil {
		return err
	}
	if v.Len() != len(out) || slices.Contains(v.Null, true) {
		return fmt.Errorf("column %q has gaps or too few rows", f.Columns[column].Name)
	}
	copy(out, v.Floats)
	return nil
}

// Scan reads columns together, batches of at most this many rows one after the
// other. The vectors of a batch are its receiver's to keep.
func (f *File) Scan(ctx context.Context, columns []int, rows int, yield func([]Vector) error) (err error) {
	defer record.Recovered(&err)
	held := new(scratch)
	for group := range f.meta.RowGroups {
		cursors := make([]*cursor, len(columns))
		for x, column := range columns {
			if cursors[x], err = f.cursor(group, column, held); err != nil {
				return err
			}
		}
		for left := f.meta.RowGroups[group].NumRows; left > 0; {
			if err := cmp.Or(ctx.Err(), memory.Check()); err != nil {
				return err
			}
			n := min(left, int64(rows))
			left -= n
			batch := make([]Vector, len(columns))
			for x, c := range cursors {
				if err := c.read(&batch[x], int(n)); err != nil {
					return err
				}
			}
			if err := yield(batch); err != nil {
				return err
			}
		}
	}
	return nil
}
