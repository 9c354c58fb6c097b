package remainder

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// begin sets the start: the design's coefficients and the columns' levels as
// given, and no traits.
func (l *learner) begin(s Settings) {
	f := &Fit{Known: l.Known, CoFactors: l.CoFactors, Levels: l.Levels, Mean: l.Problem.Mean, Noise: max(s.Start.Noise, tiny), Design: l.Design}
	l.fit = f
	d, own := f.size(), f.own()
	f.Prior, f.Spread = make([]float64, d), make([]float64, d*d)
	copy(f.Prior, s.Start.Mean)
	for x := range l.Known {
		copy(f.Spread[x*d:], s.Start.Spread[x*l.Known:][:l.Known])
	}
	f.ColumnPrior, f.Columns, f.Error = make([]float64, own*own), make([]float64, l.m*own), make([]float64, l.m*own)
	if f.Levels {
		square, seen := 0.0, 0.0
		for j, count := range l.count {
			if s.Start.Levels != nil && count > 0 {
				f.Columns[j] = s.Start.Levels[j]
				square += s.Start.Levels[j] * s.Start.Levels[j]
				seen++
			}
		}
		f.ColumnPrior[0] = max(square/max(seen, 1), 1e-3*l.usual())
		for j := range l.m { // as if every entry told of it: the first step corrects it
			f.Error[j] = 1 / (1/f.ColumnPrior[0] + l.weight(j)/f.Noise)
		}
	}
	l.logColumns = l.columnLogs()
	l.spreadUnseen()
}

// warm takes steps on some of the rows, to begin with what they tell of the rows' prior:
// it is about the population. It tells whether it did.
func (l *learner) warm(ctx context.Context, s Settings) (bool, error) {
	want := max(leastWarm, warmEntries*kernel.Tri(l.Known))
	if 2*want > l.Values.Observed() || s.Steps > 0 || l.raw != nil {
		return false, nil
	}
	sample, err := l.sample(ctx, want)
	if err != nil {
		return false, err
	}
	p := l.Problem
	p.Values = sample
	s.Rank, s.Steps, s.Remember = 0, warmSteps, nil
	found, err := Learn(ctx, p, s)
	if err != nil {
		return false, err
	}
	h := l.fit.Implicit
	if *l.fit = *found; h != nil {
		now := *h // of all rows
		now.Coefficients, now.Precision = found.Implicit.Coefficients, found.Implicit.Precision
		l.fit.Implicit = &now
	}
	l.fit.Steps, l.logColumns = 0, l.columnLogs()
	l.spreadUnseen()
	return true, nil
}

// traitEntries is about how many entries traits are looked for on.
const traitEntries = 4 << 20

// sample is the entries of some rows, evenly taken, in memory: about so many.
func (l *learner) sample(ctx context.Context, entries int) (*data.Matrix, error) {
	every := max(1, (l.Values.Observed()+entries-1)/entries)
	if every == 1 {
		return pass.Collect(ctx, l.Values, l.threads, "remainder")
	}
	var rows []int
	for i := 0; i < l.n; i += every {
		rows = append(rows, i)
	}
	return pass.Pick(ctx, l.Values, l.threads, "remainder", rows)
}
