package formulation

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/objective"
	"optcomplete/pass"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// linked tells whether more is asked for than squared errors and coefficients of any
// sign.
func (s *Settings) linked() bool { return s.Loss != loss.Squared || len(s.Nonnegative) > 0 }

// own leaves only those numbers that the model has: the others are 0.
func (t *formulation) own(c selection.Learned) selection.Learned {
	if t.Model != spec.Pooled {
		c.Gamma0 = 0
	}
	has := t.Model.Effects()
	if !has.Rows {
		c.Row = 0
	}
	if !has.Columns {
		c.Column = 0
	}
	return c
}

// values are what the selection is to explain of the entries: in paper the entries
// themselves, in pooled what the mean leaves, in full what column effects leave too. Of other
// losses they are the entries, given the mean and the effects of columns on the scale of the loss.
// What is learned gains what is predicted besides them, and what the cost is to know of weights.
func (t *formulation) values(ctx context.Context, train data.Source, c selection.Learned) (data.Source, selection.Learned, error) {
	if t.linked() {
		effects, err := estimate.FitLevels(ctx, train, t.scaled(c), c.Row, c.Column, t.Threads)
		if err == nil {
			c.Offsets = &objective.Offsets{Mean: effects.Mean, Column: effects.Columns, Unit: effects.Unit}
		}
		return train, c, err
	}
	var leave pass.Subtract
	if t.Model.Effects().Columns {
		effects, err := estimate.FitColumns(ctx, train, c.Row, c.Column, t.Threads)
		if err != nil {
			return nil, c, err
		}
		leave.Mean, leave.Columns = effects.Mean, pass.Share(effects.Columns)
		c.Offsets = &objective.Offsets{Mean: effects.Mean, Column: effects.Columns, Unit: effects.Unit} // for the rows: they start there
	}
	if t.Model == spec.Pooled || data.IsWeighted(train) {
		survey, err := pass.Survey(ctx, train, t.Threads)
		if err != nil {
			return nil, c, err
		}
		if c.Heaviest = survey.Heaviest; t.Model == spec.Pooled {
			leave.Mean = survey.Mean()
		}
	}
	if t.Model.AsGiven() {
		return train, c, nil
	}
	values, err := pass.Transformed(ctx, train, t.Threads, "residuals", leave)
	return values, c, err
}

// cost is the cost of selections, and how to search it.
type cost struct {
	selection.Cost
	values data.Source      // what the selection is to explain
	exact  *objective.Exact // what the oracle is, if its selections are the features' and its rows know nothing of each other
}

// costOf is the cost of explaining values. Besides the units a selection has the level of the
// rows, a constant: it is the last of the oracle's features, always selected.
func (t *formulation) costOf(values data.Source, c selection.Learned) *cost {
	out := &cost{Cost: selection.Cost{Find: t.find, Units: len(t.units)}, values: values}
	groups := lists.Each(t.units, func(u unit) []int { return u.features })
	features := t.features
	if !t.Model.AsGiven() {
		features = inUnits(features, c.Units, c.Factor)
		groups = append(groups, []int{len(t.features.Names)})
		out.Find.K++
		out.Find.Always = append(slices.Clip(out.Find.Always), len(t.units))
	}
	var oracle search.Curved
	switch {
	case t.linked():
		signs := t.nonnegative
		if signs != nil {
			signs = append(slices.Clone(signs), false)
		}
		oracle = objective.NewConvex(values, features, c.Gamma, t.scaled(c), c.Offsets, signs, t.Threads)
	case t.Model == spec.Pooled:
		oracle = objective.NewPooled(objective.NewWeighted(values, features, c.Gamma, c.Heaviest, t.Threads), c.Gamma0)
	default:
		exact := objective.NewWeighted(values, features, c.Gamma, c.Heaviest, t.Threads)
		if !slices.ContainsFunc(groups, func(g []int) bool { return len(g) != 1 }) {
			out.Oracle, out.exact, out.Removals = exact, exact, exact.Removals
			return out
		}
		oracle = exact
	}
	out.Oracle = objective.NewGrouped(oracle, groups)
	return out
}
