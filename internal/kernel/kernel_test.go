package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// both runs the test on the plain and, where there are any, the generated
// versions of the primitives.
func both(t *testing.T, test func(t *testing.T)) {
	fast, wide := accelerated, acceleratedWide
	defer func() { accelerated, acceleratedWide = fast, wide }()
	accelerated, acceleratedWide = false, false
	t.Run("plain", test)
	if fast {
		accelerated = true
		t.Run("generated", test)
	}
	if wide {
		acceleratedWide = true
		t.Run("wide", test)
	}
}

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func near(t *testing.T, what string, got, want, size float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 1e-12*(1+size) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// TestPrimitivesAgree holds each generated primitive to its plain version, at
// every length, and checks that nothing beside the target is written.
func TestPrimitivesAgree(t *testing.T) {
	if !accelerated {
		t.Skip("this processor has no AVX2 and FMA: only the plain versions run")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		a, b, acc := random(rng, (n+1)*Lanes), random(rng, (n+1)*Lanes), random(rng, Lanes)
		want := append([]float64{}, acc...)
		dotLanesGo(want, a, b, n)
		dotLanes(acc, a, b, n)
		for i := range acc {
			near(t, "dotLanes", acc[i], want[i], float64(n))
		}
		var rows, wants [4][]float64
		for r := range rows {
			rows[r] = random(rng, (n+2)*Lanes)
			wants[r] = append([]float64{}, rows[r]...)
		}
		dot4LanesGo(wants[0], wants[1], wants[2], wants[3], b, n)
		dot4Lanes(rows[0], rows[1], rows[2], rows[3], b, n)
		for r := range rows {
			for i := range rows[r] {
				near(t, "dot4Lanes", rows[r][i], wants[r][i], float64(n))
			}
		}
		dst := random(rng, (n+2)*Lanes)
		want = append([]float64{}, dst...)
		axpyLanesGo(want, acc, a, n)
		axpyLanes(dst, acc, a, n)
		for i := range dst {
			near(t, "axpyLanes", dst[i], want[i], 1)
		}
		four := random(rng, 4*Lanes)
		axpy4LanesGo(want, four, rows[0], rows[1], rows[2], rows[3], n)
		axpy4Lanes(dst, four, rows[0], rows[1], rows[2], rows[3], n)
		for i := range dst {
			near(t, "axpy4Lanes", dst[i], want[i], 4)
		}
		tile, wantTile := make([]float64, 32), make([]float64, 32)
		v := random(rng, n*11+20)
		gramTileGo(wantTile, v[3:], v[1:], n, 11)
		gramTile(tile, v[3:], v[1:], n, 11)
		for i := range tile {
			near(t, "gramTile", tile[i], wantTile[i], float64(n))
		}
	}
}

func TestCorrelateIsTransposedProduct(t *testing.T) {
	both(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for p := 4; p <= 80; p += 4 {
			const m = 30
			width := p + 4*(p%3)
			b := random(rng, m*width)
			var cols []int32
			for c := range m {
				if rng.IntN(2) == 0 {
					cols = append(cols, int32(c))
				}
			}
			r := random(rng, len(cols))
			z := random(rng, p+1)
			guard := z[p]
			Correlate(z[:p], r, cols, b, width)
			for j := range p {
				var want float64
				for x, c := range cols {
					want += r[x] * b[int(c)*width+j]
				}
				near(t, "z", z[j], want, 10)
			}
			if z[p] != guard {
				t.Fatal("wrote past the end")
			}
		}
	})
}

// TestLaneSolversAgreeWithDense checks Gram, Cholesky, Solve and Inverse, each
// lane against gonum's dense algebra.
func TestLaneSolversAgreeWithDense(t *testing.T) {
	both(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for n := 1; n <= 35; n++ {
			width := GramWidth(n)
			k := make([]float64, Tri(n)*Lanes)
			var dense [Lanes]*mat.SymDense
			for lane := range Lanes {
				rows := n + lane
				v := random(rng, rows*width)
				Gram(k, lane, v, rows, width, n)
				vm := mat.NewDense(rows, n, nil)
				for r := range rows {
					for c := range n {
						vm.Set(r, c, v[r*width+c])
					}
				}
				dense[lane] = mat.NewSymDense(n, nil)
				dense[lane].SymOuterK(1, vm.T())
				for i := range n {
					k[(Tri(i)+i)*Lanes+lane] += 0.5
					dense[lane].SetSym(i, i, dense[lane].At(i, i)+0.5)
					for j := range i + 1 {
						near(t, "gram", k[(Tri(i)+j)*Lanes+lane], dense[lane].At(i, j), float64(n))
					}
				}
			}
			y := random(rng, n*Lanes)
			u := append([]float64{}, y...)
			Cholesky(k, n, 1e-300)
			Solve(k, u, n)
			Inverse(k, make([]float64, n*Lanes), n)
			for lane := range Lanes {
				var chol mat.Cholesky
				if !chol.Factorize(dense[lane]) {
					t.Fatal("not positive definite")
				}
				var inv mat.SymDense
				if err := chol.InverseTo(&inv); err != nil {
					t.Fatal(err)
				}
				rhs := mat.NewVecDense(n, nil)
				for i := range n {
					rhs.SetVec(i, y[i*Lanes+lane])
				}
				var want mat.VecDense
				if err := chol.SolveVecTo(&want, rhs); err != nil {
					t.Fatal(err)
				}
				for i := range n {
					near(t, "solve", u[i*Lanes+lane], want.AtVec(i), 10)
					for j := range i + 1 {
						near(t, "inverse", k[(Tri(i)+j)*Lanes+lane], inv.At(i, j), 10)
					}
				}
			}
		}
	})
}

