package formulation

import (
	"context"
	"slices"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/lists"
	"optcomplete/internal/timelimit"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/objective"
	"optcomplete/remainder"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// task is a fit apart from the entries it is made on: Fit makes it on all
// training entries, the choice of γ on parts of them.
type task struct {
	*Settings             // as they were given; what is left open in them is resolved below
	form      formulation // of the model
	refit     spec.Refit
	features  *data.Features
	units     []unit // what can be selected
	method    selecting
	find      search.Settings
	clock     *timelimit.Clock     // of the whole fit; nil: none
	memory    *checkpoint.Store    // of what was computed; nil: none
	enough    func() bool          // ends the steps of a remainder; nil: nothing does
	onStep    func(remainder.Step) // of a remainder; may be nil
}

// newTask checks the settings against the problem, and its entries.
func newTask(ctx context.Context, problem Problem, settings *Settings) (*task, error) {
	t, err := uncheckedTask(ctx, problem, settings)
	if err != nil {
		return nil, err
	}
	return t, checkEntries(ctx, problem, settings)
}

// uncheckedTask checks the settings against the problem. It reads nothing, unless the
// loss is left to the data.
func uncheckedTask(ctx context.Context, problem Problem, settings *Settings) (*task, error) {
	t := &task{
		Settings: settings, refit: settings.Refit, features: problem.Features,
		units: unitsOf(problem.Features, problem.Encoding),
	}
	if err := validate(ctx, problem, len(t.units), settings); err != nil {
		return nil, err
	}
	form, err := formulationOf(t, problem, settings)
	if err != nil {
		return nil, err
	}
	if t.form = form; t.refit == spec.AutoRefit {
		t.refit = form.refit(t.Model.DefaultRefit())
	}
	if t.method, _ = settings.Method.(selecting); t.method == nil {
		return nil, spec.Errorf("the method %v selects no features", settings.Method)
	}
	find := func(names []string, list string) ([]int, error) { return t.resolve(problem, names, list) }
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
	start, err := find(t.Start, "start")
	if err != nil {
		return nil, err
	}
	if len(start) > 0 {
		t.find.Start = [][]int{start}
	}
	return t, nil
}

// summary is what is known about the fit before the search.
func (t *task) summary(problem Problem, c choices) model.Summary {
	own := t.form.own(c)
	summary := model.Summary{
		Method: t.Method.String(), Model: t.Model.String(), K: t.K, Features: len(t.units),
		Gamma: oneGammaOf(c), Gamma0: own.Gamma0, RowShrinkage: own.Row, ColumnShrinkage: own.Column, Refit: t.refit, Seed: t.Seed,
		Choice: t.Choice, Version: spec.Version, Platform: platform(), Settings: settingsOf(t.Settings),
	}
	summary.Nouns, summary.Loss, summary.Delta = problem.Nouns, t.form.scaled(c).Loss, t.form.scaled(c).Unit
	summary.Weighted, summary.Units = problem.weighted(), t.describeUnits(c, problem.Encoding)
	if problem.Encoding == nil {
		summary.Warnings = problem.Features.Warnings()
	}
	return summary
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
	return lists.Each(selection, func(u int) string { return t.units[u].name })
}

// unitNames are the names of all units.
func (t *task) unitNames() []string {
	return lists.Each(t.units, func(u unit) string { return u.name })
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
func (t *task) values(ctx context.Context, train data.Source, c choices) (data.Source, choices, error) {
	return t.form.values(ctx, train, c, t.Threads)
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

// newSelector makes the cost to search, on values.
func (t *task) newSelector(values data.Source, c choices) *selector {
	groups := lists.Each(t.units, func(u unit) []int { return u.features })
	cost := t.form.cost(values, t.features, groups, c, t.Threads)
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
	return t.partsTo(ctx, train, selection, c, nil, nil)
}

// partsTo is parts that gives the rows to a sink, or has them written elsewhere.
func (t *task) partsTo(ctx context.Context, train data.Source, selection []int, c choices, rows estimate.RowSink, shards func() (*estimate.ShardSink, error)) (*estimate.Parts, error) {
	members := t.members(selection)
	if t.linked() {
		var err error
		if c.Again, err = t.learnAgain(ctx, train, members, c); err != nil {
			return nil, err
		}
	}
	recipe := estimate.Recipe{
		Kind: t.Model, Refit: t.refit, Gamma: c.Gamma, RowShrinkage: c.Row, ColumnShrinkage: c.Column, FixedShrinkage: c.Fixed, Steps: c.Steps, Threads: t.Threads,
		Rows: rows, Shards: shards, Memory: t.learnMemory(),
	}
	t.form.rows(&recipe, members, c)
	return estimate.FitParts(ctx, train, estimate.Chosen(t.features, members), len(members), recipe)
}

// cost is what the driver knows about a selector.
func (s *selector) cost(t *task) *selection.Cost {
	c := &selection.Cost{Oracle: s.oracle, Find: s.find, Units: len(t.units)}
	if s.exact != nil {
		c.Removals = s.exact.Removals
	}
	return c
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
	return selection.Indices(problem.Features.Names, names, list)
}
