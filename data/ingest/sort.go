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
	ends    []int // of each row of the bucket, in columns and values
	first   int   // its first row
	dropped int   // duplicates
	twice   *data.Entry
	err     error
	done    chan struct{}
}

// sorter sorts buckets, one after another.
type sorter struct {
	from       *buckets
	duplicates Duplicates
	rows       int
	entries    []data.Entry
	other      []data.Entry
	buffer     []byte
}

func (w *sorter) sort(x int, to *sorted) {
	w.entries, w.buffer, to.err = w.from.load(x, w.entries[:0], w.buffer)
	if to.err != nil {
		return
	}
	w.entries, w.other = radixSort(w.entries, w.other)
	to.first = x << w.from.shift
	to.columns, to.values, to.ends = to.columns[:0], to.values[:0], to.ends[:0]
	to.dropped, to.twice = 0, nil
	row := int32(to.first)
	for at := 0; at < len(w.entries); {
		e := w.entries[at]
		for ; row < e.Row; row++ {
			to.ends = append(to.ends, len(to.columns))
		}
		same := at + 1
		for same < len(w.entries) && w.entries[same].Row == e.Row && w.entries[same].Column == e.Column {
			same++
		}
		if same > at+1 {
			if w.duplicates == Refuse {
				to.twice = new(data.Entry)
				*to.twice = e
				return
			}
			to.dropped += same - at - 1
			e.Value = merged(w.entries[at:same], w.duplicates)
		}
		to.columns, to.values = append(to.columns, e.Column), append(to.values, e.Value)
		at = same
	}
	for last := min(w.rows, (x+1)<<w.from.shift); int(row) < last; row++ {
		to.ends = append(to.ends, len(to.columns))
	}
}

// merged is the value of several entries of one row and column, in the order of
// the input.
func merged(entries []data.Entry, how Duplicates) float64 {
	switch how {
	case First:
		return entries[0].Value
	case Last:
		return entries[len(entries)-1].Value
	}
	sum, parts := 0.0, 0.0
	for _, e := range entries {
		sum += e.Value
		parts += e.Value / float64(len(entries))
	}
	if mean := sum / float64(len(entries)); !math.IsInf(mean, 0) {
		return mean
	}
	return parts // the sum alone is too large for a number
}

// radixSort sorts by row and column and keeps the order of equals. It gives the
// sorted slice and the other one, whose content is lost.
func radixSort(entries, other []data.Entry) (result, scratch []data.Entry) {
	before := func(a, b data.Entry) bool { return a.Row < b.Row || a.Row == b.Row && a.Column <= b.Column }
	inOrder := true
	var rows, columns uint32 // bits that differ from those of the first entry
	for at := 1; at < len(entries); at++ {
		inOrder = inOrder && before(entries[at-1], entries[at])
		rows |= uint32(entries[at].Row ^ entries[0].Row)
		columns |= uint32(entries[at].Column ^ entries[0].Column)
	}
	if inOrder {
		return entries, other
	}
	if len(entries) < 64 {
		slices.SortStableFunc(entries, func(a, b data.Entry) int {
			if a.Row != b.Row {
				return int(a.Row) - int(b.Row)
			}
			return int(a.Column) - int(b.Column)
		})
		return entries, other
	}
	other = slices.Grow(other[:0], len(entries))[:len(entries)]
	for _, byRow := range []bool{false, true} {
		width := bits.Len32(columns)
		if byRow {
			width = bits.Len32(rows)
		}
		passes := (width + digitBits - 1) / digitBits
		for pass := range passes {
			// Digits of equal width, so that no pass has few bits to sort by.
			shift := width * pass / passes
			mask := uint32(1)<<(width*(pass+1)/passes-shift) - 1
			scatter(entries, other, byRow, shift, mask)
			entries, other = other, entries
		}
	}
	return entries, other
}

const digitBits = 11

// scatter copies entries in the order of one digit of their row or column.
func scatter(from, to []data.Entry, byRow bool, shift int, mask uint32) {
	digit := func(e data.Entry) uint32 {
		key := e.Column
		if byRow {
			key = e.Row
		}
		return uint32(key) >> shift & mask
	}
	var next [1 << digitBits]int32
	for _, e := range from {
		next[digit(e)]++
	}
	sum := int32(0)
	for d := range mask + 1 {
		next[d], sum = sum, sum+next[d]
	}
	for _, e := range from {
		d := digit(e)
		to[next[d]] = e
		next[d]++
	}
}

// eachBucket sorts the buckets in several goroutines and hands them to take in
// their order. rows is the number of all rows.
func (s *buckets) eachBucket(ctx context.Context, rows, threads int, duplicates Duplicates, take func(*sorted) error) error {
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
		w := &sorter{from: s, duplicates: duplicates, rows: rows}
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

// duplicateError is the fault of two entries in one place.
func (c *collector) duplicateError(ctx context.Context, e data.Entry) error {
	const choose = "or choose with --duplicates first, last or mean"
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
			out.Problem = fmt.Sprintf("row %s, column %s was already given %s", row, column, found[0].from(found[1].in))
			out.Remedy = "keep one of the two lines, " + choose
			return out
		}
	}
	out.Problem = fmt.Sprintf("row %s, column %s is given twice", row, column)
	out.Remedy = "keep one of the two entries, " + choose
	if !again {
		out.Remedy += "; give a file instead of standard input to learn the lines"
	}
	return out
}
