package optcomplete

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/progress"
	"optcomplete/model/estimate"
	"optcomplete/objective"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// ChooseGamma is the γ that Fit would choose for the problem on all its entries.
func ChooseGamma(ctx context.Context, problem Problem, settings Settings) (float64, error) {
	t, err := newTask(ctx, problem, &settings)
	if err != nil {
		return 0, err
	}
	c, err := t.form.choose(ctx, t, problem.Ratings.Source())
	return c.Gamma, err
}

// chooseBySquares fills in what the settings leave open: the shrinkage of effects from
// their variances, γ by how well what it selects predicts, and at that γ more shrinkage of
// row effects if it selects what predicts better.
func (t *task) chooseBySquares(ctx context.Context, train data.Source) (choices, error) {
	c := choices{Gamma: t.Gamma, Gamma0: t.Gamma0, Row: t.RowShrinkage, Column: t.ColumnShrinkage, Given: t.Gamma > 0, Fixed: t.ColumnShrinkage > 0}
	if t.form.complete(c) {
		return c, nil // nothing is left to choose
	}
	has := t.Model.Effects()
	drawing := progress.Start(ctx, "Drawing entries to choose gamma on", 0, "")
	sample, err := evaluate.SampleRows(ctx, train, evaluate.TrialEntries, t.Seed, t.Threads)
	drawing.Done()
	if err != nil {
		return c, err
	}
	ctx, cancel := t.clock.Choice(pass.WithLabel(ctx, "trials")) // they read this sample, not the data
	defer cancel()
	if has.Rows && c.Row == 0 || has.Columns && c.Column == 0 {
		choosing := progress.Start(ctx, "Choosing the shrinkage of effects", 0, "")
		row, column, err := evaluate.ChooseShrinkage(ctx, sample, t.Threads)
		choosing.Done()
		if err != nil && ctx.Err() == nil {
			return c, err
		}
		if c.Row == 0 {
			c.Row = gammapath.Round(row)
		}
		if c.Column == 0 {
			c.Column = gammapath.Round(column)
		}
	}
	n, _ := train.Dims()
	population := math.Sqrt(float64(max(n, 1))) // γ₀ ÷ γ unless given: the population has all rows to learn from
	if c.Gamma == 0 || t.shrinkable() {
		if err := t.race(ctx, sample, &c, population); err != nil {
			return c, err
		}
	}
	if c.Gamma0 == 0 {
		c.Gamma0 = c.Gamma * population
	}
	c.Cut = ctx.Err()
	return c, nil
}

// Sizes of the samples that γ are tried on, in entries. The last is all there is up to
// a limit, and less for searches: they take far longer than swaps of single features.
const (
	firstTrial   = 6_000
	secondTrial  = 60_000
	lastTrial    = 400_000
	mostSearched = 30_000
	// On the last, features are swapped in so many readings: most swaps were made before.
	lastReadings = 2
)

// trialSteps are those of learning a prior for a trial.
const trialSteps = 6

// race chooses γ, unless it is given, and the shrinkage of row effects on samples of rows.
func (t *task) race(ctx context.Context, sample *data.Matrix, c *choices, population float64) error {
	if err := t.find.Validate(len(t.units)); err != nil {
		return err
	}
	survey, err := pass.Survey(context.WithoutCancel(ctx), sample, t.Threads) // without it there is no γ at all
	if err != nil {
		return err
	}
	tr := &trials{task: t, choices: *c, population: population, survey: survey, sample: sample}
	tr.Heaviest = survey.Heaviest
	path := gammapath.Path{Unit: evaluate.FeatureScale(survey, t.features), Step: 0.5, Equal: equalErrors}
	path.First, path.Last = t.form.gammas()
	if c.Gamma == 0 {
		c.Gamma = path.Default()
	}
	if !path.Usable() || survey.Total < 2 {
		return nil
	}
	if has := t.Model.Effects(); has.Rows {
		if tr.effects, err = estimate.FitEffectsOf(ctx, sample, has, c.Row, c.Column, t.Threads); err != nil {
			return ended(ctx, err)
		}
	}
	if err := tr.draw(ctx, sample, t.Seed); err != nil {
		return ended(ctx, err)
	}
	var won evaluate.Won
	if !c.Given {
		defer progress.Start(ctx, "Choosing gamma", 0, "").Done()
		race := evaluate.Race{
			Path: path, Levels: len(tr.levels), Select: tr.find, Score: tr.score, ByGamma: t.refit == spec.Ridge, Root: tr.root, Limited: tr.limited, Many: many(len(t.units), t.K),
			Names: tr.selected,
		}
		if won, err = race.Run(ctx); err != nil {
			return err
		}
		c.Gamma, c.GammaPath = won.Gamma, won.Path
		if won.Selection != nil {
			c.Start = [][]int{won.Selection}
		}
	}
	if t.shrinkable() {
		if err := ended(ctx, tr.shrink(ctx, c, won)); err != nil {
			return err
		}
	}
	for _, p := range c.GammaPath {
		if t.OnGamma != nil {
			t.OnGamma(p)
		}
	}
	return nil
}

