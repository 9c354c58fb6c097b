package random

import (
	"math"
	"slices"
	"sort"
	"testing"
)

func relative(got, want float64) float64 {
	if want == 0 {
		return math.Abs(got)
	}
	return math.Abs(got-want) / math.Abs(want)
}

func TestLogAgreesWithMath(t *testing.T) {
	s := New(1)
	worst := 0.0
	check := func(x float64) {
		if d := relative(Log(x), math.Log(x)); d > worst {
			worst = d
			if d > 1e-15 {
				t.Errorf("Log(%v) is %v, want %v", x, Log(x), math.Log(x))
			}
		}
	}
	for range 200000 {
		check(1 - s.Float64())
		check(math.Ldexp(1+s.Float64(), s.Intn(2000)-1000))
		check(1 + (s.Float64()-0.5)*1e-6)
	}
	for _, x := range []float64{1, 2, 0.5, 0x1p-1022, math.MaxFloat64, 0x1p-53, 1 - 0x1p-53, 1 + 0x1p-52} {
		check(x)
	}
	// math.Log itself is wrong for subnormal numbers on amd64 (Go 1.26).
	if d := relative(Log(math.SmallestNonzeroFloat64), -1074*math.Ln2); d > 1e-15 {
		t.Errorf("the log of the smallest number is %v", Log(math.SmallestNonzeroFloat64))
	}
	t.Logf("worst relative difference %.2g", worst)
}

func TestExpAgreesWithMath(t *testing.T) {
	s := New(2)
	for range 200000 {
		x := (s.Float64() - 0.5) * 1400
		if s.Intn(2) == 0 {
			x /= 500
		}
		if d := relative(Exp(x), math.Exp(x)); d > 1e-15 {
			t.Fatalf("Exp(%v) is %v, want %v", x, Exp(x), math.Exp(x))
		}
	}
}

func TestQuantileInvertsTheDistribution(t *testing.T) {
	s := New(3)
	for range 100000 {
		u := s.Float64()
		if s.Intn(3) == 0 {
			u = math.Ldexp(1+s.Float64(), -2-s.Intn(900))
		}
		if u == 0 {
			continue
		}
		x := Quantile(u)
		// Φ(x) = erfc(−x/√2)/2; its error grows with |x|, as that of its argument.
		if d := relative(math.Erfc(-x/math.Sqrt2)/2, u); d > 1e-15*(4+x*x) {
			t.Fatalf("the distribution at Quantile(%v) = %v is off by %g", u, x, d)
		}
	}
	for u, want := range map[float64]float64{0.5: 0, 0.975: 1.959963984540054, 0.025: -1.959963984540054, 1e-10: -6.361340902404056} {
		if d := relative(Quantile(u), want); d > 1e-15 {
			t.Errorf("Quantile(%v) is %.17g, want %.17g", u, Quantile(u), want)
		}
	}
}

// TestFastFormsGiveTheSameBits: many at once are those made one by one.
func TestFastFormsGiveTheSameBits(t *testing.T) {
	s := New(11)
	bits := make([]uint64, 3*normalBlock+17)
	out := make([]float64, len(bits))
	for range 100 {
		partial := NewPartial(4, s.Uint64())
		for i := range bits {
			bits[i] = s.Uint64()
			switch s.Intn(20) { // the far tails and the middle of the middle
			case 0:
				bits[i] >>= s.Intn(64)
			case 1:
				bits[i] = ^(bits[i] >> s.Intn(64))
			case 2:
				bits[i] = 1<<63 ^ bits[i]>>s.Intn(64)
			}
		}
		Normals(bits, out)
		for i, b := range bits {
			if math.Float64bits(out[i]) != math.Float64bits(NormalOf(b)) {
				t.Fatalf("Normals of %#x is %v, NormalOf %v", b, out[i], NormalOf(b))
			}
		}
		if a, b := s.Uint64(), s.Uint64(); NewPartial(a, 7).Hash(b) != Hash(a, 7, b) || NewPartial().Hash(a) != Hash(a) || partial.Hash(a) == partial.Hash(b) {
			t.Fatal("a partial hash differs from the whole")
		}
		whole, part := New(5, 6, bits[0]), NewStreams(5, 6).Of(bits[0])
		for n := range 5 {
			if part.At(n) != whole.Uint64() {
				t.Fatal("a stream of several differs from itself alone")
			}
		}
	}
}

func TestMomentsAndQuantiles(t *testing.T) {
	const n = 1 << 20
	for name, c := range map[string]struct {
		draw           func(*Stream) float64
		mean, variance float64
		median, upper  float64 // 0.5 and 0.9 quantiles
	}{
		"uniform": {(*Stream).Float64, 0.5, 1.0 / 12, 0.5, 0.9},
		"normal":  {(*Stream).Normal, 0, 1, 0, 1.2815515655446004},
		"hashed":  {nil, 0, 1, 0, 1.2815515655446004},
	} {
		s := New(4, 5)
		x := make([]float64, n)
		for i := range x {
			if c.draw == nil {
				x[i] = NormalOf(Hash(7, uint64(i/1024), uint64(i%1024)))
			} else {
				x[i] = c.draw(s)
			}
		}
		mean, square := 0.0, 0.0
		for _, v := range x {
			mean += v / n
		}
		for _, v := range x {
			square += (v - mean) * (v - mean) / n
		}
		sort.Float64s(x)
		for what, d := range map[string]float64{
			"mean": mean - c.mean, "variance": square - c.variance,
			"median": x[n/2] - c.median, "0.9 quantile": x[n*9/10] - c.upper,
		} {
			if math.Abs(d) > 0.006 {
				t.Errorf("%s: the %s is off by %g", name, what, d)
			}
		}
	}
}

