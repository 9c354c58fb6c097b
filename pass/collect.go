package pass

import (
	"context"

	"optcomplete/data"
)

// Entries is rows as they were read.
type Entries struct {
	Rows    []int32 // of each row, its number of entries
	Columns []int32
	Values  []float64
	Weights []float64 // nil: they have none
}

// Merge adds the rows that follow.
func (e *Entries) Merge(o Part) {
	after := o.(*Entries)
	e.Rows = append(e.Rows, after.Rows...)
	e.Columns = append(e.Columns, after.Columns...)
	e.Values = append(e.Values, after.Values...)
	e.Weights = append(e.Weights, after.Weights...)
}

// add adds row i of a chunk, or what is left of it.
func (e *Entries) add(c *Chunk, i int, columns []int32, values []float64) {
	e.Rows = append(e.Rows, int32(len(columns)))
	e.Columns = append(e.Columns, columns...)
	e.Values = append(e.Values, values...)
	if len(columns) > 0 { // a row that is left out need not be read
		all, _ := c.Row(i)
		e.Weights = data.PickWeights(all, c.Weights(i), columns, e.Weights)
	}
}

// collecting gives the rows themselves, as transforms leave them.
type collecting struct {
	Called     string
	Transforms []Transform
}

// Name is what the reading is for.
func (p collecting) Name() string { return p.Called }

// Start makes a worker.
func (p collecting) Start(*Input) (Worker, error) {
	w := &transforming{transforms: p.Transforms}
	return Each(newEntries, func(part *Entries, c *Chunk, i int) error {
		columns, values := w.row(c, i)
		part.add(c, i, columns, values)
		return nil
	}), nil
}

func newEntries() *Entries { return new(Entries) }

// Collect reads a source into memory, as transforms leave it.
func Collect(ctx context.Context, s data.Source, threads int, name string, transforms ...Transform) (*data.Matrix, error) {
	if m, ok := s.(*data.Matrix); ok && len(transforms) == 0 {
		return m, nil
	}
	if len(transforms) == 0 && !Remote(ctx) {
		return copied(ctx, s, threads, name)
	}
	task, done := collect(s, name, transforms, leavesOut(transforms))
	if err := RunTasks(ctx, s, threads, task); err != nil {
		return nil, err
	}
	return done()
}

// copied is a source in memory: each worker writes its rows where they belong.
func copied(ctx context.Context, s data.Source, threads int, name string) (*data.Matrix, error) {
	n, m := s.Dims()
	start := make([]int, n+1)
	for i := range n {
		start[i+1] = start[i] + s.Entries(i)
	}
	columns, values := make([]int32, start[n]), make([]float64, start[n])
	weights := data.NoWeights(data.IsWeighted(s))
	if weights != nil {
		weights = make([]float64, start[n])
	}
	here := &Here{Called: name, Begin: func(int) func(c *Chunk, i int) error {
		return func(c *Chunk, i int) error {
			at, v := c.Row(i)
			copy(columns[start[i]:start[i+1]], at)
			copy(values[start[i]:], v)
			if weights != nil {
				copy(weights[start[i]:], c.Weights(i))
			}
			return nil
		}
	}}
	if err := RunTasks(ctx, s, threads, &Task{Pass: here}); err != nil {
		return nil, err
	}
	out, err := data.NewMatrixByRows(m, start, columns, values)
	if err != nil {
		return nil, err
	}
	if out, err = out.WithKeys(data.KeysOf(s)).WithWeights(weights); err != nil {
		return nil, err
	}
	if known, ok := s.(data.Surveyed); ok && known.Surveyed(nil) != nil {
		out.Surveyed(known.Surveyed(nil))
	}
	return out, nil
}

// collect is the task of making a matrix, and what makes it of what was read. A
// matrix of which nothing is left out shares its places. Of a source on disk, only
// what is kept takes memory: a sample of it may be a thousandth.
func collect(s data.Source, name string, transforms []Transform, drops bool) (*Task, func() (*data.Matrix, error)) {
	n, m := s.Dims()
	start := make([]int, 1, n+1)
	var columns []int32
	var values []float64
	weights := data.NoWeights(data.IsWeighted(s))
	from, inMemory := s.(*data.Matrix)
	share := inMemory && !drops
	if inMemory || !drops {
		values = make([]float64, 0, s.Observed())
	}
	if !share && !drops {
		columns = make([]int32, 0, s.Observed())
	}
	task := &Task{Pass: collecting{name, transforms}, Sink: func(p Part) error {
		e := p.(*Entries)
		values = append(values, e.Values...)
		if share {
			return nil
		}
		columns = append(columns, e.Columns...)
		weights = append(weights, e.Weights...)
		for _, entries := range e.Rows {
			start = append(start, start[len(start)-1]+int(entries))
		}
		return nil
	}}
	return task, func() (*data.Matrix, error) {
		if share {
			return from.WithValues(values), nil
		}
		out, err := data.NewMatrixByRows(m, start, columns, values)
		if err != nil {
			return nil, err
		}
		return out.WithKeys(data.KeysOf(s)).WithWeights(weights)
	}
}

func init() { Register("", collecting{}, new(Entries)) }
