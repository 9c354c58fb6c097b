package remainder

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

// CoFactors (co-occurrence factors) are what columns have in common because the same rows have entries of
// them, whatever their values: people rate what they like, so that books rated by
// the same people are alike in ways that no feature names. Each trait is a
// direction in which the pattern of the entries varies most (its singular vectors,
// rows and columns with many entries held back), less what the design explains of
// it, so that nothing that has a name hides there. A column without entries has
// none. The pattern is of entries, whatever they weigh. (The implicit features of collective matrix factorization are of this kind.)
type CoFactors struct {
	Rank   int
	Traits []float64 // m×Rank, mean square about 1 over the entries
	// Start is that of the design and the traits together, as Known+Rank features.
	Start Start
}

const (
	coStream  = 0x636f6d70616e79
	coSteps   = 6  // of subspace iteration
	coTried   = 5  // numbers of traits that the evidence decides among: all, a half, ...
	coSpare   = 8  // directions beside those wanted, for its sake
	coPrior   = 60 // entries that rows and columns are held back by
	coNumbers = 1 << 24
	// coWork is how many products a step may add up, for the traits to be looked for,
	// unless they are the least: each entry has the square of the rows' parameters.
	coWork    = 1.3e10
	coLeast   = 40
	coRows    = 2000 // that the evidence is judged by
	coEntries = 96   // of each of them, at most
)

// coShares are the variances of a trait's coefficient, in units of the noise of an
// entry of the mean weight, among which the evidence decides.
var coShares = []float64{0.0015, 0.006, 0.02}

// FindCoFactors looks for traits, on some rows if there are very many entries, and keeps as
// many as the evidence of the rows supports: nil if none.
func FindCoFactors(ctx context.Context, p Problem, s Settings) (*CoFactors, error) {
	l, err := newLearner(ctx, p, s)
	if err != nil {
		return nil, err
	}
	most := max(coLeast, int(math.Sqrt(coWork/max(l.entries, 1)))-l.Known)
	most = min(most, l.m/8, coNumbers/max(l.m, 1)-coSpare)
	if s.Rank >= 0 {
		most = min(most, s.Rank)
	}
	if most <= 0 || l.Known == 0 {
		return nil, nil
	}
	sample, err := l.sample(ctx, traitEntries)
	if err != nil {
		return nil, err
	}
	raw, err := l.leading(ctx, sample, most, s.Seed, false)
	if err != nil {
		return nil, err
	}
	rank, share, err := l.judge(ctx, sample, raw, most, s.Start)
	if err != nil || rank == 0 {
		return nil, err
	}
	return l.coFactors(raw, most, rank, share*s.Start.Noise/l.unit, s.Start), nil
}

// leading gives the directions in which the values of the entries vary most, or the
// pattern of the entries, but for its first, which is how many there are: m×rank, of mean
// square about 1 over the entries. Rows and columns with few entries are held back.
func (l *learner) leading(ctx context.Context, sample *data.Matrix, rank int, seed uint64, values bool) ([]float64, error) {
	first := 1
	if values {
		first = 0
	}
	width := rank + first + coSpare
	weights := make([]float64, l.m) // of an entry, by its column
	counts := make([]float64, l.m)
	n, _ := sample.Dims()
	for i := range n {
		columns, _ := sample.Row(i)
		for _, c := range columns {
			counts[c]++
		}
	}
	for j, count := range counts {
		weights[j] = 1 / math.Sqrt(count+coPrior)
	}
	rng := random.New(seed, coStream)
	basis := make([]float64, l.m*width)
	for j := range l.m {
		for x := range width {
			v := rng.Normal()
			if counts[j] > 0 {
				basis[j*width+x] = v
			}
		}
	}
	orthonormal(basis, width)
	for range coSteps {
		sums, err := pass.One[*pass.Sums](ctx, sample, l.threads, multiplying{width, pass.Share(weights), pass.Share(basis), values})
		if err != nil {
			return nil, err
		}
		basis = sums.Values
		orthonormal(basis, width)
	}
	out := make([]float64, l.m*rank)
	entries := max(float64(sample.Observed()), 1)
	for x := range rank {
		square := 0.0
		for j, count := range counts {
			v := basis[j*width+first+x] * weights[j]
			out[j*rank+x] = v
			square += count * v * v
		}
		if square > 0 {
			by := math.Sqrt(entries / square)
			for j := range l.m {
				out[j*rank+x] *= by
			}
		}
	}
	return out, nil
}

