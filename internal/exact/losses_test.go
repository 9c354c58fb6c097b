package exact_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"optcomplete"
	"optcomplete/formulation"
	"optcomplete/internal/exact"
	"optcomplete/internal/must"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/search"
)

// TestElementary: logarithms and exponentials are inverses of each other, and math's.
func TestElementary(t *testing.T) {
	for _, l := range []string{"logistic", "poisson"} {
		in := &exact.Lossy{Instance: &exact.Instance{Rows: 1, Columns: 1, P: 1, Gamma: 2, Features: [][]float64{{0}}, Entries: []exact.Entry{{Value: 1}}}, Loss: l}
		for _, x := range []float64{-700, -30, -1, 0, 1e-9, 0.3, 2, 30} {
			in.Offset = []float64{x}
			got, _ := in.Least([]int{0}).Float64()
			if want := map[string]float64{"logistic": math.Log1p(math.Exp(-x)), "poisson": math.Exp(x) - x - 1}[l]; math.Abs(got-want) > 1e-15*(1+math.Abs(x)+want) {
				t.Errorf("%s at %g: %v, want %v", l, x, got, want)
			}
		}
	}
}

// lossy draws an instance that is hard on rounding, of values that suit the loss.
func lossy(seed uint64, r *rand.Rand, l loss.Loss) *exact.Lossy {
	in := &exact.Lossy{Instance: exact.Nasty(seed), Loss: l.String(), Delta: 1}
	in.K = min(in.K, 4)
	if largest := largestFeature(in); r.IntN(4) > 0 { // or γ times the square of a feature is beyond double precision, mostly
		in.Gamma = math.Pow(10, 8*r.Float64()-2) / (largest * largest)
	}
	often, size := []float64{0.5, 0.1, 0.9, 1}[r.IntN(4)], r.IntN(6)
	scale := math.Pow(10, 6*r.Float64()-3)
	if l == loss.Huber && r.IntN(2) == 0 {
		in.Delta = math.Pow(10, 4*r.Float64()-2)
	}
	for e := range in.Entries {
		x := &in.Entries[e].Value
		switch l {
		case loss.Logistic:
			switch {
			case r.IntN(20) == 0:
				*x = math.Round(100*r.Float64()) / 100
			case r.Float64() < often:
				*x = 1
			default:
				*x = 0
			}
		case loss.Poisson:
			*x = []float64{0, 1, 2, float64(r.IntN(int(math.Pow10(size))))}[r.IntN(4)]
		default:
			*x = scale * r.NormFloat64()
			if r.IntN(8) == 0 {
				*x *= 1e3
			}
		}
	}
	in.Offset = make([]float64, len(in.Entries))
	if r.IntN(3) == 0 || l == loss.Squared {
		in.K = min(in.K, 3)
		in.Nonnegative = make([]bool, in.P)
		for j := range in.Nonnegative {
			in.Nonnegative[j] = r.IntN(3) > 0
		}
	}
	return in
}

// known is a cost, or 0 where it is less than the square of what rounding does to a
// value: then double precision cannot tell it from 0.
func known(in *exact.Lossy, cost *big.Float) *big.Float {
	largest := 1.0
	for _, e := range in.Entries {
		largest = max(largest, math.Abs(e.Value))
	}
	if cost != nil && cost.Cmp(big.NewFloat(1e-30*largest)) < 0 {
		return big.NewFloat(0)
	}
	return cost
}

// largestFeature is the largest number of the features, or 1.
func largestFeature(in *exact.Lossy) float64 {
	largest := 1.0
	for _, row := range in.Features {
		for _, x := range row {
			largest = max(largest, math.Abs(x))
		}
	}
	return largest
}

// patience ends a search that does not: few do, where rates are beyond what double
// precision resolves. Its bound is compared all the same.
const patience = 20 * time.Second

