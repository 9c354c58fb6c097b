package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Column is a column of a file.
type Column struct {
	Name string // names of nested columns are joined by dots
	Kind Kind
	List bool // it holds lists: several values a row, or none
	// Nested says that it is part of a structure, other than a plain list.
	Nested bool

	unit  int64 // of a Time, in nanoseconds
	scale int   // digits after the point of a Number
	leaf  *parquet.Column
}

// File is a Parquet file that is open for reading.
type File struct {
	Columns []Column
	file    *parquet.File
	from    io.ReaderAt
	closer  io.Closer
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
	defer recovered(&err)
	in, err := parquet.OpenFile(from, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	f = &File{file: in, from: from}
	for _, group := range in.Metadata().RowGroups {
		if group.NumRows < 0 || group.NumRows > in.NumRows() {
			return nil, fmt.Errorf("a row group announces %d of %d rows", group.NumRows, in.NumRows())
		}
	}
	return f, f.collect(in.Root())
}

// recovered makes an error of a panic: the library panics on some damaged files.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%v", r)
	}
}

// Close closes what Open opened.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Rows is the number of rows that the file announces.
func (f *File) Rows() int64 { return f.file.NumRows() }

// Groups is the number of row groups.
func (f *File) Groups() int { return len(f.file.RowGroups()) }

// collect lists the leaves below a column, in the order of the file.
func (f *File) collect(c *parquet.Column) error {
	if !c.Leaf() {
		for _, child := range c.Columns() {
			if err := f.collect(child); err != nil {
				return err
			}
		}
		return nil
	}
	column := Column{Name: strings.Join(c.Path(), "."), leaf: c}
	if path := c.Path(); c.MaxRepetitionLevel() == 1 && (len(path) == 1 || len(path) == 3) {
		column.Name, column.List = path[0], true // x, or x.list.element
	} else {
		column.Nested = len(path) > 1
	}
	column.describe()
	f.Columns = append(f.Columns, column)
	return nil
}

// describe finds out what the column holds.
func (c *Column) describe() {
	t := c.leaf.Type()
	logical := t.LogicalType()
	switch t.Kind() {
	case parquet.Boolean:
		c.Kind = Bool
	case parquet.Int32, parquet.Int64:
		c.Kind = Int
	case parquet.Float, parquet.Double:
		c.Kind = Float
	case parquet.ByteArray, parquet.FixedLenByteArray:
		c.Kind = Text
	default:
		c.Kind = Other
	}
	text := t.String()
	switch {
	case logical == nil:
	case strings.HasPrefix(text, "DECIMAL"):
		var precision int
		if _, err := fmt.Sscanf(text, "DECIMAL(%d,%d)", &precision, &c.scale); err != nil {
			c.Kind = Other
		} else {
			c.Kind = Number
		}
	case strings.HasPrefix(text, "DATE"):
		c.Kind = Date
	case strings.HasPrefix(text, "TIMESTAMP"):
		c.Kind, c.unit = Time, 1
		switch {
		case strings.Contains(text, "unit=MILLIS"):
			c.unit = 1_000_000
		case strings.Contains(text, "unit=MICROS"):
			c.unit = 1_000
		}
	case strings.HasPrefix(text, "INT(") && strings.HasSuffix(text, "false)"):
		c.Kind = Uint
	case strings.HasPrefix(text, "FLOAT16"):
		c.Kind = Float
	case strings.HasPrefix(text, "TIME("), strings.HasPrefix(text, "INTERVAL"), strings.HasPrefix(text, "VARIANT"):
		c.Kind = Other
	}
}

// Floats reads a column of numbers without gaps, of one row group.
func (f *File) Floats(group, column int, out []float64) (err error) {
	defer recovered(&err)
	if f.Columns[column].Kind != Float || f.Columns[column].List {
		return fmt.Errorf("column %q holds %v", f.Columns[column].Name, f.Columns[column].Kind)
	}
	c, err := f.cursor(group, column)
	if err != nil {
		return err
	}
	defer c.close()
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
	defer recovered(&err)
	for group, of := range f.file.RowGroups() {
		cursors := make([]*cursor, len(columns))
		for x, column := range columns {
			if cursors[x], err = f.cursor(group, column); err != nil {
				return err
			}
			defer cursors[x].close()
		}
		for left := of.NumRows(); left > 0; {
			if err := ctx.Err(); err != nil {
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
