package diagnose

import (
	"context"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
)

// coverages are the probabilities that Coverage looks at.
var coverages = []float64{0.5, 0.8, 0.95}

// Coverage compares intervals with entries that the model was not fitted on; nil
// if it has none to tell, or if they are of probabilities, which nobody observes.
// train are the entries that the rows were fitted on; both have these rows of the model,
// nil: all.
func Coverage(ctx context.Context, m *model.Model, train, held data.Source, rows []int, threads int) ([]result.Coverage, error) {
	if m.LossOf().Loss.Probabilities() || !m.HasIntervals() {
		return nil, nil
	}
	of, err := entriesOf(ctx, held, threads)
	if err != nil {
		return nil, err
	}
	p := covering{Of: m.Predictor().Of, Shrinkage: m.Summary.ColumnShrinkage, Rows: rows, Held: pass.Share(of)}
	if m.Link != nil {
		p.Noise = m.Link.Noise
	}
	part, err := pass.One[*pass.Sums](ctx, train, threads, p)
	if err != nil || part.Values[0] == 0 {
		return nil, err
	}
	var out []result.Coverage
	for y, probability := range coverages {
		out = append(out, result.Coverage{Probability: probability, Covered: part.Values[1+2*y] / part.Values[0], Width: part.Values[2+2*y] / part.Values[0]})
	}
	return out, nil
}

// heldOut is entries by rows, as they are sent.
type heldOut struct {
	Start   []int // of each row, and the end
	Columns []int32
	Values  []float64
	Weights []float64 // nil: they have none
}

func entriesOf(ctx context.Context, s data.Source, threads int) (*heldOut, error) {
	m, err := pass.Collect(ctx, s, threads, "held-out entries")
	if err != nil {
		return nil, err
	}
	out := &heldOut{Start: []int{0}}
	n, _ := m.Dims()
	for i := range n {
		columns, values := m.Row(i)
		out.Columns, out.Values = append(out.Columns, columns...), append(out.Values, values...)
		out.Weights = append(out.Weights, m.RowWeights(i)...)
		out.Start = append(out.Start, len(out.Columns))
	}
	return out, nil
}

// covering is the pass of Coverage, over the entries that rows were fitted on.
type covering struct {
	Of        *pass.Shared[estimate.Fitted]
	Shrinkage float64 // of column effects
	Rows      []int   // of the model; nil: all
	Held      *pass.Shared[*heldOut]
	Noise     *estimate.Noise // learned after what was fitted may have been sent
}

// Start makes a worker.
func (p covering) Start(*pass.Input) (pass.Worker, error) {
	of, held := p.Of.Get(), p.Held.Get()
	if of.Link != nil {
		parts, link := *of.Parts, *of.Link
		link.Noise = p.Noise
		parts.Link, of.Parts = &link, &parts
	}
	counts := of.LossOf().Loss.Counts()
	var fitted []int32
	var by []float64
	x := model.IntervalsOf(of, p.Shrinkage, func(int) ([]int32, []float64, error) { return fitted, by, nil })
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(1 + 2*len(coverages)) }, func(part *pass.Sums, i int, columns []int32, _, weights []float64) error {
		fitted, by = columns, weights
		from, to := held.Start[i], held.Start[i+1]
		if p.Rows != nil {
			i = p.Rows[i]
		}
		for e := from; e < to; e++ {
			column, value := int(held.Columns[e]), held.Values[e]
			a, weight := of.AnswerAt(i, column), 1.0
			if len(held.Weights) > 0 {
				weight = held.Weights[e]
			}
			part.Values[0]++
			for y, probability := range coverages {
				sure, err := x.Weighing(a, i, column, weight, probability)
				if err != nil {
					return err
				}
				low, high := sure.Low, sure.High
				if counts {
					low, high = sure.CountLow, sure.CountHigh
				}
				part.Values[2+2*y] += high - low
				if value >= low && value <= high {
					part.Values[1+2*y]++
				}
			}
		}
		return nil
	}), nil
}

func init() { pass.Register("coverage", covering{}, new(pass.Sums)) }
