package formulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/objective"
	"optcomplete/pass"
	"optcomplete/selection"
	"optcomplete/spec"
)

// linked is full by any loss, with coefficients that may be held at or above zero.
// It explains the entries themselves, given the mean and the effects of columns on
// the scale of the loss. The effect of a row is a coefficient like the
// others, of a constant that is always selected.
type linked struct {
	full
	loss        loss.Loss
	nonnegative []bool // of each feature; nil: none
}

// linked tells whether more is asked for than squared errors and coefficients of any
// sign.
func (s *Settings) linked() bool { return s.Loss != loss.Squared || len(s.Nonnegative) > 0 }

func (l linked) values(ctx context.Context, train data.Source, c choices, threads int) (data.Source, choices, error) {
	effects, err := estimate.FitLevels(ctx, train, l.scaled(c), c.Row, c.Column, threads)
	if err != nil {
		return nil, c, err
	}
	c.Offsets = &objective.Offsets{Mean: effects.Mean, Column: effects.Columns, Unit: effects.Unit}
	return train, c, nil
}

func (l linked) cost(values data.Source, features *data.Features, groups [][]int, c choices, threads int) matrixCost {
	_, p := features.Dims()
	nonnegative := l.nonnegative
	if nonnegative != nil {
		nonnegative = append(slices.Clone(nonnegative), false)
	}
	cost := objective.NewConvex(values, inUnits(features, c.Units, c.Factor), c.Gamma, l.scaled(c), c.Offsets, nonnegative, threads)
	return matrixCost{oracle: objective.NewGrouped(cost, append(slices.Clip(groups), []int{p})), always: 1}
}

// baselines tells that methods that select nothing have squared errors only.
func (linked) baselines() bool { return false }

// rows are fitted as they were selected.
func (l linked) rows(r *estimate.Recipe, members []int, c choices) {
	r.Linked, r.Loss, r.Variances, r.Refine = true, l.scaled(c), c.Again, !c.Given
	if c.Offsets != nil {
		r.Levels = &estimate.Effects{Mean: c.Offsets.Mean, Columns: c.Offsets.Column}
	}
	if l.nonnegative == nil {
		return
	}
	for _, j := range members {
		r.Nonnegative = append(r.Nonnegative, l.nonnegative[j])
	}
}

func (linked) refit(spec.Refit) spec.Refit { return spec.Ridge }

func (l linked) scaled(c choices) loss.Scaled { return loss.Scaled{Loss: l.loss, Unit: c.Delta} }

// newLinked finds the features whose coefficients must not be negative.
func newLinked(t *task, problem Problem, s *Settings) (formulation, error) {
	l := linked{loss: s.Loss}
	if len(s.Nonnegative) == 0 {
		return l, nil
	}
	l.nonnegative = make([]bool, len(t.features.Names))
	units, err := t.resolve(problem, selection.WithAll(s.Nonnegative, t.unitNames()), "nonnegative")
	if err != nil {
		return nil, err
	}
	for _, j := range t.members(units) {
		l.nonnegative[j] = true
	}
	return l, nil
}

// SuitableLoss is the loss of settings that leave it to the data (loss.Auto):
// logistic if all values are 0 or 1, both occur, and everything that the settings
// ask for is to be had with it; else squared errors. What is not to be had with the loss
// is an error.
func SuitableLoss(ctx context.Context, problem Problem, s Settings) (loss.Loss, error) {
	if s.Loss == loss.Auto {
		var err error
		if s.Loss, err = suitable(ctx, problem, s); err != nil {
			return s.Loss, err
		}
	}
	if err := s.refuse(); err != nil {
		return s.Loss, err
	}
	return s.Loss, s.checkLoss()
}

func suitable(ctx context.Context, problem Problem, s Settings) (loss.Loss, error) {
	s.Loss = loss.Logistic
	if cmp.Or(s.refuse(), s.checkLoss()) != nil {
		return loss.Squared, nil
	}
	if all, err := s.yesOrNo(ctx, problem); err != nil || !all {
		return loss.Squared, err
	}
	return loss.Logistic, nil
}

// WhySquares is the setting because of which SuitableLoss takes squared errors although
// all values are 0 or 1 and both occur; empty if there is none.
func WhySquares(ctx context.Context, problem Problem, s Settings) (setting string, err error) {
	s.Loss = loss.Logistic
	var why *spec.Error
	if !errors.As(cmp.Or(s.refuse(), s.checkLoss()), &why) || why.Setting == "" {
		return "", nil
	}
	if all, err := s.yesOrNo(ctx, problem); err != nil || !all {
		return "", err
	}
	switch use := spec.Uses["loss"]; {
	case why.Setting != "loss":
		return why.Setting, nil
	case !slices.Contains(use.Methods, s.Method.String()):
		return "method " + s.Method.String(), nil
	}
	return "model " + s.Model.String(), nil
}

// yesOrNo tells whether all values are 0 or 1 and both occur.
func (s *Settings) yesOrNo(ctx context.Context, problem Problem) (bool, error) {
	if problem.Ratings.Observed() > countable {
		return false, nil
	}
	source, threads := problem.Ratings.Source(), s.Processors()
	survey, err := pass.Survey(context.WithoutCancel(ctx), source, threads)
	if err != nil || survey.Low != 0 || survey.High != 1 {
		return false, err
	}
	between, err := pass.One[*pass.Sums](context.WithoutCancel(ctx), source, threads, fractions{})
	return err == nil && between.Values[0] == 0, err
}

// checkValues refuses values that the loss is not for.
func (s *Settings) checkValues(survey *data.Survey) error {
	if survey.Total == 0 || s.Loss.Allows(survey.Low) && s.Loss.Allows(survey.High) {
		return nil
	}
	return spec.Errorf("the values are from %g to %g, but the loss %v is for %s (squared and huber are for any numbers)", survey.Low, survey.High, s.Loss, s.Loss.Values())
}

// checkLoss refuses what the loss has no use for.
func (s *Settings) checkLoss() error {
	switch {
	case !s.Loss.Known():
		return spec.Errorf("the loss is %v, which does not exist", s.Loss)
	case s.Delta != 0 && !s.Loss.HasUnit():
		return &spec.Error{Setting: "delta", Problem: fmt.Sprintf("does not apply to the loss %v: it is for huber", s.Loss)}
	case s.NoClip && s.Loss.Probabilities():
		return &spec.Error{Setting: "clip", Problem: "does not apply to the loss logistic: probabilities are in range always"}
	case !(s.Delta >= 0) || math.IsInf(s.Delta, 0):
		return spec.Errorf("delta is %v, but must be a positive number", s.Delta)
	}
	return nil
}

// fractions counts the values that are neither 0 nor 1.
type fractions struct{}

// Start makes a worker.
func (fractions) Start(*pass.Input) (pass.Worker, error) {
	return pass.EachRow(func() *pass.Sums { return pass.NewSums(1) }, func(part *pass.Sums, _ int, _ []int32, values []float64) error {
		for _, v := range values {
			if v != 0 && v != 1 {
				part.Values[0]++
			}
		}
		return nil
	}), nil
}

func init() { pass.Register("values", fractions{}, new(pass.Sums)) }
