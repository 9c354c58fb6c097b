package diagnose

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
)

// VarianceOf divides the variance of the entries, the ones the model was fitted
// on; nil if they are all the same. It does not depend on the number of threads.
func Variance(ctx context.Context, m *model.Model, entries data.Source, threads int) (*result.Variance, error) {
	p, variance, err := Variancing(ctx, m, entries, threads)
	if err != nil {
		return nil, err
	}
	part, err := pass.One[*pass.Sums](ctx, entries, threads, p)
	if err != nil {
		return nil, err
	}
	return variance(part), nil
}

// Variancing is the pass of VarianceOf, to be read together with others, and what
// makes its result of the part.
func Variancing(ctx context.Context, m *model.Model, entries data.Source, threads int) (pass.Pass, func(pass.Part) *result.Variance, error) {
	k := m.K()
	survey, err := pass.Survey(ctx, entries, threads)
	if err != nil {
		return nil, nil, err
	}
	return variancing{m.Predictor().Of, survey.Mean()}, func(part pass.Part) *result.Variance {
		total := part.(*pass.Sums).Values
		if m.LossOf().Loss.Linked() {
			return nil // the parts are of log-odds or of logarithms, not of the values
		}
		if total[square] <= 0 || dense.NotFinite(total) >= 0 {
			return nil
		}
		// Of a part: 2 cov(part, value) − cov(part, prediction), over var(value).
		share := func(part int) float64 {
			at := total[parts+perPart*part:][:perPart]
			return (2*at[byValue] - (at[bySum] - at[alone]*total[sum]/total[weight])) / total[square]
		}
		v := &result.Variance{Rows: share(rows), Columns: share(columns), Terms: make([]float64, k), Other: share(other), Remainder: share(unnamed)}
		v.Rest = 1 - v.Rows - v.Columns - v.Other - v.Remainder
		for f := range k {
			v.Terms[f] = share(terms + f)
			v.Rest -= v.Terms[f]
		}
		if dense.NotFinite(v.Terms) >= 0 || dense.NotFinite([]float64{v.Rest}) >= 0 {
			return nil
		}
		return v
	}, nil
}

// The sums of variancing: of all parts together, then of each part.
const (
	weight, square, sum, parts = 0, 1, 2, 3
	byValue, bySum, alone      = 0, 1, 2
	perPart                    = 3
)

// The parts of a prediction.
const rows, columns, unnamed, other, terms = 0, 1, 2, 3, 4

// variancing adds up the products of everything that a prediction adds up with the
// entries, less their mean, and with its sum.
type variancing struct {
	Of   *pass.Shared[estimate.Fitted]
	Mean float64
}

// Name is "variance".
func (p variancing) Name() string { return "variance" }

// Cost of an empty part is nothing.
func (p variancing) Cost(*pass.Input) int { return 0 }

// Shares are what was fitted.
func (p variancing) Shares() []any { return []any{p.Of} }

// Start makes a worker.
func (p variancing) Start(*pass.Input) (pass.Worker, error) {
	m := p.Of.Get()
	part := make([]float64, terms+m.K)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(parts + perPart*len(part)) }, func(to *pass.Sums, i int, at []int32, values, weights []float64) error {
		s, u := to.Values, m.Coefficients.Row(i)
		part[rows] = m.RowEffect(i)
		for x, c := range at {
			part[columns] = m.ColumnEffect(int(c))
			part[other], part[unnamed] = m.SplitRemainder(i, int(c))
			for f, b := range m.Column(int(c)) {
				part[terms+f] = b * u[f]
			}
			all := 0.0
			for _, y := range part {
				all += y
			}
			w := 1.0
			if weights != nil {
				w = weights[x]
			}
			d := values[x] - p.Mean
			s[weight] += w
			s[square] += w * d * d
			s[sum] += w * all
			for y, z := range part {
				of := s[parts+perPart*y:][:perPart]
				of[byValue] += w * z * d
				of[bySum] += w * z * all
				of[alone] += w * z
			}
		}
		return nil
	}), nil
}

func init() { pass.Register(variancing{}, new(pass.Sums)) }
