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
	"optcomplete/pass"
	"optcomplete/spec"
)

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
