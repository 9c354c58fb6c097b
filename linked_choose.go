package optcomplete

import (
	"context"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/progress"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// linkedEntries is about how many entries γ and the shrinkages of a loss are chosen
// on: every row takes several steps, where squared errors take one.
const linkedEntries = 60_000

// choose fills in what the settings leave open: the δ of Huber's loss from the spread
// of the entries, shrinkages and γ by how well they predict a fifth of them.
func (l linked) choose(ctx context.Context, t *task, train data.Source) (c choices, err error) {
	c = choices{Gamma: t.Gamma, Row: t.RowShrinkage, Column: t.ColumnShrinkage, Delta: t.Delta, Given: t.Gamma > 0, Fixed: t.ColumnShrinkage > 0}
	spread := l.loss.HasUnit() && c.Delta == 0
	if t.Refit == spec.Ridge && l.complete(c) && !spread {
		return c, nil
	}
	drawing := progress.Start(ctx, "Drawing entries to choose gamma on", 0, "")
	sample, err := evaluate.SampleRows(ctx, train, linkedEntries, t.Seed, t.Threads)
	drawing.Done()
	if err != nil {
		return c, err
	}
	if spread {
		if c.Delta, err = usualDelta(pass.WithLabel(context.WithoutCancel(ctx), "trials"), sample, t.Threads); err != nil {
			return c, err
		}
	}
	ctx, cancel := t.clock.Choice(pass.WithLabel(ctx, "trials")) // they read this sample, not the data
	defer cancel()
	if c.Row == 0 || c.Column == 0 {
		choosing := progress.Start(ctx, "Choosing the shrinkage of effects", 0, "")
		row, column, err := evaluate.ChooseLevels(ctx, sample, l.scaled(c), t.Threads)
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
	if c.Gamma == 0 || t.Refit != spec.Ridge {
		if err := l.chooseGamma(ctx, t, sample, &c); err != nil {
			return c, err
		}
	}
	c.Cut = ctx.Err()
	return c, nil
}

// chooseGamma goes along a path of γ, each search started from the selection before,
// and beside it chooses the γ of the refit: unless that is to be the same, which γ
// selects and how strongly the coefficients are then held back are different
// questions, and a γ that is easy to prove may select as well as any. A γ that is
// given stays.
func (l linked) chooseGamma(ctx context.Context, t *task, sample data.Source, c *choices) error {
	if err := t.find.Validate(len(t.units)); err != nil {
		return err
	}
	survey, err := pass.Survey(context.WithoutCancel(ctx), sample, t.Threads)
	if err != nil {
		return err
	}
	path := gammapath.Path{Unit: evaluate.FeatureScale(survey, t.features), First: -1, Last: 3, Step: 0.5, Equal: 1e-3, Patience: 2}
	part, err := evaluate.Validation(ctx, sample, 0, 0, t.Seed, t.Threads)
	if err != nil || part.Train.Observed() == 0 || part.Held.Observed() == 0 || !path.Usable() {
		if c.Gamma == 0 {
			c.Gamma = path.Default()
		}
		return ended(ctx, err)
	}
	tr := &linkedTrials{task: t, part: part, apart: t.Refit != spec.Ridge, known: map[string]refitted{}}
	if c.Gamma > 0 {
		_, err := tr.try(ctx, *c)
		c.Refit = tr.last.gamma
		return ended(ctx, err)
	}
	c.Gamma, c.GammaPath, err = path.Choose(ctx, func(gamma float64) (result.GammaPoint, error) {
		at := *c
		at.Gamma = gamma
		return tr.try(ctx, at)
	}, t.OnGamma)
	for _, p := range c.GammaPath {
		if p.Gamma == c.Gamma && tr.apart {
			c.Refit = tr.known[strings.Join(p.Selected, "\x00")].gamma
		}
	}
	c.Start = tr.start
	return err
}

// linkedTrials are fits for validation.
type linkedTrials struct {
	*task
	part  evaluate.Part
	apart bool                // the refit has a γ of its own
	start [][]int             // the selection before
	known map[string]refitted // by the names of a selection
	last  refitted
}

// refitted is the score of a selection's predictions, at the γ of the refit.
type refitted struct{ gamma, score float64 }

// try selects at the root of the search, and scores the selection.
func (r *linkedTrials) try(ctx context.Context, c choices) (result.GammaPoint, error) {
	point := result.GammaPoint{Gamma: c.Gamma}
	values, c, err := r.values(ctx, r.part.Train, c)
	if err != nil {
		return point, err
	}
	s := r.newSelector(values, c)
	r.remember(s, "trial", c)
	s.limit()
	s.find.Start = r.start
	found, err := search.Minimize(ctx, s.oracle, s.find)
	if err != nil {
		return point, err
	}
	if found.Status == search.Interrupted {
		return point, ctx.Err()
	}
	r.start = [][]int{found.Selection}
	selection := s.units(r.task, found.Selection)
	gap := min(found.RootGap, 1)
	point.RootGap, point.Selected, point.Limited = &gap, r.names(selection), found.Limited()
	key := strings.Join(point.Selected, "\x00")
	best, ok := r.known[key]
	if !ok || !r.apart {
		if best, err = r.refit(ctx, selection, c); err != nil {
			return point, err
		}
		r.known[key] = best
	}
	r.last, point.RMSE = best, best.score
	return point, nil
}

// refit finds the γ of the refit: from where it was last, as far to either side as the
// score improves.
func (r *linkedTrials) refit(ctx context.Context, selection []int, c choices) (refitted, error) {
	members := r.members(selection)
	chosen := estimate.Chosen(r.features, members)
	at := func(gamma float64) (refitted, error) {
		if c.Refit = gamma; !r.apart {
			c.Refit = 0
		}
		parts, err := r.parts(ctx, r.part.Train, selection, c)
		if err != nil {
			return refitted{}, err
		}
		score, err := evaluate.Score(ctx, r.part.Held, parts.Predictor(chosen, len(members)), r.Threads)
		return refitted{gamma, score.Score()}, err
	}
	from := c.Gamma
	if r.apart && r.last.gamma > 0 {
		from = r.last.gamma
	}
	best, err := at(from)
	if err != nil || !r.apart {
		return best, err
	}
	for _, by := range []float64{refitStep, 1 / refitStep} {
		for range refitTries {
			next, err := at(gammapath.Gamma(best.gamma * by))
			if err != nil {
				return best, err
			}
			if !(next.score < best.score) {
				break
			}
			best = next
		}
		if best.gamma != from {
			break // what was better on this side is worse on the other
		}
	}
	return best, nil
}

// The γ of a refit is found in steps of a factor refitStep, tried at most refitTries times.
const (
	refitStep  = 3.1622776601683795
	refitTries = 8
)

// usualDelta is the δ of Huber's loss unless it is given: 1.345 times a robust
// estimate of the deviation of what row and column effects leave, for which Huber's
// estimate has 95 % of the efficiency of least squares where errors are normal.
func usualDelta(ctx context.Context, sample *data.Matrix, threads int) (float64, error) {
	survey, err := pass.Survey(ctx, sample, threads)
	if err != nil {
		return 0, err
	}
	few := 4 * survey.Unit()
	effects, err := estimate.FitEffects(ctx, sample, few, few, threads)
	if err != nil {
		return 0, err
	}
	part, err := pass.One[*pass.List](ctx, sample, threads, missing{pass.Share(effects)})
	if err != nil {
		return 0, err
	}
	far := part.Values
	slices.Sort(far)
	if len(far) == 0 || far[len(far)/2] == 0 {
		return 1, nil
	}
	return 1.345 * 1.4826 * far[len(far)/2], nil
}

// missing gives by how much effects miss each entry.
type missing struct {
	By *pass.Shared[*estimate.Effects]
}

// Start makes a worker.
func (p missing) Start(*pass.Input) (pass.Worker, error) {
	effects := p.By.Get()
	var out []float64
	return pass.EachRow(func() *pass.List { return new(pass.List) }, func(part *pass.List, i int, columns []int32, values []float64) error {
		out = slices.Grow(out[:0], len(columns))[:len(columns)]
		effects.PredictRow(i, columns, out)
		for x, v := range values {
			part.Values = append(part.Values, math.Abs(v-out[x]))
		}
		return nil
	}), nil
}

func init() { pass.Register("residuals of effects", missing{}, new(pass.List)) }
