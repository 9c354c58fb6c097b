package objective

import (
	"context"
	"errors"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/search"
)

// notInMemory hides that a matrix is one, so that its rows are read.
type notInMemory struct{ data.Source }

// failing is a source whose row cannot be read.
type failing struct {
	data.Source
	row int
}

var errGone = errors.New("the file is gone")

func (f failing) Reader() data.Reader { return failingReader{f.Source.Reader(), f.row} }

type failingReader struct {
	data.Reader
	row int
}

func (f failingReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	if i == f.row {
		return columns, values, errGone
	}
	return f.Reader.Append(i, columns, values)
}

func TestSourcesGiveSameBits(t *testing.T) {
	made := must.Get(synth.Generate(synth.Config{Rows: 120, Columns: 50, Features: 9, K: 3, Missing: 0.7, Noise: 0.1, Seed: 5}))(t)
	ctx := context.Background()
	m := made.Ratings.Matrix()
	weights := []float64{0, 1, 0.3, 0, 0, 0.7, 1, 0, 0}
	type result struct {
		cost, constant    float64
		gradient, hessian []float64
	}
	eval := func(o search.Curved) (r result, err error) {
		r.gradient, r.hessian = make([]float64, o.Dim()), make([]float64, 16)
		r.cost, r.constant, err = evalInto(ctx, o, weights, r.gradient, r.hessian)
		return r, err
	}
	for name, oracle := range map[string]func(s data.Source) search.Curved{
		"exact":  func(s data.Source) search.Curved { return NewExact(s, made.Features, 2, 2) },
		"pooled": func(s data.Source) search.Curved { return NewPooled(NewExact(s, made.Features, 2, 2), 10) },
	} {
		t.Run(name, func(t *testing.T) {
			want := must.Get(eval(oracle(m)))(t)
			got := must.Get(eval(oracle(notInMemory{m})))(t)
			if got.cost != want.cost || got.constant != want.constant || !slices.Equal(got.gradient, want.gradient) || !slices.Equal(got.hessian, want.hessian) {
				t.Errorf("read row by row the cost is %v, in memory %v", got.cost, want.cost)
			}
			if _, err := eval(oracle(failing{m, 77})); !errors.Is(err, errGone) {
				t.Errorf("a row that cannot be read gives the error %v", err)
			}
		})
	}
	in, rest := []int{1}, []int{0, 2, 3, 5, 6}
	list := func(s data.Source) ([][]int, []float64, error) {
		o := NewExact(s, made.Features, 2, 2)
		var selections [][]int
		var costs []float64
		for range gramAfter + 1 { // with products kept and without
			list, err := o.Enumerate(ctx, search.Region{In: in, Candidates: rest, Left: 2, Below: 1e9})
			if err != nil {
				return nil, nil, err
			}
			selections, costs = list.Selections, list.Costs
		}
		return selections, costs, nil
	}
	selections, costs, err := list(m)
	if err != nil {
		t.Fatal(err)
	}
	again, costsAgain, err := list(notInMemory{m})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(costs, costsAgain) || !slices.EqualFunc(selections, again, slices.Equal[[]int]) {
		t.Errorf("read row by row an enumeration gives %v, in memory %v", costsAgain, costs)
	}
	if _, _, err := list(failing{m, 3}); !errors.Is(err, errGone) {
		t.Errorf("an enumeration of a row that cannot be read gives the error %v", err)
	}
}
