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
		v := &result.Variance{Rows: total[rows] / total[square], Columns: total[columns] / total[square], Terms: make([]float64, k), Other: total[other] / total[square], Remainder: total[unnamed] / total[square]}
		v.Rest = 1 - v.Rows - v.Columns - v.Other - v.Remainder
		for f := range k {
			v.Terms[f] = total[terms+f] / total[square]
			v.Rest -= v.Terms[f]
		}
		if dense.NotFinite(v.Terms) >= 0 || dense.NotFinite([]float64{v.Rest}) >= 0 {
			return nil
		}
		return v
	}, nil
}

// positions in the sums of variancing.
const rows, columns, square, unnamed, other, terms = 0, 1, 2, 3, 4, 5

// variancing adds up the products of the entries, less their mean, with everything
// that a prediction adds up.
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
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(terms + m.K) }, func(part *pass.Sums, i int, at []int32, values, weights []float64) error {
		s, u := part.Values, m.Coefficients.Row(i)
		for x, c := range at {
			d := values[x] - p.Mean
			by := d // times the weight
			if weights != nil {
				by *= weights[x]
			}
			s[square] += by * d
			s[rows] += by * m.RowEffect(i)
			s[columns] += by * m.ColumnEffect(int(c))
			named, traits := m.SplitRemainder(i, int(c))
			s[other] += by * named
			s[unnamed] += by * traits
			for f, b := range m.Column(int(c)) {
				s[terms+f] += by * b * u[f]
			}
		}
		return nil
	}), nil
}

func init() { pass.Register(variancing{}, new(pass.Sums)) }
