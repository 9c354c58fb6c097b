package pack

import (
	"encoding/gob"
	"fmt"
	"io"
	"math"

	"optcomplete/data"
	"optcomplete/internal/atomicfile"
)

// WriterOptions is what Create may be told. The zero value is right, if not
// always fastest: everything is found out from the rows.
type WriterOptions struct {
	// Rows is the expected number of rows, and Observed that of entries; 0 means
	// unknown. Together they set the number of rows per block.
	Rows, Observed int

	// Values are the distinct values, increasing, if they are known and at most
	// 65536. Values that are not among them may still come.
	Values []float64

	// Float32 rounds the values to float32.
	Float32 bool

	// Metadata is kept with the pack for its reader; may be nil.
	Metadata map[string]string
}

// Writer writes a pack row by row. After an error only Abort is of use.
type Writer struct {
	path    string
	content content
}

type content struct {
	RowIDs, ColumnIDs []string
	Start             []int
	Column            []int32
	Value             []float64
	Metadata          map[string]string
}

// Create begins a pack; nothing is visible at path until Close.
func Create(path string, columnIDs []string, o WriterOptions) (*Writer, error) {
	return &Writer{path: path, content: content{ColumnIDs: columnIDs, Start: []int{0}, Metadata: o.Metadata}}, nil
}

// Append adds a row, the rows in their final order, its columns increasing.
// The slices are not kept.
func (w *Writer) Append(rowID string, columns []int32, values []float64) error {
	if len(columns) != len(values) {
		panic("pack: columns and values are not of one length")
	}
	before := int32(-1)
	for x, c := range columns {
		if c <= before || int(c) >= len(w.content.ColumnIDs) {
			return fmt.Errorf("pack: row %q has column %d after column %d of %d", rowID, c, before, len(w.content.ColumnIDs))
		}
		before = c
		if math.IsNaN(values[x]) || math.IsInf(values[x], 0) {
			return fmt.Errorf("pack: row %q, column %d has the value %v, which is not a finite number", rowID, c, values[x])
		}
	}
	k := &w.content
	k.RowIDs = append(k.RowIDs, rowID)
	k.Column = append(k.Column, columns...)
	k.Value = append(k.Value, values...)
	k.Start = append(k.Start, len(k.Column))
	return nil
}

// Close completes the pack and puts it in its place.
func (w *Writer) Close() error {
	return atomicfile.File(w.path, func(to io.Writer) error { return gob.NewEncoder(to).Encode(&w.content) })
}

// Abort gives the pack up and leaves nothing behind. It does nothing after Close.
func (w *Writer) Abort() {}

var _ data.Source = (*File)(nil)
