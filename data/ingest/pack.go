package ingest

import (
	"context"
	"path/filepath"

	"optcomplete/data/pack"
	"optcomplete/internal/atomicfile"
)

// Pack reads observed entries, however many, and writes them to a pack. What
// stands at output is replaced only by a whole one.
func Pack(ctx context.Context, paths []string, output string, settings Settings) (*Packing, error) {
	temp := &spill{path: output}
	if settings.Temp != "" {
		temp.path = filepath.Join(settings.Temp, filepath.Base(output))
		atomicfile.RemoveStale(temp.path, SpillKind)
	}
	defer temp.close()
	atomicfile.RemoveStale(output, SpillKind)
	t, err := newStream(paths, &settings)
	if err != nil {
		return nil, err
	}
	sink := &buckets{spill: temp}
	if settings.Memory > 0 {
		sink.budget = func() int64 { return t.pageBytes(settings.Memory) }
	}
	c, err := t.gather(ctx, sink)
	if err != nil {
		return nil, err
	}
	options := pack.WriterOptions{Rows: c.rows.count, Observed: c.sink.observed(), Float32: settings.Float32, Weighted: c.report.Weighted}
	if seen := c.values(); settings.Duplicates != Mean { // means may be other values
		options.Float32 = settings.Float32 || !seen.precise
		if options.Float32 == !seen.precise { // rounded values are others too
			options.Values = seen.list()
		}
	}
	w, err := pack.Create(output, c.columnIDs(), options)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	err = c.eachSorted(ctx, func(b *sorted) error {
		begin := 0
		for x, end := range b.ends {
			var weights []float64
			if c.report.Weighted {
				weights = b.weights[begin:end]
			}
			if err := w.AppendWeighted(c.rowID(b.first+x), b.columns[begin:end], b.values[begin:end], weights); err != nil {
				return err
			}
			begin = end
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &Packing{Report: c.report, Rows: c.rows.count, Columns: c.columns.count, Spilled: temp.offset}, nil
}

// pageBytes is the part of the memory allowed that is left for entries. A fifth of it is
// for the garbage of the runtime and for sorting.
func (t *stream) pageBytes(memory int64) int64 {
	batches := int64(2*len(t.workers)+2) * batchBytes
	const program = 24 << 20 // what the program takes itself
	return max(memory-memory/5-program-batches-t.rows.bytes()-t.columns.bytes(), 1<<20)
}

// Packing is what Pack has written.
type Packing struct {
	Report
	Rows, Columns int
	Spilled       int64 // bytes of entries that did not fit into memory
}
