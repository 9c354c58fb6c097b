package pass

import (
	"context"
	"encoding/gob"
	"slices"

	"optcomplete/data"
)

// Transform changes the rows of a source as they are read: other values, or fewer
// entries. Like a pass it is a description that can be sent; register it with
// RegisterTransform, and share what is large (see Shared).
type Transform interface {
	// Apply changes a row's entries in place, and returns those that are left.
	Apply(row int, columns []int32, values []float64) ([]int32, []float64)

	// Drops tells whether entries may be left out.
	Drops() bool
}

// RowKeeper is a transform that knows without its entries which rows it empties.
// They are not read.
type RowKeeper interface {
	KeepsRow(row int) bool
}

// keepsRow tells whether transforms may leave something of a row.
func keepsRow(transforms []Transform, row int) bool {
	for _, t := range transforms {
		if k, ok := t.(RowKeeper); ok && !k.KeepsRow(row) {
			return false
		}
	}
	return true
}

// RegisterTransform makes a transform known to Encode and Decode.
func RegisterTransform(t Transform) { gob.Register(t) }

// View is a source as transforms leave it: nothing is copied, and every reading
// transforms anew. It has the rows and the columns of its base, and the chunks that
// the same entries have in memory.
type View struct {
	base       data.Source
	transforms []Transform
	counted    *Shared[Counted] // nil: no entries are left out
	chunks     data.ChunkCache
	data.SurveyCache
}

// Counted is how many entries the rows of a view have.
type Counted struct {
	Entries  []int32
	Observed int
}

var _ data.Chunked = (*View)(nil)

// Dims is that of the base.
func (v *View) Dims() (rows, columns int) { return v.base.Dims() }

// Observed returns the number of entries left.
func (v *View) Observed() int {
	if v.counted == nil {
		return v.base.Observed()
	}
	return v.counted.Get().Observed
}

// Entries returns the number of entries left in row i.
func (v *View) Entries(i int) int {
	if v.counted == nil {
		return v.base.Entries(i)
	}
	return int(v.counted.Get().Entries[i])
}

// Chunks is those of the base, or if entries are left out, made of those that are
// left.
func (v *View) Chunks() []int {
	if v.counted == nil {
		return data.Chunks(v.base)
	}
	return v.chunks.Of(v)
}

// Keys is those of the base.
func (v *View) Keys() *data.Keys { return data.KeysOf(v.base) }

// Weighted is that of the base.
func (v *View) Weighted() bool { return data.IsWeighted(v.base) }

// Reader reads the base and transforms what it reads.
func (v *View) Reader() data.Reader { return &viewReader{v.base.Reader(), v.transforms} }

type viewReader struct {
	from       data.Reader
	transforms []Transform
}

func (r *viewReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	if !keepsRow(r.transforms, i) {
		return columns, values, nil
	}
	at := len(columns)
	columns, values, err := r.from.Append(i, columns, values)
	if err != nil {
		return columns, values, err
	}
	c, v := columns[at:], values[at:]
	for _, t := range r.transforms {
		c, v = t.Apply(i, c, v)
	}
	return columns[:at+len(c)], values[:at+len(v)], nil
}

// AppendWeights is that of the base: transforms change no columns.
func (r *viewReader) AppendWeights(i int, columns []int32, to []float64) ([]float64, error) {
	return r.from.(data.WeightReader).AppendWeights(i, columns, to)
}

// leavesOut says whether transforms may leave entries out.
func leavesOut(transforms []Transform) bool {
	return slices.ContainsFunc(transforms, Transform.Drops)
}

// valuesKept is the most entries of which other values are kept in memory. Those of more are
// made as they are read: less work than the pages of fresh memory that they would take.
const valuesKept = 1 << 22

// Transformed is a source as transforms leave it: a View, or of a small matrix another
// one. It reads the source if it makes one, or if entries may be left out.
func Transformed(ctx context.Context, s data.Source, threads int, name string, transforms ...Transform) (data.Source, error) {
	all, err := Views(ctx, s, threads, name, transforms)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Views is Transformed for several lists of transforms, in one reading, which is
// counted under the name.
func Views(ctx context.Context, s data.Source, threads int, name string, lists ...[]Transform) ([]data.Source, error) {
	out := make([]data.Source, len(lists))
	var tasks []*Task
	finish := make([]func() error, len(lists))
	for x, list := range lists {
		drops := leavesOut(list)
		if m, ok := s.(*data.Matrix); ok && (drops || m.Observed() <= valuesKept) {
			task, done := collect(m, name, list, drops)
			tasks = append(tasks, task)
			finish[x] = func() (err error) { out[x], err = done(); return err }
			continue
		}
		view := &View{base: s, transforms: list}
		if v, ok := s.(*View); ok {
			view.base, view.counted = v.base, v.counted
			view.transforms = append(append([]Transform{}, v.transforms...), list...)
		}
		out[x] = view
		finish[x] = func() error { return nil }
		if drops {
			n, _ := s.Dims()
			counted := Counted{Entries: make([]int32, 0, n)}
			tasks = append(tasks, &Task{Pass: counting{name, list}, Sink: func(p Part) error {
				for _, e := range p.(*Counted).Entries {
					counted.Observed += int(e)
					counted.Entries = append(counted.Entries, e)
				}
				return nil
			}})
			finish[x] = func() error { view.counted = Share(counted); return nil }
		}
	}
	if len(tasks) > 0 {
		if err := RunTasks(ctx, s, threads, tasks...); err != nil {
			return nil, err
		}
	}
	for _, f := range finish {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// counting counts the entries that transforms leave.
type counting struct {
	Called     string
	Transforms []Transform
}

// Name is what the reading is for.
func (p counting) Name() string { return p.Called }

// Start makes a worker.
func (p counting) Start(*Input) (Worker, error) {
	w := &transforming{transforms: p.Transforms}
	return Each(func() *Counted { return new(Counted) }, func(part *Counted, c *Chunk, i int) error {
		columns, _ := w.row(c, i)
		part.Entries = append(part.Entries, int32(len(columns)))
		part.Observed += len(columns)
		return nil
	}), nil
}

// Merge counts the rows that follow.
func (c *Counted) Merge(o Part) {
	after := o.(*Counted)
	c.Entries = append(c.Entries, after.Entries...)
	c.Observed += after.Observed
}

// transforming is the memory that transformed rows take.
type transforming struct {
	transforms []Transform
	columns    []int32
	values     []float64
}

// row is a row of the chunk, transformed.
func (w *transforming) row(c *Chunk, i int) ([]int32, []float64) {
	if !keepsRow(w.transforms, i) {
		return nil, nil
	}
	columns, values := c.Row(i)
	w.columns = append(w.columns[:0], columns...)
	w.values = append(w.values[:0], values...)
	columns, values = w.columns, w.values
	for _, t := range w.transforms {
		columns, values = t.Apply(i, columns, values)
	}
	return columns, values
}

func init() { Register("", counting{}, new(Counted)) }
