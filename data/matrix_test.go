package data

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "optcomplete/internal/steadyseed"

	"optcomplete/internal/must"
)

func TestNewMatrixEqualsADenseTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "m")
		cells := rapid.SliceOfDistinct(rapid.IntRange(0, n*m-1), rapid.ID[int]).Draw(t, "cells")
		dense := make([]float64, n*m)
		var entries []Entry
		for _, c := range cells {
			dense[c] = float64(c + 1)
			entries = append(entries, Entry{Row: int32(c / m), Column: int32(c % m), Value: dense[c]})
		}
		got := must.Get(NewMatrix(n, m, entries))(t)
		if rows, columns := got.Dims(); rows != n || columns != m || got.Observed() != len(cells) {
			t.Fatalf("a %d×%d matrix of %d entries became %d×%d of %d", n, m, len(cells), rows, columns, got.Observed())
		}
		for i := range n {
			columns, values := got.Row(i)
			if !slices.IsSorted(columns) {
				t.Fatalf("the columns %v of row %d are not in order", columns, i)
			}
			for e, j := range columns {
				if dense[i*m+int(j)] != values[e] {
					t.Fatalf("(%d,%d) is %v, want %v", i, j, values[e], dense[i*m+int(j)])
				}
			}
		}
		same, err := NewMatrixByRows(m, got.start, got.column, got.value)
		if err != nil || same.Observed() != got.Observed() {
			t.Fatalf("a matrix's own rows are refused: %v", err)
		}
	})
}

func TestDuplicateNamesTheFirstTwo(t *testing.T) {
	for _, entries := range [][]Entry{
		{{0, 0, 1}, {0, 1, 1}, {0, 1, 2}, {0, 1, 3}}, // in order
		{{1, 1, 1}, {0, 1, 1}, {0, 1, 2}, {0, 0, 3}}, // not in order
	} {
		_, err := NewMatrix(2, 2, entries)
		var twice *DuplicateError
		if !errors.As(err, &twice) || twice.First != 1 || twice.Second != 2 || !errors.Is(err, ErrDuplicate) {
			t.Errorf("got %v for %v", err, entries)
		}
	}
}

func TestValuesThatAreNotFiniteAreRefused(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := NewMatrix(1, 1, []Entry{{0, 0, v}}); err == nil {
			t.Errorf("NewMatrix takes %v", v)
		}
		if _, err := NewMatrixByRows(1, []int{0, 1}, []int32{0}, []float64{v}); err == nil {
			t.Errorf("NewMatrixByRows takes %v", v)
		}
	}
}

func TestMisuseOfNewMatrixByRowsPanics(t *testing.T) {
	for name, c := range map[string]struct {
		start  []int
		column []int32
	}{
		"no rows":        {nil, nil},
		"short":          {[]int{0, 1}, nil},
		"not increasing": {[]int{0, 2}, []int32{1, 1}},
		"outside":        {[]int{0, 1}, []int32{3}},
		"negative":       {[]int{0, 1}, []int32{-1}},
		"backwards":      {[]int{0, 2, 1}, []int32{0}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			NewMatrixByRows(3, c.start, c.column, make([]float64, len(c.column)))
		}()
	}
}
