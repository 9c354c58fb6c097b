package regress

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/selection"
	"optcomplete/spec"
)

// draw makes a small table with constant, duplicate and badly scaled features.
func draw(t *rapid.T) Problem {
	n := rapid.IntRange(1, 20).Draw(t, "n")
	p := rapid.IntRange(1, 9).Draw(t, "p")
	spoil := rapid.SampledFrom([]string{"none", "constant", "duplicate", "scales", "shifted"}).Draw(t, "spoil")
	noise := rapid.SampledFrom([]float64{0, 0.1, 3}).Draw(t, "noise")
	rng := random.New(rapid.Uint64().Draw(t, "seed"))
	problem := Problem{Names: make([]string, p), X: make([]float64, n*p), Y: make([]float64, n)}
	for j := range p {
		problem.Names[j] = string(rune('a' + j))
	}
	for i := range n {
		row := problem.X[i*p:][:p]
		for j := range row {
			row[j] = rng.Normal()
			switch {
			case spoil == "constant" && j == 0:
				row[j] = 3
			case spoil == "duplicate" && j%2 == 1:
				row[j] = row[j-1]
			case spoil == "scales":
				row[j] *= math.Pow(10, float64(j-4))
			case spoil == "shifted":
				row[j] += 1000
			}
		}
		problem.Y[i] = 5 + noise*rng.Normal()
		for j := range min(p, 3) {
			problem.Y[i] += row[j]
		}
	}
	return problem
}

// TestFitEqualsBruteForce compares with the objective of the package's comment,
// every selection tried by itself.
func TestFitEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		problem := draw(t)
		n, p := len(problem.Y), len(problem.Names)
		settings := Settings{
			K:           rapid.IntRange(1, min(p, 4)).Draw(t, "k"),
			NoIntercept: rapid.Bool().Draw(t, "no intercept"),
			Statistics:  spec.Statistics{Gamma: math.Pow(10, rapid.Float64Range(-2, 3).Draw(t, "log10 gamma")) / float64(n)},
		}
		whole := standardise(problem, nil, settings)
		want := math.Inf(1)
		testkit.Selections(p, settings.K, nil, nil, func(selection []int) {
			want = min(want, ridge(whole, selection, settings.Gamma)/float64(n))
		})
		result := must.Get(Fit(context.Background(), problem, settings))(t)
		_, _, squares := whole.table.Target()
		tolerance := 1e-9*want + 1e-12*squares/float64(n)
		if math.Abs(result.Cost-want) > tolerance || result.Bound > want+1e-14*squares/float64(n)+1e-12*want {
			t.Fatalf("cost %v, bound %v, optimum %v, %v", result.Cost, result.Bound, want, result.Selected)
		}
		for _, c := range append(result.Coefficients, result.Intercept, result.RMSE, result.RSquared) {
			if math.IsNaN(c) || math.IsInf(c, 0) {
				t.Fatalf("%+v", result)
			}
		}
	})
}

// ridge minimises ‖y − X̃w‖² + ‖w‖²/γ over the selection by coordinate descent.
func ridge(s *standard, selection []int, gamma float64) float64 {
	n := s.table.Rows()
	w := make([]float64, len(selection))
	r := make([]float64, n)
	for i := range r {
		r[i] = s.table.Value(i)
	}
	for range 20000 {
		moved := 0.0
		for c, j := range selection {
			var xr, xx float64
			for i := range r {
				x := s.table.At(i, j)
				xr += x * (r[i] + x*w[c])
				xx += x * x
			}
			next := xr / (xx + 1/gamma)
			for i := range r {
				r[i] -= s.table.At(i, j) * (next - w[c])
			}
			moved = max(moved, math.Abs(next-w[c]))
			w[c] = next
		}
		if moved < 1e-14 {
			break
		}
	}
	return s.table.Cost(selection, w, gamma)
}

