package testkit

import (
	"math"
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// MatrixOf makes a matrix of the given rows; NaN means not observed.
func MatrixOf(t testing.TB, columns int, rows ...[]float64) *data.Matrix {
	t.Helper()
	var entries []data.Entry
	for i, row := range rows {
		for j, v := range row {
			if !math.IsNaN(v) {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
			}
		}
	}
	m, err := data.NewMatrix(len(rows), columns, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func FeaturesOf(m, p int, values []float64) *data.Features {
	ids, names := make([]string, m), make([]string, p)
	for j := range ids {
		ids[j] = "c" + strconv.Itoa(j)
	}
	for f := range names {
		names[f] = "f" + strconv.Itoa(f)
	}
	return data.NewFeatures(ids, names, values)
}

func All(k int) []int {
	out := make([]int, k)
	for f := range out {
		out[f] = f
	}
	return out
}

// Drawn draws a matrix with share observed, some rows empty, and features of
// which one in three is 0/1.
func Drawn(t testing.TB, rows, columns, p int, share float64, seed uint64) (*data.Matrix, *data.Features) {
	t.Helper()
	s := random.New(seed)
	values := make([]float64, columns*p)
	for i := range values {
		if values[i] = s.Normal(); i%p%3 == 0 {
			values[i] = float64(s.Intn(2))
		}
	}
	var entries []data.Entry
	for i := range rows {
		if i%10 == 3 {
			continue
		}
		for j := range columns {
			if s.Float64() < share {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: 3 + s.Normal()})
			}
		}
	}
	m, err := data.NewMatrix(rows, columns, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m, FeaturesOf(columns, p, values)
}
