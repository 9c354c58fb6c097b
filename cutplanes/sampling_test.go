package cutplanes_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"optcomplete/cutplanes"
	"optcomplete/data/synth"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/chart"
	"optcomplete/internal/must"
	"optcomplete/objective"
	"optcomplete/search"
)

// What the paper claims about its samples: that the error of the sampled cost and gradient falls as
// 1/√g with the number of rows g (Theorem 3), and that OptComplete fails to find the optimum less
// often the larger g is (Theorem 4).

var update = flag.Bool("update", false, "write the pictures of docs/sampling.md anew, and print its tables")

const (
	draws = 200 // samples for each point of the errors
	runs  = 100 // runs of OptComplete for each point of the failures
)

// TestSamplingPage writes the pictures of docs/sampling.md and prints its tables, where that is asked for.
func TestSamplingPage(t *testing.T) {
	if !*update {
		t.Skip("with -update it writes the pictures of docs/sampling.md")
	}
	in, gamma := hardInstance(t)
	errors := must.Get(errorsChart(t.Context(), in, gamma))(t)
	failures := must.Get(failuresChart(t.Context(), in, gamma))(t)
	must.Do(t, atomicfile.File(filepath.Join("..", "docs", "sampling-error.svg"), errors.SVG))
	must.Do(t, atomicfile.File(filepath.Join("..", "docs", "sampling-failures.svg"), failures.SVG))
}

// hardInstance is the one that is measured: k = 5 of p = 50 features and noise of
// standard deviation 0.5, as much as the signal's own, at a γ at which the optimum is
// the truth.
func hardInstance(t *testing.T) (in *synth.Instance, gamma float64) {
	return must.Get(synth.Generate(synth.Config{Rows: 1000, Columns: 100, Features: 50, K: 5, Noise: 0.5, Seed: 1}))(t), 0.1
}

// sampleError is the error of the sampled cost and gradient at one selection: the
// root of its mean square over the draws, relative to the cost, and to the gradient's
// norm.
func sampleError(ctx context.Context, in *synth.Instance, gamma float64, selection []int, size objective.SampleSize, draws int) (cost, gradient float64, err error) {
	weights := search.Indicator(in.Config.Features, selection)
	want, err := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 0).Eval(ctx, weights)
	if err != nil {
		return 0, 0, err
	}
	sampled := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 0).Sampled(size, 1)
	norm := 0.0
	for _, g := range want.Gradient {
		norm += g * g
	}
	for range draws {
		got, err := sampled.Eval(ctx, weights)
		if err != nil {
			return 0, 0, err
		}
		cost += (got.Cost - want.Cost) * (got.Cost - want.Cost)
		for j, g := range got.Gradient {
			gradient += (g - want.Gradient[j]) * (g - want.Gradient[j])
		}
	}
	return math.Sqrt(cost/float64(draws)) / want.Cost, math.Sqrt(gradient / float64(draws) / norm), nil
}

// finiteRows is the factor by which drawing g of n rows without replacement errs
// less than with it, √((n−g)/(n−1)). Theorem 3 leaves it out; it matters where g
// is not small beside n, and is 0 at g = n.
func finiteRows(g, n int) float64 { return math.Sqrt(float64(n-g) / float64(n-1)) }

// errorsChart plots the error of the sampled cost and gradient over g, with all
// columns and with half of them.
func errorsChart(ctx context.Context, in *synth.Instance, gamma float64) (*chart.Chart, error) {
	picture := &chart.Chart{
		Title: "Error of the sampled cost and gradient", LogX: true, LogY: true, PercentY: true,
		X: "rows in the sample, g (of 1,000)", Y: "relative error (root mean square)",
	}
	fmt.Println("| f | g | cost | gradient |\n| --- | --- | --- | --- |")
	for _, columns := range []int{in.Columns, in.Columns / 2} {
		var costs, gradients, reference []chart.Point
		var plainCost, plainGradient []place
		for _, g := range []int{10, 20, 50, 100, 200, 500, 900} {
			cost, gradient, err := sampleError(ctx, in, gamma, in.Selected, objective.SampleSize{Rows: g, Columns: columns}, draws)
			if err != nil {
				return nil, err
			}
			fmt.Printf("| %d | %d | %.2f %% | %.2f %% |\n", columns, g, 100*cost, 100*gradient)
			x, finite := float64(g), finiteRows(g, in.Rows)
			costs, gradients = append(costs, chart.Point{X: x, Y: cost}), append(gradients, chart.Point{X: x, Y: gradient})
			plainCost, plainGradient = append(plainCost, place{x, cost / finite}), append(plainGradient, place{x, gradient / finite})
			reference = append(reference, chart.Point{X: x, Y: 0.8 * costs[0].Y * math.Sqrt(10/x)})
		}
		tones := []int{6, 5}
		if columns == in.Columns {
			cost := slope(plainCost)
			gradient := slope(plainGradient)
			fmt.Printf("\nslopes: cost %.3f, gradient %.3f\n\n", cost, gradient)
			picture.Series = append(picture.Series, chart.Series{Name: "1/√g", Tone: 4, Dash: true, Points: reference})
			tones = []int{1, 2}
		}
		picture.Series = append(picture.Series,
			chart.Series{Name: fmt.Sprintf("cost, f = %d of %d", columns, in.Columns), Tone: tones[0], Marks: true, Points: costs},
			chart.Series{Name: fmt.Sprintf("gradient, f = %d of %d", columns, in.Columns), Tone: tones[1], Marks: true, Points: gradients})
	}
	return picture, nil
}

