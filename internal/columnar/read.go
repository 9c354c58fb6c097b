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

// cursor reads the values of a column in a row group, in order.
type cursor struct {
	column *Column
	codec  format.CompressionCodec
	from   io.ReaderAt
	held   *scratch
	pages  []page  // that are not read yet
	known  *Vector // the dictionary

	content     // of the page that is being read
	at      int // cells of it that were taken,
	taken   int // and values
}

// cursor begins to read a column of a row group.
func (f *File) cursor(group, column int, held *scratch) (*cursor, error) {
	c := &f.Columns[column]
	if c.Kind == Other {
		return nil, c.unfit()
	}
	pages, err := f.pages(group, column)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", c.Name, err)
	}
	return &cursor{column: c, codec: f.meta.RowGroups[group].Columns[column].MetaData.Codec, from: f.from, held: held, pages: pages}, nil
}

// unfit is the error of a column whose values cannot be read.
func (c *Column) unfit() error {
	if c.stored == format.Int96 {
		return &record.UnfitError{Problem: fmt.Sprintf("column %q holds times of the type INT96, which are not read as times", c.Name), Remedy: "write the column as a timestamp"}
	}
	return &record.UnfitError{Problem: fmt.Sprintf("column %q is of a type that is not read", c.Name), Remedy: "name another, or make text or a number of it"}
}

// fill has cells that were not taken, or an error: io.EOF after the last.
func (c *cursor) fill() error {
	for c.at == c.cells {
		if len(c.pages) == 0 {
			return io.EOF
		}
		p := &c.pages[0]
		c.pages = c.pages[1:]
		if err := c.open(p); err != nil {
			return fmt.Errorf("column %q: %w", c.column.Name, err)
		}
	}
	return nil
}

// read appends the values of this many rows.
func (c *cursor) read(to *Vector, rows int) error {
	to.Kind, to.Unit = c.column.Kind, c.column.unit
	for row := 0; ; {
		if row == rows && !c.column.List {
			return nil
		}
		err := c.fill()
		if err == io.EOF && row == rows {
			return nil
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if !c.column.List {
			n := min(rows-row, c.cells-c.at)
			c.take(to, n)
			row += n
			continue
		}
		for c.at < c.cells {
			if c.repetition[c.at] == 0 {
				if row == rows {
					return nil
				}
				row++
				to.Ends = append(to.Ends, to.Len())
			} else if row == 0 {
				return fmt.Errorf("column %q continues a list that did not begin", c.column.Name)
			}
			if level := c.definition[c.at]; level < c.column.most && !(c.column.optional && level == c.column.most-1) {
				c.at++ // no list, or an empty one: not a missing value of a list
				continue
			}
			c.take(to, 1)
			to.Ends[len(to.Ends)-1] = to.Len()
		}
	}
}

// take appends the next n cells of the page.
func (c *cursor) take(to *Vector, n int) {
	if c.definition == nil {
		add(to, &c.values, c.places, c.at, c.at+n)
		c.at += n
		return
	}
	for end := c.at + n; c.at < end; {
		there := c.definition[c.at] == c.column.most
		run := c.at + 1
		for run < end && (c.definition[run] == c.column.most) == there {
			run++
		}
		if there {
			add(to, &c.values, c.places, c.taken, c.taken+run-c.at)
			c.taken += run - c.at
		} else {
			miss(to, run-c.at)
		}
		c.at = run
	}
}

// add appends values of another vector of this kind, which misses none: lo to hi,
// or those at places lo to hi.
func add(v, from *Vector, places []int32, lo, hi int) {
	if v.Null != nil {
		v.Null = append(v.Null, make([]bool, hi-lo)...)
	}
	switch {
	case v.Kind == Text && places != nil:
		size := int64(0)
		for _, x := range places[lo:hi] {
			size += int64(len(from.Text(int(x))))
		}
		v.Texts = room(v, size)
		for _, x := range places[lo:hi] {
			v.Texts = append(v.Texts, from.Text(int(x))...)
			v.Stops = append(v.Stops, len(v.Texts))
		}
	case v.Kind == Text && lo < hi:
		begin := 0
		if lo > 0 {
			begin = from.Stops[lo-1]
		}
		shift := len(v.Texts) - begin
		v.Texts = room(v, int64(from.Stops[hi-1]-begin))
		v.Texts = append(v.Texts, from.Texts[begin:from.Stops[hi-1]]...)
		for _, stop := range from.Stops[lo:hi] {
			v.Stops = append(v.Stops, stop+shift)
		}
	case v.Kind == Float || v.Kind == Number:
		v.Floats = pick(v.Floats, from.Floats, places, lo, hi)
	case v.Kind != Text:
		v.Ints = pick(v.Ints, from.Ints, places, lo, hi)
	}
}

// room is the texts, with room for more bytes: a few that a dictionary has may stand in
// any number of rows.
func room(v *Vector, more int64) []byte {
	if need := int64(len(v.Texts)) + more; need > int64(cap(v.Texts)) {
		if err := memory.Take(need + need/4); err != nil {
			panic(err) // which Scan returns
		}
	}
	return slices.Grow(v.Texts, int(more))
}

func pick[T any](to, from []T, places []int32, lo, hi int) []T {
	if places == nil {
		return append(to, from[lo:hi]...)
	}
	for _, x := range places[lo:hi] {
		to = append(to, from[x])
	}
	return to
}

// miss appends n values that are missing.
func miss(v *Vector, n int) {
	if v.Null == nil {
		v.Null = make([]bool, v.Len(), v.Len()+max(n, 1024))
	}
	for range n {
		v.Null = append(v.Null, true)
	}
	switch v.Kind {
	case Text:
		for range n {
			v.Stops = append(v.Stops, len(v.Texts))
		}
	case Float, Number:
		v.Floats = append(v.Floats, make([]float64, n)...)
	default:
		v.Ints = append(v.Ints, make([]int64, n)...)
	}
}
