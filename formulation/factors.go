package formulation

import (
	"context"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
)

// Numbers of the look at other factors of γ.
const (
	factorEntries = 250_000 // of the sample of rows that it is made on, about
	factorPasses  = 24      // of it, at each factor, or more of small data:
	factorWork    = 20_000_000
	mostFactors   = 400
	factorStep    = 3
)

// otherFactors tells what would be selected if all variances were three times smaller, or
// larger: short searches, on a sample of the rows if there are many, find
// what may cost less, and all entries tell whether it does.
func (t *task) otherFactors(ctx context.Context, s *selector, found []int, c choices) ([]result.FactorPoint, error) {
	defer progress.Start(ctx, "Selecting with smaller and larger variances", 0, "").Done()
	ctx = pass.WithLabel(ctx, "factors")
	from := newSampler(s.values, t.Seed)
	rows := 0
	if s.values.Observed() > factorEntries {
		for _, g := range from.sizes() {
			if float64(g)*from.mean <= factorEntries || rows == 0 {
				rows = g
			}
		}
	}
	names := t.names(s.units(t, found))
	var out []result.FactorPoint
	for _, factor := range []float64{1. / factorStep, factorStep} {
		c := c
		c.Factor *= factor
		all := t.newSelector(s.values, c)
		some := all
		if rows > 0 {
			var err error
			if some, _, err = t.sampleCost(ctx, from, rows, c); err != nil {
				return nil, err
			}
		}
		best, err := some.briefly(ctx, found)
		if err != nil {
			return nil, err
		}
		cheaper, err := all.cheaper(ctx, best, found)
		if err != nil {
			return nil, err
		}
		other := names
		if cheaper {
			other = t.names(s.units(t, best))
		}
		out = append(out, result.FactorPoint{Factor: c.Factor, Entering: lists.Without(other, names), Leaving: lists.Without(names, other)})
	}
	return out, ctx.Err()
}

// briefly searches from a selection, for some passes.
func (s *selector) briefly(ctx context.Context, from []int) ([]int, error) {
	cost := selection.Cost{Oracle: s.oracle, Find: s.find}
	cost.Limit(min(max(factorPasses, factorWork/max(s.values.Observed(), 1)), mostFactors))
	cost.Find.MaxNodes, cost.Find.Brief = 0, false
	cost.Find.Start, cost.Find.Recorder = [][]int{from}, nil
	r, err := search.Minimize(ctx, s.oracle, cost.Find)
	return r.Selection, err
}

// cheaper tells whether a selection costs less than another, by more than rounding.
func (s *selector) cheaper(ctx context.Context, selection, than []int) (bool, error) {
	if slices.Equal(selection, than) {
		return false, nil
	}
	costs := [2]float64{}
	for x, at := range [][]int{selection, than} {
		cut, err := s.oracle.Eval(ctx, search.Indicator(s.oracle.Dim(), at))
		if err != nil {
			return false, err
		}
		costs[x] = cut.Cost
	}
	return costs[0] < costs[1]*(1-search.Precision), nil
}
