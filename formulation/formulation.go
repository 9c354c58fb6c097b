package formulation

import (
	"context"
	"math"
	"slices"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/lists"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/remainder"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// formulation is a model of a matrix apart from the entries it is fitted on: Fit takes all
// training entries, a path and the choice of what is left open parts of them.
type formulation struct {
	*Settings   // as they were given; what is left open in them is resolved below
	refit       spec.Refit
	features    *data.Features
	units       []unit // what can be selected
	nonnegative []bool // of each feature, whether its coefficients must not be negative; nil: of none
	method      selecting
	find        search.Settings
	clock       *selection.Clock     // of the whole fit; nil: none
	memory      *checkpoint.Store    // of what was computed; nil: none
	enough      func() bool          // ends the steps of a remainder; nil: nothing does
	onStep      func(remainder.Step) // of a remainder; may be nil

	remainderSteps int // of a remainder, at most; zero: enough

	moments *evaluate.Moments // of a path split by time; nil: folds are random
	cuts    []float64         // the moments between its folds
}

var (
	_ selection.Formulation[data.Source] = (*formulation)(nil)
	_ selection.Compared[data.Source]    = (*formulation)(nil)
)

// unit is something to select: a feature, or a group that counts as one.
type unit struct {
	name     string
	features []int
}

// newChecked checks the settings against the problem, and its entries, and gives the
// features the units of the model.
func newChecked(ctx context.Context, problem *Problem, settings *Settings) (*formulation, error) {
	t, err := newFormulation(ctx, *problem, settings)
	if err == nil {
		err = checkEntries(ctx, *problem, settings)
	}
	if err == nil {
		err = t.standardise(ctx, problem)
	}
	return t, err
}

// newFormulation checks the settings against the problem. It reads nothing, unless the
// loss is left to the data.
func newFormulation(ctx context.Context, problem Problem, settings *Settings) (*formulation, error) {
	t := &formulation{Settings: settings, refit: settings.Refit, features: problem.Features}
	if problem.Encoding != nil {
		t.units = lists.Each(problem.Encoding.Groups, func(g encode.Group) unit { return unit{g.Name, g.Features} })
	} else {
		for j, name := range problem.Features.Names {
			t.units = append(t.units, unit{name, []int{j}})
		}
	}
	if err := validate(ctx, problem, len(t.units), settings); err != nil {
		return nil, err
	}
	if t.refit == spec.AutoRefit {
		if t.refit = t.Model.DefaultRefit(); t.linked() {
			t.refit = spec.Ridge
		}
	}
	if t.method, _ = settings.Method.(selecting); t.method == nil {
		return nil, spec.Errorf("the method %v selects no features", settings.Method)
	}
	find := func(names []string, list string) ([]int, error) { return t.resolve(problem, names, list) }
	signs, err := find(selection.WithAll(t.Nonnegative, t.Names()), "nonnegative")
	if err != nil {
		return nil, err
	}
	if len(signs) > 0 {
		t.nonnegative = make([]bool, len(t.features.Names))
		for _, j := range t.members(signs) {
			t.nonnegative[j] = true
		}
	}
	if t.find, err = selection.Find(t.K, t.Choice, t.Limits, find); err != nil {
		return nil, err
	}
	if problem.Encoding != nil {
		for u, g := range problem.Encoding.Groups {
			if g.Always {
				t.find.Always = append(t.find.Always, u)
			}
			if g.Never {
				t.find.Never = append(t.find.Never, u)
			}
		}
	}
	for _, u := range t.find.Always {
		if slices.Contains(t.find.Never, u) {
			return nil, spec.Errorf("feature %q is both always and never to be selected", t.units[u].name)
		}
	}
	if err := t.find.Validate(len(t.units)); err != nil { // of what the user knows: the level of a row comes later
		return nil, search.SettingsError(err)
	}
	start, err := find(t.Start, "start")
	if len(start) > 0 {
		t.find.Start = [][]int{start}
	}
	return t, err
}

// resolve finds units by name: the encoding knows fields and groups too.
func (t *formulation) resolve(problem Problem, names []string, list string) ([]int, error) {
	if problem.Encoding != nil {
		found, err := problem.Encoding.Resolve(names)
		if err != nil {
			return nil, spec.Errorf("the %s list: %v", list, err)
		}
		return found, nil
	}
	return selection.Indices(problem.Features.Names, nil, names, list)
}

// Names are those of all units.
func (t *formulation) Names() []string {
	return lists.Each(t.units, func(u unit) string { return u.name })
}

// names are the names of selected units.
func (t *formulation) names(selection []int) []string { return lists.Pick(t.Names(), selection) }

// members are the features of selected units.
func (t *formulation) members(selection []int) []int {
	var members []int
	for _, u := range selection {
		members = append(members, t.units[u].features...)
	}
	return members
}

// at is the formulation for another k.
func (t *formulation) at(k int) *formulation {
	other := *t
	other.find.K = k
	return &other
}

// Learn learns what the settings leave open.
func (t *formulation) Learn(ctx context.Context, train data.Source, k int, near *selection.Learned, _ func(result.GammaPoint)) (selection.Learned, error) {
	return t.at(max(k, len(t.find.Always))).learn(ctx, train, near)
}

// Cost is the cost of k units.
func (t *formulation) Cost(ctx context.Context, train data.Source, k int, c selection.Learned) (*selection.Cost, error) {
	values, c, err := t.values(ctx, train, c)
	if err != nil {
		return nil, err
	}
	return &t.at(k).costOf(values, c).Cost, nil
}

// Score refits: how well a selection, fitted on some entries, predicts others.
func (t *formulation) Score(ctx context.Context, train, on data.Source, units []int, c selection.Learned) (float64, error) {
	parts, err := t.parts(ctx, train, units, c)
	if err != nil {
		return 0, err
	}
	if t.Model.Effects().Rows && !t.NoClip {
		parts.ClipToValues()
	}
	score, err := evaluate.Score(ctx, on, t.predictor(parts, units), t.Threads)
	return score.Score(), err
}

// Alone is the error of row and column effects, which k = 0 of the model full is.
func (t *formulation) Alone(ctx context.Context, train, on data.Source) (float64, error) {
	if e := t.Model.Effects(); e.Rows && e.Columns {
		return math.NaN(), nil
	}
	row, column, err := evaluate.ChooseShrinkage(ctx, train, t.Threads)
	if err != nil {
		return 0, err
	}
	effects, err := estimate.FitEffects(ctx, train, row, column, t.Threads)
	if err != nil {
		return 0, err
	}
	score, err := evaluate.Score(ctx, on, effects, t.Threads)
	return score.Score(), err
}

// The data of a path are in memory.

// Fold holds out a part of the entries.
func (t *formulation) Fold(all data.Source, x, folds int) (train, held data.Source) {
	if t.moments != nil {
		return t.moments.Parts(all.(*data.Matrix), t.cuts[x], t.cuts[x+1])
	}
	return evaluate.Fold(all.(*data.Matrix), x, folds, t.Seed)
}

// Repeat holds out a fifth of the entries.
func (t *formulation) Repeat(all data.Source, number int) (train, held data.Source) {
	return evaluate.Repeat(all.(*data.Matrix), number, t.Seed)
}

// Resample draws rows.
func (t *formulation) Resample(all data.Source, number int) (data.Source, error) {
	m := all.(*data.Matrix)
	n, _ := m.Dims()
	rows := selection.Draw(n, t.Seed, number)
	slices.Sort(rows)
	return data.Collect(m.WithKeys(nil), rows)
}

// parts fits everything but the selection, and keeps the coefficients of the rows
// in memory.
func (t *formulation) parts(ctx context.Context, train data.Source, units []int, c selection.Learned) (*estimate.Parts, error) {
	return t.partsTo(ctx, train, units, c, nil, nil)
}

// partsTo is parts that gives the rows to a sink, or has them written elsewhere.
func (t *formulation) partsTo(ctx context.Context, train data.Source, units []int, c selection.Learned, rows estimate.RowSink, shards func() (*estimate.ShardSink, error)) (*estimate.Parts, error) {
	members := t.members(units)
	recipe := estimate.Recipe{
		Kind: t.Model, Refit: t.refit, Gamma: c.Gamma, RowShrinkage: c.Row, ColumnShrinkage: c.Column, FixedShrinkage: c.Fixed, Steps: c.Steps, Threads: t.Threads,
		Rows: rows, Shards: shards, Memory: t.learnMemory(),
	}
	if c.Offsets != nil {
		recipe.Levels = &estimate.Effects{Mean: c.Offsets.Mean, Columns: c.Offsets.Column, Unit: c.Offsets.Unit}
	}
	if c.Steps > 0 && c.Units != nil && !c.Given { // a trial begins near
		recipe.Start = &result.Variances{Level: c.Units.Level, Features: lists.Pick(c.Units.Features, members), Noise: c.Units.Noise}
	}
	if t.linked() { // rows are fitted as they were selected
		var err error
		if recipe.Variances, err = t.learnAgain(ctx, train, members, c); err != nil {
			return nil, err
		}
		recipe.Linked, recipe.Loss, recipe.Refine = true, t.scaled(c), !c.Given
		if t.nonnegative != nil {
			recipe.Nonnegative = lists.Pick(t.nonnegative, members)
		}
	}
	return estimate.FitParts(ctx, train, estimate.Chosen(t.features, members), len(members), recipe)
}

// predictor predicts by the parts of a selection.
func (t *formulation) predictor(parts *estimate.Parts, selection []int) estimate.Predictor {
	members := t.members(selection)
	return parts.Predictor(estimate.Chosen(t.features, members), len(members))
}

// summary is what is known about the fit before the search.
func (t *formulation) summary(problem Problem, c selection.Learned) model.Summary {
	own := t.own(c)
	summary := model.Summary{
		Method: t.Method.String(), Model: t.Model.String(), K: t.K, Features: len(t.units),
		Gamma: oneGammaOf(c), Gamma0: own.Gamma0, RowShrinkage: own.Row, ColumnShrinkage: own.Column, Refit: t.refit, Seed: t.Seed,
		Choice: t.Choice, Version: spec.Version, Platform: platform(), Settings: settingsOf(t.Settings),
	}
	summary.Nouns, summary.Loss, summary.Delta = problem.Nouns, t.scaled(c).Loss, t.scaled(c).Unit
	summary.Weighted, summary.Units = problem.weighted(), t.describeUnits(c, problem.Encoding)
	if problem.Encoding == nil {
		summary.Warnings = problem.Features.Warnings()
	}
	return summary
}

// scaled is the loss of an error.
func (t *formulation) scaled(c selection.Learned) loss.Scaled {
	if !t.linked() {
		return loss.Scaled{}
	}
	return loss.Scaled{Loss: t.Loss, Unit: c.Delta}
}