// TestUnitsDoNotMatter rescales and shifts the features: the selection, the cost
// and the predictions stay.
func TestUnitsDoNotMatter(t *testing.T) {
	problem := study(t, "prostate.csv", "lpsa", []string{"train"}, nil)
	p := len(problem.Names)
	other := problem
	other.X = slices.Clone(problem.X)
	for at := range other.X {
		other.X[at] = 40 + other.X[at]*math.Pow(10, float64(at%p-3))
	}
	for _, refit := range []spec.Refit{spec.LeastSquares, spec.Ridge} {
		a := must.Get(Fit(context.Background(), problem, Settings{K: 4, Statistics: spec.Statistics{Refit: refit}}))(t)
		b := must.Get(Fit(context.Background(), other, Settings{K: 4, Statistics: spec.Statistics{Refit: refit}}))(t)
		if !slices.Equal(a.Selected, b.Selected) || math.Abs(a.Cost-b.Cost) > 1e-9*a.Cost || a.Gamma != b.Gamma {
			t.Fatalf("%v at %v and γ %v, rescaled %v at %v and %v", a.Selected, a.Cost, a.Gamma, b.Selected, b.Cost, b.Gamma)
		}
		if x, y := a.Predict(problem.X[:p]), b.Predict(other.X[:p]); math.Abs(x-y) > 1e-8*math.Abs(x) {
			t.Fatalf("predicts %v, rescaled %v", x, y)
		}
	}
}

// TestAPathAndAFitChooseGammaAlike: the four of a path to 8 are those of a fit, both
// with a γ of their own choice.
func TestAPathAndAFitChooseGammaAlike(t *testing.T) {
	problem := study(t, "diabetes.csv", "progression", nil, nil)
	path := must.Get(Path(context.Background(), problem, Settings{}, selection.PathSettings{KMax: 8}))(t)
	fit := must.Get(Fit(context.Background(), problem, Settings{K: 4}))(t)
	if path.ChosenAt != 4 || path.Gamma != fit.Gamma || !slices.Equal(path.Points[3].Selected, fit.Selected) {
		t.Errorf("γ %v at k = %d selects %v, the fit's %v %v", path.Gamma, path.ChosenAt, path.Points[3].Selected, fit.Gamma, fit.Selected)
	}
}

