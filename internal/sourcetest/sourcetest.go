// Package sourcetest is the suite that every data.Source must pass.
//
// It takes a source and the matrix in memory that it must equal, and fails the
// test wherever a row, a count or a repeated reading differs by a bit. Sources
// of other packages (mapped files, generated rows, views) run it as they are.
package sourcetest

import (
	"math"
	"slices"
	"sync"
	"testing"

	"optcomplete/data"
)

// Run checks that source is the matrix want.
func Run(t *testing.T, source data.Source, want *data.Matrix) {
	t.Helper()
	n, m := want.Dims()
	if rows, columns := source.Dims(); rows != n || columns != m {
		t.Fatalf("the source is %d×%d, want %d×%d", rows, columns, n, m)
	}
	if got := source.Observed(); got != want.Observed() {
		t.Errorf("the source has %d observed entries, want %d", got, want.Observed())
	}
	t.Run("rows in order", func(t *testing.T) {
		at := 0
		err := data.ForEach(source, func(i int, columns []int32, values []float64) error {
			if i != at {
				t.Fatalf("row %d comes after row %d", i, at-1)
			}
			at++
			same(t, want, i, columns, values)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if at != n {
			t.Errorf("%d rows were read of %d", at, n)
		}
	})
	t.Run("rows in any order, by many at once", func(t *testing.T) {
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				reader := source.Reader()
				columns, values := []int32{-7}, []float64{math.Pi} // must be kept
				for x := range n {
					i := (x*7919 + g*n/4) % n
					if got := source.Entries(i); got != want.Entries(i) {
						t.Errorf("row %d has %d entries, want %d", i, got, want.Entries(i))
					}
					var err error
					columns, values, err = reader.Append(i, columns[:1], values[:1])
					if err != nil {
						t.Error(err)
						return
					}
					if columns[0] != -7 || values[0] != math.Pi {
						t.Errorf("reading row %d changed what was there before", i)
					}
					same(t, want, i, columns[1:], values[1:])
				}
			})
		}
		all.Wait()
	})
	if got := data.IsWeighted(source); got != want.Weighted() {
		t.Errorf("the entries of the source have weights: %v, want %v", got, want.Weighted())
	} else if got {
		t.Run("weights", func(t *testing.T) { weights(t, source, want) })
	}
	t.Run("collected", func(t *testing.T) {
		rows := []int{}
		for i := n - 1; i >= 0; i -= 3 {
			rows = append(rows, i)
		}
		part, err := data.Collect(source, rows)
		if err != nil {
			t.Fatal(err)
		}
		for x, i := range rows {
			columns, values := part.Row(x)
			same(t, want, i, columns, values)
			if got, want := part.RowWeights(x), want.RowWeights(i); !slices.Equal(got, want) {
				t.Errorf("row %d has the weights %v, want %v", i, got, want)
			}
		}
	})
}

// weights checks those of all entries and of every other one.
func weights(t *testing.T, source data.Source, want *data.Matrix) {
	n, _ := want.Dims()
	reader := source.Reader()
	for i := range n {
		columns, _ := want.Row(i)
		var some []int32
		for x := 1; x < len(columns); x += 2 {
			some = append(some, columns[x])
		}
		for _, columns := range [][]int32{columns, some} {
			got, err := reader.(data.WeightReader).AppendWeights(i, columns, []float64{-1}) // what was there must be kept
			wanted := []float64{-1}
			if err == nil {
				wanted, err = want.AppendWeights(i, columns, wanted)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, wanted) {
				t.Errorf("row %d has the weights %v in the columns %v, want %v", i, got[1:], columns, wanted[1:])
			}
		}
	}
}

func same(t *testing.T, want *data.Matrix, i int, columns []int32, values []float64) {
	t.Helper()
	c, v := want.Row(i)
	if !slices.Equal(columns, c) {
		t.Errorf("row %d has the columns %v, want %v", i, columns, c)
		return
	}
	for x := range v {
		if math.Float64bits(values[x]) != math.Float64bits(v[x]) {
			t.Errorf("row %d, column %d has the value %v, want %v", i, c[x], values[x], v[x])
			return
		}
	}
}

// Stored is the matrix as a source that is not in memory, for all who ask.
func Stored(m *data.Matrix) data.Source { return stored{m} }

type stored struct{ m *data.Matrix }

func (s stored) Dims() (rows, columns int) { return s.m.Dims() }
func (s stored) Observed() int             { return s.m.Observed() }
func (s stored) Entries(i int) int         { return s.m.Entries(i) }
func (s stored) Reader() data.Reader       { return s.m.Reader() }

func (s stored) Weighted() bool { return s.m.Weighted() }
