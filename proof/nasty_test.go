package proof_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/random"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/search"
)

// TestNastyNumbersProveNothingFalse: features in units from 1e-8 to 1e8, nearly
// collinear, γ up to 1e12, values up to 1e100. The bound may be worse than
// claimed, never false; how often it is worse is logged.
func TestNastyNumbersProveNothingFalse(t *testing.T) {
	all, less := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 8)
		_, p := in.Features.Dims()
		rng := random.New(rapid.Uint64().Draw(t, "scales"))
		values := slices.Clone(in.Features.Values)
		for j := range p {
			by := math.Pow(10, 16*rng.Float64()-8)
			for x := j; x < len(values); x += p {
				values[x] *= by
			}
		}
		columns, _ := in.Features.Dims()
		in.Features = testkit.Features(columns, p, values)
		in.Gamma *= rapid.SampledFrom([]float64{1e-6, 1, 1e6}).Draw(t, "gamma by")
		size := rapid.SampledFrom([]float64{1e-80, 1, 1e100}).Draw(t, "values by")
		in.Matrix = in.Matrix.Map(func(_ int, _ int32, v float64) float64 { return v * size })
		problem := problemOf(in)
		text, result := proven(t, problem, objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), search.Settings{K: in.K, MaxNodes: 50})
		verdict := verify(t, problem, text)
		if want := least(in, nil, nil); verdict.Bound > want*(1+1e-15) {
			t.Fatalf("bound %v, but a selection costs %v", verdict.Bound, want)
		} else if verdict := verify(t, problem, asModels(text)); verdict.Bound > want*(1+1e-15) {
			t.Fatalf("bound %v by models, but a selection costs %v", verdict.Bound, want)
		}
		if own := in.Precise(indicator(p, result.Selection)); own < verdict.Low*(1-1e-15) || own > verdict.High*(1+1e-15) {
			t.Fatalf("the selection costs %v, not %v to %v", own, verdict.Low, verdict.High)
		}
		all++
		if len(verdict.Faults) > 0 {
			less++
			t.Logf("%v", verdict.Faults)
		}
	})
	t.Logf("%d of %d instances were verified as claimed", all-less, all)
}
