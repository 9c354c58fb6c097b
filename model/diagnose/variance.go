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

// Variancing is the pass that divides the variance of the entries, the ones the model was fitted on,
// and what makes its result of the part: nil if they are all the same.
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
		// Of a part: 2 cov(part, value) − cov(part, prediction), over var(value). Values
		// are less their mean, so that only the prediction's is left to take off.
		share := func(part int) float64 {
			at := total[parts+perPart*part:][:perPart]
			return (at[gained] + at[alone]*total[sum]/total[weight]) / total[square]
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
	gained, alone              = 0, 1 // with twice the value less the prediction; by itself
	perPart                    = 2
)

// The parts of a prediction.
const rows, columns, unnamed, other, terms = 0, 1, 2, 3, 4

// variancing adds up the products of everything that a prediction adds up with the
// entries, less their mean, and with its sum.
type variancing struct {
	Of   *pass.Shared[estimate.Fitted]
	Mean float64
}

// Start makes a worker.
func (p variancing) Start(*pass.Input) (pass.Worker, error) {
	m := p.Of.Get()
	// Of a row, what the features of its columns add up to: its coefficients are the same.
	withGain, plain := make([]float64, m.K), make([]float64, m.K)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(parts + perPart*(terms+m.K)) }, func(to *pass.Sums, i int, at []int32, values, weights []float64) error {
		s, u := to.Values, m.Coefficients.Row(i)
		clear(withGain)
		clear(plain)
		row, w, rowGain, rowWeight := m.RowEffect(i), 1.0, 0.0, 0.0
		for x, c := range at {
			column, b := m.ColumnEffect(int(c)), m.Column(int(c))
			named, traits := m.SplitRemainder(i, int(c))
			all := row + column + named + traits
			for f, y := range b {
				all += y * u[f]
			}
			if weights != nil {
				w = weights[x]
			}
			d := values[x] - p.Mean
			gain := w * (2*d - all)
			s[weight] += w
			s[square] += w * d * d
			s[sum] += w * all
			rowGain, rowWeight = rowGain+gain, rowWeight+w
			add(s, columns, column, gain, w)
			if named != 0 || traits != 0 {
				add(s, other, named, gain, w)
				add(s, unnamed, traits, gain, w)
			}
			for f, y := range b {
				withGain[f] += gain * y
				plain[f] += w * y
			}
		}
		add(s, rows, row, rowGain, rowWeight)
		for f, y := range u[:m.K] {
			add(s, terms+f, y, withGain[f], plain[f])
		}
		return nil
	}), nil
}

// add adds a part of predictions, with the sums it is to be multiplied by.
func add(s []float64, part int, by, gain, weight float64) {
	of := (*[perPart]float64)(s[parts+perPart*part:])
	of[gained] += gain * by
	of[alone] += weight * by
}

func init() { pass.Register("variance", variancing{}, new(pass.Sums)) }
