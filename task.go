package optcomplete

import (
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/progress"
	"optcomplete/internal/timelimit"
	"optcomplete/model/estimate"
	"optcomplete/objective"
	"optcomplete/pass"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// task is a fit apart from the entries it is made on: Fit makes it on all
// training entries, the choice of γ on parts of them.
type task struct {
	kind     spec.Kind
	form     formulation // of that kind
	refit    spec.Refit
	features *data.Features
	units    []unit // what can be selected
	method   selecting
	find     search.Settings
	threads  int
	seed     uint64
	noClip   bool
	limit    int64             // Settings.Memory
	clock    *timelimit.Clock  // of the whole fit; nil: none
	memory   *checkpoint.Store // of what was computed; nil: none
}

// unit is something to select: a feature, or a group that counts as one.
type unit struct {
	name     string
	features []int
}

// choices are the numbers that validation chooses.
type choices = selection.Choices

// unitsOf lists what can be selected: the encoding's groups, or the features.
func unitsOf(features *data.Features, encoding *encode.Encoding) []unit {
	var units []unit
	if encoding != nil {
		for _, g := range encoding.Groups {
			units = append(units, unit{g.Name, g.Features})
		}
		return units
	}
	for j, name := range features.Names {
		units = append(units, unit{name, []int{j}})
	}
	return units
}

// names are the names of selected units.
func (t *task) names(selection []int) []string {
	names := make([]string, 0, len(selection))
	for _, u := range selection {
		names = append(names, t.units[u].name)
	}
	return names
}

// unitNames are the names of all units.
func (t *task) unitNames() []string {
	names := make([]string, 0, len(t.units))
	for _, u := range t.units {
		names = append(names, u.name)
	}
	return names
}

// members are the features of selected units.
func (t *task) members(selection []int) []int {
	var members []int
	for _, u := range selection {
		members = append(members, t.units[u].features...)
	}
	return members
}

// values are what the selection is to explain of the entries.
func (t *task) values(ctx context.Context, train data.Source, c choices) (data.Source, error) {
	return t.form.values(ctx, train, c, t.threads)
}

// selector is an oracle and how its selections translate to units: beside them it
// may have features that are always selected.
type selector struct {
	values data.Source // what the selection is to explain
	oracle search.Oracle
	exact  *objective.Exact // what the oracle asks, if its selections are the features'
	find   search.Settings
}

// units drops what is no unit from a selection of the oracle.
func (s *selector) units(t *task, selection []int) []int {
	return slices.DeleteFunc(slices.Clone(selection), func(u int) bool { return u >= len(t.units) })
}

// selector makes the cost to search, on values.
func (t *task) selector(values data.Source, c choices) *selector {
	groups := make([][]int, 0, len(t.units)+1)
	for _, u := range t.units {
		groups = append(groups, u.features)
	}
	cost := t.form.cost(values, t.features, groups, c, t.threads)
	s := &selector{values: values, oracle: cost.oracle, exact: cost.exact, find: t.find}
	for x := range cost.always {
		s.find.K++
		s.find.Always = append(slices.Clip(s.find.Always), len(t.units)+x)
	}
	return s
}

// parts fits everything but the selection, and keeps the coefficients of the rows
// in memory.
func (t *task) parts(ctx context.Context, train data.Source, selection []int, c choices) (*estimate.Parts, error) {
	return t.partsTo(ctx, train, selection, c, nil)
}

// partsTo is parts that gives the rows to a sink.
func (t *task) partsTo(ctx context.Context, train data.Source, selection []int, c choices, rows estimate.RowSink) (*estimate.Parts, error) {
	members := t.members(selection)
	return estimate.FitParts(ctx, train, estimate.Chosen(t.features, members), len(members), estimate.Recipe{
		Kind: t.kind, Refit: t.refit, Gamma: c.Gamma, RowShrinkage: c.Row, ColumnShrinkage: c.Column, FixedShrinkage: c.Fixed, Steps: c.Steps, Threads: t.threads,
		Rows: rows, Memory: t.learnMemory(),
	})
}

// cost is what the driver knows of a selector.
func (s *selector) cost(t *task) *selection.Cost {
	c := &selection.Cost{Oracle: s.oracle, Find: s.find, Units: len(t.units)}
	if s.exact != nil {
		c.Removals = s.exact.Removals
	}
	return c
}

// harder is by how much a larger γ, which is harder to prove, must be better.
const harder = 1e-3

// Limits of a trial: enough to select well, not to prove.
const (
	trialPasses = selection.TrialPasses
	trialSteps  = 6
)

// limit ends the search at its root, in silence.
func (s *selector) limit() {
	s.find.MaxNodes, s.find.MaxPasses, s.find.NearTies = 1, trialPasses, -1
	s.find.Gap, s.find.TimeLimit, s.find.OnEvent = 0, 0, nil
}

// try is one fit for validation: the root of the search only.
func (t *task) try(ctx context.Context, train data.Source, c choices, start [][]int) (evaluate.Trial, error) {
	defer progress.Start(ctx, fmt.Sprintf("Trying gamma %.3g", c.Gamma), 0, "").Done()
	values, err := t.values(ctx, train, c)
	if err != nil {
		return evaluate.Trial{}, err
	}
	s := t.selector(values, c)
	t.remember(s, "trial", c)
	s.limit()
	s.find.Start = start
	if s.find.Guide, err = t.guide(ctx, values, c); err != nil {
		return evaluate.Trial{}, err
	}
	result, err := search.Minimize(ctx, s.oracle, s.find)
	if err != nil {
		return evaluate.Trial{}, err
	}
	if result.Status == search.Interrupted {
		return evaluate.Trial{}, ctx.Err()
	}
	selection := s.units(t, result.Selection)
	c.Steps = trialSteps
	parts, err := t.trialParts(ctx, train, selection, c)
	if err != nil {
		return evaluate.Trial{}, err
	}
	if t.kind == spec.Paper {
		parts.ClipToValues() // least squares of a row with few entries predict anything: such a row would decide
	}
	members := t.members(selection)
	return evaluate.Trial{
		Selection: result.Selection, Selected: t.names(selection), RootGap: result.RootGap, Limited: result.Limited(),
		Predict: parts.Predictor(estimate.Chosen(t.features, members), len(members)),
	}, nil
}

// ChooseGamma is the γ that Fit would choose for the problem on all its entries.
func ChooseGamma(ctx context.Context, problem Problem, settings Settings) (float64, error) {
	t, err := newTask(ctx, problem, &settings)
	if err != nil {
		return 0, err
	}
	c, err := t.choose(ctx, problem.Ratings.Source(), &settings)
	return c.Gamma, err
}

// choose fills in what the settings leave to validation.
func (t *task) choose(ctx context.Context, train data.Source, s *Settings) (choices, error) {
	c := choices{Gamma: s.Gamma, Gamma0: s.Gamma0, Row: s.RowShrinkage, Column: s.ColumnShrinkage, Fixed: s.ColumnShrinkage > 0}
	effects := t.kind != spec.Paper && c.Row == 0 || t.kind == spec.Full && c.Column == 0
	if c.Gamma > 0 && !effects && (t.kind != spec.Pooled || c.Gamma0 > 0) {
		return c, nil // nothing is left to choose
	}
	survey, err := pass.Survey(context.WithoutCancel(ctx), train, t.threads)
	if err != nil {
		return c, err
	}
	path := evaluate.GammaSettings{
		Path:    gammapath.Standard(evaluate.FeatureScale(survey, t.features)),
		Entries: evaluate.TrialEntries, Seed: s.Seed, Threads: t.threads, OnPoint: s.OnGamma,
	}
	drawing := progress.Start(ctx, "Drawing entries to choose gamma on", 0, "")
	part, err := path.Validation(ctx, train)
	drawing.Done()
	if err != nil {
		return c, err
	}
	ctx, cancel := t.clock.Choice(pass.WithLabel(ctx, "trials")) // they read this part, not the data
	defer cancel()
	if t.kind != spec.Paper {
		path.Path = gammapath.Path{Unit: path.Path.Unit, First: -2, Last: 3, Step: 0.5, Equal: 5e-4, Patience: 2}
		if c.Row == 0 || c.Column == 0 {
			choosing := progress.Start(ctx, "Choosing the shrinkage of effects", 0, "")
			row, column, err := evaluate.ChooseShrinkage(ctx, part, t.threads)
			choosing.Done()
			if err != nil && ctx.Err() == nil {
				return c, err
			}
			if c.Row == 0 && t.kind == spec.Full {
				row *= stretchFirst
			}
			if c.Row == 0 {
				c.Row = row
			}
			if c.Column == 0 {
				c.Column = column
			}
		}
	}
	n, _ := train.Dims()
	population := math.Sqrt(float64(max(n, 1))) // γ₀ ÷ γ unless given: the population has all rows to learn from
	if c.Gamma == 0 {
		path.Try = func(ctx context.Context, part data.Source, gamma float64, start [][]int) (evaluate.Trial, error) {
			at := c
			at.Gamma = gamma
			if at.Gamma0 == 0 {
				at.Gamma0 = gamma * population
			}
			return t.try(ctx, part, at, start)
		}
		if c.Gamma, c.GammaPath, err = evaluate.ChooseGamma(ctx, part, path); err != nil {
			return c, err
		}
	}
	if c.Gamma0 == 0 {
		c.Gamma0 = c.Gamma * population
	}
	if t.kind == spec.Pooled && s.Gamma0 == 0 && ctx.Err() == nil {
		if err := t.spread(ctx, part, &c, population); err != nil {
			return c, err
		}
	}
	if t.kind == spec.Full && s.RowShrinkage == 0 && ctx.Err() == nil {
		if err := t.stretch(ctx, part, &c, s.Gamma != 0); err != nil {
			return c, err
		}
	}
	c.Cut = ctx.Err()
	return c, nil
}

// stretchFirst is how much stronger than predicts best without features the row
// effects are shrunk to begin with: the features then also explain why rows
// differ in level.
const stretchFirst = 4

// stretches are the steps by which still stronger shrinkage is tried, and by
// which weaker one if that does not help. More is then left to explain, so γ
// may have to grow with it.
var (
	stretches   = []float64{4, 16}
	stretchBack = 0.25
	stretchBys  = []float64{1, 3.16}
)

// spread chooses γ₀ of the population beside a chosen γ: as it was assumed, or
// smaller or larger by the root of the number of rows if that is better by more
// than chance.
func (t *task) spread(ctx context.Context, part evaluate.Part, c *choices, by float64) error {
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return nil
	}
	var best *evaluate.Errors
	var start [][]int
	for _, gamma0 := range []float64{c.Gamma0, c.Gamma0 / by, c.Gamma0 * by} {
		at := *c
		at.Gamma0 = gammapath.Round(gamma0)
		trial, err := t.try(ctx, part.Train, at, start)
		if ctx.Err() != nil {
			return nil // the best so far
		}
		if err != nil {
			return err
		}
		start = [][]int{trial.Selection}
		errors, err := evaluate.ScoreErrors(ctx, part.Held, trial.Predict, t.threads)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if best == nil || errors.Better(best) {
			best, c.Gamma0 = errors, at.Gamma0
		}
	}
	return nil
}

