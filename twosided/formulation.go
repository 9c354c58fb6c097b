package twosided

import (
	"context"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/random"
	"optcomplete/internal/timelimit"
	"optcomplete/objective"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// part is some of the entries, and the features of their rows.
type part struct {
	entries *data.Matrix
	rows    *data.Features
}

// formulation selects products of a row's and a column's feature.
type formulation struct {
	*sides
	settings Settings
	find     search.Settings
	clock    *timelimit.Clock // of a whole fit; nil: none
	all      []string         // the names of all products

	// The products of the entries that were asked for last: a selection of each k is
	// fitted on the same ones.
	last     part
	products *objective.TwoSided
}

var _ selection.Formulation[part] = (*formulation)(nil)

// newFormulation checks the settings against the problem.
func newFormulation(ctx context.Context, problem Problem, settings *Settings) (*formulation, error) {
	if err := validate(*settings); err != nil {
		return nil, err
	}
	switch settings.Refit {
	case spec.AutoRefit:
		settings.Refit = spec.LeastSquares
	case spec.LearnedPrior:
		return nil, spec.Errorf("a two-sided model has one coefficient for all rows, so no prior can be learned: the refit must be ls or ridge")
	}
	s, err := align(ctx, problem, settings.Constants)
	if err != nil {
		return nil, err
	}
	f := &formulation{sides: s, settings: *settings}
	if f.find, err = s.search(*settings); err != nil {
		return nil, err
	}
	for j := range len(s.known.Names) * len(s.columns.Names) {
		f.all = append(f.all, s.name(j))
	}
	return f, nil
}

// Names are those of all products.
func (f *formulation) Names() []string { return f.all }

// Choose picks γ, unless it is given, on a fifth of the entries.
func (f *formulation) Choose(ctx context.Context, train part, k int, on func(result.GammaPoint)) (c selection.Choices, err error) {
	if c.Gamma = f.settings.Gamma; c.Gamma > 0 {
		return c, nil
	}
	settings, find := f.settings, f.find
	settings.OnGamma, find.K = on, max(k, len(find.Always))
	c.Gamma, c.GammaPath, c.Cut, err = f.chooseGamma(ctx, train.entries, settings, find, f.clock)
	return c, err
}

// quadratic is the cost of the entries at γ, and the products behind it.
func (f *formulation) quadratic(ctx context.Context, train part, gamma float64) (*objective.Quadratic, *objective.TwoSided, error) {
	if f.products == nil || f.last != train {
		products, err := objective.NewTwoSided(ctx, train.entries, train.rows, f.columns, f.settings.Threads)
		if err != nil {
			return nil, nil, err
		}
		f.last, f.products = train, products
	}
	n, m := train.entries.Dims()
	return objective.NewQuadratic(f.products, gamma, float64(n)*float64(m)), f.products, nil
}

// Cost is the cost of k products.
func (f *formulation) Cost(ctx context.Context, train part, k int, c selection.Choices) (*selection.Cost, error) {
	oracle, products, err := f.quadratic(ctx, train, c.Gamma)
	if err != nil {
		return nil, err
	}
	cost := &selection.Cost{Oracle: oracle, Find: f.find, Units: len(f.all)}
	cost.Find.K = k
	n, m := train.entries.Dims()
	cost.Exactly = func(ctx context.Context, selection []int) (float64, error) { // from residuals
		cost, hard, err := oracle.Cost(ctx, selection)
		if err != nil || hard {
			return cost, err
		}
		u, err := oracle.Coefficients(ctx, selection)
		if err != nil {
			return 0, err
		}
		cost, err = products.Cost(ctx, selection, u, c.Gamma)
		return cost / (float64(n) * float64(m)), err
	}
	return cost, nil
}

// coefficients fits selected products.
func (f *formulation) coefficients(ctx context.Context, train part, selection []int, c selection.Choices) ([]float64, error) {
	if len(selection) == 0 {
		return nil, nil
	}
	oracle, _, err := f.quadratic(ctx, train, c.Gamma)
	if err != nil {
		return nil, err
	}
	if f.settings.Refit == spec.LeastSquares {
		return oracle.LeastSquares(ctx, selection)
	}
	return oracle.Coefficients(ctx, selection)
}

// Score fits selected products on some entries and predicts others.
func (f *formulation) Score(ctx context.Context, train, on part, units []int, c selection.Choices) (float64, error) {
	u, err := f.coefficients(ctx, train, units, c)
	if err != nil {
		return 0, err
	}
	score, err := evaluate.Score(ctx, on.entries, f.predictor(on.rows, units, u), f.settings.Threads)
	return score.RMSE, err
}

// Fold holds out a part of the entries.
func (f *formulation) Fold(all part, x, folds int) (train, held part) {
	a, b := evaluate.Fold(all.entries, x, folds, f.settings.Seed)
	return part{a, all.rows}, part{b, all.rows}
}

// Repeat holds out a fifth of the entries.
func (f *formulation) Repeat(all part, number int) (train, held part) {
	a, b := evaluate.Repeat(all.entries, number, f.settings.Seed)
	return part{a, all.rows}, part{b, all.rows}
}

const bootstrapStream = 0x626f6f74 // "boot"

// Resample draws rows with their features.
func (f *formulation) Resample(all part, number int) (part, error) {
	n, _ := all.entries.Dims()
	rows := make([]int, n)
	for i := range rows {
		u := random.Unit(random.Hash(f.settings.Seed, bootstrapStream, uint64(number), uint64(i)))
		rows[i] = min(int(u*float64(n)), n-1)
	}
	out := part{rows: &data.Features{Names: all.rows.Names}}
	for _, i := range rows {
		out.rows.IDs = append(out.rows.IDs, all.rows.IDs[i])
		out.rows.Values = append(out.rows.Values, all.rows.Row(i)...)
	}
	var err error
	out.entries, err = data.Collect(all.entries, rows)
	return out, err
}