// selected are the names of a selection.
func (t *task) selected(selection []int) []string { return t.names(t.unitsIn(selection)) }

// equalErrors is how much errors may differ, relatively, and still count as equal.
const equalErrors = 5e-4

// many tells whether there are more ways to select k of p than a search looks at in no
// time.
func many(p, k int) bool {
	ways := 1.0
	for x := range min(k, p-k) {
		ways *= float64(p-x) / float64(x+1)
		if ways > 1e7 {
			return true
		}
	}
	return false
}

// ended is the error of work that the end of its time did not cut short.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// trials select and score on samples of rows.
type trials struct {
	*task
	choices
	population float64
	sample     *data.Matrix // all that is chosen on
	survey     *data.Survey
	effects    *estimate.Effects // nil in paper
	levels     []level
}

// level is a sample: its entries, what is to be explained of them, and their rows.
type level struct {
	entries   *data.Matrix
	values    data.Source
	rest      data.Source // what a learned prior explains; nil until it is asked for
	rows      []float64   // effects
	neighbour *objective.Neighbours
}

// draw makes the samples.
func (r *trials) draw(ctx context.Context, all *data.Matrix, seed uint64) error {
	last := min(all.Observed(), lastTrial)
	if !r.single() {
		last = min(last, mostSearched)
	}
	var sizes []int
	for _, size := range []int{firstTrial, secondTrial} {
		if 2*size <= last {
			sizes = append(sizes, size)
		}
	}
	sizes = append(sizes, last)
	samples, err := evaluate.Samples(all, sizes, seed)
	if err != nil {
		return err
	}
	for _, m := range samples {
		l := level{entries: m, values: m}
		if r.effects != nil {
			if l.rows, l.values, err = r.explain(ctx, m, r.effects, r.Row); err != nil {
				return err
			}
		}
		switch {
		case !r.single():
		case len(r.levels) > 0:
			l.neighbour = r.levels[0].neighbour.On(l.values)
		default:
			l.neighbour = objective.NewNeighbours(l.values, r.features, r.Threads)
		}
		r.levels = append(r.levels, l)
	}
	return nil
}

// explain is what is to be explained of entries, and the effects of their rows if they are
// subtracted.
func (r *trials) explain(ctx context.Context, m *data.Matrix, e *estimate.Effects, row float64) (rows []float64, values data.Source, err error) {
	subtract := pass.Subtract{Mean: e.Mean}
	if r.form.subtracts() {
		if rows, err = estimate.RowEffects(ctx, m, e.Mean, row, e.Columns, r.Threads); err != nil {
			return nil, nil, err
		}
		subtract.Rows, subtract.Columns = pass.Share(rows), pass.Share(e.Columns)
	}
	values, err = pass.Transformed(ctx, m, r.Threads, "residuals", subtract)
	return rows, values, err
}

// single tells whether single features are selected by a cost that is a sum over
// rows.
func (t *task) single() bool {
	return t.form.separate() && !slices.ContainsFunc(t.units, func(u unit) bool { return len(u.features) != 1 })
}

