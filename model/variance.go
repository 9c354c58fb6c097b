package model

import (
	"context"

	"optcomplete/data"
	"optcomplete/pass"
)

// Variance divides the variance of the training values among the parts of the
// predictions and what they leave. With a = mean + row effect + column effect +
// Σ_f part_f + other features + unnamed + rest, the share of a part is
//
//	cov(part, a) / var(a)
//
// over the training entries, so that the shares add up to 1. A share can be
// slightly negative where a part works against the others.
type Variance struct {
	Rows    float64   `json:"rows"`    // row effects
	Columns float64   `json:"columns"` // column effects
	Terms   []float64 `json:"terms"`   // in the order of the summary's terms
	// Other is the share of the features that are not selected, Remainder that of
	// the unnamed traits; 0 without a remainder.
	Other     float64 `json:"other,omitempty"`
	Remainder float64 `json:"remainder,omitempty"`
	Rest      float64 `json:"rest"`
}

// Explained is the share of all parts together.
func (v *Variance) Explained() float64 { return 1 - v.Rest }

// VarianceOf divides the variance of the entries, the ones the model was fitted
// on; nil if they are all the same. It does not depend on the number of threads.
func (m *Model) VarianceOf(ctx context.Context, entries data.Source, threads int) (*Variance, error) {
	p, variance, err := m.Variancing(ctx, entries, threads)
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
func (m *Model) Variancing(ctx context.Context, entries data.Source, threads int) (pass.Pass, func(pass.Part) *Variance, error) {
	k := m.K()
	survey, err := pass.Survey(ctx, entries, threads)
	if err != nil {
		return nil, nil, err
	}
	mean := survey.Mean()
	const rows, columns, square, unnamed, other, terms = 0, 1, 2, 3, 4, 5 // positions in the sums
	p := &pass.Fold[*pass.Sums]{
		Called: "variance", Fresh: func() *pass.Sums { return pass.NewSums(terms + k) },
		Begin: func() func(part *pass.Sums, i int, at []int32, values []float64) error {
			return func(part *pass.Sums, i int, at []int32, values []float64) error {
				s, u := part.Values, m.coefficients(i, k)
				for x, c := range at {
					d := values[x] - mean
					s[square] += d * d
					s[rows] += d * m.rowEffect(i)
					s[columns] += d * m.columnEffect(int(c))
					named, traits := m.splitRemainder(i, int(c))
					s[other] += d * named
					s[unnamed] += d * traits
					for f, b := range m.columnFeatures(int(c)) {
						s[terms+f] += d * b * u[f]
					}
				}
				return nil
			}
		},
	}
	return p, func(part pass.Part) *Variance {
		total := part.(*pass.Sums).Values
		if total[square] <= 0 || notFinite(total) >= 0 {
			return nil
		}
		v := &Variance{Rows: total[rows] / total[square], Columns: total[columns] / total[square], Terms: make([]float64, k), Other: total[other] / total[square], Remainder: total[unnamed] / total[square]}
		v.Rest = 1 - v.Rows - v.Columns - v.Other - v.Remainder
		for f := range k {
			v.Terms[f] = total[terms+f] / total[square]
			v.Rest -= v.Terms[f]
		}
		if notFinite(v.Terms) >= 0 || notFinite([]float64{v.Rest}) >= 0 {
			return nil
		}
		return v
	}, nil
}