// orthonormal makes the columns of a matrix so, one after the other, twice for the
// sake of rounding. A column that the ones before it leave nothing of becomes 0.
// After steps of subspace iteration the first are those that grew most.
func orthonormal(a []float64, width int) {
	m := len(a) / width
	column := make([][]float64, width)
	for x := range column {
		column[x] = make([]float64, m)
		for j := range m {
			column[x][j] = a[j*width+x]
		}
	}
	length := func(v []float64) float64 { return math.Sqrt(dense.Dot(v, v)) }
	for x, v := range column {
		before := length(v)
		for range 2 {
			for _, u := range column[:x] {
				dense.Axpy(-dense.Dot(u, v), u, v)
			}
		}
		norm := length(v)
		if !(norm > 1e-10*before) {
			clear(v)
			continue
		}
		for j := range v {
			v[j] /= norm
		}
	}
	for x, v := range column {
		for j := range m {
			a[j*width+x] = v[j]
		}
	}
}

// judge tells how many of the traits the evidence of some rows supports, and with
// which variance: the likelihood of a row's entries is that of a normal vector with
// the covariance HΣHᵀ + v·EEᵀ + σ²/w. More variance may help whatever it is made of, so
// that traits count only if they are better than those of other columns that have
// about as many entries, by three standard errors. 0: none.
func (l *learner) judge(ctx context.Context, sample *data.Matrix, raw []float64, most int, start Start) (rank int, share float64, err error) {
	var ranks []int
	for r := most; r > 0 && len(ranks) < coTried; r /= 2 {
		ranks = append(ranks, r)
	}
	slices.Reverse(ranks)
	n, _ := sample.Dims()
	every := max(1, n/coRows)
	sums, err := pass.One[*pass.Sums](ctx, sample, l.threads, &judging{
		Design: l.design, Traits: pass.Share(raw), Others: pass.Share(l.exchanged(raw, most)), Most: most, Ranks: ranks,
		Known: l.Known, Mean: l.Problem.Mean, Levels: l.Levels, Begun: start, Unit: l.unit, Every: every,
	})
	if err != nil {
		return 0, 0, err
	}
	best := sums.Values[0]
	for x := range len(ranks) * len(coShares) {
		v := sums.Values[1+3*x:][:3]
		if v[0] > best && v[1] > 3*math.Sqrt(v[2]) { // never with a NaN
			best, rank, share = v[0], ranks[x/len(coShares)], coShares[x%len(coShares)]
		}
	}
	return rank, share, nil
}

// exchanged has for every column the traits of one that has as many entries or the
// next number of them.
func (l *learner) exchanged(raw []float64, rank int) []float64 {
	order := make([]int, l.m)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return l.count[a] - l.count[b] })
	out := make([]float64, len(raw))
	for x, j := range order {
		copy(out[j*rank:][:rank], raw[order[(x+1)%l.m]*rank:][:rank])
	}
	return out
}

// coFactors takes off the first traits what the design explains, with E = raw − ZC, and
// moves it into the start: the coefficients u become u + Cw.
func (l *learner) coFactors(raw []float64, most, rank int, variance float64, start Start) *CoFactors {
	known := l.Known
	l.setRegress()
	c := make([]float64, rank*known) // by columns of C
	for x := range rank {
		right := make([]float64, known)
		for j, count := range l.count {
			if count > 0 {
				dense.Axpy(raw[j*most+x], l.Design[j*known:][:known], right)
			}
		}
		copy(c[x*known:], product(l.regress, right, known))
	}
	out := &CoFactors{Rank: rank, Traits: make([]float64, l.m*rank)}
	for j, count := range l.count {
		for x := range rank {
			if count > 0 {
				out.Traits[j*rank+x] = raw[j*most+x] - dense.Dot(c[x*known:][:known], l.Design[j*known:][:known])
			}
		}
	}
	d := known + rank
	s := Start{Mean: append(slices.Clone(start.Mean), make([]float64, rank)...), Spread: make([]float64, d*d), Noise: start.Noise, Levels: start.Levels}
	for x := range known {
		copy(s.Spread[x*d:], start.Spread[x*known:][:known])
	}
	for r := range rank {
		from := c[r*known:][:known]
		at := known + r
		s.Spread[at*d+at] = variance
		for x, v := range from {
			dense.Axpy(variance*v, from, s.Spread[x*d:][:known])
			s.Spread[x*d+at], s.Spread[at*d+x] = variance*v, variance*v
		}
	}
	out.Start = s
	return out
}