// TestPathEqualsSeparateFits solves all k at once and one by one.
func TestPathEqualsSeparateFits(t *testing.T) {
	problem := study(t, "diabetes.csv", "progression", nil, nil)
	path, err := Path(context.Background(), problem, Settings{Statistics: spec.Statistics{Gamma: 0.1}, Choice: spec.Choice{Always: []string{"age", "sex"}}}, selection.PathSettings{KMax: 6})
	if err != nil {
		t.Fatal(err)
	}
	if len(path.Points) != 5 || path.Points[0].K != 2 {
		t.Fatalf("%d results, the first with k = %d", len(path.Points), path.Points[0].K)
	}
	for _, on := range path.Points {
		alone, err := Fit(context.Background(), problem, Settings{K: on.K, Statistics: spec.Statistics{Gamma: 0.1}, Choice: spec.Choice{Always: []string{"age", "sex"}}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(on.Selected, alone.Selected) || math.Abs(on.Cost-alone.Cost) > 1e-12*on.Cost {
			t.Fatalf("k = %d: %v on the path, %v alone", on.K, on.Selected, alone.Selected)
		}
	}
}

// TestBadSettingsAreNamed wants a spec.Error that says what is wrong.
func TestBadSettingsAreNamed(t *testing.T) {
	problem := Problem{Names: []string{"a", "b"}, X: []float64{1, 2, 3, 4}, Y: []float64{1, 2}}
	for _, bad := range []struct {
		settings Settings
		says     string
	}{
		{Settings{}, "at least one feature"},
		{Settings{K: 3}, "only 2 features"},
		{Settings{K: 1, Statistics: spec.Statistics{Gamma: math.Inf(1)}}, "gamma"},
		{Settings{K: 1, Limits: spec.Limits{Gap: 1}}, "gap"},
		{Settings{K: 1, Folds: 1}, "folds"},
		{Settings{K: 1, Choice: spec.Choice{Always: []string{"c"}}}, `"c"`},
		{Settings{K: 1, Statistics: spec.Statistics{Gamma: 1}, Choice: spec.Choice{Always: []string{"a", "b"}}}, "more than k"},
	} {
		_, err := Fit(context.Background(), problem, bad.settings)
		var wrong *spec.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%+v: got %v, want %q", bad.settings, err, bad.says)
		}
	}
}

// TestPathIsValidated: every k has an error on rows that it was not fitted on, and a
// k is chosen by them.
func TestPathIsValidated(t *testing.T) {
	problem := study(t, "prostate.csv", "lpsa", []string{"train"}, nil)
	path := must.Get(Path(context.Background(), problem, Settings{}, selection.PathSettings{KMax: 8, Bootstrap: 4}))(t)
	if path.Folds != 5 || path.Chosen < 1 || path.Chosen > path.Best || path.Stability == nil || path.Stability.Resamples != 4 {
		t.Errorf("%+v", path)
	}
	for _, r := range path.Points {
		if !(r.Validation > r.RMSE*0.9) || !(r.Error > 0) {
			t.Errorf("k = %d: %v ± %v on folds, %v on the table", r.K, r.Validation, r.Error, r.RMSE)
		}
	}
	if _, err := Path(context.Background(), Problem{Names: []string{"a"}, X: []float64{1}, Y: []float64{1}}, Settings{}, selection.PathSettings{KMax: 1}); !errors.As(err, new(*spec.Error)) {
		t.Errorf("a table of one row: %v", err)
	}
}

// TestOrderOfLinesChangesNothing: the same rows in another order give the same bits,
// folds and resamples included.
func TestOrderOfLinesChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, p = 40, 5
	problem := Problem{Names: []string{"a", "b", "c", "d", "e"}}
	for range n {
		y := 0.0
		for j := range p {
			x := math.Round(10*r.NormFloat64()) / 10
			problem.X = append(problem.X, x)
			y += float64(j) * x
		}
		problem.Y = append(problem.Y, y+3*r.NormFloat64())
		problem.Weights = append(problem.Weights, 1+float64(r.IntN(3)))
	}
	shuffled := Problem{Names: problem.Names}
	for _, i := range r.Perm(n) {
		shuffled.X, shuffled.Y = append(shuffled.X, problem.X[i*p:][:p]...), append(shuffled.Y, problem.Y[i])
		shuffled.Weights = append(shuffled.Weights, problem.Weights[i])
	}
	settings := Settings{K: 2}
	results := [2]string{}
	for x, of := range []Problem{problem, shuffled} {
		fitted := must.Get(Fit(context.Background(), of, settings))(t)
		path := must.Get(Path(context.Background(), of, settings, selection.PathSettings{KMax: 3, Bootstrap: 5}))(t)
		fitted.Seconds, fitted.Trace = 0, nil // they tell the time
		for _, point := range path.Points {
			point.Seconds = 0
		}
		text := must.Get(json.Marshal([]any{fitted, path}))(t)
		results[x] = string(text)
	}
	if results[0] != results[1] {
		t.Errorf("in one order\n%s\nin another\n%s", results[0], results[1])
	}
}

// TestHoldoutAndCheckpoint: rows that are kept aside change nothing but their own
// score, and a run that continues from a checkpoint ends with the same bits.
func TestHoldoutAndCheckpoint(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	problem := Problem{Names: []string{"a", "b", "c", "d"}}
	for range 50 {
		x := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		problem.X, problem.Y = append(problem.X, x...), append(problem.Y, 2*x[0]-x[2]+0.1*r.NormFloat64())
	}
	settings := Settings{K: 2, Statistics: spec.Statistics{Holdout: 0.2}, Checkpoint: filepath.Join(t.TempDir(), "run")}
	first := must.Get(Fit(context.Background(), problem, settings))(t)
	if first.Rows != 40 || first.Holdout == nil || first.Holdout.Rows != 10 || first.Holdout.RMSE > 0.5 {
		t.Fatalf("%d rows, held out %+v", first.Rows, first.Holdout)
	}
	again := must.Get(Fit(context.Background(), problem, settings))(t)
	settings.Checkpoint = ""
	without := must.Get(Fit(context.Background(), problem, settings))(t)
	if again.Cost != first.Cost || without.Cost != first.Cost || again.Gamma != without.Gamma || again.Passes != without.Passes {
		t.Errorf("cost %v, from the checkpoint %v, without %v", first.Cost, again.Cost, without.Cost)
	}
}
