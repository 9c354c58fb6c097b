package regress

import (
	"context"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
)

// Limits of the choice of γ.
const (
	gammaPasses = 60    // evaluations spent on one γ and fold at most
	gammaWhole  = 2.5e6 // in larger tables (n·p numbers), only the first fold is validated on
)

const foldStream = 0x666f6c64 // "fold"

// chooseGamma picks γ by K-fold validation: along a path of γ, each search
// started from the last one's selection, it selects on the other folds, refits
// and scores. Columns have Σx² = n, weighted by the rows' weights, so n is the unit; see
// selection.ChooseGamma.
func chooseGamma(ctx context.Context, problem Problem, settings Settings, find search.Settings) (c selection.Learned, err error) {
	n := problem.mass(nil)
	folds := settings.Folds
	if folds == 0 {
		folds = 5
	}
	folds = min(folds, len(problem.Y))
	if folds < 2 {
		return selection.Learned{Gamma: selection.DefaultGamma(n)}, nil // nothing to validate on
	}
	find.MaxNodes, find.MaxPasses, find.NearTies, find.Gap, find.TimeLimit, find.SearchTime = 1, gammaPasses, -1, 0, 0, 0
	used := folds
	if float64(len(problem.X)) > gammaWhole {
		used = 1
	}
	parts := make([]*fold, used)
	for f := range parts {
		parts[f] = newFold(problem, settings, f, folds)
	}
	c.Gamma, c.GammaPath, err = selection.ChooseGamma(ctx, n, func(gamma float64) (result.GammaPoint, error) {
		point := result.GammaPoint{Gamma: gamma}
		all := settings.losses()
		for _, part := range parts {
			result, err := part.try(ctx, problem, find, gamma*n, all)
			if err != nil {
				return point, err
			}
			gap := max(point.Gap(), min(result.RootGap, 1))
			point.RootGap = &gap
			point.Limited = point.Limited || result.Limited()
			if point.Selected == nil {
				point.Selected = lists.Pick(problem.Names, result.Selection)
			}
		}
		point.RMSE = all.score()
		return point, nil
	}, settings.OnGamma)
	if err != nil || len(c.GammaPath) == 0 {
		return c, err
	}
	alone, held := settings.losses(), 0
	for _, part := range parts {
		_, mean, err := part.rest.coefficients(context.WithoutCancel(ctx), 1, nil)
		if err != nil {
			return c, err
		}
		for _, i := range part.held {
			alone.add(problem.weight(i), problem.Y[i], mean)
		}
		held += len(part.held)
	}
	c.Against = settings.against(held, selection.ErrorAt(c.GammaPath, c.Gamma), alone.score())
	return c, nil
}

// against compares an error on rows with that of the mean alone.
func (s *Settings) against(rows int, own, alone float64) *result.Comparison {
	c := &result.Comparison{Alone: result.TheMean, Entries: rows, RMSE: own, Effects: alone}
	if s.Loss != loss.Squared {
		c.Measure = s.Loss.Measure()
	}
	return c
}

// fold is one part of the rows held out, and the others to fit on.
type fold struct {
	held  []int
	rest  table
	mass  float64 // of the others
	start []int   // the last selection
}

func newFold(problem Problem, settings Settings, which, of int) *fold {
	n := len(problem.Y)
	f := &fold{}
	var others []int
	for x, i := range random.New(settings.Seed, foldStream).Perm(n) {
		if x%of == which {
			f.held = append(f.held, i)
		} else {
			others = append(others, i)
		}
	}
	f.rest, f.mass = prepare(problem, others, settings), problem.mass(others)
	return f
}

// try selects at γ·n = gn, and adds the losses of the rows held out to all.
func (f *fold) try(ctx context.Context, problem Problem, find search.Settings, gn float64, all *losses) (search.Result, error) {
	if f.start != nil {
		find.Start = [][]int{f.start}
	}
	p, gamma := len(problem.Names), gn/f.mass
	oracle := f.rest.cost(gamma)
	for j := p; j < oracle.Dim(); j++ { // the intercept
		find.K++
		find.Always = append(slices.Clone(find.Always), j)
	}
	result, err := search.Minimize(ctx, oracle, find)
	if err != nil {
		return result, err
	}
	f.start = result.Selection
	result.Selection = slices.DeleteFunc(slices.Clone(result.Selection), func(j int) bool { return j >= p })
	coefficients, intercept, err := f.rest.coefficients(context.WithoutCancel(ctx), gamma, result.Selection)
	if err != nil {
		return result, err
	}
	for _, i := range f.held {
		all.add(problem.weight(i), problem.Y[i], sum(intercept, coefficients, result.Selection, problem.X[i*p:][:p]))
	}
	return result, nil
}
