// Package arrowfile reads Arrow IPC, the stream or the file form (also called Feather).
// A program that imports it reads ratings, feature tables and pairs in Arrow, wherever
// it reads them as CSV:
//
//	import _ "optcomplete/data/arrowfile"
//
// It stands by itself because the Arrow library is large: other programs do without it.
package arrowfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"

	"optcomplete/internal/memory"
	"optcomplete/internal/record"
)

func init() { record.OpenArrow = open }

// table is Arrow IPC that is read.
type table struct {
	from    *ipc.Reader
	columns []record.Column
	known   map[int]dictionary // of columns
}

// dictionary is the last that a column had.
type dictionary struct {
	of     arrow.ArrayData
	values *record.Vector
}

func open(r io.Reader) (_ record.Table, err error) {
	defer record.Recovered(&err)
	buffered := bufio.NewReaderSize(r, 1<<16)
	if head, _ := buffered.Peek(len(record.ArrowFile)); bytes.Equal(head, record.ArrowFile) {
		if _, err := buffered.Discard(len(record.ArrowFile)); err != nil {
			return nil, err
		}
	}
	// The dictionaries of one message may be replaced by those of another.
	from, err := ipc.NewReader(buffered, ipc.WithDelayReadSchema(false), ipc.WithAllocator(&asking{}))
	if err != nil {
		return nil, err
	}
	t := &table{from: from, known: map[int]dictionary{}}
	for _, field := range from.Schema().Fields() {
		t.columns = append(t.columns, columnOf(field.Name, field.Type))
	}
	return t, nil
}

// asking takes memory only where it is allowed: a table may announce any amount. The
// panic becomes the error of the reader.
type asking struct{ arrowmemory.GoAllocator }

func (a *asking) Allocate(size int) []byte {
	if err := memory.Take(int64(size)); err != nil {
		panic(err)
	}
	return a.GoAllocator.Allocate(size)
}

func (a *asking) Reallocate(size int, b []byte) []byte {
	if err := memory.Take(int64(size)); err != nil {
		panic(err)
	}
	return a.GoAllocator.Reallocate(size, b)
}

func columnOf(name string, t arrow.DataType) record.Column {
	c := record.Column{Name: name}
	switch t.ID() {
	case arrow.DICTIONARY:
		c = columnOf(name, t.(*arrow.DictionaryType).ValueType)
		c.Coded, c.Nested = true, c.Nested || c.List
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST:
		c = columnOf(name, t.(arrow.ListLikeType).Elem())
		c.Nested, c.List = c.Nested || c.List, true
	case arrow.STRUCT, arrow.MAP:
		c.Kind, c.Nested = record.Other, true
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.NULL:
		c.Kind = record.Text
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		c.Kind = record.Int
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		c.Kind = record.Uint
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		c.Kind = record.Float
	case arrow.DECIMAL128, arrow.DECIMAL256:
		c.Kind = record.Number
	case arrow.BOOL:
		c.Kind = record.Bool
	case arrow.DATE32:
		c.Kind = record.Date
	case arrow.DATE64, arrow.TIMESTAMP:
		c.Kind = record.Time
	default:
		c.Kind = record.Other
	}
	return c
}

func (t *table) Columns() []record.Column { return t.columns }

func (t *table) Rows() int64 { return -1 }

func (t *table) Close() error {
	t.from.Release()
	return nil
}

