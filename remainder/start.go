package remainder

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

// traitStream is the random stream of the unnamed traits' start.
const traitStream = 0x7261697473

// begin sets the start: the design's coefficients and the columns' levels as
// given, and random traits.
func (l *learner) begin(s Settings) {
	rank := 0
	if l.Known == 0 {
		rank = max(0, min(s.Rank, l.m, l.n))
	}
	f := &Fit{Known: l.Known, Company: l.Company, Rank: rank, Levels: l.Levels, Mean: l.Problem.Mean, Noise: max(s.Start.Noise, tiny), Design: l.Design}
	l.fit = f
	d, own, first := f.size(), f.own(), f.levels()
	f.Prior, f.Spread = make([]float64, d), make([]float64, d*d)
	copy(f.Prior, s.Start.Mean)
	for x := range l.Known {
		copy(f.Spread[x*d:], s.Start.Spread[x*l.Known:][:l.Known])
	}
	for x := l.Known; x < d; x++ {
		f.Spread[x*d+x] = firstShare * l.usual()
	}
	f.ColumnPrior = make([]float64, own*own)
	for x := range own {
		f.ColumnPrior[x*own+x] = 1
	}
	tri := kernel.Tri(own)
	f.Columns, f.Error = make([]float64, l.m*own), make([]float64, l.m*tri)
	rng := random.New(s.Seed, traitStream)
	square, seen := 0.0, 0.0
	for j := range l.m {
		if f.Levels && s.Start.Levels != nil && l.count[j] > 0 {
			f.Columns[j*own] = s.Start.Levels[j]
			square += s.Start.Levels[j] * s.Start.Levels[j]
			seen++
		}
		for x := first; x < own; x++ {
			f.Columns[j*own+x] = rng.Normal()
		}
	}
	if f.Levels {
		f.ColumnPrior[0] = max(square/max(seen, 1), 1e-3*l.usual())
	}
	// As if every entry informed a column's level and traits, with the rows' traits
	// spread as they are: the first step corrects it.
	l.logColumns = 0
	for j, count := range l.count {
		for x := range own {
			tells := 1 / f.Noise
			if x >= first {
				tells = firstShare / l.unit
			}
			f.Error[j*tri+kernel.Tri(x)+x] = 1 / (1/f.ColumnPrior[x*own+x] + l.weight(j)*tells)
		}
		if count > 0 {
			for x := range own {
				l.logColumns += log(f.Error[j*tri+kernel.Tri(x)+x])
			}
		}
	}
	l.spreadUnseen()
}

// traitEntries is about how many entries traits are looked for on.
const traitEntries = 4 << 20

// traitSteps is how many steps the search for traits takes at most.
const traitSteps = 40

// addTraits looks for traits in what the design leaves of the entries, by the same
// steps with nothing but traits, which are cheap, and adds them to the model.
func (l *learner) addTraits(ctx context.Context, s Settings) error {
	rest, err := l.left(ctx)
	if err != nil {
		return err
	}
	found, err := Learn(ctx, Problem{Values: rest}, Settings{
		Rank: s.Rank, Steps: traitSteps, Seed: s.Seed, Threads: s.Threads, Start: Start{Noise: l.fit.Noise},
	})
	if err != nil || found.Rank == 0 {
		return err
	}
	f, r := l.fit, found.Rank
	old, first := *f, f.levels()
	f.Rank = r
	own, d, tri := f.own(), f.size(), kernel.Tri(f.own())
	f.Prior = append(old.Prior[:l.Known:l.Known], make([]float64, r)...)
	f.Spread, f.ColumnPrior = make([]float64, d*d), make([]float64, own*own)
	f.Columns, f.Error = make([]float64, l.m*own), make([]float64, l.m*tri)
	for x := range l.Known {
		copy(f.Spread[x*d:], old.Spread[x*l.Known:][:l.Known])
	}
	if h := old.Habits; h != nil { // the traits' part of B begins with 0
		with := *h
		with.Lean = append(slices.Clone(h.Lean), make([]float64, r*len(h.Center))...)
		f.Habits = &with
	}
	if f.Levels {
		f.ColumnPrior[0] = old.ColumnPrior[0]
	}
	for x := range r {
		copy(f.Spread[(l.Known+x)*d+l.Known:], found.Spread[x*r:][:r])
		copy(f.ColumnPrior[(first+x)*own+first:], found.ColumnPrior[x*r:][:r])
	}
	for j := range l.m {
		if f.Levels {
			f.Columns[j*own], f.Error[j*tri] = old.Columns[j], old.Error[j]
		}
		copy(f.Columns[j*own+first:], found.Columns[j*r:][:r])
		for x := range r {
			copy(f.Error[j*tri+kernel.Tri(first+x)+first:], found.Error[j*kernel.Tri(r)+kernel.Tri(x):][:x+1])
		}
	}
	l.logColumns = l.columnLogs()
	l.spreadUnseen()
	return nil
}

// sample is the entries of some rows, evenly taken, in memory.
func (l *learner) sample(ctx context.Context) (*data.Matrix, error) {
	every := max(1, (l.Values.Observed()+traitEntries-1)/traitEntries)
	if every == 1 {
		return pass.Collect(ctx, l.Values, l.threads, "remainder")
	}
	var rows []int
	for i := 0; i < l.n; i += every {
		rows = append(rows, i)
	}
	return pass.Pick(ctx, l.Values, l.threads, "remainder", rows)
}

// left is what the model leaves of the entries of some rows.
func (l *learner) left(ctx context.Context) (data.Source, error) {
	sample, err := l.sample(ctx)
	if err != nil {
		return nil, err
	}
	f := l.fit
	n, _ := sample.Dims()
	d, own := f.size(), f.own()
	theta := make([]float64, n*d)
	if err := f.Rows(ctx, sample, l.threads, func(i int, t []float64) { copy(theta[i*d:], t) }); err != nil {
		return nil, err
	}
	return sample.Map(func(i int, c int32, v float64) float64 {
		v -= f.Mean + dense.Dot(l.Design[int(c)*l.Known:][:l.Known], theta[i*d:][:l.Known])
		if f.Levels {
			v -= f.Columns[int(c)*own]
		}
		return v
	}), nil
}
