package model_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
	"optcomplete/remainder"
	"optcomplete/spec"
)

// baselines is a model with a remainder of rank 2 as baselines have it.
func baselines(t *testing.T, kind spec.Kind, refit spec.Refit) (*data.Matrix, *model.Model) {
	t.Helper()
	matrix, f := testkit.Drawn(t, 40, 12, 3, 0.5, 3)
	m := modeltest.Built(t, matrix, f, kind, refit)
	rng := random.New(5)
	columns := make([]float64, 12*2)
	for x := range columns {
		columns[x] = rng.Normal()
	}
	r := estimate.Remainder{Rank: 2, Ridge: 0.5}
	rows := make([]float64, 40*2)
	free := m.Parts
	free.Clip = nil
	base := (&estimate.Fitted{Parts: &free, Chosen: m.Features, K: m.K()}).PredictRow
	for i := range 40 {
		at, values := matrix.Row(i)
		rest := make([]float64, len(at))
		base(i, at, rest)
		for x, v := range values {
			rest[x] = v - rest[x]
		}
		r.Solve(columns, at, rest, nil, rows[i*2:i*2+2])
	}
	m.Remainder, m.RowRemainder, m.ColumnRemainder = &r, rows, columns
	m.Summary.Structure = &m.Parts.Structure
	return matrix, m
}

// remainders is a model with one of two features selected and a fitted remainder:
// the other one and a trait without a name.
func remainders(t *testing.T, kind spec.Kind) (*data.Matrix, *model.Model) {
	t.Helper()
	matrix, m := remaindersOf(t, kind, 150, 0)
	if m.Remainder == nil || m.Remainder.Rank != 1 || m.Remainder.CoFactors != 0 {
		t.Fatalf("%v: remainder %+v, made with one trait", kind, m.Remainder)
	}
	return matrix, m
}