// TestLosses compares certificates under every loss with Newton steps of 256 bits on
// every selection: in turn of the cost by itself with levels, weights and signs, of
// groups, of whole fits and of paths.
func TestLosses(t *testing.T) {
	kinds := []func(t *testing.T, seed uint64, r *rand.Rand, l loss.Loss, in *exact.Lossy) (claim, *big.Float, *big.Float){costs, grouped, fits, paths}
	for _, l := range []loss.Loss{loss.Logistic, loss.Poisson, loss.Huber, loss.Squared} {
		name := l.String() + " loss"
		if l == loss.Squared {
			name += " with signs"
		}
		seeds(t, few()/5, name+": certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
			in := lossy(seed, r, l)
			got, own, best := kinds[seed%4](t, seed, r, l, in)
			return got, in.Instance, known(in, own), known(in, best)
		})
	}
}

// oracle is the cost, with levels of rows and columns and weights of columns.
func oracle(r *rand.Rand, l loss.Loss, in *exact.Lossy) *objective.Convex {
	var offsets *objective.Offsets
	if r.IntN(3) > 0 {
		offsets = &objective.Offsets{Mean: 3 * r.NormFloat64(), Row: make([]float64, in.Rows), Column: make([]float64, in.Columns)}
		for i := range offsets.Row {
			offsets.Row[i] = r.NormFloat64()
		}
		for j := range offsets.Column {
			offsets.Column[j] = r.NormFloat64()
		}
		if r.IntN(2) == 0 {
			offsets.Weight = make([]float64, in.Columns)
			in.Weight = make([]float64, len(in.Entries))
			for j := range offsets.Weight {
				offsets.Weight[j] = math.Pow(10, 4*r.Float64()-2)
			}
		}
		for e, entry := range in.Entries {
			in.Offset[e] = offsets.At(entry.Row, int32(entry.Column))
			if in.Weight != nil {
				in.Weight[e] = offsets.Weight[entry.Column]
			}
		}
	}
	return objective.NewConvex(matrix(in.Instance), features(in.Instance), in.Gamma, loss.Scaled{Loss: l, Unit: in.Delta}, offsets, in.Nonnegative, 1)
}

func costs(t *testing.T, seed uint64, r *rand.Rand, l loss.Loss, in *exact.Lossy) (claim, *big.Float, *big.Float) {
	result, err := search.Minimize(context.Background(), oracle(r, l, in), search.Settings{K: in.K, TimeLimit: patience})
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return claim{status: "failed"}, big.NewFloat(0), big.NewFloat(0)
	}
	return found(result), in.Least(result.Selection), exact.Best(in.P, in.K, nil, in.Least)
}

func grouped(t *testing.T, seed uint64, r *rand.Rand, l loss.Loss, in *exact.Lossy) (claim, *big.Float, *big.Float) {
	var groups [][]int
	for j := range in.P {
		if j > 0 && r.IntN(3) == 0 && len(groups[len(groups)-1]) < 2 {
			groups[len(groups)-1] = append(groups[len(groups)-1], j)
		} else {
			groups = append(groups, []int{j})
		}
	}
	in.K = min(in.K, len(groups), 2)
	o := objective.NewGrouped(oracle(r, l, in), groups)
	result, err := search.Minimize(context.Background(), o, search.Settings{K: in.K, TimeLimit: patience})
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return claim{status: "failed"}, big.NewFloat(0), big.NewFloat(0)
	}
	cost := func(selection []int) *big.Float { return in.Least(o.Members(selection)) }
	return found(result), cost(result.Selection), exact.Best(len(groups), in.K, nil, cost)
}

// settings are those of a fit whose model is the one that was proven.
func settings(r *rand.Rand, l loss.Loss, in *exact.Lossy) formulation.Settings {
	s := formulation.Settings{K: in.K, Loss: l}
	s.Gamma, s.ColumnShrinkage = in.Gamma, math.Pow(10, 4*r.Float64()-2)
	s.Threads, s.TimeLimit = 1, patience
	if l != loss.Poisson && r.IntN(2) == 0 { // of counts, levels are fitted again beside learned units
		s.Gamma = 0
	}
	if l == loss.Huber {
		s.Delta = in.Delta
	}
	for j, held := range in.Nonnegative {
		if held {
			s.Nonnegative = append(s.Nonnegative, features(in.Instance).Names[j])
		}
	}
	return s
}

