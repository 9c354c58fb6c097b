package sourcetest

import (
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
)

// stored hides that a matrix is in memory.
type stored struct{ data.Source }

func TestMatrixAndViews(t *testing.T) {
	made, err := synth.Generate(synth.Config{Rows: 60, Columns: 40, Features: 6, K: 3, Missing: 0.7, Noise: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	m := made.Ratings.Matrix
	t.Run("matrix", func(t *testing.T) { Run(t, m, m) })

	double := func(row int, column int32, value float64) float64 { return 2*value + float64(row) - float64(column) }
	t.Run("map", func(t *testing.T) { Run(t, data.Map(stored{m}, double), m.Map(double)) })

	keep := func(row int, column int32) bool { return (row*31+int(column)*17)%3 != 0 }
	var entries []data.Entry
	n, columns := m.Dims()
	for i := range n {
		at, values := m.Row(i)
		for x, c := range at {
			if keep(i, c) {
				entries = append(entries, data.Entry{Row: int32(i), Column: c, Value: values[x]})
			}
		}
	}
	want, err := data.NewMatrix(n, columns, entries)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := data.Filter(stored{m}, keep)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("filter", func(t *testing.T) { Run(t, kept, want) })
}
