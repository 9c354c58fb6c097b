package twosided

import (
	"context"

	"optcomplete/data"
	"optcomplete/evaluate"
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
	clock    *selection.Clock // of a whole fit; nil: none
	all      []string         // the names of all products

	// What was prepared of the entries that were asked for last: a selection of each k
	// is fitted on the same ones.
	last part
	made *prepared

	trial *result.Comparison // of the choice of γ; nil: there was none
}

// prepared is what a cost needs of some entries.
type prepared struct {
	start    *levels             // effects without products, which the cost is measured from; nil: none
	offset   part                // the entries without them
	products *objective.TwoSided // of those
}

var _ selection.Formulation[part] = (*formulation)(nil)

// newFormulation checks the settings against the problem. Features are scaled over what
// has entries in train.
func newFormulation(ctx context.Context, problem Problem, train *data.Matrix, settings Settings) (*formulation, error) {
	s, err := align(ctx, problem, train, settings.Constants, settings.Effects)
	if err != nil {
		return nil, err
	}
	f := &formulation{sides: s, settings: settings}
	if f.find, err = s.search(settings); err != nil {
		return nil, err
	}
	f.all = s.names(upto(len(s.known.Names) * len(s.columns.Names)))
	return f, nil
}

// Names are those of all products.
func (f *formulation) Names() []string { return f.all }

// Learn picks γ, unless it is given, on a fifth of the entries.
func (f *formulation) Learn(ctx context.Context, train part, k int, _ *selection.Learned, on func(result.GammaPoint)) (c selection.Learned, err error) {
	if c.Gamma = f.settings.Gamma; c.Gamma > 0 {
		return c, nil
	}
	find := f.find
	find.K = max(k, len(find.Always))
	c.Gamma, c.GammaPath, c.Cut, err = f.chooseGamma(ctx, train, find, on)
	return c, err
}

// prepare makes the effects of some entries, and the sums of products of what those leave.
func (f *formulation) prepare(ctx context.Context, train part) (*prepared, error) {
	if f.made != nil && f.last == train {
		return f.made, nil
	}
	p, err := f.sides.prepare(ctx, train, f.settings.Threads)
	if err == nil {
		f.last, f.made = train, p
	}
	return p, err
}

func (s *sides) prepare(ctx context.Context, train part, threads int) (p *prepared, err error) {
	p = &prepared{offset: train}
	if s.effects != NoEffects {
		p.start = learnLevels(train.entries)
		p.offset.entries = p.start.residuals(train.entries)
	}
	p.products, err = objective.NewTwoSided(ctx, p.offset.entries, train.rows, s.columns, threads)
	return p, err
}

// quadratic is the cost at γ.
func (p *prepared) quadratic(gamma float64) *objective.Quadratic {
	n, m := p.offset.entries.Dims()
	return objective.NewQuadratic(p.products, gamma, float64(n)*float64(m))
}

// Cost is the cost of k products.
func (f *formulation) Cost(ctx context.Context, train part, k int, c selection.Learned) (*selection.Cost, error) {
	p, err := f.prepare(ctx, train)
	if err != nil {
		return nil, err
	}
	oracle := p.quadratic(c.Gamma)
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
		cost, err = p.products.Cost(ctx, selection, u, c.Gamma)
		return cost / (float64(n) * float64(m)), err
	}
	return cost, nil
}

// fitted is effects and coefficients of a selection.
type fitted struct {
	effects *joint // nil: none
	u       []float64
}

// fit fits selected products, and with them the effects; features tells whether those of
// rows and columns that have no entries are wanted.
func (s *sides) fit(ctx context.Context, p *prepared, train part, oracle *objective.Quadratic, refit spec.Refit, selection []int, features bool) (out fitted, err error) {
	gamma := 0.0
	if refit == spec.Ridge {
		gamma = oracle.Gamma()
	}
	if s.effects != NoEffects {
		out.effects = s.fitJoint(train, selection, p.start, gamma, features)
		out.u = out.effects.U
		return out, nil
	}
	if refit == spec.LeastSquares {
		out.u, err = oracle.LeastSquares(ctx, selection)
	} else {
		out.u, err = oracle.Coefficients(ctx, selection)
	}
	return out, err
}

// Score fits selected products on some entries and predicts others.
func (f *formulation) Score(ctx context.Context, train, on part, units []int, c selection.Learned) (float64, error) {
	p, err := f.prepare(ctx, train)
	if err != nil {
		return 0, err
	}
	fit, err := f.fit(ctx, p, train, p.quadratic(c.Gamma), f.settings.Refit, units, false)
	if err != nil {
		return 0, err
	}
	score, err := evaluate.Score(ctx, on.entries, f.predictor(on.rows, units, fit), f.settings.Threads)
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

// Resample draws rows with their features.
func (f *formulation) Resample(all part, number int) (part, error) {
	n, _ := all.entries.Dims()
	rows := selection.Draw(n, f.settings.Seed, number)
	out := part{rows: &data.Features{Names: all.rows.Names}}
	for _, i := range rows {
		out.rows.IDs = append(out.rows.IDs, all.rows.IDs[i])
		out.rows.Values = append(out.rows.Values, all.rows.Row(i)...)
	}
	var err error
	out.entries, err = data.Collect(all.entries, rows)
	return out, err
}
