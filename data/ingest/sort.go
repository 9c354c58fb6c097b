package ingest

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"optcomplete/data"
)

// sorted is a bucket in order: by row, then by column, without duplicates.
type sorted struct {
	columns []int32
	values  []float64
	weights []float64
	ends    []int       // of each row of the bucket, in columns and values
	first   int         // its first row
	dropped int         // duplicates
	twice   *data.Entry // one that is given twice and must not be
	beyond  bool        // twice has a weight that is not valid, as its value
	err     error
	done    chan struct{}
}

// sorter sorts buckets, one after another, by radix: entries are copied in the
// order of one digit of their key (row, column) after another, from the lowest.
// Each pass keeps the order of equals. The first reads the pages of the bucket,
// and the last writes the result.
type sorter struct {
	from          *buckets
	duplicates    Duplicates
	rows, columns int
	ranks         []int32 // the places of columns; nil: their numbers

	parts  [][]data.Entry
	loaded []data.Entry // from the temporary file
	buffer []byte
	passes [2][]data.Entry          // results of the passes but the last, in turns
	counts [2][1 << digitBits]int32 // where the entries of each digit go next, in this pass and the one after
}

// digitBits is the most bits of a digit: their counts fit the first cache.
const digitBits = 11

func (w *sorter) sort(x int, to *sorted) {
	w.parts, w.loaded, w.buffer, to.err = w.from.load(x, w.parts[:0], w.loaded[:0], w.buffer)
	if to.err != nil {
		return
	}
	to.first = x << w.from.shift
	count := 0
	for _, part := range w.parts {
		count += len(part)
	}
	to.columns, to.values = slices.Grow(to.columns[:0], count)[:count], slices.Grow(to.values[:0], count)[:count]
	rows := min(w.rows-to.first, 1<<w.from.shift)
	to.ends = slices.Grow(to.ends[:0], rows)[:rows]
	w.order(keyShape{int32(to.first), bits.Len(uint(w.columns - 1)), bits.Len(uint(rows - 1))}, to)
	clear(w.parts) // the pages are free
	w.merge(to)
}

// keyShape says which bits of an entry's key differ within a bucket.
type keyShape struct {
	first               int32 // row
	columnBits, rowBits int
}

func (k keyShape) key(e *data.Entry) uint64 {
	return uint64(uint32(e.Row-k.first))<<k.columnBits | uint64(uint32(e.Column))
}

// order puts the entries of all parts into to.
func (w *sorter) order(k keyShape, to *sorted) {
	width := k.columnBits + k.rowBits
	passes := max(1, (width+digitBits-1)/digitBits)
	// Digits of equal width, so that no pass has few bits to sort by.
	digits := (width + passes - 1) / passes
	mask := uint64(1)<<digits - 1
	next, after := w.counts[0][:mask+1], w.counts[1][:mask+1]
	clear(next)
	clear(to.ends)
	inOrder, before := true, uint64(0)
	for _, part := range w.parts {
		if w.ranks != nil {
			for at := range part {
				part[at].Column = w.ranks[part[at].Column]
			}
		}
		for at := range part {
			key := k.key(&part[at])
			inOrder = inOrder && before <= key
			before = key
			to.ends[key>>k.columnBits]++
			next[key&mask]++
		}
	}
	for row := 1; row < len(to.ends); row++ {
		to.ends[row] += to.ends[row-1]
	}
	if inOrder {
		at := 0
		for _, part := range w.parts {
			for x := range part {
				to.columns[at], to.values[at] = part[x].Column, part[x].Value
				at++
			}
		}
		return
	}
	from, shift := w.parts, 0
	for pass := range passes - 1 {
		starts(next)
		clear(after)
		result := slices.Grow(w.passes[pass%2][:0], len(to.columns))[:len(to.columns)]
		for _, part := range from {
			for at := range part {
				key := k.key(&part[at]) >> shift
				after[key>>digits&mask]++ // the digit of the next pass
				place := &next[key&mask]
				result[*place] = part[at]
				*place++
			}
		}
		w.passes[pass%2] = result
		from, shift, next, after = [][]data.Entry{result}, shift+digits, after, next
	}
	starts(next)
	for _, part := range from {
		for at := range part {
			place := &next[k.key(&part[at])>>shift&mask]
			to.columns[*place], to.values[*place] = part[at].Column, part[at].Value
			*place++
		}
	}
}

// starts turns counts into the places where each begins.
func starts(counts []int32) {
	sum := int32(0)
	for d, count := range counts {
		counts[d] = sum
		sum += count
	}
}