// Scan cuts the record batches into others: a table often is one.
func (t *table) Scan(ctx context.Context, columns []int, rows int, yield func([]record.Vector) error) (err error) {
	defer record.Recovered(&err)
	for t.from.Next() {
		whole := t.from.RecordBatch()
		for lo := int64(0); lo < whole.NumRows(); lo += int64(rows) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := memory.Check(); err != nil {
				return err
			}
			batch := make([]record.Vector, len(columns))
			for x, column := range columns {
				part := array.NewSlice(whole.Column(column), lo, min(lo+int64(rows), whole.NumRows()))
				if err := t.take(&batch[x], column, part); err != nil {
					return err
				}
			}
			if err := yield(batch); err != nil {
				return err
			}
		}
	}
	if err := t.from.Err(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// take makes a vector of an array. It shares memory where it can, and checks whatever is
// a place in it.
func (t *table) take(v *record.Vector, column int, from arrow.Array) error {
	n := from.Len()
	v.Kind = t.columns[column].Kind
	if from.NullN() > 0 {
		v.Null = make([]bool, n)
		for x := range v.Null {
			v.Null[x] = from.IsNull(x)
		}
	}
	switch a := from.(type) {
	case *array.String:
		if n > 0 {
			texts(v, a.ValueOffsets(), a.ValueBytes())
		}
	case *array.LargeString:
		if n > 0 {
			texts(v, a.ValueOffsets(), a.ValueBytes())
		}
	case *array.Binary:
		if n > 0 {
			texts(v, a.ValueOffsets(), a.ValueBytes())
		}
	case *array.LargeBinary:
		if n > 0 {
			texts(v, a.ValueOffsets(), a.ValueBytes())
		}
	case *array.StringView:
		eachText(v, n, func(x int) []byte { return []byte(a.Value(x)) })
	case *array.FixedSizeBinary:
		eachText(v, n, a.Value)
	case *array.Null:
		eachText(v, n, func(int) []byte { return nil })
	case *array.Int64:
		v.Ints = a.Values()
	case *array.Int8:
		v.Ints = widened[int64](a.Values())
	case *array.Int16:
		v.Ints = widened[int64](a.Values())
	case *array.Int32:
		v.Ints = widened[int64](a.Values())
	case *array.Uint8:
		v.Ints = widened[int64](a.Values())
	case *array.Uint16:
		v.Ints = widened[int64](a.Values())
	case *array.Uint32:
		v.Ints = widened[int64](a.Values())
	case *array.Uint64:
		v.Ints = widened[int64](a.Values())
	case *array.Date32:
		v.Ints = widened[int64](a.Values())
	case *array.Date64:
		v.Ints, v.Unit = widened[int64](a.Values()), time.Millisecond
	case *array.Timestamp:
		v.Ints, v.Unit = widened[int64](a.Values()), a.DataType().(*arrow.TimestampType).Unit.Multiplier()
	case *array.Boolean:
		v.Ints = make([]int64, n)
		for x := range v.Ints {
			if a.Value(x) {
				v.Ints[x] = 1
			}
		}
	case *array.Float64:
		v.Floats = a.Values()
	case *array.Float32:
		v.Floats = widened[float64](a.Values())
	case *array.Float16:
		v.Floats = make([]float64, n)
		for x := range v.Floats {
			v.Floats[x] = float64(a.Value(x).Float32())
		}
	case *array.Decimal128, *array.Decimal256:
		v.Floats = make([]float64, n)
		for x := range v.Floats {
			if !from.IsNull(x) {
				v.Floats[x], _ = strconv.ParseFloat(from.ValueStr(x), 64)
			}
		}
	case *array.Dictionary:
		return t.codes(v, column, a)
	case array.ListLike:
		return t.lists(v, column, a)
	default:
		return &record.UnfitError{Problem: fmt.Sprintf("column %q holds %s, which is not read", t.columns[column].Name, from.DataType()), Remedy: "name another, or make text or a number of it"}
	}
	return nil
}

// texts takes those that stand between offsets.
func texts[T int32 | int64](v *record.Vector, offsets []T, bytes []byte) {
	v.Stops, v.Texts = make([]int, len(offsets)-1), bytes
	before := 0
	for x, offset := range offsets[1:] {
		stop := int(offset - offsets[0])
		_ = bytes[before:stop]
		v.Stops[x], before = stop, stop
	}
}

func eachText(v *record.Vector, n int, of func(x int) []byte) {
	v.Stops = make([]int, n)
	for x := range v.Stops {
		if v.Null == nil || !v.Null[x] {
			v.Texts = append(v.Texts, of(x)...)
		}
		v.Stops[x] = len(v.Texts)
	}
}

func widened[W int64 | float64, T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32](values []T) []W {
	wide := make([]W, len(values))
	for x, value := range values {
		wide[x] = W(value)
	}
	return wide
}

// codes takes the places of values in a dictionary, and the dictionary if it is another
// than before.
func (t *table) codes(v *record.Vector, column int, a *array.Dictionary) error {
	d := t.known[column]
	if of := a.Dictionary().Data(); d.of != of {
		d = dictionary{of, &record.Vector{}}
		if err := t.take(d.values, column, a.Dictionary()); err != nil {
			return err
		}
		t.known[column] = d
	}
	v.Codes, v.Known = make([]int32, a.Len()), d.values
	known := d.values.Len()
	for x := range v.Codes {
		if v.Null != nil && v.Null[x] {
			continue
		}
		code := a.GetValueIndex(x)
		if code < 0 || code >= known {
			return fmt.Errorf("it has value %d of a dictionary of %d", code, known)
		}
		v.Codes[x] = int32(code)
	}
	return nil
}

// lists takes the values of lists, and where each list begins and ends.
func (t *table) lists(v *record.Vector, column int, a array.ListLike) error {
	null := v.Null
	v.Null, v.Begins, v.Ends = nil, make([]int, a.Len()), make([]int, a.Len())
	elements := a.ListValues()
	for x := range v.Ends {
		if null != nil && null[x] {
			continue // it may have values all the same
		}
		begin, end := a.ValueOffsets(x)
		if begin < 0 || end < begin || end > int64(elements.Len()) {
			return fmt.Errorf("it has a list from %d to %d of %d values", begin, end, elements.Len())
		}
		v.Begins[x], v.Ends[x] = int(begin), int(end)
	}
	return t.take(v, column, elements)
}
