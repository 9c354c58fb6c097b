package regress

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/spec"
)

// lossProblem has values of a loss, made from features 1, 4 and 6 of ten.
func lossProblem(l loss.Loss, n int, seed uint64) Problem {
	problem := autoregressive(n, 10, 1, 1e9, seed)
	rng := random.New(seed, 9)
	for i := range problem.Y {
		row := problem.X[i*10:][:10]
		x := 0.4 + 1.2*row[1] - 1.1*row[4] + 0.9*row[6]
		switch l {
		case loss.Logistic:
			problem.Y[i] = 0
			if random.Unit(rng.Uint64()) < l.Mean(x) {
				problem.Y[i] = 1
			}
		case loss.Poisson:
			// Exponential waiting times until one unit of time is over.
			problem.Y[i] = 0
			for t := -math.Log(1 - random.Unit(rng.Uint64())); t < math.Exp(x); t -= math.Log(1 - random.Unit(rng.Uint64())) {
				problem.Y[i]++
			}
		default:
			problem.Y[i] = x + 0.3*rng.Normal()
			if i%10 == 0 {
				problem.Y[i] = 40 * rng.Normal() // an outlier
			}
		}
	}
	return problem
}

// TestLosses finds the features that made the values, proves them and beats every
// other selection of three.
func TestLosses(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic, loss.Poisson, loss.Huber} {
		problem := lossProblem(l, 300, 3)
		settings := Settings{K: 3, Loss: l, Statistics: spec.Statistics{Gamma: 1}}
		fitted := must.Get(Fit(context.Background(), problem, settings))(t)
		if !slices.Equal(fitted.Selection, []int{1, 4, 6}) || fitted.Status != "optimal" {
			t.Errorf("%v: %v, %s, gap %g", l, fitted.Selected, fitted.Status, fitted.Gap)
		}
		for x, want := range []float64{1.2, -1.1, 0.9} {
			if math.Abs(fitted.Coefficients[x]-want) > 0.45 {
				t.Errorf("%v: coefficient %d is %v, made with %v", l, x, fitted.Coefficients[x], want)
			}
		}
		f := must.Get(newFormulation(problem, &settings))(t)
		whole := f.table(nil)
		for a := range 10 {
			for b := range a {
				for c := range b {
					cost := must.Get(whole.exactly(context.Background(), 1, []int{c, b, a, 10}))(t)
					if cost < fitted.Bound || cost < fitted.Cost*(1-1e-9) {
						t.Errorf("%v: selection %d, %d, %d costs %v; bound %v, best %v", l, c, b, a, cost, fitted.Bound, fitted.Cost)
					}
				}
			}
		}
		large, err := Fit(context.Background(), problem, Settings{K: 3, Loss: l, Statistics: spec.Statistics{Gamma: 1000}})
		if err != nil || large.Status != "optimal" {
			t.Errorf("%v, γ 1000: %+v (%v)", l, large, err)
		}
		chosen, err := Fit(context.Background(), problem, Settings{K: 3, Loss: l})
		if err != nil || !slices.Equal(chosen.Selection, []int{1, 4, 6}) {
			t.Errorf("%v, γ by validation: %v (%v)", l, chosen, err)
		}
		if p := fitted.Predict(problem.X[:10]); l == loss.Logistic && (p <= 0 || p >= 1) {
			t.Errorf("a probability of %v", p)
		}
		if l == loss.Logistic && (*fitted.AUC < 0.75 || fitted.LogLoss > 0.6 || fitted.Explained < 0.2) {
			t.Errorf("measures %+v", *fitted.Measures)
		}
	}
}

// TestWeightsAreSoManyRows: a weight of two is the row twice.
func TestWeightsAreSoManyRows(t *testing.T) {
	for _, l := range []loss.Loss{loss.Squared, loss.Logistic} {
		weighted, twice := lossProblem(l, 80, 5), lossProblem(l, 80, 5)
		weighted.Weights = make([]float64, 80)
		for i := range weighted.Weights {
			weighted.Weights[i] = 1
			if i%3 == 0 {
				weighted.Weights[i] = 2
				twice.Y = append(twice.Y, twice.Y[i])
				twice.X = append(twice.X, twice.X[i*10:][:10]...)
			}
		}
		for _, refit := range []spec.Refit{spec.Ridge, spec.AutoRefit} { // of squares: least squares
			s := Settings{K: 2, Loss: l, Statistics: spec.Statistics{Gamma: 0.02, Refit: refit}}
			one, other := must.Get(Fit(context.Background(), weighted, s))(t), must.Get(Fit(context.Background(), twice, s))(t)
			for x := range one.Coefficients {
				if one.Selection[x] != other.Selection[x] || math.Abs(one.Coefficients[x]-other.Coefficients[x]) > 1e-9 {
					t.Errorf("%v: %v %v, with rows twice %v %v", l, one.Selected, one.Coefficients, other.Selected, other.Coefficients)
				}
			}
			n, m := float64(len(weighted.Y)), float64(len(twice.Y))
			if one.Refit != other.Refit || math.Abs(one.Intercept-other.Intercept) > 1e-9 || math.Abs(one.Cost*n/m-other.Cost) > 1e-9*other.Cost || math.Abs(one.RSquared-other.RSquared) > 1e-9 {
				t.Errorf("%v: %v, cost %v, R² %v; with rows twice %v, %v, %v", l, one.Refit, one.Cost*n/m, one.RSquared, other.Refit, other.Cost, other.RSquared)
			}
		}
	}
}

