package sampling

import (
	"context"
	"slices"

	"optcomplete/cutplanes"
	"optcomplete/data/synth"
	"optcomplete/objective"
	"optcomplete/search"
)

// FailurePoint is how OptComplete does with samples of g rows.
type FailurePoint struct {
	Rows   int     // g
	Runs   int     // each with its own start and samples
	Failed int     // runs that did not end at the optimum
	Excess float64 // mean of (cost − optimum)/optimum
	Cuts   float64 // mean number of cuts
}

// Rate is the part of the runs that failed.
func (p FailurePoint) Rate() float64 { return float64(p.Failed) / float64(p.Runs) }

// Failures runs OptComplete against the optimum that the certified search
// proves. Samples take all columns, so that rows are all that is varied.
func Failures(in *synth.Instance, gamma float64, rows []int, runs int) ([]FailurePoint, error) {
	ctx := context.Background()
	exact := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 0)
	find := search.Settings{K: in.K, NearTies: -1}
	best, err := search.Minimize(ctx, exact, find)
	if err != nil {
		return nil, err
	}
	var points []FailurePoint
	for _, g := range rows {
		point := FailurePoint{Rows: g, Runs: runs}
		for seed := range uint64(runs) {
			sampled := objective.NewSampled(in.Ratings.Matrix(), in.Features, gamma, objective.SampleSize{Rows: g, Columns: in.Columns}, seed, 0)
			got, err := cutplanes.OptComplete(ctx, sampled, exact, cutplanes.Settings{Search: find, Seed: seed})
			if err != nil {
				return nil, err
			}
			if !slices.Equal(got.Selection, best.Selection) {
				point.Failed++
			}
			point.Excess += (got.Cost - best.Cost) / best.Cost / float64(runs)
			point.Cuts += float64(got.Cuts) / float64(runs)
		}
		points = append(points, point)
	}
	return points, nil
}

// Hard is the instance the failures are measured on: k = 5 of p = 50 features
// and noise of standard deviation 0.5, as much as the signal's own, at a γ at
// which the optimum is the truth.
func Hard() (in *synth.Instance, gamma float64, err error) {
	in, err = synth.Generate(synth.Config{Rows: 1000, Columns: 100, Features: 50, K: 5, Noise: 0.5, Seed: 1})
	return in, 0.1, err
}