func TestNeighbouringStreamsAreUnrelated(t *testing.T) {
	const n = 1 << 16
	sum := [3]float64{}
	for i := range uint64(n) {
		sum[0] += NormalOf(Hash(1, i, 2)) * NormalOf(Hash(1, i+1, 2))
		sum[1] += NormalOf(Hash(1, 2, i)) * NormalOf(Hash(1, i, 2))
		sum[2] += New(i).Normal() * New(i+1).Normal()
	}
	for at, v := range sum {
		if math.Abs(v)/math.Sqrt(n) > 4 {
			t.Errorf("pairing %d has a correlation of %g standard errors", at, v/math.Sqrt(n))
		}
	}
	if Hash() == Hash(0) || Hash(0) == Hash(0, 0) || New(1).Uint64() == New(1, 0).Uint64() {
		t.Error("the number of words does not count")
	}
}

func TestUnitBounds(t *testing.T) {
	if Unit(0) != 0 || Unit(math.MaxUint64) != 1-0x1p-53 {
		t.Errorf("Unit runs from %v to %v", Unit(0), Unit(math.MaxUint64))
	}
	low, high := NormalOf(0), NormalOf(math.MaxUint64)
	if low != -high || math.IsInf(low, 0) || low > -8 {
		t.Errorf("NormalOf runs from %v to %v", low, high)
	}
}

func TestIntnIsUniform(t *testing.T) {
	s := New(6)
	for _, n := range []int{1, 2, 3, 7, 100} {
		count := make([]float64, n)
		const draws = 200000
		for range draws {
			count[s.Intn(n)]++
		}
		chi := 0.0
		for _, c := range count {
			e := float64(draws) / float64(n)
			chi += (c - e) * (c - e) / e
		}
		if limit := float64(n-1) + 5*math.Sqrt(2*float64(n-1)) + 1e-9; chi > limit {
			t.Errorf("Intn(%d): chi-square %g above %g", n, chi, limit)
		}
	}
	// A modulus near 2⁶³ is where a biased method would show: two thirds of 2⁶³.
	low := 0
	const n = 3 << 61
	for range 30000 {
		if s.Intn(n) < n/2 {
			low++
		}
	}
	if low < 14500 || low > 15500 {
		t.Errorf("%d of 30000 draws of a large range in its lower half", low)
	}
}

func TestPermAndSample(t *testing.T) {
	s := New(8)
	first := make([]int, 5)
	pairs := map[[2]int]int{}
	const draws = 50000
	for range draws {
		p := s.Perm(5)
		first[p[0]]++
		slices.Sort(p)
		if !slices.Equal(p, []int{0, 1, 2, 3, 4}) {
			t.Fatalf("not a permutation: %v", p)
		}
		k := s.Sample(6, 2)
		if k[0] >= k[1] || k[0] < 0 || k[1] > 5 {
			t.Fatalf("not a sorted sample: %v", k)
		}
		pairs[[2]int(k)]++
	}
	for i, c := range first {
		if math.Abs(float64(c)-draws/5) > 5*math.Sqrt(draws/5) {
			t.Errorf("%d came first %d times of %d", i, c, draws)
		}
	}
	if len(pairs) != 15 {
		t.Errorf("%d of 15 pairs were drawn", len(pairs))
	}
	for k, c := range pairs {
		if math.Abs(float64(c)-draws/15) > 5*math.Sqrt(draws/15) {
			t.Errorf("%v was drawn %d times of %d", k, c, draws)
		}
	}
	if got := s.Sample(4, 4); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("Sample(4,4) is %v", got)
	}
	if got := s.Sample(4, 0); len(got) != 0 {
		t.Errorf("Sample(4,0) is %v", got)
	}
}

// Published results depend on these bits: a change of them is a new generator.
func TestGoldenBits(t *testing.T) {
	a, b := New(1), New(42, 3, 7)
	got := []uint64{
		Mix(1), Hash(), Hash(1, 2, 3),
		a.Uint64(), a.Uint64(), b.Uint64(),
		math.Float64bits(a.Float64()), math.Float64bits(a.Normal()), math.Float64bits(b.Normal()),
		math.Float64bits(NormalOf(Hash(9, 8))), math.Float64bits(Quantile(1e-300)), math.Float64bits(Log(10)), math.Float64bits(Exp(-3.25)),
		uint64(a.Intn(1000)), uint64(b.Sample(1000, 3)[1]), uint64(b.Perm(100)[17]),
	}
	if !slices.Equal(got, golds) {
		t.Errorf("the bits changed:\n%#x", got)
	}
}

var golds = []uint64{
	0x5692161d100b05e5, 0xe220a8397b1dcdaf, 0x624772632ff0c356,
	0x3eaa132d48bda0fc, 0x318500dadd880fb6, 0x41f80233541c2cbd,
	0x3f8cb45d62656e40, 0x3fe4d50ea3591bc1, 0x3fecb86b1f8c1bdb,
	0x3fdb219c32826af3, 0xc04286074064c26e, 0x40026bb1bbb55516, 0x3fa3da368521902d,
	0x232, 0x281, 0x4e,
}

func BenchmarkNormal(b *testing.B) {
	s := New(1)
	for b.Loop() {
		s.Normal()
	}
}

func BenchmarkNormals(b *testing.B) {
	s := New(1)
	bits := make([]uint64, 1<<12)
	for i := range bits {
		bits[i] = s.Uint64()
	}
	out := make([]float64, len(bits))
	for b.Loop() {
		Normals(bits, out)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(bits)), "ns/number")
}
