package twosided

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/loss"
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
	groups   [][]int          // the products of each unit; nil: one
	all      []string         // the names of all units: products, or groups of them

	// What was prepared of the entries that were asked for last: a selection of each k
	// is fitted on the same ones.
	last   part
	chosen selection.Learned // of the last cost
	made   *prepared
}

// prepared is what a cost needs of some entries.
type prepared struct {
	start    *levels             // effects without products, which the cost is measured from; nil: none
	offset   part                // the entries without them; the entries, if the loss is of another kind than squares
	products *objective.TwoSided // of those
	squares  *objective.Quadratic
	convex   *objective.Convex // the cost by another loss; nil: it is squares
}

// cost is that of products at γ.
func (p *prepared) cost(gamma float64) search.Curved {
	if p.convex != nil {
		return p.convex.WithGamma(gamma)
	}
	return p.squares.WithGamma(gamma)
}

var (
	_ selection.Formulation[part] = (*formulation)(nil)
	_ selection.Compared[part]    = (*formulation)(nil)
)

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
	if err := f.chooseLoss(train); err != nil {
		return nil, err
	}
	f.all, f.groups = s.names(upto(s.count())), s.groups()
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
	return f.chooseGamma(ctx, train, find, on)
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
		p.start = learnLevels(train.entries, s.by)
	}
	n, m := train.entries.Dims()
	if s.by.Loss != loss.Squared {
		if p.convex, err = s.convex(train, p.start, threads); err != nil {
			return nil, err
		}
	} else if p.start != nil {
		p.offset.entries = p.start.residuals(train.entries)
	}
	if p.products, err = objective.NewTwoSided(ctx, p.offset.entries, train.rows, s.columns, threads); err == nil {
		p.squares = objective.NewQuadratic(p.products, 1, float64(n)*float64(m))
	}
	return p, err
}

// oracle is the cost of units at γ.
func (f *formulation) oracle(p *prepared, gamma float64) search.Curved {
	if f.groups != nil {
		return objective.NewGrouped(p.cost(gamma), f.groups)
	}
	return p.cost(gamma)
}

// Cost is the cost of k units.
func (f *formulation) Cost(ctx context.Context, train part, k int, c selection.Learned) (*selection.Cost, error) {
	p, err := f.prepare(ctx, train)
	if err != nil {
		return nil, err
	}
	f.chosen = c
	cost := &selection.Cost{Oracle: f.oracle(p, c.Gamma), Find: f.find, Units: len(f.all)}
	cost.Find.K = k
	if p.convex != nil {
		cost.Find.NewtonMost = lossNewtonMost
		return cost, nil
	}
	n, m := train.entries.Dims()
	squares := p.squares.WithGamma(c.Gamma)
	cost.Exactly = func(ctx context.Context, selection []int) (float64, error) { // from residuals
		selection = f.members(selection)
		cost, hard, err := squares.Cost(ctx, selection)
		if err != nil || hard {
			return cost, err
		}
		u, err := squares.Coefficients(ctx, selection)
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

// fit fits the products of selected units, and with them the effects; features tells whether
// those of rows and columns that have no entries are wanted.
func (s *sides) fit(ctx context.Context, p *prepared, train part, gamma float64, refit spec.Refit, units []int, features bool) (out fitted, err error) {
	selection := s.members(units)
	switch {
	case s.effects != NoEffects:
		if refit != spec.Ridge {
			gamma = 0
		}
		out.effects = s.fitJoint(train, selection, p.start, gamma, features)
		out.u = out.effects.U
	case len(selection) == 0:
	case p.convex != nil:
		err = p.convex.WithGamma(gamma).Coefficients(ctx, selection, func(_ int, u []float64) error {
			out.u = slices.Clone(u)
			return nil
		})
	case refit == spec.LeastSquares:
		out.u, err = p.squares.LeastSquares(ctx, selection)
	default:
		out.u, err = p.squares.WithGamma(gamma).Coefficients(ctx, selection)
	}
	return out, err
}

// Score fits selected units on some entries and predicts others.
func (f *formulation) Score(ctx context.Context, train, on part, units []int, c selection.Learned) (float64, error) {
	p, err := f.prepare(ctx, train)
	if err != nil {
		return 0, err
	}
	fit, err := f.fit(ctx, p, train, c.Gamma, f.settings.Refit, units, false)
	if err != nil {
		return 0, err
	}
	score, err := evaluate.Score(ctx, on.entries, f.predictor(on.rows, units, fit), f.settings.Threads)
	return score.Score(), err
}

// Alone is the error of effects alone.
func (f *formulation) Alone(ctx context.Context, train, on part) (float64, error) {
	if f.made != nil && f.last == train && f.made.start != nil {
		return f.alone(ctx, f.made.start, on)
	}
	return f.alone(ctx, learnLevels(train.entries, f.by), on)
}

func (f *formulation) alone(ctx context.Context, l *levels, on part) (float64, error) {
	score, err := evaluate.Score(ctx, on.entries, f.effectsAlone(on.rows, l), f.settings.Threads)
	return score.Score(), err
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
