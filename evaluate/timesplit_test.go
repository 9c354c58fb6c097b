package evaluate

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// dated is ratings of one column, whose rows have these times; NaN: none.
func dated(t *testing.T, times ...float64) (entries, when *data.Ratings) {
	t.Helper()
	var all, known []data.Entry
	var ids, dated []string
	for i, at := range times {
		ids = append(ids, string(rune('a'+i)))
		all = append(all, data.Entry{Row: int32(i), Value: float64(i)})
		if !math.IsNaN(at) {
			known = append(known, data.Entry{Row: int32(len(known)), Value: at})
			dated = append(dated, ids[i])
		}
	}
	of := func(list []data.Entry, ids []string) *data.Ratings {
		matrix := must.Get(data.NewMatrix(len(list), 1, list))(t)
		return data.NewRatings(matrix, ids, []string{"c"})
	}
	return of(all, ids), of(known, dated)
}

// TestTheFutureIsHeldOut: the latest entries are, those of one moment together, and
// none without a time.
func TestTheFutureIsHeldOut(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		times []float64
		share float64
		held  string // the rows
		from  float64
	}{
		{[]float64{5, 1, 4, 2, 3}, 0.2, "a", 5},
		{[]float64{5, 1, 4, 2, 3}, 0.4, "ac", 4},
		{[]float64{1, 2, 2, 2, 2}, 0.2, "bcde", 2},       // all but the first are of one moment
		{[]float64{1, 1, 1, 2, 2, 2, 3}, 0.28, "g", 3},   // one is nearer to two than four are
		{[]float64{1, 1, 1, 1, 2, 2, 3}, 0.43, "efg", 2}, // three is what was asked for
		{[]float64{nan, 7, nan, 9, nan}, 0.01, "d", 9},   // at least one
		{[]float64{1, 2, nan}, 0.99, "b", 2},             // not all
	} {
		entries, when := dated(t, c.times...)
		m := must.Get(NewMoments(context.Background(), entries, when, 1))(t)
		train, held, from, err := m.Split(context.Background(), entries.Source(), c.share, 1)
		if err != nil {
			t.Fatal(err)
		}
		rows := ""
		for i, id := range entries.RowIDs {
			if held.Entries(i) > 0 {
				rows += id
			}
			if held.Entries(i)+train.Entries(i) != 1 {
				t.Errorf("%v: row %s is in %d parts", c.times, id, held.Entries(i)+train.Entries(i))
			}
		}
		if rows != c.held || from != c.from {
			t.Errorf("%v, share %v: %s held out from %v on, want %s from %v", c.times, c.share, rows, from, c.held, c.from)
		}
	}
	for _, times := range [][]float64{{3, 3, 3}, {3}, {nan, nan, 1}} {
		entries, when := dated(t, times...)
		m := must.Get(NewMoments(context.Background(), entries, when, 1))(t)
		if _, _, _, err := m.Split(context.Background(), entries.Source(), 0.5, 1); err == nil {
			t.Errorf("%v was split", times)
		}
	}
}

// TestFoldsOfTimeGoForward: every fold trains on all that came before it.
func TestFoldsOfTimeGoForward(t *testing.T) {
	entries, when := dated(t, 4, 1, math.NaN(), 3, 2, 6, 5)
	m := must.Get(NewMoments(context.Background(), entries, when, 1))(t)
	cuts, err := m.Folds(2)
	if err != nil || cuts[0] != 3 || cuts[1] != 5 || !math.IsInf(cuts[2], 1) {
		t.Fatal(cuts, err)
	}
	past, future := m.Parts(entries.Matrix(), cuts[0], cuts[1])
	if past.Observed() != 3 || future.Observed() != 2 {
		t.Errorf("fold 1 trains on %d entries and scores %d", past.Observed(), future.Observed())
	}
	if _, err := m.Folds(6); err == nil {
		t.Error("six moments were divided into seven parts")
	}
}
