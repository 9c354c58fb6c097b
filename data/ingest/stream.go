package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"optcomplete/data"
	"optcomplete/internal/memory"
	"optcomplete/internal/textfile"
)

// pipe carries batches from the reading goroutine through the workers to the
// merging goroutine, which gets them in order.
type pipe struct {
	ctx      context.Context
	settings *Settings
	columns  *ids // those that are known from the start, if no others are taken
	free     chan *batch
	work     chan *batch
	order    chan *batch
	bytes    int64 // read of all inputs
	err      error // why reading ended early
	opened   []io.Closer
	reading  string // the name of the input that is read
}

// next gives a batch to fill.
func (p *pipe) next() (*batch, error) {
	if err := memory.Check(); err != nil {
		return nil, textfile.ReadError(p.reading, 0, err)
	}
	select {
	case b := <-p.free:
		return b, nil
	case <-p.ctx.Done():
		return nil, p.ctx.Err()
	}
}

// emit sends a filled batch on its way.
func (p *pipe) emit(in *input, b *batch) error {
	b.file, b.read = in, p.bytes
	for _, to := range []chan *batch{p.order, p.work} {
		select {
		case to <- b:
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
	return nil
}

// closeLater closes a file once no worker needs it.
func (p *pipe) closeLater(file io.Closer) { p.opened = append(p.opened, file) }

// stream reads inputs and numbers their ids.
type stream struct {
	settings      *Settings
	inputs        []*input
	rows, columns *ids
	fixed         bool // no columns but the known ones
	workers       []*worker
	maxIDs        int // rows or columns
}

// maxIDs leaves room for the numbers of ids that are new in a batch.
const maxIDs = math.MaxInt32 - 2

func newStream(paths []string, s *Settings) (*stream, error) {
	inputs, err := expand(paths, s)
	if err != nil {
		return nil, err
	}
	return newStreamOf(inputs, s), nil
}

func newStreamOf(inputs []*input, s *Settings) *stream {
	t := &stream{settings: s, inputs: inputs, rows: newIDs(), columns: newIDs(), maxIDs: maxIDs}
	t.rows.decimals, t.columns.decimals = newDecimals(), newDecimals()
	t.fixed = s.Columns != nil && !s.AnyColumn
	for _, id := range s.Columns {
		t.columns.number(id)
	}
	for range s.threads() {
		t.workers = append(t.workers, &worker{settings: s, rows: t.rows, columns: t.columns, fixed: t.fixed, waiting: make([]waiting, 0, maxWaiting)})
	}
	return t
}

// total is the size of all inputs; 0 if one of them has none.
func (t *stream) total() int64 {
	total := int64(0)
	for _, in := range t.inputs {
		if in.from != nil {
			return 0
		}
		total += in.size
	}
	return total
}

// run reads all inputs and hands the parsed batches to merge, in order.
func (t *stream) run(ctx context.Context, merge func(*batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	// Enough that no goroutine waits for another that has work.
	count := 2*len(t.workers) + 2
	p := &pipe{ctx: ctx, settings: t.settings, free: make(chan *batch, count), work: make(chan *batch, count), order: make(chan *batch, count)}
	if t.fixed {
		p.columns = t.columns
	}
	for range count {
		p.free <- newBatch()
	}
	var running sync.WaitGroup
	defer func() {
		cancel()
		running.Wait()
		for _, file := range p.opened {
			file.Close()
		}
	}()
	running.Go(func() {
		for _, in := range t.inputs {
			p.reading = in.name
			if p.err = in.read(p); p.err != nil {
				break
			}
		}
		close(p.work)
		close(p.order)
	})
	for _, w := range t.workers {
		running.Go(func() {
			for b := range p.work {
				w.run(b)
			}
		})
	}
	for b := range p.order {
		select {
		case <-b.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := t.mergeOne(b, merge); err != nil {
			return err
		}
		b.reset()
		p.free <- b
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.err
}

func (t *stream) mergeOne(b *batch, merge func(*batch) error) error {
	in := b.file
	in.given += b.given
	if b.fault == nil {
		if err := merge(b); err != nil {
			return err
		}
	}
	if b.fault != nil {
		if b.fault.Line > 0 {
			b.fault.Line += in.lines
		}
		return b.fault
	}
	in.lines += b.lines
	if b.end {
		return in.finish()
	}
	return nil
}

// collector numbers the new ids of batches and keeps the entries.
type collector struct {
	*stream
	report   Report
	first    *input // that had entries
	unknown  map[string]struct{}
	sink     *buckets
	progress func(done, total int64, phase Phase)

	last                [2]int32 // row and column of the last entry
	newRows, newColumns []int32  // final numbers of a batch's new ids

	// The canonical order, once all ids are known: the numbers of rows and columns
	// in it, and the place in it of each column's number. Nil: they stand in it.
	rowOrder, columnOrder, columnRanks []int32
}

func (c *collector) collect(ctx context.Context) error {
	c.unknown, c.last = map[string]struct{}{}, [2]int32{-1, -1}
	total := c.total()
	err := c.run(ctx, func(b *batch) error {
		if err := c.merge(b); err != nil {
			return err
		}
		c.report.Bytes = b.read
		if c.progress != nil {
			c.progress(b.read, total, Reading)
		}
		return nil
	})
	if again := new(twiceError); errors.As(err, &again) {
		return c.duplicateError(ctx, again.Entry, false)
	}
	return err
}

func (c *collector) merge(b *batch) error {
	c.report.Lines += b.given
	c.report.Called = b.file.layout.called
	if b.note != "" {
		c.report.Notes = append(c.report.Notes, b.note)
	}
	c.report.Missing += b.missing
	c.report.Zeros += b.zeros
	if fault := c.oneKind(b); fault != nil {
		return fault
	}
	if b.booleans > 0 && !b.file.said {
		b.file.said = true
		c.report.Notes = append(c.report.Notes, b.file.name+": yes and true are read as 1, no and false as 0")
	}
	c.report.UnknownEntries += b.unknownEntries
	for _, id := range b.unknown.all() {
		if _, seen := c.unknown[id]; !seen {
			c.unknown[id] = struct{}{}
			c.report.UnknownColumns++
			if len(c.report.UnknownExamples) < unknownExamples {
				c.report.UnknownExamples = append(c.report.UnknownExamples, id)
			}
		}
	}
	in := b.file
	if in.packed != nil && !c.fixed && in.columns == nil {
		// A pack has columns without an entry too.
		in.columns = []int32{}
		for _, id := range in.packed.ColumnIDs() {
			in.columns = append(in.columns, c.columns.number(id))
		}
	}
	c.newRows = number(c.rows, b.newRows, c.newRows[:0])
	c.newColumns = number(c.columns, b.newColumns, c.newColumns[:0])
	if c.rows.count > c.maxIDs || c.columns.count > c.maxIDs {
		return fault(in.name, in.lines+b.lines, fmt.Sprintf("there are more than %d rows or columns", c.maxIDs), "split the input by rows")
	}
	c.renumber(b)
	if fault := c.twice(b); fault != nil {
		return fault
	}
	return c.sink.add(b.entries)
}

// renumber gives the entries of a batch the final numbers of their ids.
func (c *collector) renumber(b *batch) {
	if len(c.newRows) > 0 {
		for at := range b.entries {
			if i := b.entries[at].Row; i < 0 {
				b.entries[at].Row = c.newRows[-2-i]
			}
		}
	}
	if known := b.file.columns; known != nil {
		for at := range b.entries {
			b.entries[at].Column = known[b.entries[at].Column]
		}
	} else if len(c.newColumns) > 0 {
		for at := range b.entries {
			if j := b.entries[at].Column; j < 0 {
				b.entries[at].Column = c.newColumns[-2-j]
			}
		}
	}
}

// twiceError is an entry that was met again right after itself.
type twiceError struct{ data.Entry }

func (*twiceError) Error() string { return "ingest: an entry is given twice" }

// twice finds an entry that follows itself, where that is refused. Others that are given
// twice are found when they are sorted; but such may be all that a large file holds.
func (c *collector) twice(b *batch) error {
	if c.settings.Duplicates != Refuse {
		return nil
	}
	each := 1 // an entry, and behind it its weight
	if c.sink.weighted {
		each = 2
	}
	for at := 0; at < len(b.entries); at += each {
		e := b.entries[at]
		if e.Row == c.last[0] && e.Column == c.last[1] {
			return &twiceError{e}
		}
		c.last = [2]int32{e.Row, e.Column}
	}
	return nil
}

// number adds the new ids of a batch to those of the stream, and lists their
// numbers there.
func number(to, from *ids, numbers []int32) []int32 {
	for _, id := range from.all() {
		numbers = append(numbers, to.number(id))
	}
	return numbers
}

// values is what all workers have seen.
func (t *stream) values() *values {
	all := &values{}
	for _, w := range t.workers {
		all.join(&w.values)
	}
	return all
}

// place is where an entry stands.
type place struct {
	in   *input
	line int // or record; 0 in a pack
}

// from names the place as seen from a file.
func (p place) from(in *input) string {
	var parts []string
	if p.in != in {
		parts = append(parts, "in "+p.in.name)
	}
	if p.line > 0 {
		unit := "line"
		if p.in.format == Parquet || p.in.format == Arrow {
			unit = "record"
		}
		parts = append(parts, fmt.Sprintf("on %s %d", unit, p.line))
	}
	return strings.Join(parts, " ")
}

var errFound = errors.New("ingest: both places are found")

// places reads the inputs again, for the first two places of an entry.
func (t *stream) places(ctx context.Context, e data.Entry) ([]place, error) {
	for _, w := range t.workers {
		w.probe = &e
	}
	for _, in := range t.inputs {
		in.lines, in.given = 0, 0
	}
	var found []place
	err := t.run(ctx, func(b *batch) error {
		for _, line := range b.hits {
			if line > 0 {
				line += b.file.lines
			}
			found = append(found, place{b.file, line})
		}
		if len(found) >= 2 {
			return errFound
		}
		return nil
	})
	if err == errFound {
		err = nil
	}
	return found, err
}