// merge makes one entry of those of one row and column, or names the first that
// is given twice, and takes the weights out of the list of values.
func (w *sorter) merge(to *sorted) {
	to.dropped, to.twice, to.beyond, to.weights = 0, nil, false, to.weights[:0]
	each := w.from.each()
	if each == 1 && !to.repeats() {
		return
	}
	begin, kept, count := 0, 0, len(to.columns)/each
	for row, end := range to.ends {
		columns := to.columns[begin:end]
		for at := 0; at < len(columns); {
			same := at + each
			for same < len(columns) && columns[same] == columns[at] {
				same += each
			}
			one := to.values[begin+at : begin+same]
			if len(one) > each {
				if w.duplicates == Refuse {
					to.twice = &data.Entry{Row: int32(to.first + row), Column: columns[at]}
					return
				}
				one = merged(one, each, w.duplicates)
			}
			if each == 2 {
				if !data.ValidWeight(one[1]) { // it was valid of each
					to.twice, to.beyond = &data.Entry{Row: int32(to.first + row), Column: columns[at], Value: one[1]}, true
					return
				}
				to.weights = append(to.weights, one[1])
			}
			to.columns[kept], to.values[kept] = columns[at], one[0]
			kept++
			at = same
		}
		begin, to.ends[row] = end, kept
	}
	to.dropped = count - kept
	to.columns, to.values = to.columns[:kept], to.values[:kept]
}

// repeats tells whether a column comes twice in a row.
func (s *sorted) repeats() bool {
	begin := 0
	for _, end := range s.ends {
		before := int32(-1)
		for _, j := range s.columns[begin:end] {
			if j == before {
				return true
			}
			before = j
		}
		begin = end
	}
	return false
}

// merged is one entry of several of one row and column, in the order of the input: each
// is a value, and its weight if there are weights. The mean does not depend on the order.
func merged(all []float64, each int, how Duplicates) []float64 {
	switch how {
	case First:
		return all[:each]
	case Last:
		return all[len(all)-each:]
	}
	if each == 1 { // as of times
		slices.Sort(all)
		if how == Mean {
			all[0] = meanOf(all)
			return all[:1]
		}
		return all[len(all)-1:]
	}
	var values, weights []float64
	for _, one := range slices.SortedFunc(slices.Chunk(all, each), slices.Compare[[]float64]) {
		values, weights = append(values, one[0]), append(weights, one[1])
	}
	mean, weight := weighedMean(values, weights)
	return []float64{mean, weight}
}

// meanOf is the mean of numbers, also where their sum is too large for one.
func meanOf(values []float64) float64 {
	sum, parts := 0.0, 0.0
	for _, v := range values {
		sum += v
		parts += v / float64(len(values))
	}
	if mean := sum / float64(len(values)); !math.IsInf(mean, 0) {
		return mean
	}
	return parts
}

// eachBucket sorts the buckets in several goroutines and hands them to take in
// their order. rows and columns are the numbers of all, ranks the places that
// columns get by their numbers; nil: the same.
func (s *buckets) eachBucket(ctx context.Context, rows, columns int, ranks []int32, threads int, duplicates Duplicates, take func(*sorted) error) error {
	ctx, cancel := context.WithCancel(ctx)
	type job struct {
		bucket int
		to     *sorted
	}
	count := threads + 1
	free, work, order := make(chan *sorted, count), make(chan job), make(chan *sorted, count)
	for range count {
		free <- &sorted{done: make(chan struct{}, 1)}
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() {
		defer close(work)
		defer close(order)
		for x := range s.list {
			select {
			case to := <-free:
				order <- to // as many places as there are of them
				select {
				case work <- job{x, to}:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	for range threads {
		w := &sorter{from: s, duplicates: duplicates, rows: rows, columns: columns, ranks: ranks}
		running.Go(func() {
			for j := range work {
				w.sort(j.bucket, j.to)
				j.to.done <- struct{}{}
			}
		})
	}
	for b := range order {
		select {
		case <-b.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if b.err != nil {
			return b.err
		}
		if err := take(b); err != nil {
			return err
		}
		free <- b
	}
	return ctx.Err()
}

// duplicateError is the fault of two entries in one place, or of the weight that they
// have together.
func (c *collector) duplicateError(ctx context.Context, e data.Entry, beyond bool) error {
	choose, together := "or choose with Settings.Duplicates first, last or mean", ""
	if beyond {
		choose = "or choose with Settings.Duplicates first or last"
		together = fmt.Sprintf(", and together they have the weight %g, not from %g to %g", e.Value, data.LeastWeight, data.MostWeight)
	}
	e.Row, e.Column = seen(c.rowOrder, e.Row), seen(c.columnOrder, e.Column)
	row, column := data.Quote(c.rows.text(e.Row)), data.Quote(c.columns.text(e.Column))
	out := &data.InputError{File: c.inputs[0].name, Err: data.ErrDuplicate}
	again := !slices.ContainsFunc(c.inputs, func(in *input) bool { return in.from != nil })
	if again {
		// The lines of entries are not kept: they would take half as much memory again.
		found, err := c.places(ctx, e)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && len(found) >= 2 {
			out.File, out.Line = found[1].in.name, found[1].line
			out.Problem = fmt.Sprintf("row %s, column %s was already given %s%s", row, column, found[0].from(found[1].in), together)
			out.Remedy = "keep one of the two lines, " + choose
			return out
		}
	}
	out.Problem = fmt.Sprintf("row %s, column %s is given twice%s", row, column, together)
	out.Remedy = "keep one of the two entries, " + choose
	if !again && !c.inputs[0].part {
		out.Remedy += "; give a file instead of standard input to learn the lines"
	}
	return out
}
