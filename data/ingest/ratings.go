package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"optcomplete/data"
	"optcomplete/internal/amount"
)

// Ratings reads observed entries into memory. If Settings.Columns are given,
// the columns of the matrix are those, in their order, also those without an
// entry; its rows are those with an entry. Rows, and columns that are not given,
// come in the canonical order of their ids.
func Ratings(ctx context.Context, paths []string, settings Settings) (*data.Ratings, *Report, error) {
	t, err := newStream(paths, &settings)
	if err != nil {
		return nil, nil, err
	}
	return t.ratings(ctx)
}

func (t *stream) ratings(ctx context.Context) (*data.Ratings, *Report, error) {
	return t.ratingsIn(ctx, &buckets{})
}

func (t *stream) ratingsIn(ctx context.Context, sink *buckets) (*data.Ratings, *Report, error) {
	c, err := t.gather(ctx, sink)
	if err != nil {
		return nil, nil, err
	}
	rows := c.rows.count
	start := make([]int, 1, rows+1)
	columns, values := make([]int32, 0, c.sink.observed()), make([]float64, 0, c.sink.observed())
	weights := data.NoWeights(c.report.Weighted)
	err = c.eachSorted(ctx, func(b *sorted) error {
		base := len(columns)
		columns, values = append(columns, b.columns...), append(values, b.values...)
		weights = append(weights, b.weights...)
		for _, end := range b.ends {
			start = append(start, base+end)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	matrix, err := data.NewMatrixByRows(c.columns.count, start, columns, values)
	if err == nil {
		matrix, err = matrix.WithWeights(weights)
	}
	if err != nil {
		return nil, nil, err
	}
	return data.NewRatings(matrix, c.rowIDs(), c.columnIDs()), &c.report, nil
}

// gather reads all entries into buckets. With an error the collector has what was
// counted until then.
func (t *stream) gather(ctx context.Context, to *buckets) (*collector, error) {
	c := &collector{stream: t, sink: to, progress: t.settings.Progress}
	if err := c.collect(ctx); err != nil {
		return c, err
	}
	if c.sink.entries == 0 && t.settings.times {
		return c, fault(c.inputs[0].name, 0, "no entry has a time", "leave out Settings.Split time, or give a file with times")
	}
	if c.sink.entries == 0 {
		return c, c.report.nothing(c.inputs[0].name, t.settings.Columns)
	}
	return c, c.arrange()
}

// errNothing is that of an input without entries.
var errNothing = errors.New("no entries are left")

// nothing is the fault of an input of which no entries are left.
func (r *Report) nothing(name string, known []string) *data.InputError {
	out := fault(name, 0, fmt.Sprintf("no entries are left: %d are of columns without features, %d are missing", r.UnknownEntries, r.Missing), "check that the column ids are those of the feature table")
	if r.UnknownEntries > 0 {
		out.Problem += noneKnown(r.UnknownExamples, known)
	}
	if r.Zeros > 0 {
		out.Problem, out.Remedy = "no entries are left: "+amount.Of(r.Zeros, "has", "have")+" the weight 0", weightRemedy
	}
	out.Err = errNothing
	return out
}

// eachSorted hands the buckets, sorted, to take in their order, and counts what
// it hands on.
func (c *collector) eachSorted(ctx context.Context, take func(*sorted) error) error {
	var values ends
	err := c.sink.eachBucket(ctx, c.rows.count, c.columns.count, c.columnRanks, c.settings.threads(), c.settings.Duplicates, func(b *sorted) error {
		if b.twice != nil {
			return c.duplicateError(ctx, *b.twice, b.beyond)
		}
		c.report.Entries += len(b.columns)
		c.report.Duplicates += b.dropped
		values.add(b.values)
		if err := take(b); err != nil {
			return err
		}
		if c.progress != nil {
			c.progress(int64(c.report.Entries), int64(c.sink.observed()), Writing)
		}
		return nil
	})
	c.report.Codes = values.warnings(c.report.Entries)
	return err
}

// arrange gives rows and columns their canonical order, now that all ids are
// known: what comes out then depends on the entries alone, and not on the order
// in which they stood. Columns that the caller gave stay in the caller's order,
// before all others.
func (c *collector) arrange() error {
	given := len(c.settings.Columns)
	if order := data.Order(c.columns.all()[given:]); order != nil {
		c.columnOrder = make([]int32, given, c.columns.count)
		for j := range c.columnOrder {
			c.columnOrder[j] = int32(j)
		}
		for _, j := range order {
			c.columnOrder = append(c.columnOrder, int32(given)+j)
		}
		c.columnRanks = data.Ranks(c.columnOrder)
	}
	if c.rowOrder = data.Order(c.rows.all()); c.rowOrder == nil {
		return nil
	}
	return c.sink.arrange(data.Ranks(c.rowOrder))
}

// seen is the number that a row or column had before it got its place.
func seen(order []int32, place int32) int32 {
	if order == nil {
		return place
	}
	return order[place]
}

func (c *collector) rowID(i int) string { return c.rows.text(seen(c.rowOrder, int32(i))) }

func (c *collector) rowIDs() []string { return arranged(c.rows.all(), c.rowOrder) }

func (c *collector) columnIDs() []string { return arranged(c.columns.all(), c.columnOrder) }

func arranged(ids []string, order []int32) []string {
	if order == nil {
		return ids
	}
	out := make([]string, len(order))
	for place, at := range order {
		out[place] = ids[at]
	}
	return out
}

// arrange moves all entries to the buckets of the places that their rows get.
// Those of one row keep their order.
func (s *buckets) arrange(ranks []int32) error {
	if s.budget != nil && s.used > s.budget()/2 {
		if err := s.flush(); err != nil { // room for the pages to come
			return err
		}
	}
	from := s.list
	for x := range from {
		s.turn(x)
	}
	s.entries, s.shift = 0, 0
	for (len(ranks)-1)>>s.shift >= maxBuckets {
		s.shift++
	}
	count := (len(ranks)-1)>>s.shift + 1
	s.list, s.tails = make([]bucket, count), make([][]data.Entry, count)
	var loaded []data.Entry
	var buffer []byte
	for x := range from {
		for _, k := range from[x].blocks {
			var err error
			if loaded, buffer, err = s.spill.read(k, loaded[:0], buffer); err != nil {
				return err
			}
			if err := s.move(loaded, ranks); err != nil {
				return err
			}
		}
		for _, page := range from[x].pages {
			loaded = append(loaded[:0], page...)
			class := bits.Len(uint(cap(page)/smallPage)) - 1
			s.free[class] = append(s.free[class], page[:0])
			if err := s.move(loaded, ranks); err != nil {
				return err
			}
		}
		from[x] = bucket{}
	}
	return nil
}

func (s *buckets) move(entries []data.Entry, ranks []int32) error {
	for at := range entries {
		entries[at].Row = ranks[entries[at].Row]
	}
	return s.add(entries)
}
