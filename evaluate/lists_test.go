package evaluate

import (
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/result"
	"optcomplete/spec"
)

// Predictions that are the values rank better than popularity, and popularity
// itself exactly as well.
func TestPopularityIsCompared(t *testing.T) {
	m := lattice(t)
	popular := make([]int32, 12)
	for j := range popular {
		popular[j] = int32(j)
	}
	settings := MeasureSettings{Popularity: popular, Resamples: 200, Seed: 3}
	perfect := measurement(t, m, noisy(m, 0), settings)
	if p := perfect.Popularity; p == nil || p.Gain.Low <= 0 || math.Abs(perfect.NDCG.Value-p.NDCG.Value-p.Gain.Value) > 1e-12 {
		t.Errorf("%+v", p)
	}
	same := measurement(t, m, func(_, column int) result.Answer { return result.Answer{Unclipped: float64(popular[column])} }, settings)
	if p := same.Popularity; p.Gain != (Interval{}) || p.NDCG != same.NDCG {
		t.Errorf("%+v, %+v", p, same.NDCG)
	}
	if none := measurement(t, m, noisy(m, 0), MeasureSettings{}); none.Popularity != nil {
		t.Errorf("%+v without being asked", none.Popularity)
	}
}

// lattice is a matrix of 30 rows in which values do not follow the columns.
func lattice(t *testing.T) *data.Matrix {
	var entries []data.Entry
	for i := range int32(30) {
		for j := range int32(12) {
			if (i+j)%3 > 0 || j == 0 {
				entries = append(entries, data.Entry{Row: i, Column: j, Value: float64((i*7+j*5)%11) + 5/float64(1+j)})
			}
		}
	}
	m := must.Get(data.NewMatrix(30, 12, entries))(t)
	return m
}

func TestListsAreCounted(t *testing.T) {
	matrix := lattice(t)
	ratings := data.NewRatings(matrix, nil, nil)
	features := &data.Features{Names: []string{"x"}}
	for i := range 30 {
		ratings.RowIDs = append(ratings.RowIDs, strconv.Itoa(i))
	}
	for j := range 12 {
		ratings.ColumnIDs = append(ratings.ColumnIDs, "c"+strconv.Itoa(j))
		features.Values = append(features.Values, float64(j%4))
	}
	features.IDs = ratings.ColumnIDs
	ratings = ratings.With(matrix)
	parts, err := estimate.FitParts(context.Background(), matrix, features.Values, 1, estimate.Recipe{Kind: spec.Full, Refit: spec.LearnedPrior, RowShrinkage: 2, ColumnShrinkage: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := must.Get(model.New(model.Summary{Model: "full", Refit: spec.LearnedPrior}, ratings, features, []int{0}, parts))(t)
	rows := []int{4, 5, 6, 7}
	settings := model.RecommendSettings{Top: 2, Caution: model.DefaultCaution}
	got := must.Get(ListsOf(context.Background(), m, rows, settings, 3))(t)
	r := must.Get(m.Recommender(settings))(t)
	times, most, bits, mean := map[int]int{}, 0, 0.0, 0.0
	for _, i := range rows {
		seen, _, _ := m.Seen(i)
		list, err := r.Row(i, seen)
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		for _, one := range list {
			times[one.Column]++
			most = max(most, times[one.Column])
			mean += one.Value / 8
			bits += math.Log2(30/float64(m.ColumnEntries[one.Column])) / 8
		}
	}
	// Column c0 is in every row; the next have 20 entries.
	want := &Lists{Rows: 4, Places: 2, Columns: 12, Distinct: len(times), Coverage: float64(len(times)) / 12, Shared: float64(most) / 4,
		Novelty: got.Novelty, PopularNovelty: math.Log2(1.5) / 2, Prediction: got.Prediction}
	if diff := cmp.Diff(want, got); diff != "" || math.Abs(got.Novelty-bits) > 1e-12 || math.Abs(got.Prediction-mean) > 1e-12 {
		t.Errorf("%s, novelty %v", diff, bits)
	}
	if none, err := ListsOf(context.Background(), m, nil, settings, 1); none != nil || err != nil {
		t.Errorf("%+v, %v of no rows", none, err)
	}
}
