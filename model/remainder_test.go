package model

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// remainders is a model with a remainder of rank 2.
func remainders(t *testing.T, kind Kind, refit Refit) (*data.Matrix, *Model) {
	t.Helper()
	matrix, f := problem(t, 40, 12, 3, 0.5, 3)
	m := built(t, matrix, f, kind, refit)
	rng := random.New(5)
	columns := make([]float64, 12*2)
	for x := range columns {
		columns[x] = rng.Normal()
	}
	if err := m.SetRemainder(context.Background(), matrix, m.Features, m.K(), Remainder{Rank: 2, Ridge: 0.5}, columns, 2); err != nil {
		t.Fatal(err)
	}
	m.Summary.Structure = &m.Structure
	return matrix, m
}

// A row's factors are a minimum: no small change of them is better.
func TestRemainderFitsWhatTheOtherPartsLeave(t *testing.T) {
	matrix, m := remainders(t, Full, LearnedPrior)
	clip := m.Clip
	m.Clip = nil
	defer func() { m.Clip = clip }()
	cost := func(i int) float64 {
		at, values := matrix.Row(i)
		out := make([]float64, len(at))
		m.PredictRow(i, at, out)
		sum := 0.5 * (m.RowRemainder[i*2]*m.RowRemainder[i*2] + m.RowRemainder[i*2+1]*m.RowRemainder[i*2+1])
		for x, v := range values {
			sum += (v - out[x]) * (v - out[x])
		}
		return sum
	}
	for i := range m.RowIDs {
		best := cost(i)
		for x := range 2 {
			for _, by := range []float64{-1e-3, 1e-3} {
				m.RowRemainder[i*2+x] += by
				if now := cost(i); now < best-1e-12 {
					t.Fatalf("row %d: cost %v, but %v next to it", i, best, now)
				}
				m.RowRemainder[i*2+x] -= by
			}
		}
	}
}

func TestRemainderIsSavedAndOldModelsLoad(t *testing.T) {
	for _, kind := range everyKind {
		_, m := remainders(t, kind, AutoRefit)
		dir := save(t, m)
		got, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got, sameModel); diff != "" {
			t.Error(diff)
		}
	}
	// A model of the version before is one without a remainder.
	dir := save(t, fitted(t))
	for version := oldestFormat; version < sealedFormat; version++ {
		unseal(t, dir, version)
		if _, err := Load(dir); err != nil {
			t.Error(err)
		}
	}
}

// Folding a known row in gives back its factors; Answer, the sum and the
// reasons say the same; what is new has no remainder.
func TestRemainderOfRowsAndAnswers(t *testing.T) {
	for _, kind := range everyKind {
		for _, refit := range everyRefit {
			matrix, m := remainders(t, kind, refit)
			again, rows, err := m.WithRows(context.Background(), &data.Ratings{Matrix: matrix, RowIDs: m.RowIDs, ColumnIDs: m.ColumnIDs}, 2)
			if err != nil {
				t.Fatal(err)
			}
			for x, v := range m.RowRemainder {
				if math.Abs(again.RowRemainder[x]-v) > 1e-9 {
					t.Fatalf("%v, %v: row %d: factor %v, was %v", kind, refit, rows[x/2], again.RowRemainder[x], v)
				}
			}
			sum := m.ExplainSum(m.RowIDs[4], m.ColumnIDs[3])
			total := sum.Mean + sum.RowEffect + sum.ColumnEffect + *sum.Remainder
			for _, p := range sum.Parts {
				total += p.Part
			}
			if math.Abs(total-sum.Sum) > 1e-9 || *sum.Remainder == 0 {
				t.Errorf("%v: the parts add up to %v, not %v", kind, total, sum.Sum)
			}
			if p, err := m.Predict(m.RowIDs[4], m.ColumnIDs[3]); err != nil || p != sum.Prediction {
				t.Errorf("%v: Predict says %v, the sum %v", kind, p, sum.Prediction)
			}
			if got := m.ExplainSum("nobody", m.ColumnIDs[3]); *got.Remainder != 0 {
				t.Errorf("a new row has the remainder %v", *got.Remainder)
			}
			wider, err := m.WithColumns(data.NewFeatures([]string{"new"}, m.Summary.Terms, make([]float64, m.K())))
			if err != nil {
				t.Fatal(err)
			}
			if got := wider.ExplainSum(m.RowIDs[4], "new"); *got.Remainder != 0 {
				t.Errorf("a new column has the remainder %v", *got.Remainder)
			}
		}
	}
}

// The shares add up with the remainder's, which is that of its own part.
func TestVarianceOfTheRemainder(t *testing.T) {
	matrix, m := remainders(t, Full, LearnedPrior)
	v, err := m.VarianceOf(context.Background(), matrix, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum := v.Rows + v.Columns + v.Remainder + v.Rest
	for _, x := range v.Terms {
		sum += x
	}
	if math.Abs(sum-1) > 1e-12 || v.Remainder <= 0 {
		t.Errorf("shares add up to %v: %+v", sum, v)
	}
	without := m.copy()
	without.Remainder, without.RowRemainder, without.ColumnRemainder = nil, nil, nil
	w, err := without.VarianceOf(context.Background(), matrix, 1)
	if err != nil || math.Abs(w.Rest-v.Rest-v.Remainder) > 1e-12 {
		t.Errorf("rest %v with, %v without a remainder of %v (%v)", v.Rest, w.Rest, v.Remainder, err)
	}
}
