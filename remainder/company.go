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

// Company is what columns have in common because the same rows have entries of
// them, whatever their values: people rate what they like, so that books rated by
// the same people are alike in ways that no feature names. Each trait is a
// direction in which the pattern of the entries varies most (its singular vectors,
// rows and columns with many entries held back), less what the design explains of
// it, so that nothing that has a name hides there. A column without entries has
// none. (The implicit features of collective matrix factorization are of this kind.)
type Company struct {
	Rank   int
	Traits []float64 // m×Rank, mean square about 1 over the entries
	// Start is that of the design and the traits together, as Known+Rank features.
	Start Start
}

const (
	companyStream  = 0x636f6d70616e79
	companySteps   = 8  // of subspace iteration
	companySpare   = 8  // directions beside those wanted, for its sake
	companyPrior   = 60 // entries that rows and columns are held back by
	companyNumbers = 1 << 24
	companyRows    = 2000 // that the evidence is judged by
	companyEntries = 96   // of each of them, at most
)

// companyShares are the variances of a trait's coefficient, in units of the noise,
// among which the evidence decides.
var companyShares = []float64{0.0015, 0.006, 0.02}

// FindCompany looks for up to this many traits, on some rows if there are very many
// entries, and keeps as many as the evidence of the rows supports: nil if none.
func FindCompany(ctx context.Context, p Problem, s Settings) (*Company, error) {
	l, err := newLearner(ctx, p, s)
	if err != nil {
		return nil, err
	}
	most := min(s.Rank, l.m/8, companyNumbers/max(l.m, 1)-companySpare)
	if most <= 0 || l.Known == 0 {
		return nil, nil
	}
	sample, err := l.sample(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := l.together(ctx, sample, most, s.Seed)
	if err != nil {
		return nil, err
	}
	rank, share, err := l.judge(ctx, sample, raw, most, s.Start)
	if err != nil || rank == 0 {
		return nil, err
	}
	return l.company(raw, most, rank, share*s.Start.Noise, s.Start), nil
}

// together gives the directions in which the pattern of the entries varies most, but
// for the first, which is how many there are: m×rank, for raw coordinates.
func (l *learner) together(ctx context.Context, sample *data.Matrix, rank int, seed uint64) ([]float64, error) {
	width := rank + 1 + companySpare
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
		weights[j] = 1 / math.Sqrt(count+companyPrior)
	}
	rng := random.New(seed, companyStream)
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
	for range companySteps {
		sums, err := pass.One[*pass.Sums](ctx, sample, l.threads, &pass.Fold[*pass.Sums]{
			Called: "company", Price: l.m * width / 16,
			Fresh: func() *pass.Sums { return pass.NewSums(l.m * width) },
			Begin: func() func(*pass.Sums, int, []int32, []float64) error {
				row := make([]float64, width)
				return func(part *pass.Sums, _ int, columns []int32, _ []float64) error {
					clear(row)
					for _, c := range columns {
						dense.Axpy(weights[c], basis[int(c)*width:][:width], row)
					}
					by := 1 / (float64(len(columns)) + companyPrior)
					for _, c := range columns {
						dense.Axpy(by*weights[c], row, part.Values[int(c)*width:][:width])
					}
					return nil
				}
			},
		})
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
			v := basis[j*width+1+x] * weights[j]
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
// the covariance HΣHᵀ + v·EEᵀ + σ². More variance may help whatever it is made of, so
// that traits count only if they are better than those of other columns that have
// about as many entries, by three standard errors. 0: none.
func (l *learner) judge(ctx context.Context, sample *data.Matrix, raw []float64, most int, start Start) (rank int, share float64, err error) {
	var ranks []int
	for r := most; r > 0 && len(ranks) < 3; r /= 2 {
		ranks = append(ranks, r)
	}
	slices.Reverse(ranks)
	n, _ := sample.Dims()
	every := max(1, n/companyRows)
	exchanged := l.exchanged(raw, most)
	sums, err := pass.One[*pass.Sums](ctx, sample, l.threads, &pass.Fold[*pass.Sums]{
		Called: "company", Price: 1 << 12,
		Fresh: func() *pass.Sums { return pass.NewSums(1 + 3*len(ranks)*len(companyShares)) },
		Begin: func() func(*pass.Sums, int, []int32, []float64) error {
			own, others := &evidence{learner: l, start: start, traits: raw, most: most}, &evidence{learner: l, start: start, traits: exchanged, most: most}
			return func(part *pass.Sums, i int, columns []int32, values []float64) error {
				if i%every != 0 || len(columns) == 0 {
					return nil
				}
				part.Values[0] += own.take(columns, values)
				others.take(columns, values)
				slot := 1
				for _, r := range ranks {
					own.extend(r)
					others.extend(r)
					for _, share := range companyShares {
						v := own.with(share)
						better := v - others.with(share)
						part.Values[slot] += v
						part.Values[slot+1] += better
						part.Values[slot+2] += better * better
						slot += 3
					}
				}
				return nil
			}
		},
	})
	if err != nil {
		return 0, 0, err
	}
	best := sums.Values[0]
	for x := range len(ranks) * len(companyShares) {
		v := sums.Values[1+3*x:][:3]
		if v[0] > best && v[1] > 3*math.Sqrt(v[2]) { // never with a NaN
			best, rank, share = v[0], ranks[x/len(companyShares)], companyShares[x%len(companyShares)]
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

// evidence is the likelihood of one row after the other.
type evidence struct {
	*learner
	start  Start
	traits []float64
	most   int

	at               []int32
	y, line          []float64
	base, cov, extra []float64 // without traits, with them, EEᵀ
	ranks            int       // in extra
}

// take takes a row, or some of its entries, and gives its likelihood without traits.
func (v *evidence) take(columns []int32, values []float64) float64 {
	known, e := v.Known, min(len(columns), companyEntries)
	v.at, v.y, v.line = v.at[:0], v.y[:0], dense.Resize(v.line, known)
	for x := range e {
		from := x * len(columns) / e
		j := int(columns[from])
		v.at = append(v.at, columns[from])
		y := values[from] - v.Problem.Mean - dense.Dot(v.start.Mean, v.Design[j*known:][:known])
		if v.Levels && v.start.Levels != nil {
			y -= v.start.Levels[j]
		}
		v.y = append(v.y, y)
	}
	v.base, v.cov, v.extra = dense.Resize(v.base, e*e), dense.Resize(v.cov, e*e), dense.Resize(v.extra, e*e)
	clear(v.extra)
	v.ranks = 0
	for x, c := range v.at {
		clear(v.line)
		for f, b := range v.Design[int(c)*known:][:known] {
			if b != 0 {
				dense.Axpy(b, v.start.Spread[f*known:][:known], v.line)
			}
		}
		for z, d := range v.at[:x+1] {
			v.base[x*e+z] = dense.Dot(v.line, v.Design[int(d)*known:][:known])
		}
		v.base[x*e+x] += v.start.Noise
	}
	copy(v.cov, v.base)
	return likelihood(v.cov, v.y, e)
}

// extend continues to the given number of traits.
func (v *evidence) extend(rank int) {
	e, more := len(v.at), rank-v.ranks
	for x, c := range v.at {
		for z, d := range v.at[:x+1] {
			v.extra[x*e+z] += dense.Dot(v.traits[int(c)*v.most+v.ranks:][:more], v.traits[int(d)*v.most+v.ranks:][:more])
		}
	}
	v.ranks = rank
}

// with is the likelihood with traits whose coefficients have this variance, in units
// of the noise.
func (v *evidence) with(share float64) float64 {
	for x := range v.cov {
		v.cov[x] = v.base[x] + share*v.start.Noise*v.extra[x]
	}
	return likelihood(v.cov, v.y, len(v.at))
}

// likelihood is the logarithm of that of y, but for a constant, under a normal law
// with this covariance, of which the lower triangle is used and overwritten.
func likelihood(cov, y []float64, e int) float64 {
	if !dense.Cholesky(cov, e, tiny) {
		return math.Inf(-1)
	}
	x := slices.Clone(y)
	dense.CholeskySolve(cov, e, x)
	logs := 0.0
	for at := range e {
		logs += log(cov[at*e+at])
	}
	return -logs - 0.5*dense.Dot(x, y)
}

// company takes off the first traits what the design explains, with E = raw − ZC, and
// moves it into the start: the coefficients u become u + Cw.
func (l *learner) company(raw []float64, most, rank int, variance float64, start Start) *Company {
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
	out := &Company{Rank: rank, Traits: make([]float64, l.m*rank)}
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
