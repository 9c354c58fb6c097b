package model_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/model/store"
	"optcomplete/result"
	"optcomplete/spec"
)

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func TestEveryAnswerIsFiniteAndInRange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		matrix, f := modeltest.Sparse(t, rt)
		m := modeltest.Built(t, matrix, f, rapid.SampledFrom(modeltest.EveryKind).Draw(rt, "kind"), rapid.SampledFrom(modeltest.EveryRefit).Draw(rt, "refit"))
		m.Clip = &result.Range{Low: 1, High: 5}
		for _, row := range append(m.RowIDs, "nobody") {
			for _, column := range append(m.ColumnIDs, "nothing") {
				a := m.Answer(row, column)
				if !finite(a.Value) || a.Value < 1 || a.Value > 5 || !finite(a.Unclipped) {
					rt.Fatalf("%s, %s: %+v", row, column, a)
				}
				i, knownRow := m.Row(row)
				j, knownColumn := m.Column(column)
				if want := result.BasisOf(!knownRow || m.Entries[i] == 0, !knownColumn || m.ColumnEntries[j] == 0); a.Basis != want {
					rt.Fatalf("%s, %s: %v, want %v", row, column, a.Basis, want)
				}
				if p, err := m.Predict(row, column); err == nil && p != a.Value {
					rt.Fatalf("%s, %s: Predict says %v, Answer %v", row, column, p, a.Value)
				}
			}
		}
	})
}

func TestFoldInReproducesEveryRow(t *testing.T) {
	for _, kind := range modeltest.EveryKind {
		for _, refit := range modeltest.EveryRefit {
			t.Run(fmt.Sprint(kind, " ", refit), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					matrix, f := modeltest.Sparse(t, rt)
					m := modeltest.Built(t, matrix, f, kind, refit)
					for i := range m.RowIDs {
						at, values := matrix.Row(i)
						effect, u, err := m.FoldIn(at, values)
						if err != nil {
							rt.Fatal(err)
						}
						if want := m.RowEffect(i); effect != want {
							rt.Fatalf("row %d: effect %v, want %v", i, effect, want)
						}
						if diff := cmp.Diff(m.Coefficients.Row(i), u); diff != "" {
							rt.Fatalf("row %d: %s", i, diff)
						}
					}
				})
			})
		}
	}
}

// A row folded in answers as it would had it been in the model, once saved too.
func TestModelWithRowsAnswersAndSaves(t *testing.T) {
	matrix, f := testkit.Drawn(t, 40, 9, 4, 0.5, 3)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	at, values := matrix.Row(7)
	two, err := data.NewMatrixByRows(9, []int{0, len(at), len(at) + 1}, append(append([]int32{}, at...), 2), append(append([]float64{}, values...), 5))
	if err != nil {
		t.Fatal(err)
	}
	more, rows, err := m.WithRows(context.Background(), data.NewRatings(two, []string{"twin", "r1"}, m.ColumnIDs), 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{40, 1}, rows); diff != "" {
		t.Fatal(diff)
	}
	got := must.Get(store.Load(modeltest.Save(t, more)))(t)
	if a, b := got.Answer("twin", "c5"), m.Answer("r7", "c5"); a != b {
		t.Errorf("the twin of r7 gets %+v, r7 %+v", a, b)
	}
	if got.Answer("r1", "c5") == m.Answer("r1", "c5") || len(m.RowIDs) != 40 || m.Entries[1] == 1 {
		t.Error("r1 was not fitted anew, or the first model was changed")
	}
	if seen, known, err := got.Seen(40); err != nil || !known || !cmp.Equal(at, seen) {
		t.Errorf("the twin has seen %v, %v, %v; want %v", seen, known, err, at)
	}
	if seen, _, _ := got.Seen(1); len(seen) < int(m.Entries[1]) {
		t.Errorf("r1 has seen only %v", seen)
	}
}

func TestNewColumnEqualsColumnWithoutEntries(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		matrix, f := modeltest.Sparse(t, rt)
		kind, refit := rapid.SampledFrom(modeltest.EveryKind).Draw(rt, "kind"), rapid.SampledFrom(modeltest.EveryRefit).Draw(rt, "refit")
		columns, k := f.Dims()
		last := columns - 1
		n, _ := matrix.Dims()
		without := matrix.Filter(func(_ int, c int32) bool { return int(c) != last })
		in := modeltest.Built(t, without, f, kind, refit)
		// The same entries, in a table without the last column.
		var entries []data.Entry
		for i := range n {
			at, values := without.Row(i)
			for x, c := range at {
				entries = append(entries, data.Entry{Row: int32(i), Column: c, Value: values[x]})
			}
		}
		shorter := must.Get(data.NewMatrix(n, last, entries))(t)
		out := modeltest.Built(t, shorter, data.NewFeatures(f.IDs[:last], f.Names, f.Values[:last*k]), kind, refit)
		cells := []string{"not a feature"}
		for _, v := range f.Row(last) {
			cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
		}
		b, _, err := out.ColumnsFrom(data.NewRawTable("record", f.IDs[last:], append([]string{"title"}, f.Names...), cells))
		if err != nil {
			rt.Fatal(err)
		}
		out = must.Get(out.WithColumns(b))(rt)
		for _, row := range append(in.RowIDs, "nobody") {
			if a, b := in.Answer(row, f.IDs[last]), out.Answer(row, f.IDs[last]); a != b {
				rt.Fatalf("row %s: in the table %+v, from its record %+v", row, a, b)
			}
		}
	})
}

func TestBadRecordsAreExplained(t *testing.T) {
	matrix, f := testkit.Drawn(t, 5, 4, 2, 0.5, 3)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	for want, cells := range map[string][]string{
		`the field "f1", which the model uses, not given`: {"1"},
		`field "f0" is blank`:                             {"", "2"},
		`field "f1": "two" is not a number`:               {"1", "two"},
		`feature "f1" has the value 1e+200: too large`:    {"1", "1e200"},
	} {
		record := data.NewRawTable("record", []string{"new"}, f.Names[:len(cells)], cells)
		if _, _, err := m.ColumnsFrom(record); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := m.WithColumns(data.NewFeatures([]string{"c0"}, f.Names, []float64{1, 2})); err == nil {
		t.Error("a column was added twice")
	}
	if _, _, err := m.FoldIn([]int32{0}, []float64{1e300}); err == nil {
		t.Error("1e300 was folded in")
	}
}
