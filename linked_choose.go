package optcomplete

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/progress"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
)

// linkedEntries is about how many entries γ and the shrinkages of a loss are chosen
// on: every row takes several steps, where squared errors take one.
const linkedEntries = 100_000

// choose fills in what the settings leave open: the δ of Huber's loss from the spread
// of the entries, shrinkages and γ by how well they predict a fifth of them.
func (l linked) choose(ctx context.Context, t *task, train data.Source, s *Settings) (c choices, err error) {
	c = choices{Gamma: s.Gamma, Row: s.RowShrinkage, Column: s.ColumnShrinkage, Delta: s.Delta, Fixed: s.ColumnShrinkage > 0}
	spread := l.loss == loss.Huber && c.Delta == 0
	if l.complete(c) && !spread {
		return c, nil
	}
	drawing := progress.Start(ctx, "Drawing entries to choose gamma on", 0, "")
	sample, err := evaluate.SampleRows(ctx, train, linkedEntries, s.Seed, t.threads)
	drawing.Done()
	if err != nil {
		return c, err
	}
	if spread {
		if c.Delta, err = usualDelta(pass.WithLabel(context.WithoutCancel(ctx), "trials"), sample, t.threads); err != nil {
			return c, err
		}
	}
	ctx, cancel := t.clock.Choice(pass.WithLabel(ctx, "trials")) // they read this sample, not the data
	defer cancel()
	if c.Row == 0 || c.Column == 0 {
		choosing := progress.Start(ctx, "Choosing the shrinkage of effects", 0, "")
		row, column, err := evaluate.ChooseLevels(ctx, sample, l.scaled(c), t.threads)
		choosing.Done()
		if err != nil && ctx.Err() == nil {
			return c, err
		}
		if c.Row == 0 {
			c.Row = row
		}
		if c.Column == 0 {
			c.Column = column
		}
	}
	if c.Gamma == 0 {
		if err := l.chooseGamma(ctx, t, sample, &c, s); err != nil {
			return c, err
		}
	}
	c.Cut = ctx.Err()
	return c, nil
}

// chooseGamma goes along a path of γ, each search started from the selection before.
func (l linked) chooseGamma(ctx context.Context, t *task, sample data.Source, c *choices, s *Settings) error {
	if err := t.find.Validate(len(t.units)); err != nil {
		return err
	}
	survey, err := pass.Survey(context.WithoutCancel(ctx), sample, t.threads)
	if err != nil {
		return err
	}
	path := gammapath.Path{Unit: evaluate.FeatureScale(survey, t.features), First: -2, Last: 3, Step: 0.5, Equal: 1e-3, Patience: 2}
	part, err := evaluate.Validation(ctx, sample, 0, 0, s.Seed, t.threads)
	if err != nil || part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		c.Gamma = path.Default()
		return ended(ctx, err)
	}
	var start [][]int
	c.Gamma, c.GammaPath, err = path.Choose(ctx, func(gamma float64) (result.GammaPoint, error) {
		at := *c
		at.Gamma = gamma
		return l.try(ctx, t, part, at, &start)
	}, s.OnGamma)
	if start != nil {
		c.Start = start
	}
	return err
}

// try is one fit for validation: the root of the search only.
func (l linked) try(ctx context.Context, t *task, part evaluate.Part, c choices, start *[][]int) (result.GammaPoint, error) {
	point := result.GammaPoint{Gamma: c.Gamma}
	values, c, err := t.values(ctx, part.Train, c)
	if err != nil {
		return point, err
	}
	s := t.selector(values, c)
	t.remember(s, "trial", c)
	s.limit()
	s.find.Start = *start
	found, err := search.Minimize(ctx, s.oracle, s.find)
	if err != nil {
		return point, err
	}
	if found.Status == search.Interrupted {
		return point, ctx.Err()
	}
	*start = [][]int{found.Selection}
	selection := s.units(t, found.Selection)
	parts, err := t.parts(ctx, part.Train, selection, c)
	if err != nil {
		return point, err
	}
	members := t.members(selection)
	score, err := evaluate.Score(ctx, part.Held, parts.Predictor(estimate.Chosen(t.features, members), len(members)), t.threads)
	gap := min(found.RootGap, 1)
	point.RMSE, point.RootGap, point.Selected, point.Limited = score.Score(), &gap, t.names(selection), found.Limited()
	return point, err
}

// usualDelta is the δ of Huber's loss unless it is given: 1.345 times a robust
// estimate of the deviation of what row and column effects leave, for which Huber's
// estimate has 95 % of the efficiency of least squares where errors are normal.
func usualDelta(ctx context.Context, sample *data.Matrix, threads int) (float64, error) {
	effects, err := estimate.FitEffects(ctx, sample, 4, 4, threads)
	if err != nil {
		return 0, err
	}
	var far, out []float64
	n, _ := sample.Dims()
	for i := range n {
		columns, values := sample.Row(i)
		out = slices.Grow(out[:0], len(columns))[:len(columns)]
		effects.PredictRow(i, columns, out)
		for x, v := range values {
			far = append(far, math.Abs(v-out[x]))
		}
	}
	slices.Sort(far)
	if len(far) == 0 || far[len(far)/2] == 0 {
		return 1, nil
	}
	return 1.345 * 1.4826 * far[len(far)/2], nil
}
