package estimate

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// fromPrior is rows whose coefficients come from a known prior, with noise.
func fromPrior(t *testing.T, n, m, entries int, mean, spread []float64, noise float64) (values *data.Matrix, design []float64) {
	t.Helper()
	rng := random.New(17)
	d := len(mean)
	design = make([]float64, m*d)
	for j := range m {
		design[j*d] = 1
		for f := 1; f < d; f++ {
			design[j*d+f] = rng.Normal()
		}
	}
	var list []data.Entry
	for i := range n {
		u := make([]float64, d)
		for f := range u {
			u[f] = mean[f] + spread[f]*rng.Normal()
		}
		for _, c := range rng.Sample(m, 1+rng.Intn(2*entries)) {
			list = append(list, data.Entry{Row: int32(i), Column: int32(c), Value: dense.Dot(u, design[c*d:][:d]) + noise*rng.Normal()})
		}
	}
	values = must.Get(data.NewMatrix(n, m, list))(t)
	return values, design
}

// TestPriorIsRecovered: with many rows the learned prior is the one the rows
// were drawn from.
func TestPriorIsRecovered(t *testing.T) {
	mean, spread := []float64{1, -0.5, 0}, []float64{0.5, 1, 0.2}
	values, design := fromPrior(t, 6000, 80, 10, mean, spread, 0.7)
	p, _, err := learnRows(context.Background(), values, design, 3, 200, 2)
	if err != nil {
		t.Fatal(err)
	}
	for f := range mean {
		if math.Abs(p.Mean[f]-mean[f]) > 0.05 {
			t.Errorf("mean %d is %v, drawn with %v", f, p.Mean[f], mean[f])
		}
		if sd := math.Sqrt(p.Covariance[f*3+f]); math.Abs(sd-spread[f]) > 0.07 {
			t.Errorf("spread %d is %v, drawn with %v", f, sd, spread[f])
		}
	}
	if sd := math.Sqrt(p.Noise); math.Abs(sd-0.7) > 0.03 {
		t.Errorf("noise %v, drawn with 0.7", sd)
	}
}

// TestPosteriorIsTheDenseFormula compares a row's coefficients with
// (Σ⁻¹ + XᵀX/σ²)⁻¹(Σ⁻¹μ + Xᵀa/σ²), and with the fit of the row by itself; rows
// without entries get the mean.
func TestPosteriorIsTheDenseFormula(t *testing.T) {
	const d = 3
	values, design := fromPrior(t, 300, 40, 6, []float64{1, -0.5, 0}, []float64{0.5, 1, 0.2}, 0.7)
	var entries []data.Entry
	for i := range 300 {
		at, a := values.Row(i)
		for e, c := range at {
			entries = append(entries, data.Entry{Row: int32(i), Column: c, Value: a[e]})
		}
	}
	values, err := data.NewMatrix(301, 40, entries) // the last row has none
	if err != nil {
		t.Fatal(err)
	}
	p, u, err := learnRows(context.Background(), values, design, d, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	var inverse mat.Dense
	must.Do(t, inverse.Inverse(mat.NewDense(d, d, append([]float64{}, p.Covariance...))))
	for _, i := range []int{0, 7, 299, 300} {
		at, a := values.Row(i)
		precision := mat.DenseCopyOf(&inverse)
		right := mat.NewVecDense(d, nil)
		right.MulVec(&inverse, mat.NewVecDense(d, p.Mean))
		for e, c := range at {
			b := mat.NewVecDense(d, design[int(c)*d:][:d])
			right.AddScaledVec(right, a[e]/p.Noise, b)
			var outer mat.Dense
			outer.Outer(1/p.Noise, b, b)
			precision.Add(precision, &outer)
		}
		var want mat.VecDense
		must.Do(t, want.SolveVec(precision, right))
		alone := must.Get(posteriorOf(p, design, at, a))(t)
		for f := range d {
			if math.Abs(u[i*d+f]-want.AtVec(f)) > 1e-9 || alone[f] != u[i*d+f] {
				t.Errorf("row %d: %v, alone %v, want %v", i, u[i*d:(i+1)*d], alone, want.RawVector().Data)
			}
		}
	}
	again, v, err := learnRows(context.Background(), values, design, d, 0, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range u {
		if u[i] != v[i] {
			t.Fatal("coefficients depend on the number of threads")
		}
	}
	if again.Noise != p.Noise {
		t.Fatal("the prior depends on the number of threads")
	}
}

// TestEffectsAreShrunkenMeans: no shrinkage on a full table gives the additive
// fit; infinite shrinkage gives the mean alone.
func TestEffectsAreShrunkenMeans(t *testing.T) {
	rows, columns := []float64{1, -2, 1}, []float64{0.5, -0.5, 3, -3}
	var entries []data.Entry
	for i, r := range rows {
		for j, c := range columns {
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: 10 + r + c})
		}
	}
	m := must.Get(data.NewMatrix(3, 4, entries))(t)
	effects := func(row, column float64) *Effects {
		e := must.Get(FitEffects(context.Background(), m, row, column, 2))(t)
		return e
	}
	e := effects(0, 0)
	for i, r := range rows {
		if math.Abs(e.Rows[i]-r) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, e.Rows[i], r)
		}
	}
	rest := must.Get(e.Residuals(context.Background(), m, 1))(t)
	left := rest.(*data.Matrix)
	for i := range rows {
		_, values := left.Row(i)
		for _, v := range values {
			if math.Abs(v) > 1e-12 {
				t.Errorf("residual %v", v)
			}
		}
	}
	e = effects(math.Inf(1), math.Inf(1))
	if e.Mean != 10 || e.Rows[1] != 0 || e.Columns[2] != 0 {
		t.Errorf("infinite shrinkage: %+v", e)
	}
	if half := effects(4, math.Inf(1)); math.Abs(half.Rows[1]-(-1)) > 1e-12 {
		t.Errorf("at a shrinkage of as many entries as there are, half the effect: %v", half.Rows[1])
	}
}

// learnRows is learnPrior with every row's coefficients, the mean of its posterior. A row
// without entries gets the prior's mean.
func learnRows(ctx context.Context, values data.Source, design []float64, d, steps, threads int) (*Prior, []float64, error) {
	p, err := learnPrior(ctx, values, design, d, steps, threads, 0)
	if err != nil {
		return nil, nil, err
	}
	n, _ := values.Dims()
	u := make([]float64, n*d)
	return &p.Prior, u, posteriorFit(values, p, design, d, false).fill(ctx, threads, nil, u)
}

// posteriorOf is the mean of a row's coefficients given its entries: the fit of
// one row by itself.
func posteriorOf(p *Prior, design []float64, at []int32, a []float64) ([]float64, error) {
	state := &priorState{Prior: *p}
	if err := state.invert(); err != nil {
		return nil, err
	}
	u := make([]float64, len(p.Mean))
	newPosterior(len(p.Mean)).solve(state, design, at, a, u)
	return u, nil
}