// fits is a whole fit: the levels are those that it found.
func fits(t *testing.T, seed uint64, r *rand.Rand, l loss.Loss, in *exact.Lossy) (claim, *big.Float, *big.Float) {
	in.Nonnegative = atLeastOne(l, in.Nonnegative)
	s := settings(r, l, in)
	fitted, err := formulation.Fit(context.Background(), problem(in.Instance), s)
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return claim{status: "failed"}, big.NewFloat(0), big.NewFloat(0)
	}
	levels(in, fitted)
	own := in.Least(selection(features(in.Instance), fitted.Selected))
	return of(&fitted.Summary), own, exact.Best(in.P, in.K, nil, in.Least)
}

// levels takes what a model is about: its levels, and the units of its features, which have mean 0
// and variance 1 over the columns that have entries.
func levels(in *exact.Lossy, fitted *model.Model) {
	units := fitted.Summary.Units
	in.Level, in.Gamma = 1/units.Level, 1
	has := make([]bool, in.Columns)
	for _, entry := range in.Entries {
		has[entry.Column] = true
	}
	for f := range in.P {
		var column []float64
		for c, row := range in.Features {
			if has[c] {
				column = append(column, row[f])
			}
		}
		centre, scale := standard(column)
		for c := range in.Features {
			in.Features[c] = slices.Clone(in.Features[c])
			in.Features[c][f] = (in.Features[c][f] - centre) / scale * math.Sqrt(units.Features[f].Gamma)
		}
	}
	for e, entry := range in.Entries {
		in.Offset[e] = fitted.Mean + fitted.ColumnEffects[entry.Column]
	}
}

// standard is mean and standard deviation, as a fit computes them.
func standard(x []float64) (centre, scale float64) {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v-x[0]))
	}
	if largest == 0 {
		return x[0], 1
	}
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += (v - x[0]) / largest
	}
	mean /= float64(len(x))
	for _, v := range x {
		square += ((v-x[0])/largest - mean) * ((v-x[0])/largest - mean)
	}
	return x[0] + mean*largest, math.Sqrt(square/float64(len(x))) * largest
}

// atLeastOne makes squared errors ones that no other test has.
func atLeastOne(l loss.Loss, nonnegative []bool) []bool {
	if l == loss.Squared && !slices.Contains(nonnegative, true) {
		nonnegative[0] = true
	}
	return nonnegative
}

// paths is a path; the levels are those of a fit, which do not depend on k.
func paths(t *testing.T, seed uint64, r *rand.Rand, l loss.Loss, in *exact.Lossy) (claim, *big.Float, *big.Float) {
	in.Nonnegative = atLeastOne(l, in.Nonnegative)
	s := settings(r, l, in)
	posed := problem(in.Instance)
	fitted, err := formulation.Fit(context.Background(), posed, s)
	if err == nil {
		levels(in, fitted)
		s.K = 0
		var path *optcomplete.PathResult
		if path, err = formulation.Path(context.Background(), posed, s, optcomplete.PathSettings{KMax: in.K, Folds: 2}); err == nil {
			p := path.Points[r.IntN(len(path.Points))]
			own := in.Least(selection(features(in.Instance), p.Selected))
			return claim{p.Cost, p.Bound, p.Gap, p.Status.String(), true}, own, exact.Best(in.P, p.K, nil, in.Least)
		}
	}
	t.Errorf("seed %d: %v", seed, err)
	return claim{status: "failed"}, big.NewFloat(0), big.NewFloat(0)
}

// TestCostsAreNotTooLow: where large terms cancel, rounding gives predictions that no coefficients have.
func TestCostsAreNotTooLow(t *testing.T) {
	for _, seed := range []uint64{1795133188} {
		r := rand.New(rand.NewPCG(seed, 7))
		in := lossy(seed, r, loss.Huber)
		found := must.Get(search.Minimize(context.Background(), oracle(r, loss.Huber, in), search.Settings{K: in.K, TimeLimit: patience}))(t)
		if own := in.Least(found.Selection); exact.Above(found.Cost, own) < -1e-9 {
			t.Errorf("seed %d: the selection costs %v, exactly %.17g", seed, found.Cost, own)
		}
	}
}
