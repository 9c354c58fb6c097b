package regress

import (
	"cmp"
	"context"
	"math"
	"slices"

	"optcomplete/internal/random"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// rows are some rows of the table; nil: all of them.
type rows []int

// formulation selects columns of the table.
type formulation struct {
	problem  Problem
	settings Settings
	find     search.Settings
	clock    *selection.Clock // of a whole fit; nil: none

	// The rows that were asked for last, standardised: a selection of each k is fitted
	// on the same ones.
	last  rows
	whole table
}

var _ selection.Formulation[rows] = (*formulation)(nil)

// newFormulation checks the settings against the problem.
func newFormulation(problem Problem, settings *Settings) (*formulation, error) {
	if settings.Refit == spec.AutoRefit {
		settings.Refit = spec.LeastSquares
		if !settings.squares() {
			settings.Refit = spec.Ridge
		}
	}
	if settings.Loss.HasUnit() && settings.Delta == 0 {
		settings.Delta = spread(problem.Y)
	}
	if err := validate(problem, *settings); err != nil {
		return nil, err
	}
	find, err := selection.Find(settings.K, settings.Choice, settings.Limits, func(names []string, list string) ([]int, error) {
		return selection.Indices(problem.Names, problem.Fields, names, list)
	})
	return &formulation{problem: problem.sorted(), settings: *settings, find: find}, err
}

// sorted has the rows in an order of their own contents, so that nothing depends on
// that of the lines: no fold, no resample, and no rounding of a sum.
func (p Problem) sorted() Problem {
	width := len(p.Names)
	row := func(i int) []float64 { return p.X[i*width:][:width] }
	order := make([]int, len(p.Y))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		c := cmp.Or(cmp.Compare(p.Y[a], p.Y[b]), slices.Compare(row(a), row(b)))
		if c == 0 && p.Weights != nil {
			c = cmp.Compare(p.Weights[a], p.Weights[b])
		}
		return c
	})
	out := Problem{Names: p.Names, X: make([]float64, 0, len(p.X)), Y: make([]float64, 0, len(p.Y))}
	for _, i := range order {
		out.X, out.Y = append(out.X, row(i)...), append(out.Y, p.Y[i])
		if p.Weights != nil {
			out.Weights = append(out.Weights, p.Weights[i])
		}
	}
	return out
}

// Names are those of the columns.
func (f *formulation) Names() []string { return f.problem.Names }

// part is the problem of some rows.
func (f *formulation) part(r rows) Problem {
	if r == nil {
		return f.problem
	}
	p := len(f.problem.Names)
	out := Problem{Names: f.problem.Names}
	for _, i := range r {
		out.X = append(out.X, f.problem.X[i*p:][:p]...)
		out.Y = append(out.Y, f.problem.Y[i])
		if f.problem.Weights != nil {
			out.Weights = append(out.Weights, f.problem.Weights[i])
		}
	}
	return out
}

// Learn picks γ, unless it is given, by cross-validation within the rows. γ is that
// of all rows: of fewer, it is as much larger.
func (f *formulation) Learn(ctx context.Context, train rows, k int, _ *selection.Learned, on func(result.GammaPoint)) (c selection.Learned, err error) {
	if c.Gamma = f.settings.Gamma; c.Gamma > 0 {
		return c, nil
	}
	settings, find := f.settings, f.find
	settings.OnGamma, find.K = on, max(k, len(f.find.Always))
	ctx, cancel := f.clock.Choice(ctx)
	defer cancel()
	c, err = chooseGamma(ctx, f.part(train), settings, find)
	c.Gamma *= f.problem.mass(train) / f.problem.mass(nil)
	c.Cut = ctx.Err()
	return c, err
}

// table is the rows, prepared.
func (f *formulation) table(train rows) table {
	same := f.whole != nil && len(f.last) == len(train) && (len(train) == 0 || &f.last[0] == &train[0])
	if !same {
		f.last, f.whole = train, prepare(f.problem, train, f.settings)
	}
	return f.whole
}

// gamma is that of some rows: of fewer, it is as much larger.
func (f *formulation) gamma(train rows, c selection.Learned) float64 {
	return c.Gamma * f.problem.mass(nil) / f.problem.mass(train)
}

// Cost is the cost of k columns, computed from residuals in the end.
func (f *formulation) Cost(_ context.Context, train rows, k int, c selection.Learned) (*selection.Cost, error) {
	t, gamma := f.table(train), f.gamma(train, c)
	cost := &selection.Cost{Oracle: t.cost(gamma), Find: f.find, Units: len(f.problem.Names)}
	cost.Find.K = k
	if !f.settings.squares() {
		cost.Find.NewtonMost = lossNewtonMost
	}
	for j := cost.Units; j < cost.Oracle.Dim(); j++ { // the intercept
		cost.Find.K++
		cost.Find.Always = append(slices.Clone(cost.Find.Always), j)
	}
	cost.Exactly = func(ctx context.Context, selection []int) (float64, error) { return t.exactly(ctx, gamma, selection) }
	return cost, nil
}

// coefficients fits selected columns, in the units of the table.
func (f *formulation) coefficients(ctx context.Context, train rows, units []int, c selection.Learned) ([]float64, float64, error) {
	return f.table(train).coefficients(ctx, f.gamma(train, c), units)
}

// sum is a prediction for a row, on the scale of the loss.
func sum(intercept float64, coefficients []float64, units []int, row []float64) float64 {
	for c, j := range units {
		intercept += coefficients[c] * row[j]
	}
	return intercept
}

// Score fits selected columns on some rows and explains others, measured in the loss.
func (f *formulation) Score(ctx context.Context, train, on rows, units []int, c selection.Learned) (float64, error) {
	coefficients, intercept, err := f.coefficients(ctx, train, units, c)
	if err != nil {
		return 0, err
	}
	part := f.part(on)
	p, all := len(part.Names), f.settings.losses()
	for i, y := range part.Y {
		all.add(part.weight(i), y, sum(intercept, coefficients, units, part.X[i*p:][:p]))
	}
	return all.score(), nil
}

// Fold holds out one in n of the rows, shuffled by the seed.
func (f *formulation) Fold(_ rows, which, of int) (train, held rows) {
	train, held = rows{}, rows{}
	for x, i := range random.New(f.settings.Seed, foldStream, 1).Perm(len(f.problem.Y)) {
		if x%of == which {
			held = append(held, i)
		} else {
			train = append(train, i)
		}
	}
	return train, held
}

// split holds out a share of the rows, drawn by the seed from rows in an order of
// their own.
func (p Problem) split(share float64, seed uint64) (train, held Problem) {
	if share == 0 {
		return p, Problem{}
	}
	f := &formulation{problem: p.sorted()}
	n := len(p.Y)
	order := random.New(seed, holdoutStream).Perm(n)
	out := max(min(int(math.Round(share*float64(n))), n-1), 0)
	return f.part(order[out:]), f.part(order[:out])
}

const (
	holdoutStream = 0x686f6c64   // "hold"
	repeatStream  = 0x7265706561 // "repea"
)

// Repeat holds out a fifth of the rows.
func (f *formulation) Repeat(_ rows, number int) (train, held rows) {
	n := len(f.problem.Y)
	order := random.New(f.settings.Seed, repeatStream, uint64(number)).Perm(n)
	most := max(n/5, 1)
	return rows(order[most:]), rows(order[:most])
}

// Resample draws as many rows as there are, with replacement.
func (f *formulation) Resample(_ rows, number int) (rows, error) {
	return selection.Draw(len(f.problem.Y), f.settings.Seed, number), nil
}