// stretch tries other shrinkage of the row effects, and takes what is better by
// more than chance. A γ that was given stays.
func (t *task) stretch(ctx context.Context, part evaluate.Part, c *choices, given bool) error {
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return nil
	}
	from := *c
	var best *evaluate.Errors
	var start [][]int
	try := func(factor float64, bys []float64) (better bool, err error) {
		for _, by := range bys {
			at := from
			at.Row *= factor
			if by != 1 {
				at.Gamma = gammapath.Round(at.Gamma * by)
			}
			trial, err := t.try(ctx, part.Train, at, start)
			if err != nil {
				return false, err
			}
			start = [][]int{trial.Selection}
			errors, err := evaluate.ScoreErrors(ctx, part.Held, trial.Predict, t.threads)
			if err != nil {
				return false, err
			}
			if best != nil && (!errors.Better(best) || at.Gamma > c.Gamma && errors.RMSE >= best.RMSE*(1-harder)) {
				continue
			}
			better = true
			best, c.Row, c.Gamma = errors, at.Row, at.Gamma
		}
		return better, nil
	}
	bys := stretchBys
	if given {
		bys = bys[:1]
	}
	better, err := try(1, bys[:1])
	for i := 0; err == nil && better && i < len(stretches); i++ {
		if better, err = try(stretches[i], bys); err == nil && !better && i == 0 {
			_, err = try(stretchBack, bys[:1])
		}
	}
	if ctx.Err() != nil {
		return nil // the best so far
	}
	return err
}

// resolve finds units by name: the encoding knows fields and groups too.
func (t *task) resolve(problem Problem, names []string, list string) ([]int, error) {
	if problem.Encoding != nil {
		found, err := problem.Encoding.Resolve(names)
		if err != nil {
			return nil, spec.Errorf("the %s list: %v", list, err)
		}
		return found, nil
	}
	return indices(problem.Features, names, list)
}