// failed counts the runs of OptComplete with samples of g rows that do not end at the
// optimum that the certified search proves; with the means of (cost − optimum)/optimum
// and of the number of cuts. Samples take all columns, so that rows are all that is
// varied.
func failed(ctx context.Context, in *synth.Instance, gamma float64, g, runs int) (count int, excess, cuts float64, err error) {
	exact := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 0)
	find := search.Settings{K: in.K, NearTies: -1}
	best, err := search.Minimize(ctx, exact, find)
	if err != nil {
		return 0, 0, 0, err
	}
	for seed := range uint64(runs) {
		sampled := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 0).Sampled(objective.SampleSize{Rows: g, Columns: in.Columns}, seed)
		got, err := cutplanes.OptComplete(ctx, sampled, exact, cutplanes.Settings{Search: find, Seed: seed})
		if err != nil {
			return 0, 0, 0, err
		}
		if !slices.Equal(got.Selection, best.Selection) {
			count++
		}
		excess += (got.Cost - best.Cost) / best.Cost / float64(runs)
		cuts += float64(got.Cuts) / float64(runs)
	}
	return count, excess, cuts, nil
}

// failuresChart plots how often OptComplete misses the optimum over g.
func failuresChart(ctx context.Context, in *synth.Instance, gamma float64) (*chart.Chart, error) {
	rate := chart.Series{Name: "optimum not found", Marks: true}
	fmt.Println("\n| g | not found | mean excess cost | mean cuts |\n| --- | --- | --- | --- |")
	for _, g := range []int{10, 20, 40, 80, 160, 320} {
		count, excess, cuts, err := failed(ctx, in, gamma, g, runs)
		if err != nil {
			return nil, err
		}
		fmt.Printf("| %d | %d of %d | %.2f %% | %.1f |\n", g, count, runs, 100*excess, cuts)
		rate.Points = append(rate.Points, chart.Point{X: float64(g), Y: float64(count) / runs})
	}
	return &chart.Chart{
		Title: "How often OptComplete misses the optimum", LogX: true, ZeroY: true, PercentY: true,
		X: "rows in the sample, g (of 1,000)", Y: "part of 100 runs", Series: []chart.Series{rate},
	}, nil
}

// place is a point of a curve.
type place struct{ x, y float64 }

// slope fits log(y) = a + slope·log(x) by least squares: y grows like x to the power of it.
func slope(points []place) float64 {
	var n, x, y, xx, xy float64
	for _, p := range points {
		u, v := math.Log(p.x), math.Log(p.y)
		n, x, y, xx, xy = n+1, x+u, y+v, xx+u*u, xy+u*v
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// TestErrorFallsAsRootOfRows: the slope of log error over log g is −1/2 for the
// cost and the gradient, at the true selection and at a wrong one, and a sample
// of all rows has no error.
func TestErrorFallsAsRootOfRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: left out by -short")
	}
	in, gamma := hardInstance(t)
	for name, selection := range map[string][]int{"true": in.Selected, "wrong": {0, 1, 2, 3, 4}} {
		var costs, gradients []place
		for _, g := range []int{10, 20, 50, 100, 200, 500, 900, in.Rows} {
			cost, gradient, err := sampleError(t.Context(), in, gamma, selection, objective.SampleSize{Rows: g, Columns: in.Columns}, 60)
			switch finite := finiteRows(g, in.Rows); {
			case err != nil:
				t.Fatal(err)
			case g < in.Rows:
				costs, gradients = append(costs, place{float64(g), cost / finite}), append(gradients, place{float64(g), gradient / finite})
			case cost != 0 || gradient != 0:
				t.Errorf("%s selection: all rows, but errors %v and %v", name, cost, gradient)
			}
		}
		for what, points := range map[string][]place{"cost": costs, "gradient": gradients} {
			if power := slope(points); power < -0.6 || power > -0.4 {
				t.Errorf("%s selection: the error of the %s falls with slope %.3f, want −0.5 ± 0.1", name, what, power)
			}
		}
	}
}

// TestFailuresFallWithRows: from most runs at ten rows to none at a few hundred,
// and never up by more than chance.
func TestFailuresFallWithRows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: left out by -short")
	}
	in, gamma := hardInstance(t)
	var counts []int
	for _, g := range []int{160, 40, 10} {
		count, _, _, err := failed(t.Context(), in, gamma, g, 20)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, count)
	}
	if !slices.IsSorted(counts) || counts[0] > 0 || counts[2] < 10 {
		t.Errorf("the failures do not fall: %v of 20 at 160, 40 and 10 rows", counts)
	}
}
