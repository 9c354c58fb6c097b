package formulation

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/search"
	"optcomplete/spec"
)

func TestSampledSearchProvesTheSameOptimum(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 3000, Columns: 80, Features: 25, K: 4, Missing: 0.8, Noise: 0.5, Seed: 2}))(t)
	problem := Problem{Ratings: in.Ratings, Features: in.Features}
	for _, kind := range []spec.Kind{spec.Paper, spec.Full, spec.Pooled} {
		t.Run(kind.String(), func(t *testing.T) {
			settings := meant(Settings{K: 4, Model: kind, Statistics: spec.Statistics{Gamma: 0.02, Gamma0: 1, ColumnShrinkage: 4}, Method: Certified{Sampling: NoSampling}})
			want := must.Get(Fit(context.Background(), problem, settings))(t)
			onSamples, onAll := 0, 0
			settings.Method = Certified{Sampling: AlwaysSampling}
			settings.OnEvent = func(e search.Event) {
				if e.Sampled {
					onSamples++
					return
				}
				onAll++
				if e.Bound > want.Summary.Cost*(1+1e-9) {
					t.Errorf("%v: the bound %v is above the optimum %v", e.Kind, e.Bound, want.Summary.Cost)
				}
			}
			got := must.Get(Fit(context.Background(), problem, settings))(t)
			if onSamples == 0 || onAll == 0 {
				t.Errorf("%d events on samples and %d on all data", onSamples, onAll)
			}
			if got.Summary.Status != "optimal" || want.Summary.Status != "optimal" {
				t.Errorf("%s on samples first, %s without", got.Summary.Status, want.Summary.Status)
			}
			if math.Abs(got.Summary.Cost-want.Summary.Cost) > 1e-9*want.Summary.Cost || !slices.Equal(got.Summary.Selected, want.Summary.Selected) {
				t.Errorf("on samples first %v of cost %v, without %v of cost %v", got.Summary.Selected, got.Summary.Cost, want.Summary.Selected, want.Summary.Cost)
			}
			if got.Summary.SampleRows == 0 || got.Summary.SampledGap == nil {
				t.Error("the summary does not tell of the sample")
			}
		})
	}
}

func TestSamplesAreNestedAndSpreadOverTheRows(t *testing.T) {
	start, columns := []int{0}, []int32{}
	const n = 1000
	for i := range n { // row i has i/10 entries
		for c := range i / 10 {
			columns = append(columns, int32(c))
		}
		start = append(start, len(columns))
	}
	m := must.Get(data.NewMatrixByRows(100, start, columns, make([]float64, len(columns))))(t)
	s := newSampler(m, 7)
	if len(s.order) != n-10 { // ten rows have no entries
		t.Fatalf("%d rows are ordered", len(s.order))
	}
	seen := map[int32]bool{}
	for _, i := range s.order {
		seen[i] = true
	}
	if len(seen) != n-10 {
		t.Errorf("%d different rows are ordered", len(seen))
	}
	for _, g := range []int{32, 64, 200} {
		sum := 0.0
		for _, i := range s.order[:g] {
			sum += float64(m.Entries(int(i)))
		}
		// A random sample's mean would be off by 29/√g; a stratified one's by 29/g.
		all := float64(m.Observed()) / (n - 10)
		if mean := sum / float64(g); math.Abs(mean-all) > 4*29/float64(g) {
			t.Errorf("%d rows have %.2f entries on average, all rows %.2f", g, mean, all)
		}
	}
}

// TestSelectOnGeneratedRowsFindsTheTruth searches a matrix of 2·10^9 entries, of
// which a few hundred rows are ever made.
func TestSelectOnGeneratedRowsFindsTheTruth(t *testing.T) {
	source := must.Get(synth.NewSource(synth.Config{Rows: 1_000_000, Columns: 40_000, Features: 30, K: 4, Missing: 0.95, Noise: 0.01, Seed: 8}))(t)
	found := must.Get(Select(context.Background(), Problem{
		Ratings:  data.NewRatings(source, source.RowIDs(), source.Features.IDs),
		Features: source.Features,
	}, Settings{K: 4, Model: spec.Paper, Statistics: spec.Statistics{Gamma: 1}}))(t)
	if !slices.Equal(found.Features, source.Selected) || !found.Stable {
		t.Errorf("found %v (stable: %v), the truth is %v", found.Features, found.Stable, source.Selected)
	}
}
