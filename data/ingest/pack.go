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
	t, err := newStream(paths, &settings)
	if err != nil {
		return nil, err
	}
	done, _, err := t.pack(ctx, output)
	return done, err
}

// pack reads the inputs and writes the pack.
func (t *stream) pack(ctx context.Context, output string) (*Packing, *collector, error) {
	settings := t.settings
	temp := &spill{path: output}
	if settings.Temp != "" {
		temp.path = filepath.Join(settings.Temp, filepath.Base(output))
		atomicfile.RemoveStale(temp.path, SpillKind)
	}
	defer temp.close()
	atomicfile.RemoveStale(output, SpillKind)
	sink := &buckets{spill: temp}
	if settings.Memory > 0 {
		sink.budget = func() int64 { return t.pageBytes(settings.Memory) }
	}
	c, err := t.gather(ctx, sink)
	if err != nil {
		return nil, c, err
	}
	options := pack.WriterOptions{Rows: c.rows.count, Observed: c.sink.observed(), Weighted: c.report.Weighted}
	options.Values, options.Float32 = c.values().encoding(settings)
	w, err := pack.Create(output, c.columnIDs(), options)
	if err != nil {
		return nil, c, err
	}
	defer w.Abort()
	err = c.eachSorted(ctx, func(b *sorted) error {
		begin := 0
		for x, end := range b.ends {
			var weights []float64
			if c.report.Weighted {
				weights = b.weights[begin:end]
			}
			if err := w.AppendWeighed(c.rowID(b.first+x), b.columns[begin:end], b.values[begin:end], weights); err != nil {
				return err
			}
			begin = end
		}
		return nil
	})
	if err != nil {
		return nil, c, err
	}
	if err := w.Close(); err != nil {
		return nil, c, err
	}
	return &Packing{Report: c.report, Rows: c.rows.count, Columns: c.columns.count, Spilled: temp.offset}, c, nil
}

// encoding is which values a pack lists, and whether they have four bytes if it lists
// none.
func (s *values) encoding(settings *Settings) (list []float64, float32 bool) {
	if settings.Duplicates == Mean { // means may be other values
		return nil, settings.Float32
	}
	float32 = settings.Float32 || !s.precise
	if float32 == !s.precise { // rounded values are others too
		list = s.list()
	}
	return list, float32
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
