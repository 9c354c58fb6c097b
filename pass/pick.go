package pass

import (
	"context"
	"slices"

	"optcomplete/data"
)

// Pick reads some rows of a source into memory: a matrix of them, in the order
// given, which must be increasing. Only those rows are read, and the reading is
// counted among those of samples.
func Pick(ctx context.Context, s data.Source, threads int, name string, rows []int) (*data.Matrix, error) {
	if !slices.IsSorted(rows) {
		panic("pass: rows are to be picked in order")
	}
	_, m := s.Dims()
	start := make([]int, 1, len(rows)+1)
	var columns []int32
	var values []float64
	weights := data.NoWeights(data.IsWeighted(s))
	err := Stream(WithLabel(ctx, "samples"), s, threads, picking{name, rows}, func(e *Entries) error {
		columns, values = append(columns, e.Columns...), append(values, e.Values...)
		weights = append(weights, e.Weights...)
		for _, entries := range e.Rows {
			start = append(start, start[len(start)-1]+int(entries))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out, err := data.NewMatrixByRows(m, start, columns, values)
	if err != nil {
		return nil, err
	}
	return out.WithKeys(data.KeysOf(s).Some(rows)).WithWeights(weights)
}

// picking gives some of the rows.
type picking struct {
	Called string
	Rows   []int
}

// Name is what the rows are for.
func (p picking) Name() string { return p.Called }

// Start makes a worker.
func (p picking) Start(*Input) (Worker, error) { return &picker{p.Rows, Makes(newEntries)}, nil }

type picker struct {
	rows []int
	Making[*Entries]
}

func (w *picker) Add(c *Chunk) error {
	at, _ := slices.BinarySearch(w.rows, c.First)
	for ; at < len(w.rows) && w.rows[at] < c.End; at++ {
		columns, values := c.Row(w.rows[at])
		w.Now.add(c, w.rows[at], columns, values)
	}
	return nil
}

func init() { Register("", picking{}, new(Entries)) }

// Subtract takes a mean, and effects of rows and of columns, away from the values. What
// is nil takes nothing away.
type Subtract struct {
	Mean          float64
	Rows, Columns *Shared[[]float64]
}

// Drops is false.
func (s Subtract) Drops() bool { return false }

// Apply subtracts.
func (s Subtract) Apply(row int, columns []int32, values []float64) ([]int32, []float64) {
	effect := 0.0
	if s.Rows != nil {
		effect = s.Rows.Get()[row]
	}
	var effects []float64
	if s.Columns != nil {
		effects = s.Columns.Get()
	}
	for x, c := range columns {
		values[x] -= s.Mean
		if effects != nil {
			values[x] -= effects[c]
		}
		values[x] -= effect
	}
	return columns, values
}

func init() { RegisterTransform(Subtract{}) }