// TestNonnegative: coefficients that must not be negative are not, and the best
// selection then is another one.
func TestNonnegative(t *testing.T) {
	problem := lossProblem(loss.Squared, 100, 7)
	for i := range problem.Y {
		row := problem.X[i*10:][:10]
		problem.Y[i] = row[1] - 3*row[4] + 2*row[8]
	}
	fitted := must.Get(Fit(context.Background(), problem, Settings{K: 2, Nonnegative: problem.Names, Statistics: spec.Statistics{Gamma: 1}}))(t)
	if !slices.Equal(fitted.Selection, []int{1, 8}) || slices.Min(fitted.Coefficients) < 0 || fitted.Status != "optimal" {
		t.Errorf("%v %v, %s", fitted.Selected, fitted.Coefficients, fitted.Status)
	}
}

// TestLossRefusals: what cannot be meant is said.
func TestLossRefusals(t *testing.T) {
	problem := lossProblem(loss.Squared, 30, 1)
	for _, settings := range []Settings{
		{K: 1, Loss: loss.Logistic}, {K: 1, Loss: loss.Poisson}, {K: 1, Nonnegative: []string{"no such"}},
		{K: 1, Loss: loss.Huber, Statistics: spec.Statistics{Refit: spec.LeastSquares}},
	} {
		if _, err := Fit(context.Background(), problem, settings); err == nil {
			t.Errorf("%+v was accepted", settings)
		}
	}
	problem.Weights = make([]float64, 30)
	if _, err := Fit(context.Background(), problem, Settings{K: 1}); err == nil {
		t.Error("weights of zero were accepted")
	}
}

// TestIntervalOfAUCIgnoresTheUnitOfWeights: rows of weight 4 are no more rows than those
// of weight 1.
func TestIntervalOfAUCIgnoresTheUnitOfWeights(t *testing.T) {
	of := func(weight float64) result.Range {
		p := Problem{}
		var x []float64
		for i := range 40 {
			p.Y, p.Weights = append(p.Y, float64(i%2)), append(p.Weights, weight*float64(1+i%3))
			x = append(x, float64((i*7)%11+i%2))
		}
		_, r := auc(p, x)
		return *r
	}
	if of(1) != of(4) {
		t.Errorf("%v and %v", of(1), of(4))
	}
}

// TestManyWeights: where a relaxation spreads its weight over a hundred features, second
// derivatives end it in a few evaluations.
func TestManyWeights(t *testing.T) {
	const n, p = 200, 150
	rng := random.New(5, 5)
	problem := Problem{Names: make([]string, p)}
	for j := range problem.Names {
		problem.Names[j] = "x" + string(rune('A'+j/26)) + string(rune('a'+j%26))
	}
	for range n {
		odds := 0.0
		for j := range p {
			x := rng.Normal()
			problem.X = append(problem.X, x)
			if j < 5 {
				odds += x / 2
			}
		}
		y := 0.0
		if random.Unit(rng.Uint64()) < 1/(1+math.Exp(-odds)) {
			y = 1
		}
		problem.Y = append(problem.Y, y)
	}
	settings := Settings{K: 5, Loss: loss.Logistic}
	settings.Gamma, settings.MaxNodes, settings.Threads = 3, 4, 1
	fitted := must.Get(Fit(context.Background(), problem, settings))(t)
	if fitted.Passes > 65 {
		t.Errorf("%d evaluations for %d nodes", fitted.Passes, fitted.Nodes)
	}
}

// TestUnitOfWeights: weights that are all 1 change no bit, and those in another unit
// nothing but γ and the cost.
func TestUnitOfWeights(t *testing.T) {
	for _, l := range []loss.Loss{loss.Squared, loss.Logistic, loss.Huber} {
		problem := lossProblem(l, 60, 5)
		of := func(weight func(i int) float64) *Result {
			p := problem
			if weight != nil {
				p.Weights = make([]float64, len(p.Y))
				for i := range p.Weights {
					p.Weights[i] = weight(i)
				}
			}
			r := must.Get(Fit(context.Background(), p, Settings{K: 2, Loss: l}))(t)
			return r
		}
		if a, b := of(nil), of(func(int) float64 { return 1 }); a.Gamma != b.Gamma || a.Cost != b.Cost || a.Intercept != b.Intercept {
			t.Errorf("%v: γ %v, cost %v; with weights of 1 %v, %v", l, a.Gamma, a.Cost, b.Gamma, b.Cost)
		}
		if a, b := of(nil), of(func(int) float64 { return 0.1 }); math.Abs(a.Gamma-b.Gamma*0.1) > 1e-9*a.Gamma || a.Refit != b.Refit || !slices.Equal(a.Selected, b.Selected) || math.Abs(a.Intercept-b.Intercept) > 1e-6 {
			t.Errorf("%v: γ %v, intercept %v, %v; with weights of 0.1 %v, %v, %v", l, a.Gamma, a.Intercept, a.Refit, b.Gamma, b.Intercept, b.Refit)
		}
		a, b := of(func(i int) float64 { return float64(1 + i%3) }), of(func(i int) float64 { return 1e-13 * float64(1+i%3) })
		if math.Abs(a.Gamma-b.Gamma*1e-13) > 1e-9*a.Gamma || b.Status != result.Optimal || !slices.Equal(a.Selected, b.Selected) || math.Abs(a.RMSE-b.RMSE) > 1e-6*a.RMSE {
			t.Errorf("%v: γ %v, RMSE %v; with tiny weights %v, %v, %s", l, a.Gamma, a.RMSE, b.Gamma, b.RMSE, b.Status)
		}
	}
}
