package ingest

import (
	"context"
	"path/filepath"

	"optcomplete/data/pack"
)

// Pack reads observed entries, however many, and writes them to a pack. What
// stands at output is replaced only by a whole one.
func Pack(ctx context.Context, paths []string, output string, settings Settings) (*Packing, error) {
	folder := settings.Temp
	if folder == "" {
		folder = filepath.Dir(output)
	}
	temp := &spill{folder: folder, prefix: "." + filepath.Base(output)}
	defer temp.close()
	t, err := newStream(paths, &settings)
	if err != nil {
		return nil, err
	}
	c, err := t.gather(ctx, &buckets{spill: temp, budget: settings.Memory})
	if err != nil {
		return nil, err
	}
	options := pack.WriterOptions{Rows: c.rows.count, Observed: c.sink.entries}
	if seen := c.values(); settings.Duplicates != Mean { // means may be other values
		options.Values, options.Float32 = seen.list(), !seen.precise
	}
	w, err := pack.Create(output, c.columns.all(), options)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	err = c.eachSorted(ctx, func(b *sorted) error {
		begin := 0
		for x, end := range b.ends {
			if err := w.Append(c.rows.text(int32(b.first+x)), b.columns[begin:end], b.values[begin:end]); err != nil {
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
	return &Packing{Report: c.report, Rows: c.rows.count, Columns: c.columns.count}, nil
}

// Packing is what Pack has written.
type Packing struct {
	Report
	Rows, Columns int
}
