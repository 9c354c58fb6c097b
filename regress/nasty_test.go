package regress

import (
	"math/big"
	"slices"
	"strconv"
	"testing"

	"optcomplete/internal/attack"
	"optcomplete/internal/exact"
	"optcomplete/result"
	"optcomplete/search"
)

// TestNastyTables compares the certificate with brute force in 700-bit arithmetic
// over the standardised features, on tables made to be hard on rounding.
func TestNastyTables(t *testing.T) {
	tried, wrong, limits := 0, 0, 0
	for seed := range attack.Rounds(40) {
		in := exact.Nasty(seed)
		problem := Problem{}
		for j := range in.P {
			problem.Names = append(problem.Names, "f"+strconv.Itoa(j))
		}
		for _, e := range in.Entries {
			problem.Y = append(problem.Y, e.Value)
			problem.X = append(problem.X, in.Features[e.Column]...)
		}
		settings := Settings{K: in.K, NoIntercept: seed%4 == 0}
		settings.Gamma, settings.Threads = in.Gamma, 1
		r, err := Fit(t.Context(), problem, settings)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		own, best := bruteForce(in, problem, settings, r.Selected)
		tried++
		if gap := search.RelativeGap(r.Cost, r.Bound); r.Bound < 0 || gap != r.Gap || (r.Status == result.Optimal) != (gap <= search.Precision) ||
			exact.Above(r.Bound, best) > 1e-13 || exact.Above(r.Cost, own) < -1e-9 || r.Status == result.Optimal && exact.Above(r.Cost, best) > 1e-9 {
			wrong++
			t.Errorf("seed %d: cost %v, bound %v, gap %v, %v; exactly %.17g, best %.17g", seed, r.Cost, r.Bound, r.Gap, r.Status, own, best)
		}
		if r.Status == result.NumericalLimit {
			limits++
		}
	}
	attack.Report(t, "regress: certificate", tried, wrong, "%d at a numerical limit", limits)
}

// bruteForce is the exact cost of a selection, and the least of all, of the rows as they are given,
// centred exactly, in the units of the fit.
func bruteForce(in *exact.Instance, problem Problem, settings Settings, selected []string) (own, best *big.Float) {
	factor := make([]float64, in.P)
	for j, scale := range standardise(problem.sorted(), nil, settings).scale {
		if scale > 0 {
			factor[j] = 1 / scale
		}
	}
	var selection []int
	for _, name := range selected {
		selection = append(selection, slices.Index(problem.Names, name))
	}
	slices.Sort(selection)
	cost := func(selection []int) *big.Float { return in.Table(selection, factor, !settings.NoIntercept) }
	return cost(selection), exact.Best(in.P, settings.K, nil, cost)
}
