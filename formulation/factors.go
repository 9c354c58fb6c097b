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
	factorEntries = 125_000 // of the sample of rows that it is made on, about
	factorPasses  = 24      // of it, at each factor, or more of small data:
	factorWork    = 3_000_000
	mostFactors   = 400
	factorStep    = 3
)

// otherFactors tells what would be selected if all variances were three times smaller, or
// larger: short searches, on a sample of the rows if there are many, find
// what may cost less, and all entries tell whether it does.
func (t *formulation) otherFactors(ctx context.Context, s *cost, found []int, c selection.Learned) ([]result.FactorPoint, error) {
	defer progress.Start(ctx, "Selecting with smaller and larger variances", 0, "").Done()
	ctx = pass.WithLabel(ctx, "factors")
	from := newSampler(s.values, t.Seed)
	rows := 0
	if s.values.Observed() > factorEntries {
		rows = min(max(int(factorEntries/(from.thin*from.mean)), leastRows), len(from.order))
	}
	names := t.names(s.Selected(found))
	var out []result.FactorPoint
	for _, factor := range []float64{1. / factorStep, factorStep} {
		c := c
		c.Factor *= factor
		var on *cost
		if rows > 0 {
			var err error
			if on, _, err = t.sampleCost(ctx, from, rows, c); err != nil {
				return nil, err
			}
		} else {
			on = t.costOf(s.values, c)
		}
		best, err := on.briefly(ctx, found)
		if err != nil {
			return nil, err
		}
		other := names
		if !slices.Equal(best, found) {
			all := on
			if rows > 0 {
				all = t.costOf(s.values, c)
			}
			cheaper, err := all.cheaper(ctx, best, found)
			if err != nil {
				return nil, err
			}
			if cheaper {
				other = t.names(s.Selected(best))
			}
		}
		out = append(out, result.FactorPoint{Factor: c.Factor, Entering: lists.Without(other, names), Leaving: lists.Without(names, other)})
	}
	return out, ctx.Err()
}

// briefly searches from a selection, for some passes.
func (s *cost) briefly(ctx context.Context, from []int) ([]int, error) {
	cost := selection.Cost{Oracle: s.Oracle, Find: s.Find}
	passes := min(max(factorPasses, factorWork/max(s.values.Observed(), 1)), mostFactors)
	cost.Limit(passes)
	cost.Find.MaxNodes, cost.Find.Brief = 0, false
	if passes == factorPasses {
		cost.Find.MaxNodes = 1 // more would go into proving
	}
	cost.Find.Start, cost.Find.Recorder = [][]int{from}, nil
	r, err := search.Minimize(ctx, s.Oracle, cost.Find)
	return r.Selection, err
}

// cheaper tells whether a selection costs less than another, by more than rounding.
func (s *cost) cheaper(ctx context.Context, selection, than []int) (bool, error) {
	costs := [2]float64{}
	for x, at := range [][]int{selection, than} {
		cut, err := s.Oracle.Eval(ctx, search.Indicator(s.Oracle.Dim(), at))
		if err != nil {
			return false, err
		}
		costs[x] = cut.Cost
	}
	return costs[0] < costs[1]*(1-search.Precision), nil
}
