package model_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/model/tables"
	"optcomplete/spec"
)

// Caution ranks by the prediction less its deviation, and leaves the predictions
// as they are.
func TestCautionTakesDeviationsOff(t *testing.T) {
	matrix, f := testkit.Drawn(t, 90, 14, 3, 0.4, 4)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	x := must.Get(m.Intervals())(t)
	differ := false
	for _, row := range []int{-1, 0, 3, 50} {
		r := must.Get(m.Recommender(model.RecommendSettings{Top: 5, Caution: 2}))(t)
		got := must.Get(r.Row(row, []int32{2}))(t)
		rank := make([]float64, len(m.ColumnIDs))
		var want []int
		for j := range rank {
			variance := must.Get(x.Variance(row, j))(t)
			rank[j] = m.AnswerAt(row, j).Unclipped - 2*math.Sqrt(variance-m.Prior.Noise)
			if j != 2 {
				want = append(want, j)
			}
		}
		slices.SortStableFunc(want, func(a, b int) int {
			switch {
			case rank[a] > rank[b]:
				return -1
			case rank[a] < rank[b]:
				return 1
			}
			return 0
		})
		plain := m.Recommend(row, []int32{2}, 5)
		for at, one := range got {
			if one.Column != want[at] || one.Answer != m.AnswerAt(row, one.Column) {
				t.Errorf("row %d, place %d: column %d, want %d", row, at, one.Column, want[at])
			}
			differ = differ || one.Column != plain[at].Column
		}
	}
	if !differ {
		t.Error("caution changes no place")
	}
}

// The lowest first: where nothing is cautious, the list of the best backwards; caution is
// then added.
func TestLowestFirst(t *testing.T) {
	matrix, f := testkit.Drawn(t, 90, 14, 3, 0.4, 4)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	list := func(s model.RecommendSettings) (columns []int) {
		s.Top = 14
		for _, one := range must.Get(must.Get(m.Recommender(s))(t).Row(3, nil))(t) {
			columns = append(columns, one.Column)
		}
		return columns
	}
	best := list(model.RecommendSettings{})
	slices.Reverse(best)
	if got := list(model.RecommendSettings{Lowest: true}); !slices.Equal(got, best) {
		t.Errorf("%v, not %v", got, best)
	}
	x := must.Get(m.Intervals())(t)
	high := math.Inf(-1)
	for _, j := range list(model.RecommendSettings{Lowest: true, Caution: 2}) {
		rank := m.AnswerAt(3, j).Unclipped + 2*math.Sqrt(must.Get(x.Variance(3, j))(t)-m.Prior.Noise)
		if rank < high {
			t.Errorf("column %d has %g after %g", j, rank, high)
		}
		high = rank
	}
}

func TestLeastEntriesAndNames(t *testing.T) {
	matrix, f := testkit.Drawn(t, 90, 14, 3, 0.4, 4)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	least := int(slices.Max(m.ColumnEntries))
	names := slices.Clone(m.ColumnIDs)
	for j := range names {
		names[j] = "film " + names[j]
	}
	s := model.RecommendSettings{Top: 14, Caution: 1, Least: least, Names: names}
	r := must.Get(m.Recommender(s))(t)
	list, err := r.Row(0, nil)
	if err != nil || len(list) == 0 || len(list) == 14 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, one := range list {
		if int(m.ColumnEntries[one.Column]) < least {
			t.Errorf("column %d has %d entries", one.Column, m.ColumnEntries[one.Column])
		}
	}
	var text bytes.Buffer
	none := func(int) []int32 { return nil }
	must.Do(t, tables.RecommendAll(context.Background(), m, &text, tables.CSV, s, none, 2))
	if !strings.HasPrefix(text.String(), "row,rank,column,name,prediction\nr0,1,") || !strings.Contains(text.String(), ",film ") {
		t.Errorf("%.80s", text.String())
	}
	var one, two bytes.Buffer
	must.Do(t, tables.RecommendAll(context.Background(), m, &one, tables.Parquet, s, none, 1))
	if err := tables.RecommendAll(context.Background(), m, &two, tables.Parquet, s, none, 3); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("threads change the file, or %v", err)
	}
}
