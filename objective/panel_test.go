package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/kernel"
)

// TestPanelIsTransposedProduct compares what a panel gives with b_jᵀr written out:
// with one tile of columns and with several, one block of features and several,
// rows that leave tiles out, features of two values and others, and panels taken one after the other.
func TestPanelIsTransposedProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shape := range []struct{ m, p, two, tiles int }{{40, 3, 0, 0}, {40, 130, 0, 0}, {40, 130, 129, 0}, {40, 9, 9, 0}, {10_000, 100, 0, 1}, {2000, 90, 20, 3}} {
		features := data.NewFeatures(make([]string, shape.m), make([]string, shape.p), make([]float64, shape.m*shape.p))
		for i := range features.Values {
			features.Values[i] = rng.NormFloat64()
			if i%shape.p*7%shape.p < shape.two { // here and there among the others
				features.Values[i] = []float64{-0.3, 2.7}[rng.IntN(2)]
			}
		}
		const rows = 50
		start := []int{0}
		var column []int32
		var value []float64
		for i := range rows {
			for c := rng.IntN(20); c < shape.m; c += 1 + rng.IntN(1+min(c/8, shape.m/(8+8*i))) { // more among the first
				column, value = append(column, int32(c)), append(value, rng.NormFloat64())
			}
			start = append(start, len(column))
		}
		matrix, err := data.NewMatrixByRows(shape.m, start, column, value)
		if err != nil {
			t.Fatal(err)
		}
		o := NewExact(matrix, features, 1, 1)
		p := o.newPanel()
		first, most := 0, 0
		for _, last := range []int{20, 21, rows} {
			for i := first; i < last; i++ {
				columns, values := matrix.Row(i)
				copy(p.room(len(columns)), values)
				p.add(o, columns)
			}
			next := make([]int, shape.p) // the row expected, for each feature
			p.take(o, func(from int, z []float64) {
				for x, j := range o.arranged[from:][:len(z)] {
					if j < 0 {
						continue
					}
					columns, values := matrix.Row(first + next[j])
					next[j]++
					want := 0.0
					for e, c := range columns {
						want += values[e] * features.Row(int(c))[j]
					}
					if math.Abs(z[x]-want) > 1e-12*(1+math.Abs(want)) {
						t.Fatalf("m=%d p=%d row %d feature %d: %v, want %v", shape.m, shape.p, first+next[j]-1, j, z[x], want)
					}
				}
			})
			most = max(most, len(p.tiled.tiles))
			for j, n := range next {
				if n != last-first {
					t.Fatalf("feature %d: %d rows of %d", j, n, last-first)
				}
			}
			first = last
		}
		if most < shape.tiles {
			t.Fatalf("m=%d p=%d: %d tiles, wanted at least %d", shape.m, shape.p, most, shape.tiles)
		}
	}
}

// TestTableIsOptional: gathered from the table of an evaluation or from the
// features themselves, the numbers are the same.
func TestTableIsOptional(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const m, p, n = 30, 70, 40
	features := data.NewFeatures(make([]string, m), make([]string, p), make([]float64, m*p))
	for i := range features.Values {
		features.Values[i] = rng.NormFloat64()
	}
	var entries []data.Entry
	for i := range n {
		for c := range m {
			if rng.IntN(3) > 0 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(c), Value: rng.NormFloat64()})
			}
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		t.Fatal(err)
	}
	o := NewExact(matrix, features, 1, 1)
	weights := make([]float64, p)
	for j := range weights {
		weights[j] = float64(rng.IntN(3)) / 2
	}
	w := o.newWeighting(weights)
	if w.table.rows == nil {
		t.Fatal("no table was made")
	}
	k := o.takeWorker()
	k.prepare(w, true)
	k.lanes[0].columns, k.lanes[0].values = matrix.Row(7)
	columns, _ := k.entries(0)
	v := make([]float64, len(columns)*w.table.width)
	k.gather(v, 0)
	k.table.rows = nil
	plain := make([]float64, len(v))
	k.gather(plain, 0)
	for i := range v {
		if v[i] != plain[i] {
			t.Fatalf("number %d: %v from the table, %v without", i, v[i], plain[i])
		}
	}
}

// TestBitsOfTwoValues: an evaluation has the same bits whether features of two values
// are kept as bits or as numbers.
func TestBitsOfTwoValues(t *testing.T) {
	if !kernel.AcceleratedTwo() {
		t.Skip("this processor keeps them as numbers")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	const m, p, n = 300, 90, 70
	features := data.NewFeatures(make([]string, m), make([]string, p), make([]float64, m*p))
	for i := range features.Values {
		features.Values[i] = []float64{-0.3, 1.7}[rng.IntN(2)]
		if i%p%9 == 0 {
			features.Values[i] = rng.NormFloat64()
		}
	}
	var entries []data.Entry
	for i := range n {
		for c := range m {
			if rng.IntN(3) == 0 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(c), Value: rng.NormFloat64()})
			}
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, p)
	for j := range weights {
		weights[j] = float64(j%7/6) / 2
	}
	bits, numbers := NewExact(matrix, features, 1, 1), NewExact(matrix, features, 1, 1)
	if size := bits.blocks[0].size + bits.blocks[1].size; bits.blocks[1].b != nil || size != 80 {
		t.Fatalf("bits of %d features, wanted 80", size)
	}
	numbers.columnFeatures = columnFeatures{m: m, p: p, values: features.Values}
	numbers.inBlocks(nil)
	a, err := bits.Eval(t.Context(), weights)
	if err != nil {
		t.Fatal(err)
	}
	b, err := numbers.Eval(t.Context(), weights)
	if err != nil {
		t.Fatal(err)
	}
	if a.Cost != b.Cost || a.Constant != b.Constant || !slices.Equal(a.Gradient, b.Gradient) {
		t.Fatal("bits and numbers give different cuts")
	}
}
