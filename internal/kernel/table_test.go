package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTablesAreReadAsGathered compares GramTable and CombineTable with sums written out
// and, where all are generated, bit by bit with AddGram and Combine of gathered rows.
func TestTablesAreReadAsGathered(t *testing.T) {
	both(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(17, 18))
		for features := 1; features <= 70; features += 1 + features/30 {
			for _, entries := range []int{0, 1, 3, 4, 7, 50} {
				const m = 17
				width, table := TableWidth(features), random(rng, m*TableWidth(features))
				for i := range table {
					if i%width >= features {
						table[i] = 0
					}
				}
				cols, a, w := increasing(rng, entries, m), random(rng, entries), random(rng, width)
				clear(w[features:])
				v := make([]float64, (entries+CombineRoom)*width)
				Gather(v, table, width, cols, a, features)

				r, want := random(rng, entries+CombineRoom+1), make([]float64, entries+CombineRoom)
				behind := r[entries+CombineRoom]
				ar, rr := CombineTable(r, table, width, cols, w, a, features)
				w[features] = 1
				wantAR, wantRR := Combine(want, v, w, a, width)
				agree(t, "combineTable", r[:entries], want[:entries], float64(features))
				near(t, "aᵀr", ar, wantAR, float64(features*entries))
				near(t, "rᵀr", rr, wantRR, float64(features*entries))
				if r[entries+CombineRoom] != behind {
					t.Fatal("written behind the room")
				}
				if acceleratedWide && (!slices.Equal(r[:entries], want[:entries]) || ar != wantAR || rr != wantRR) {
					t.Fatalf("%d features: other bits than of gathered rows", features)
				}
				square, other := random(rng, (features+1)*width+1), make([]float64, (features+1)*width)
				behind = square[len(other)]
				GramTable(square, table, width, cols, a, features)
				AddGram(other, v, entries, width, features+1)
				for x := range features + 1 {
					for y := range x + 1 {
						got, want := square[x*width+y], other[x*width+y]
						near(t, "gramTable", got, want, float64(entries))
						if acceleratedWide && got != want {
							t.Fatalf("%d features, element %d,%d: other bits than of gathered rows", features, x, y)
						}
					}
				}
				if square[len(other)] != behind {
					t.Fatal("written behind the square")
				}
			}
		}
	})
}

// TestWideSystemsHaveTheSameBits: factors and solutions of whole lane arrays in
// registers are those of halves, also where a pivot is raised or is no number.
func TestWideSystemsHaveTheSameBits(t *testing.T) {
	if !acceleratedWide {
		t.Skip("this processor has no generated version")
	}
	defer func() { acceleratedWide = true }()
	rng := rand.New(rand.NewPCG(19, 20))
	for n := range 25 {
		k, u := random(rng, Tri(n)*Lanes), random(rng, n*Lanes)
		for x := range n {
			for lane := range Lanes - 1 { // the last has pivots below the floor
				k[(Tri(x)+x)*Lanes+lane] += float64(4 * n)
			}
		}
		if n == 7 {
			k[Tri(3)*Lanes+5] = math.NaN()
		}
		factor, solution := slices.Clone(k), slices.Clone(u)
		acceleratedWide = true
		Cholesky(k, n, 0.5)
		Solve(k, u, n)
		acceleratedWide = false
		Cholesky(factor, n, 0.5)
		Solve(factor, solution, n)
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(k, factor, same) || !slices.EqualFunc(u, solution, same) {
			t.Fatalf("systems of %d", n)
		}
	}
}

// TestLanesOfSquares compares ToLanes with ToLane of each square.
func TestLanesOfSquares(t *testing.T) {
	both(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(21, 22))
		for n := 1; n < 20; n++ {
			width := TableWidth(n)
			stride := (n + 1) * width
			squares := random(rng, Lanes*stride+LanesRoom)
			k, x := make([]float64, Tri(n)*Lanes+LanesRoom), make([]float64, n*Lanes+LanesRoom)
			ToLanes(k, x, squares, stride, width, n)
			want := make([]float64, Tri(n)*Lanes)
			for lane := range Lanes {
				ToLane(want, lane, squares[lane*stride:], width, n)
				for y, v := range squares[lane*stride+n*width:][:n] {
					if x[y*Lanes+lane] != v {
						t.Fatalf("%d features: right-hand side %d of lane %d", n, y, lane)
					}
				}
			}
			if !slices.Equal(k[:len(want)], want) {
				t.Fatalf("%d features: triangles", n)
			}
		}
	})
}

// TestFetchChangesNothing: rows of any length are fetched, also those with no entries.
func TestFetchChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, n := range []int{0, 1, 15, 16, 17, 300} {
		cols, a := increasing(rng, n, 1000), random(rng, n)
		wantCols, want := slices.Clone(cols), slices.Clone(a)
		Fetch(cols, a)
		if !slices.Equal(cols, wantCols) || !slices.Equal(a, want) {
			t.Fatalf("%d entries", n)
		}
	}
}
