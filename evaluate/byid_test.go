package evaluate

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// TestWhatIsDrawnGoesByID: rows and columns that stand elsewhere, among others,
// have the same entries held out, and are sampled or not as before.
func TestWhatIsDrawnGoesByID(t *testing.T) {
	drawn := func(rows, columns []string) []string {
		var entries []data.Entry
		for i := range rows {
			for j := range columns {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: 1})
			}
		}
		matrix := must.Get(data.NewMatrix(len(rows), len(columns), entries))(t)
		source := data.NewRatings(matrix, rows, columns).Source()
		var out []string
		add := func(what string, s data.Source) {
			if err := data.ForEach(s, func(i int, at []int32, _ []float64) error {
				for _, j := range at {
					if rows[i][0] == 'u' && columns[j][0] == 'c' {
						out = append(out, fmt.Sprint(what, rows[i], columns[j]))
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		_, held, err := Split(context.Background(), source.(*data.Matrix).Map(func(_ int, _ int32, v float64) float64 { return 2 * v }), 0.3, 5, 2)
		if err != nil {
			t.Fatal(err)
		}
		add("split ", held)
		_, fold := Fold(source.(*data.Matrix), 1, 3, 5)
		add("fold ", fold)
		sample := must.Get(SampleRows(context.Background(), source, len(entries)/2, 5, 2))(t)
		add("sample ", sample)
		slices.Sort(out)
		return out
	}
	rows, columns := []string{"u1", "u2", "u3", "u4", "u5", "u6"}, []string{"c1", "c2", "c3", "c4"}
	want := drawn(rows, columns)
	got := drawn([]string{"x", "u6", "u2", "u4", "u5", "u3", "u1", "y"}, []string{"a", "c3", "c2", "b", "c4", "c1"})
	if !slices.Equal(got, want) || len(want) < 10 {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
