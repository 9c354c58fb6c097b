package remainder

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/random"
)

const (
	traitStream = 0x7261697473
	firstBlock  = 4   // traits that are added first
	growSteps   = 8   // of the traits alone, after each block
	heldTraits  = 0.1 // of the entries, which tell how many traits there are
	// startShare is the variance of a row's traits to begin with, in units of the noise.
	startShare = 0.1
	// traitNumbers is how many numbers the columns' sums may have, at most: some 128 MiB.
	traitNumbers = 1 << 24
)

// addTraits looks for unnamed traits in what the design leaves of the entries and adds
// them to the model. They join in blocks: the leading directions of what is left so far,
// fitted together with the traits found before by the same steps, without the design. The
// steps shrink what does not carry, and a block stays if entries held out are predicted
// better with it; if all of it does, the next is twice as large, else much smaller. The evidence bound
// cannot decide: rows and columns are taken as independent given the data, and where the
// entries are few its errors are larger than what a trait is worth.
func (l *learner) addTraits(ctx context.Context, s Settings) error {
	sample, err := l.sample(ctx, traitEntries)
	if err != nil {
		return err
	}
	train, held := divide(sample, s.Seed)
	if train.Observed() == 0 || held.Observed() == 0 {
		return nil
	}
	over, err := l.left(ctx, train, held)
	if err != nil {
		return err
	}
	rest, err := l.left(ctx, train, train)
	if err != nil {
		return err
	}
	t, err := newLearner(ctx, Problem{Values: rest}, Settings{Threads: s.Threads})
	if err != nil {
		return err
	}
	t.begin(Settings{Start: Start{Noise: l.fit.Noise}})
	most := min(t.m, int(t.rows), int(math.Sqrt(2*traitNumbers/float64(max(t.m, 1)))))
	if s.Rank >= 0 {
		most = min(most, s.Rank)
	}
	best, least := *t.fit, square(over)
	for block := firstBlock; block > 0 && best.Rank < most && !s.enough(); {
		left, err := t.left(ctx, rest, rest)
		if err != nil {
			return err
		}
		size := min(block, most-best.Rank)
		directions, err := t.leading(ctx, left, size, s.Seed, true)
		if err != nil {
			return err
		}
		t.widen(t.seeds(directions, size))
		if err := t.climb(ctx, Settings{Steps: growSteps, Tolerance: defaultTolerance}); err != nil {
			return err
		}
		wrong, err := t.left(ctx, rest, over)
		if err != nil {
			return err
		}
		added := t.fit.Rank - best.Rank
		if now := square(wrong); added > 0 && now < least {
			best, least = *t.fit, now
		} else {
			*t.fit, added = best, 0
		}
		if added == size { // all of them carry
			block *= 2
		} else {
			block = max(added, block/2) / 4
		}
	}
	if best.Rank > 0 {
		l.widen(&best)
	}
	return nil
}

// divide holds out a part of the entries.
func divide(m *data.Matrix, seed uint64) (train, held *data.Matrix) {
	_, columns := m.Dims()
	out := func(row int, column int32) bool {
		return random.Unit(random.Hash(seed, traitStream, uint64(row)*uint64(columns)+uint64(column))) < heldTraits
	}
	return m.Filter(func(i int, c int32) bool { return !out(i, c) }), m.Filter(out)
}

// left is what the model leaves of entries, with its rows fitted to those of train.
func (l *learner) left(ctx context.Context, train, entries *data.Matrix) (*data.Matrix, error) {
	sum, err := l.fit.sums(ctx, train, l.threads)
	if err != nil {
		return nil, err
	}
	return entries.Map(func(i int, c int32, v float64) float64 { return v - sum(i, c) }), nil
}

// square is the sum of the squared values, by weights.
func square(m *data.Matrix) (sum float64) {
	n, _ := m.Dims()
	for i := range n {
		_, values := m.Row(i)
		weights := m.RowWeights(i)
		for e, v := range values {
			if weights != nil {
				v *= math.Sqrt(weights[e])
			}
			sum += v * v
		}
	}
	return sum
}

// seeds is a model of traits alone to start from, m×rank, as if every entry told of them.
func (l *learner) seeds(traits []float64, rank int) *Fit {
	tri := kernel.Tri(rank)
	f := &Fit{Rank: rank, Spread: make([]float64, rank*rank), ColumnPrior: make([]float64, rank*rank), Columns: traits, Error: make([]float64, l.m*tri)}
	for x := range rank {
		f.Spread[x*rank+x], f.ColumnPrior[x*rank+x] = startShare*l.usual(), 1
		for j := range l.m {
			f.Error[j*tri+kernel.Tri(x)+x] = 1 / (1 + l.weight(j)*startShare/l.unit)
		}
	}
	return f
}

// widen adds the traits of a model that has nothing else.
func (l *learner) widen(more *Fit) {
	f, r := l.fit, more.Rank
	old, first := *f, f.levels()
	d0, own0, tri0 := old.size(), old.own(), kernel.Tri(old.own())
	f.Rank += r
	own, d, tri := f.own(), f.size(), kernel.Tri(f.own())
	f.Prior = append(slices.Clone(old.Prior), make([]float64, r)...)
	f.Spread, f.ColumnPrior = beside(old.Spread, d0, more.Spread, r), beside(old.ColumnPrior, own0, more.ColumnPrior, r)
	f.Columns, f.Error = make([]float64, 0, l.m*own), make([]float64, l.m*tri)
	if h := old.Implicit; h != nil { // the traits' part of B begins with 0
		with := *h
		with.Coefficients = append(slices.Clone(h.Coefficients), make([]float64, (d-d0)*len(h.Center))...)
		f.Implicit = &with
	}
	for j := range l.m {
		f.Columns = append(append(f.Columns, old.Columns[j*own0:][:own0]...), more.Columns[j*r:][:r]...)
		to := f.Error[j*tri:][:tri]
		copy(to, old.Error[j*tri0:][:tri0])
		for x := range r {
			copy(to[kernel.Tri(first+old.Rank+x)+first+old.Rank:], more.Error[j*kernel.Tri(r)+kernel.Tri(x):][:x+1])
		}
	}
	l.relaxed, l.logColumns = relaxed{}, l.columnLogs()
	l.spreadUnseen()
}

// beside is the square matrix with the blocks a and b, of x and y lines, and zeros.
func beside(a []float64, x int, b []float64, y int) []float64 {
	d := x + y
	out := make([]float64, d*d)
	for at := range x {
		copy(out[at*d:], a[at*x:][:x])
	}
	for at := range y {
		copy(out[(x+at)*d+x:], b[at*y:][:y])
	}
	return out
}