// TestCholeskyNeverMakesNaN gives it a matrix that is not positive definite.
func TestCholeskyNeverMakesNaN(t *testing.T) {
	both(t, func(t *testing.T) {
		k := make([]float64, Tri(3)*Lanes) // all zeros, then one negative pivot
		k[(Tri(1)+1)*Lanes] = -1
		Cholesky(k, 3, 1e-30)
		for _, x := range k {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("got %v", x)
			}
		}
	})
}

// TestSubsetsAgreeWithDense compares what every choice explains with a dense
// solve, for every number of features to choose.
func TestSubsetsAgreeWithDense(t *testing.T) {
	both(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for n := 1; n <= 9; n++ {
			for fixed := range 3 {
				total := n + fixed
				var s Subsets
				k, y := s.Load(total)
				clear(k)
				clear(y)
				copy(y, random(rng, total*Lanes))
				width := GramWidth(total)
				for lane := range Lanes {
					Gram(k, lane, random(rng, (total+2)*width), total+2, width, total)
				}
				k0, y0 := append([]float64{}, k...), append([]float64{}, y...)
				explained := func(choice []int) float64 {
					sum := 0.0
					for lane := range Lanes {
						q := mat.NewSymDense(len(choice), nil)
						rhs := mat.NewVecDense(len(choice), nil)
						for x, i := range choice {
							rhs.SetVec(x, y0[i*Lanes+lane])
							for z, j := range choice[:x+1] {
								q.SetSym(x, z, k0[(Tri(i)+j)*Lanes+lane])
							}
						}
						var chol mat.Cholesky
						if !chol.Factorize(q) {
							t.Fatal("not positive definite")
						}
						var u mat.VecDense
						if err := chol.SolveVecTo(&u, rhs); err != nil {
							t.Fatal(err)
						}
						sum += mat.Dot(&u, rhs)
					}
					return sum
				}
				var always []int
				base := 0.0
				for f := total; f > n; f-- {
					base += s.Eliminate(f)
					always = append([]int{f - 1}, always...)
				}
				for left := 1; left <= n; left++ {
					gains := make([]float64, int(Choose(n, left)))
					s.Gains(gains, n, left)
					at := 0
					var walk func(choice []int, next int)
					visit := func(choice []int) {
						place := 0
						for i, c := range choice {
							place += int(Choose(c, i+1))
						}
						want := explained(append(append([]int{}, choice...), always...))
						near(t, "gain", base+gains[place], want, 100*math.Abs(want))
						at++
					}
					walk = func(choice []int, next int) {
						if len(choice) == left {
							visit(choice)
							return
						}
						for f := next; f < n; f++ {
							walk(append(choice, f), f+1)
						}
					}
					walk(nil, 0)
					if at != len(gains) {
						t.Fatalf("%d choices, %d gains", at, len(gains))
					}
				}
			}
		}
	})
}

func BenchmarkPairs(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	const n = 56
	var s Subsets
	k, y := s.Load(n)
	copy(y, random(rng, len(y)))
	for lane := range Lanes {
		Gram(k, lane, random(rng, 80*GramWidth(n)), 80, GramWidth(n), n)
	}
	for _, left := range []int{2, 3, 4} {
		gains := make([]float64, int(Choose(n, left)))
		b.Run(string(rune('0'+left)), func(b *testing.B) {
			for b.Loop() {
				s.Gains(gains, n, left)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(gains))/Lanes, "ns/row/selection")
		})
	}
}

// TestFactorsRowByRow: rows that are added one by one give what all at once give.
func TestFactorsRowByRow(t *testing.T) {
	const n = 7
	r := rand.New(rand.NewPCG(7, 8))
	k, u := make([]float64, Tri(n)*Lanes), make([]float64, n*Lanes)
	for x := range k {
		k[x] = r.NormFloat64() / n
	}
	for x := range n {
		for lane := range Lanes {
			k[(Tri(x)+x)*Lanes+lane] += 2
			u[x*Lanes+lane] = r.NormFloat64()
		}
	}
	whole, solved := slices.Clone(k), slices.Clone(u)
	Cholesky(whole, n, 1e-3)
	Solve(whole, solved, n)
	want, got := 0.0, 0.0
	for x, y := range u {
		want += y * solved[x]
	}
	for x := range n {
		CholeskyRow(k, x, 1e-3)
		got += SolveRow(k, u, x)
	}
	for x := range k {
		if math.Abs(k[x]-whole[x]) > 1e-14 {
			t.Fatalf("number %d of the factor is %v row by row, %v at once", x, k[x], whole[x])
		}
	}
	if math.Abs(got-want) > 1e-13*want {
		t.Errorf("uᵀK⁻¹u is %v row by row, %v at once", got, want)
	}
}
