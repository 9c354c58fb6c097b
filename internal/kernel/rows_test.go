package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// agree compares all of two slices, so also what must not have been written.
func agree(t *testing.T, what string, got, want []float64, size float64) {
	t.Helper()
	for i := range want {
		near(t, what, got[i], want[i], size)
	}
}

// increasing draws n columns below m, increasing; some may be equal.
func increasing(rng *rand.Rand, n, m int) []int32 {
	cols := make([]int32, n)
	for i := range cols {
		cols[i] = int32(rng.IntN(m))
	}
	slices.Sort(cols)
	return cols
}

// TestRowPrimitivesAgree holds each generated loop over a row to its plain
// version, in every shape, and checks that nothing beside the target is written.
func TestRowPrimitivesAgree(t *testing.T) {
	if !accelerated {
		t.Skip("this processor has no AVX2 and FMA: only the plain versions run")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for entries := range 24 {
		const m = 17
		cols, a := increasing(rng, entries, m), random(rng, entries)
		for vectors := 1; vectors <= CorrelateVectors; vectors++ {
			stride := 4*vectors + 4*rng.IntN(3)
			b := random(rng, m*stride)
			z := random(rng, 3*70)
			want := slices.Clone(z)
			var spans []int32
			for i, at := range []int{0, entries / 3, entries / 2} {
				if to := []int{entries / 3, entries / 2, entries}[i]; to > at {
					spans = append(spans, int32(70*i+1), int32(at), int32(to))
				}
			}
			correlateGo(want, vectors, spans, cols, a, b, stride)
			narrow := slices.Clone(z)
			correlate(z, vectors, spans, cols, a, b, stride, b, entries%3)
			agree(t, "correlate", z, want, float64(entries))
			if acceleratedWide {
				acceleratedWide = false
				correlate(narrow, vectors, spans, cols, a, b, stride, nil, 0)
				acceleratedWide = true
				if !slices.Equal(z, narrow) {
					t.Fatalf("%d vectors: sums in wide registers have other bits", vectors)
				}
			}
		}
		for size := 8; size <= TwoBits; size += 8 {
			z, low, high, bits := random(rng, size), random(rng, size), random(rng, size), make([]uint64, m)
			for c := range bits {
				bits[c] = rng.Uint64()
			}
			want := slices.Clone(z)
			correlateTwoGo(want, low, high, cols, a, bits)
			correlateTwo(z, low, high, cols, a, bits)
			agree(t, "correlateTwo", z, want, float64(entries))
		}
		for t0 := range 30 {
			width := TableWidth(t0)
			table := random(rng, m*width)
			v := random(rng, (entries+CombineRoom)*width+1)
			want := slices.Clone(v)
			gatherGo(want, table, width, cols, a, t0)
			gather(v, table, width, cols, a, t0)
			agree(t, "gather", v, want, 0)

			w, r := random(rng, width), random(rng, Pad(entries)+1)
			want = slices.Clone(r)
			wantAR, wantRR := combineGo(want, v, w, a, entries, width)
			ar, rr := Combine(r, v, w, a, width)
			agree(t, "combine", r[:entries], want[:entries], float64(width))
			agree(t, "combine", r[Pad(entries):], want[Pad(entries):], 0)
			near(t, "aᵀr of combine", ar, wantAR, float64(width*entries))
			near(t, "rᵀr of combine", rr, wantRR, float64(width*entries))
		}
		for rows := 1; rows <= 4; rows++ {
			for vectors := 0; vectors <= gramVectors(rows); vectors++ {
				const width = 28
				v, dst := random(rng, (entries+1)*width), random(rng, 9*width)
				want := slices.Clone(dst)
				gramGo(want, v[1:], v[2:], entries, width, rows, vectors)
				gram(dst, v[1:], v[2:], entries, width, rows, vectors)
				agree(t, "gram", dst, want, float64(entries))
			}
		}
		r := random(rng, entries)
		ar, rr := Products(a, r)
		wantAR, wantRR := productsGo(a, r, entries)
		near(t, "aᵀr", ar, wantAR, float64(entries))
		near(t, "rᵀr", rr, wantRR, float64(entries))

		const rows = 3
		size, stride := Pad(entries), Pad(entries)+3
		sum, z := random(rng, size+1), random(rng, rows*stride)
		want := slices.Clone(sum)
		addSquaresGo(want[:size], z, stride, rows)
		addSquares(sum[:size], z, stride, rows)
		agree(t, "addSquares", sum, want, rows)
	}
}

// TestGramIsProduct compares AddGram, in one piece and in several, and the lanes
// made of it, with the sums written out.
func TestGramIsProduct(t *testing.T) {
	both(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for n := 1; n <= 45; n++ {
			for _, entries := range []int{0, 1, 7, 230} {
				width := Pad(n)
				v := random(rng, entries*width)
				square := make([]float64, n*width)
				AddGram(square, v, entries, width, n)
				AddGram(square, v, entries, width, n)
				triangle := make([]float64, Tri(n)*Lanes)
				ToLane(triangle, 3, square, width, n)
				for x := range n {
					for y := range x + 1 {
						want := 0.0
						for e := range entries {
							want += 2 * v[e*width+x] * v[e*width+y]
						}
						near(t, "gram", square[x*width+y], want, float64(entries))
						if got := triangle[(Tri(x)+y)*Lanes+3]; got != square[x*width+y] {
							t.Fatalf("lane has %v, the square %v", got, square[x*width+y])
						}
					}
				}
			}
		}
	})
}

// TestPeakIsBounded: the numbers must not overflow or vanish, or the processor
// might do them faster or slower than others.
func TestPeakIsBounded(t *testing.T) {
	both(t, func(t *testing.T) {
		if x := Peak(1000); !(x > 0.1 && x < 1000) || math.IsNaN(x) {
			t.Fatalf("got %v", x)
		}
	})
}

// TestSplitAgrees holds the generated version of Split to the plain one: rows without
// entries, with few and with many, and ends between and behind their columns.
func TestSplitAgrees(t *testing.T) {
	if !acceleratedWide {
		t.Skip("this processor has no generated version")
	}
	rng := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		const rows, m, step = 9, 90, 40
		var from, next, ends []int32
		for range rows {
			next = append(next, int32(len(from)))
			from = append(from, increasing(rng, rng.IntN(4)*rng.IntN(30), m)...)
			ends = append(ends, int32(len(from)))
		}
		n := len(from)
		from = append(from, increasing(rng, SplitRoom, m)...)
		r := random(rng, len(from))
		both := func() (columns []int32, values []float64, spans, after []int32) {
			columns, values, spans, after = make([]int32, n+SplitRoom), make([]float64, n+SplitRoom), make([]int32, 0, 12*(rows+1)), slices.Clone(next)
			at := 0
			for _, end := range []int{0, 13, 60, m} {
				at, spans = Split(columns, values, at, spans, after, ends, from, r, end, step)
			}
			if at != n {
				t.Fatalf("%d entries of %d", at, n)
			}
			return columns[:n], values[:n], spans, after
		}
		columns, values, spans, after := both()
		acceleratedWide = false
		wantColumns, wantValues, wantSpans, wantAfter := both()
		acceleratedWide = true
		if !slices.Equal(columns, wantColumns) || !slices.Equal(values, wantValues) || !slices.Equal(spans, wantSpans) || !slices.Equal(after, wantAfter) {
			t.Fatalf("%v %v, want %v %v", columns, spans, wantColumns, wantSpans)
		}
	}
}
