package model_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/progress"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/model/tables"
	"optcomplete/result"
	"optcomplete/spec"
)

// labels remembers what was shown.
type labels []string

func (l *labels) Start(label string, _ int64, _ string) progress.Task {
	*l = append(*l, label)
	return progress.None{}
}

// alike is a model whose rows want much the same: columns differ by their effects,
// rows little.
func alike(t *testing.T) *model.Model {
	const rows, columns = 120, 60
	s := random.New(8)
	features := &data.Features{Names: []string{"x", "y"}, IDs: make([]string, columns)}
	effect := make([]float64, columns)
	for j := range columns {
		features.IDs[j] = "c" + strconv.Itoa(j)
		features.Values = append(features.Values, float64(s.Intn(2)), s.Normal())
		effect[j] = s.Normal()
	}
	var entries []data.Entry
	for i := range rows {
		taste := 0.2 * s.Normal()
		for j := range columns {
			if s.Float64() < 0.3 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: effect[j] + taste*features.Values[2*j+1] + 0.3*s.Normal()})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(rows, columns, entries))(t)
	return modeltest.Built(t, matrix, features, spec.Full, spec.LearnedPrior)
}

// listsOf is the lists of all rows; the most frequent column's part of them; how
// far apart the columns of a list are.
func listsOf(t *testing.T, m *model.Model, s model.RecommendSettings) (lists [][]result.Recommendation, most, apart float64) {
	r := must.Get(m.Recommender(s))(t)
	times, pairs := map[int]float64{}, 0.0
	for i := range m.RowIDs {
		seen, _, _ := m.Seen(i)
		list, err := r.Row(i, seen)
		if err != nil || len(list) != s.Top {
			t.Fatal(list, err)
		}
		lists = append(lists, list)
		for x, a := range list {
			times[a.Column]++
			most = max(most, times[a.Column]/float64(len(m.RowIDs)))
			for _, b := range list[:x] {
				for f, v := range m.ColumnFeatures(a.Column) {
					apart += math.Abs(v - m.ColumnFeatures(b.Column)[f])
				}
				pairs++
			}
		}
	}
	return lists, most, apart / pairs
}

// Diversity keeps a column from being in more than its part of the lists, makes
// columns of a list differ, and changes no prediction.
func TestDiversityLimitsRepetition(t *testing.T) {
	m := alike(t)
	plain, everywhere, before := listsOf(t, m, model.RecommendSettings{Top: 3, Caution: 1})
	if everywhere < 0.7 {
		t.Fatalf("the most frequent column is in %v of the lists: nothing to test", everywhere)
	}
	for _, by := range []float64{0.5, 0.8} {
		lists, most, apart := listsOf(t, m, model.RecommendSettings{Top: 3, Caution: 1, Diversity: by})
		if limit := 1 - by; most > 1.3*limit {
			t.Errorf("diversity %v: a column is in %.2f of the lists", by, most)
		}
		if apart <= before {
			t.Errorf("diversity %v: columns of a list are %.3f apart, without %.3f", by, apart, before)
		}
		for i, list := range lists {
			for _, one := range list {
				if one.Answer != m.AnswerAt(i, one.Column) {
					t.Fatalf("row %d: %+v", i, one)
				}
			}
		}
	}
	none, _, _ := listsOf(t, m, model.RecommendSettings{Top: 3, Caution: 1, Diversity: 0})
	if !slices.EqualFunc(plain, none, slices.Equal) {
		t.Error("no diversity changes lists")
	}
	shown := &labels{}
	var files [2]bytes.Buffer
	for x, threads := range []int{1, 3} {
		s := model.RecommendSettings{Top: 3, Caution: 1, Diversity: 0.6}
		must.Do(t, tables.RecommendAll(progress.NewContext(context.Background(), shown), m, &files[x], tables.CSV, s, func(int) []int32 { return nil }, threads))
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("threads change diverse lists")
	}
	if !slices.Equal(*shown, labels{"Recommending", "Recommending"}) {
		t.Errorf("%q is shown while lists are made", *shown)
	}
}