// find selects on a sample at each γ: by swaps of single features, or by the root of a
// search.
func (r *trials) find(ctx context.Context, at int, gammas []float64, start [][]int) ([][]int, error) {
	l := &r.levels[at]
	if l.neighbour != nil {
		limit := 0
		if at > 1 {
			limit = lastReadings
		}
		return l.neighbour.Descend(ctx, gammas, start, r.task.find.K, r.task.find.Always, r.task.find.Never, limit)
	}
	var found [][]int
	for x, gamma := range gammas {
		s := r.newSelector(l.values, r.at(gamma))
		s.limit()
		if start[x] != nil {
			s.find.Start = start[x : x+1]
		} else if x > 0 {
			s.find.Start = found[x-1 : x]
		}
		result, err := search.Minimize(ctx, s.oracle, s.find)
		if err != nil {
			return nil, err
		}
		if result.Status == search.Interrupted {
			return nil, ctx.Err()
		}
		found = append(found, result.Selection)
	}
	return found, nil
}

// at is the choices at a γ.
func (r *trials) at(gamma float64) choices {
	c := r.choices
	if c.Gamma = gamma; c.Gamma0 == 0 {
		c.Gamma0 = gamma * r.population
	}
	return c
}

// limit ends the search at its root, in silence.
func (s *selector) limit() {
	s.find.MaxNodes, s.find.MaxPasses, s.find.NearTies = 1, selection.TrialPasses, -1
	s.find.Gap, s.find.TimeLimit, s.find.SearchTime, s.find.OnEvent = 0, 0, 0, nil
}

// score leaves out every entry of a sample in turn, with the selected features fitted
// as the model will fit them.
func (r *trials) score(ctx context.Context, at int, gamma float64, selection []int) (*evaluate.Errors, error) {
	l := &r.levels[at]
	members := r.members(r.unitsIn(selection))
	design, d := estimate.Chosen(r.features, members), len(members)
	var clip *result.Range
	if !r.Model.Effects().Rows || !r.NoClip { // least squares of a row with few entries predict anything: such a row would decide
		clip = &result.Range{Low: r.survey.Low, High: r.survey.High}
	}
	if r.refit != spec.LearnedPrior {
		ridge := 0.0
		if r.refit == spec.Ridge {
			ridge = 1 / gamma
		}
		fit := estimate.RidgeLeaveOut(design, d, ridge)
		if r.effects != nil {
			fit.Shift(r.effects.Mean, r.effects.Columns)
		}
		return evaluate.LeaveOneOut(ctx, l.entries, fit, l.rows, clip, r.Threads)
	}
	few := &r.levels[min(at, 1)] // a prior needs no more rows than these
	rest := few.values
	if r.effects != nil {
		design, d = estimate.WithConstant(design, d, len(r.features.IDs)), d+1
		if few.rest == nil {
			var err error
			if few.rest, err = pass.Transformed(ctx, few.entries, r.Threads, "residuals", pass.Subtract{Mean: r.effects.Mean, Columns: pass.Share(r.effects.Columns)}); err != nil {
				return nil, err
			}
		}
		rest = few.rest
	}
	prior, err := estimate.LearnPrior(ctx, rest, design, d, trialSteps, r.Threads)
	if err != nil {
		return nil, err
	}
	fit, err := prior.NewLeaveOut(design, d)
	if err != nil {
		return nil, err
	}
	if r.effects != nil {
		fit.Shift(r.effects.Mean, r.effects.Columns)
	}
	return evaluate.LeaveOneOut(ctx, l.entries, fit, nil, clip, r.Threads)
}

// root searches the smallest sample to its root: relaxations are about as tight on all
// data.
func (r *trials) root(ctx context.Context, gamma float64, selection []int) (gap float64, err error) {
	s := r.newSelector(r.levels[0].values, r.at(gamma))
	s.limit()
	s.find.Brief, s.find.Start = true, [][]int{selection}
	found, err := search.Minimize(ctx, s.oracle, s.find)
	return found.RootGap, err
}

// limited evaluates a selection on the smallest sample: rounding is much the same on
// all data.
func (r *trials) limited(ctx context.Context, gamma float64, selection []int) (bool, error) {
	s := r.newSelector(r.levels[0].values, r.at(gamma))
	s.limit()
	s.find.MaxPasses, s.find.Start = 2, [][]int{selection} // nothing selected, and this
	found, err := search.Minimize(ctx, s.oracle, s.find)
	return found.Limited(), err
}

// unitsIn drops what is no unit from a selection of an oracle.
func (t *task) unitsIn(selection []int) []int { return (&selector{}).units(t, selection) }
