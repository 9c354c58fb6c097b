package model_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/spec"
)

// One row alone gives the numbers that it gives among all rows.
func TestAloneIsTheRowFoldedIn(t *testing.T) {
	for _, kind := range modeltest.EveryKind {
		for _, refit := range modeltest.EveryRefit {
			t.Run(fmt.Sprint(kind, " ", refit), func(t *testing.T) {
				matrix, f := testkit.Drawn(t, 60, 12, 3, 0.5, 5)
				m := modeltest.Built(t, matrix, f, kind, refit)
				checkAlone(t, m, []int32{1, 4, 9}, []float64{4, 2.5, 1})
				checkAlone(t, m, nil, nil)
			})
		}
	}
}

func checkAlone(t *testing.T, m *model.Model, at []int32, values []float64) {
	t.Helper()
	one := must.Get(data.NewMatrixByRows(len(m.ColumnIDs), []int{0, len(at)}, at, values))(t)
	more, rows, err := m.WithRows(context.Background(), data.NewRatings(one, []string{"new"}, m.ColumnIDs), 1)
	if err != nil {
		t.Fatal(err)
	}
	alone := must.Get(m.Alone("new", at, values, nil))(t)
	for _, column := range append(m.ColumnIDs, "nothing") {
		if a, b := more.Answer("new", column), alone.Answer("new", column); a != b {
			t.Fatalf("%s: among all %+v, alone %+v", column, a, b)
		}
	}
	top := model.RecommendSettings{Top: 4, Caution: 1}
	want := must.Get(must.Get(more.Recommender(top))(t).Row(rows[0], at))(t)
	got := must.Get(must.Get(alone.Recommender(top))(t).Row(0, at))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if len(at) > 0 { // the intervals of the others count this row too, by one in 60
		a, b := must.Get(more.ExplainRow("new", want))(t), must.Get(alone.ExplainRow("new", got))(t)
		for x := range a.Terms {
			a.Terms[x].Interval, b.Terms[x].Interval = nil, nil
			a.Terms[x].Differs, b.Terms[x].Differs = 0, 0
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatal(diff)
		}
	}
	if alone.RowIDs[0] != "new" || len(alone.RowIDs) != 1 || len(m.RowIDs) != 60 {
		t.Error("the rows are not those asked for, or the model was changed")
	}
}

// With the remainder of a model, too, and without copying what is prepared for all columns.
func TestAloneSharesThePosterior(t *testing.T) {
	matrix, f := testkit.Drawn(t, 60, 12, 3, 0.5, 5)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	at, values := matrix.Row(3)
	alone := must.Get(m.Alone("r3 again", at, values, nil))(t)
	all, one := must.Get(m.Intervals())(t), must.Get(alone.Intervals())(t)
	for _, column := range m.ColumnIDs {
		a, b := must.Get(all.Answer("r3", column, 0.9))(t), must.Get(one.Answer("r3 again", column, 0.9))(t)
		if a != b {
			t.Fatalf("%s: %+v, alone %+v", column, a, b)
		}
	}
}
