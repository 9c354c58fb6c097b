package columnar

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Kind is what a column holds.
type Kind int

const (
	Text   Kind = iota // strings, or bytes
	Int                // whole numbers, up to 64 bits
	Uint               // whole numbers without a sign
	Float              // numbers
	Bool               // true or false
	Number             // decimals: numbers written exactly
	Date               // days since 1970-01-01
	Time               // moments, in nanoseconds since 1970-01-01
	Other              // anything else
)

func (k Kind) String() string {
	return [...]string{"text", "whole numbers", "whole numbers", "numbers", "true or false", "decimal numbers", "dates", "times", "something else"}[k]
}

// Field is a column to write: Text, Int (of 32 bits) or Float.
type Field struct {
	Name string
	Kind Kind
	// Repeats says that texts occur again and again, so that the file holds each
	// of them once.
	Repeats bool
}

// Coded are texts that occur again and again: cell x is Texts[At(x)], of N cells.
type Coded struct {
	Texts []string
	N     int
	At    func(cell int) int
}

// Writer writes a Parquet file by row groups.
type Writer struct {
	out     *parquet.GenericWriter[any]
	fields  []Field
	buffer  []parquet.Value
	columns []*parquet.ColumnWriter
}

// valuesAtOnce is how many values are handed to the library together.
const valuesAtOnce = 4096

// NewWriter begins a file. What is written to w is complete after Close, which
// does not close w.
func NewWriter(w io.Writer, fields []Field) *Writer {
	root := ordered{Group: parquet.Group{}}
	for _, f := range fields {
		var node parquet.Node
		switch f.Kind {
		case Text:
			node = parquet.String()
			if f.Repeats {
				node = parquet.Encoded(node, &parquet.RLEDictionary)
			}
		case Int:
			node = parquet.Int(32)
		case Float:
			node = parquet.Leaf(parquet.DoubleType)
		default:
			panic(fmt.Sprintf("columnar: a column of %v cannot be written", f.Kind))
		}
		root.Group[f.Name] = node
		root.names = append(root.names, f.Name)
	}
	out := parquet.NewGenericWriter[any](onlyWriter{w}, parquet.NewSchema("schema", root), &parquet.WriterConfig{
		CreatedBy: "optcomplete", Compression: &parquet.Zstd, DataPageVersion: 1, PageBufferSize: 1 << 20,
	})
	return &Writer{out: out, fields: fields, buffer: make([]parquet.Value, valuesAtOnce), columns: out.ColumnWriters()}
}

// onlyWriter hides the other methods of a writer: the library would close what
// it can close.
type onlyWriter struct{ io.Writer }

// ordered is a group whose fields stand in their own order, not in the alphabet's.
type ordered struct {
	parquet.Group
	names []string
}

func (o ordered) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range o.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, 0, len(o.names))
	for _, name := range o.names {
		fields = append(fields, byName[name])
	}
	return fields
}

// WriteGroup writes a row group: for each field a []string, a []int32, a
// []float64 or a Coded, of equal lengths. Texts that are not UTF-8, which other
// programs reject, are mended.
func (w *Writer) WriteGroup(columns ...any) error {
	if len(columns) != len(w.fields) {
		panic(fmt.Sprintf("columnar: %d columns for %d fields", len(columns), len(w.fields)))
	}
	for x, column := range columns {
		var err error
		switch c := column.(type) {
		case []string:
			err = w.write(x, len(c), func(cell int) parquet.Value { return textValue(c[cell]) })
		case []int32:
			err = w.write(x, len(c), func(cell int) parquet.Value { return parquet.Int32Value(c[cell]) })
		case []float64:
			err = w.write(x, len(c), func(cell int) parquet.Value { return parquet.DoubleValue(c[cell]) })
		case Coded:
			texts := make([]parquet.Value, len(c.Texts))
			for at, text := range c.Texts {
				texts[at] = textValue(text)
			}
			err = w.write(x, c.N, func(cell int) parquet.Value { return texts[c.At(cell)] })
		default:
			panic(fmt.Sprintf("columnar: a column of %T cannot be written", column))
		}
		if err != nil {
			return err
		}
	}
	return w.out.Flush()
}

func textValue(s string) parquet.Value {
	return parquet.ByteArrayValue([]byte(strings.ToValidUTF8(s, "\uFFFD")))
}

func (w *Writer) write(column, n int, value func(cell int) parquet.Value) error {
	for lo := 0; lo < n; lo += valuesAtOnce {
		part := w.buffer[:min(valuesAtOnce, n-lo)]
		for x := range part {
			part[x] = value(lo+x).Level(0, 0, column)
		}
		if _, err := w.columns[column].WriteRowValues(part); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the file.
func (w *Writer) Close() error {
	err := w.out.Close()
	if errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}
