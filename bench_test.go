package optcomplete_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/evaluate"
	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/model/estimate"
	"optcomplete/objective"
	"optcomplete/search"
	"optcomplete/spec"
)

// paperRows are rows of the paper's table of synthetic experiments, with its
// times on 16 cores with Gurobi, in seconds.
var paperRows = []struct {
	synth.Config
	optcomplete, cutplanes float64
}{
	{synth.Config{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.2}, 1.7, 6.0},
	{synth.Config{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.5}, 0.9, 4.5},
	{synth.Config{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.8}, 0.6, 2.5},
	{synth.Config{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.95}, 0.2, 1.2},
	{synth.Config{Rows: 100, Columns: 100, Features: 50, K: 5, Missing: 0.5}, 2.0, 18.0},
	{synth.Config{Rows: 100, Columns: 100, Features: 200, K: 5, Missing: 0.5}, 12.1, 95.9},
	{synth.Config{Rows: 100, Columns: 100, Features: 1000, K: 5, Missing: 0.5}, 90.3, 680},
	{synth.Config{Rows: 100, Columns: 100, Features: 50, K: 10, Missing: 0.5}, 20.7, 130},
	{synth.Config{Rows: 100, Columns: 100, Features: 50, K: 20, Missing: 0.5}, 240, 1584},
	{synth.Config{Rows: 100, Columns: 100, Features: 50, K: 30, Missing: 0.5}, 980, 8461},
	{synth.Config{Rows: 1000, Columns: 1000, Features: 50, K: 5, Missing: 0.95}, 1.4, 3.5},
	{synth.Config{Rows: 10_000, Columns: 1000, Features: 100, K: 5, Missing: 0.95}, 5.7, 35.2},
}

// BenchmarkPaperRows times the search, proven to the optimum, on the paper's
// rows: ten seeds each, γ as `auto` finds it, the search at that γ timed. The
// metrics are medians over the seeds; MAPE is over (at most 100,000) missing
// entries against the noisy values, and its ratio to the oracle's, which is
// given the true features.
func BenchmarkPaperRows(b *testing.B) {
	for _, row := range paperRows {
		b.Run(fmt.Sprintf("n=%d/m=%d/p=%d/k=%d/missing=%g", row.Rows, row.Columns, row.Features, row.K, row.Missing), func(b *testing.B) {
			var times, ratios, mapes, oracles, gammas, nodes, passes []float64
			found := 0
			for seed := range uint64(10) {
				config := row.Config
				config.Noise, config.Seed = 0.01, seed+1
				instance := must.Get(synth.Generate(config))(b)
				ctx := context.Background()
				settings := search.Settings{K: config.K, NearTies: -1}
				gamma := must.Get(formulation.ChooseGamma(ctx, formulation.Problem{Ratings: instance.Ratings, Features: instance.Features},
					formulation.Settings{K: config.K, Model: spec.Paper, Statistics: spec.Statistics{Seed: 1}}))(b)
				var result search.Result
				best := time.Duration(1<<63 - 1)
				for range max(1, b.N) {
					start := time.Now()
					result = must.Get(search.Minimize(ctx, objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0), settings))(b)
					best = min(best, time.Since(start))
				}
				if result.Status != search.Optimal {
					b.Fatalf("status %v", result.Status)
				}
				for _, j := range result.Selection {
					if slices.Contains(instance.Selected, j) {
						found++
					}
				}
				own, oracle := mape(b, instance, result.Selection), mape(b, instance, instance.Selected)
				times = append(times, best.Seconds())
				mapes, oracles, ratios = append(mapes, own), append(oracles, oracle), append(ratios, own/oracle)
				gammas = append(gammas, gamma)
				nodes, passes = append(nodes, float64(result.Nodes)), append(passes, float64(result.Passes))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(row.optcomplete, "s-paper-optcomplete")
			b.ReportMetric(row.cutplanes, "s-paper-cutplanes")
			b.ReportMetric(1000*median(times), "ms")
			b.ReportMetric(1000*slices.Max(times), "ms-worst")
			b.ReportMetric(median(gammas), "gamma")
			b.ReportMetric(median(nodes), "nodes")
			b.ReportMetric(median(passes), "passes")
			b.ReportMetric(float64(found)/float64(10*row.K)*100, "%found")
			b.ReportMetric(100*median(mapes), "%mape")
			b.ReportMetric(100*median(oracles), "%mape-oracle")
			b.ReportMetric(median(ratios), "mape-ratio")
		})
	}
}

// mape scores a selection, refitted by least squares, on missing entries.
func mape(b *testing.B, instance *synth.Instance, selection []int) float64 {
	chosen := estimate.Chosen(instance.Features, selection)
	parts, err := estimate.FitParts(context.Background(), instance.Ratings.Matrix(), chosen, len(selection), estimate.Recipe{Kind: spec.Paper, Threads: 2})
	if err != nil {
		b.Fatal(err)
	}
	var entries []data.Entry
	for _, e := range instance.TestEntries(100_000) {
		entries = append(entries, e.Entry)
	}
	n, m := instance.Ratings.Dims()
	missing := must.Get(data.NewMatrix(n, m, entries))(b)
	score := must.Get(evaluate.Score(context.Background(), missing, parts.Predictor(chosen, len(selection)), 2))(b)
	return score.MAPE.Value
}

func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