// remaindersOf makes rows have the more entries of columns the more they like their
// trait, by so much.
func remaindersOf(t *testing.T, kind spec.Kind, n int, liking float64) (*data.Matrix, *model.Model) {
	t.Helper()
	const m = 40
	rng := random.New(8)
	values, traits := make([]float64, m*2), make([]float64, m)
	for x := range values {
		values[x] = rng.Normal()
	}
	for j := range traits {
		traits[j] = rng.Normal()
	}
	var entries []data.Entry
	for i := range n {
		a, u, v, w := 0.5*rng.Normal(), rng.Normal(), 0.3+0.7*rng.Normal(), 0.8*rng.Normal()
		if kind == spec.Paper {
			a = 0 // rows have no level there
		}
		for j := range m {
			if i%10 != 3 && rng.Float64() < 1/(1+math.Exp(-liking*w*traits[j])) {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: a + u*values[j*2] + v*values[j*2+1] + w*traits[j] + 0.3*rng.Normal()})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(t)
	f := testkit.FeaturesOf(m, 2, values)
	parts, err := estimate.FitParts(context.Background(), matrix, estimate.Chosen(f, []int{0}), 1, estimate.Recipe{Kind: kind, Refit: spec.LearnedPrior, RowShrinkage: 2, ColumnShrinkage: 3})
	if err != nil {
		t.Fatal(err)
	}
	others := estimate.Others{Names: f.Names[1:], Values: estimate.Chosen(f, []int{1})}
	must.Do(t, parts.FitRemainder(context.Background(), matrix, estimate.Chosen(f, []int{0}), 1, others, kind, remainder.Settings{Rank: 3, Threads: 2}))
	r := data.NewRatings(matrix, make([]string, n), f.IDs)
	for i := range r.RowIDs {
		r.RowIDs[i] = "r" + strconv.Itoa(i)
	}
	out := must.Get(model.New(model.Summary{Model: kind.String(), Refit: spec.LearnedPrior}, r, f, []int{0}, parts))(t)
	return matrix, out
}

func TestRemainderIsSavedAndOldModelsLoad(t *testing.T) {
	for _, kind := range modeltest.EveryKind {
		_, m := remainders(t, kind)
		_, baseline := baselines(t, kind, spec.AutoRefit)
		for _, m := range []*model.Model{m, baseline} {
			got := must.Get(store.Load(modeltest.Save(t, m)))(t)
			if diff := cmp.Diff(m, got, modeltest.Same); diff != "" {
				t.Error(diff)
			}
		}
	}
	// A model of the version before is one without a remainder.
	dir := modeltest.Save(t, modeltest.Fitted(t))
	for version := 3; version < 5; version++ {
		modeltest.Unseal(t, dir, version)
		if _, err := store.Load(dir); err != nil {
			t.Error(err)
		}
	}
}

// Folding a known row in gives back its factors; Answer, the sum and the
// reasons say the same; what is new has no traits, but other features.
func TestRemainderOfRowsAndAnswers(t *testing.T) {
	for _, kind := range modeltest.EveryKind {
		matrix, m := remainders(t, kind)
		checkRemainder(t, matrix, m)
		if got := m.ExplainSum("nobody", m.ColumnIDs[3]); *got.Other == 0 || math.Abs(*got.Other-m.Remainder.OtherPopulation[0]*m.ColumnRemainder[3*2]) > 1e-12 {
			t.Errorf("%v: the other feature adds %v for a new row", kind, *got.Other)
		}
		wider := must.Get(m.WithColumns(data.NewFeatures([]string{"new"}, m.FeaturesUsed(), []float64{0, 2})))(t)
		if got := wider.ExplainSum(m.RowIDs[4], "new"); *got.Remainder != 0 || math.Abs(*got.Other-2*m.RowRemainder[4*2]) > 1e-12 {
			t.Errorf("%v: a new column has the remainder %v and %v from its other feature", kind, *got.Remainder, *got.Other)
		}
		for _, refit := range modeltest.EveryRefit {
			matrix, m := baselines(t, kind, refit)
			checkRemainder(t, matrix, m)
		}
	}
}

// Traits that come from who has entries of what are saved, folded in and explained as
// all others; a new column has none, and is less certain.
func TestCoFactorsInAModel(t *testing.T) {
	for _, kind := range modeltest.EveryKind {
		matrix, m := remaindersOf(t, kind, 600, 4)
		r := m.Remainder
		if r == nil || r.CoFactors == 0 {
			t.Fatalf("%v: no co-occurrence factors: %+v", kind, r)
		}
		got := must.Get(store.Load(modeltest.Save(t, m)))(t)
		if diff := cmp.Diff(m, got, modeltest.Same); diff != "" {
			t.Error(diff)
		}
		again, _, err := m.WithRows(context.Background(), data.NewRatings(matrix, m.RowIDs, m.ColumnIDs), 2)
		if err != nil {
			t.Fatal(err)
		}
		for x, v := range m.RowRemainder {
			if math.Abs(again.RowRemainder[x]-v) > 1e-9 {
				t.Fatalf("%v: row %d: factor %v, was %v", kind, x/r.Factors(), again.RowRemainder[x], v)
			}
		}
		// A row of which nothing is known has the population's coefficients.
		sum := 0.0
		for x, v := range m.ColumnRemainder[3*r.Factors()+1:][:r.CoFactors] {
			sum += v * r.OtherPopulation[1+x]
		}
		if got := m.ExplainSum("nobody", m.ColumnIDs[3]); math.Abs(*got.Remainder-sum) > 1e-12 {
			t.Errorf("%v: a new row has the remainder %v, not %v", kind, *got.Remainder, sum)
		}
		wider := must.Get(m.WithColumns(data.NewFeatures([]string{"new"}, m.FeaturesUsed(), []float64{0, 2})))(t)
		if got := wider.ExplainSum(m.RowIDs[4], "new"); *got.Remainder != 0 {
			t.Errorf("%v: a new column has the remainder %v", kind, *got.Remainder)
		}
	}
}

// Where there are no unnamed traits, no explanation speaks of them.
func TestOtherFeaturesWithoutTraits(t *testing.T) {
	_, m := remainders(t, spec.Full)
	m.Remainder.Rank = 0
	columns, rows := m.ColumnRemainder, m.RowRemainder
	m.ColumnRemainder, m.RowRemainder = nil, nil
	for x := 0; x < len(columns); x += 2 {
		m.ColumnRemainder = append(m.ColumnRemainder, columns[x])
	}
	for x := 0; x < len(rows); x += 2 {
		m.RowRemainder = append(m.RowRemainder, rows[x])
	}
	if got := m.ExplainSum(m.RowIDs[4], m.ColumnIDs[3]); got.Remainder != nil || got.Other == nil {
		t.Errorf("unnamed part %v, other features %v", got.Remainder, got.Other)
	}
}

func checkRemainder(t *testing.T, matrix *data.Matrix, m *model.Model) {
	t.Helper()
	again, rows, err := m.WithRows(context.Background(), data.NewRatings(matrix, m.RowIDs, m.ColumnIDs), 2)
	if err != nil {
		t.Fatal(err)
	}
	for x, v := range m.RowRemainder {
		if math.Abs(again.RowRemainder[x]-v) > 1e-9 {
			t.Fatalf("%s: row %d: factor %v, was %v", m.Summary.Model, rows[x/2], again.RowRemainder[x], v)
		}
	}
	sum := m.ExplainSum(m.RowIDs[4], m.ColumnIDs[3])
	total := sum.Mean + sum.RowEffect + sum.ColumnEffect + *sum.Remainder
	for _, p := range sum.Parts {
		total += p.Part
	}
	for _, p := range sum.OtherParts {
		total += p.Part
	}
	if math.Abs(total-sum.Sum) > 1e-9 || *sum.Remainder == 0 {
		t.Errorf("%s: the parts add up to %v, not %v", m.Summary.Model, total, sum.Sum)
	}
	if p, err := m.Predict(m.RowIDs[4], m.ColumnIDs[3]); err != nil || p != sum.Prediction {
		t.Errorf("%s: Predict says %v, the sum %v", m.Summary.Model, p, sum.Prediction)
	}
	if got := m.ExplainSum("nobody", m.ColumnIDs[3]); *got.Remainder != 0 {
		t.Errorf("a new row has the remainder %v", *got.Remainder)
	}
}

// The shares add up with the remainder's, which is that of its own part.
func TestVarianceOfTheRemainder(t *testing.T) {
	matrix, m := remainders(t, spec.Full)
	v := must.Get(varianceOf(m, matrix, 1))(t)
	sum := v.Rows + v.Columns + v.Other + v.Remainder + v.Rest
	for _, x := range v.Terms {
		sum += x
	}
	if math.Abs(sum-1) > 1e-12 || v.Remainder <= 0 || v.Other <= 0 {
		t.Errorf("shares add up to %v: %+v", sum, v)
	}
	without := m
	without.Remainder, without.RowRemainder, without.ColumnRemainder = nil, nil, nil
	w, err := varianceOf(without, matrix, 1)
	if err != nil || w.Rest <= v.Rest {
		t.Errorf("rest %v with, %v without a remainder of %v (%v)", v.Rest, w.Rest, v.Remainder, err)
	}
}

// Intervals hold a little more than they say of the entries that were fitted, with a
// remainder and without, before and after saving, and are wider for what is not
// known. Entries that were held out: TestIntervalsCover in package remainder.
func TestIntervalsOfFittedEntries(t *testing.T) {
	matrix, with := remainders(t, spec.Full)
	_, without := remainders(t, spec.Full)
	parts, err := estimate.FitParts(context.Background(), matrix, with.Features, 1, estimate.Recipe{Kind: spec.Full, Refit: spec.LearnedPrior, RowShrinkage: 2, ColumnShrinkage: 3})
	if err != nil {
		t.Fatal(err)
	}
	without.Parts = *parts
	without.Summary.Structure = &without.Parts.Structure
	loaded := must.Get(store.Load(modeltest.Save(t, with)))(t)
	for _, m := range []*model.Model{with, without, loaded} {
		x := must.Get(m.Intervals())(t)
		within, count := 0.0, 0.0
		for i := range m.RowIDs {
			at, values := matrix.Row(i)
			for e, j := range at {
				sure := must.Get(x.Of(m.AnswerAt(i, int(j)), i, int(j), 0.8))(t)
				if values[e] >= sure.Low && values[e] <= sure.High {
					within++
				}
				count++
			}
		}
		// The entries were fitted, so that a little more than 80 % are within.
		if part := within / count; part < 0.78 || part > 0.92 {
			t.Errorf("80 %% intervals have %.1f %% of the entries", 100*part)
		}
		known := must.Get(x.Variance(4, 3))(t)
		newRow, _ := x.Variance(-1, 3)
		neither, _ := x.Variance(-1, -1)
		if !(known < newRow && newRow < neither*1.5 && known > 0) {
			t.Errorf("variances %v known, %v of a new row, %v of neither", known, newRow, neither)
		}
	}
	_, paper := baselines(t, spec.Paper, spec.LeastSquares)
	if _, err := paper.Intervals(); !errors.Is(err, model.ErrNoIntervals) {
		t.Errorf("%v for a model without a prior", err)
	}
}
