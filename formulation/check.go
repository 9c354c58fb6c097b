package formulation

import (
	"context"
	"math"

	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/spec"
)

// validate checks what does not depend on names, and sets defaults.
func validate(ctx context.Context, problem Problem, p int, s *Settings) error {
	if err := s.Limits.Validate(); err != nil {
		return err
	}
	if err := s.Statistics.Validate(); err != nil {
		return err
	}
	var err error
	if s.Loss, err = SuitableLoss(ctx, problem, *s); err != nil {
		return err
	}
	if err := s.refuse(); err != nil {
		return err
	}
	if err := s.checkLoss(); err != nil {
		return err
	}
	s.Threads = s.Processors()
	bad := spec.Errorf
	if s.Split == spec.TimeSplit && problem.Times == nil {
		return bad("the split is by time, but the times of the entries are not known")
	}
	if !Baseline(s.Method) {
		if err := spec.ValidateK(s.K, p, "feature"); err != nil {
			return err
		}
	}
	if s.ResidualRank < AutoRank {
		return bad("the rank of the remainder is %d, but must be positive", s.ResidualRank)
	}
	if s.ResidualRank != 0 && s.Refit != spec.AutoRefit && s.Refit != spec.LearnedPrior {
		return bad("a remainder is fitted together with the coefficients, under a learned prior: leave out the refit %v, or the remainder", s.Refit)
	}
	if s.ResidualRank != 0 && len(s.Nonnegative) > 0 {
		return &spec.Error{Setting: "residual-rank", Problem: "does not apply with coefficients that must not be negative: it fits all of them together, of any sign"}
	}
	for _, v := range problem.Features.Values {
		if !(math.Abs(v) <= largest) {
			return bad("a feature has the value %g: too large to compute with (rescale it)", v)
		}
	}
	if m, is := s.Method.(selecting); is && s.Proof != nil {
		if err := m.checkProof(); err != nil {
			return err
		}
	}
	if solver := solverOf(s.Method); s.MaxNodes > 0 && solver != "" && solver != embedded {
		return bad("a limit of nodes cannot be kept inside the masters that %s solves: leave it out and limit the time, or use the %s solver", solver, embedded)
	}
	return s.Method.check(problem)
}

// checkEntries refuses values that cannot be computed with, or that the loss is not
// for. It reads the entries unless their survey is known.
func checkEntries(ctx context.Context, problem Problem, s *Settings) error {
	if problem.Ratings.Observed() > countable {
		return nil
	}
	survey, err := pass.Survey(context.WithoutCancel(ctx), problem.Ratings.Source(), s.Threads)
	if err != nil {
		return err
	}
	if err := s.checkValues(survey); err != nil {
		return err
	}
	if max(-survey.Low, survey.High) > largest {
		return spec.Errorf("the values are from %g to %g: too large to compute with (rescale them)", survey.Low, survey.High)
	}
	return nil
}

// refuse finds settings that are given and would do nothing.
func (s *Settings) refuse() error {
	if s.Method == nil {
		s.Method = Certified{}
	}
	if !s.Model.Known() {
		return spec.Errorf("the model is %d, which does not exist", s.Model)
	}
	kind := s.Model.String()
	switch {
	case Baseline(s.Method) && s.Model == spec.Pooled:
		return spec.Use{Methods: spec.Selecting}.Refusal("model", s.Method.String(), kind)
	case Baseline(s.Method) && s.Model.Effects().Rows:
		kind = ""
	}
	return spec.Refuse(s.Method.String(), kind, s.linked(), s.Choice, s.Limits, s.Statistics,
		spec.Given{Name: "k", Is: s.K != 0}, spec.Given{Name: "residual-rank", Is: s.ResidualRank != 0}, spec.Given{Name: "clip", Is: s.NoClip},
		spec.Given{Name: "loss", Is: s.Loss != loss.Squared}, spec.Given{Name: "nonnegative", Is: len(s.Nonnegative) > 0}, spec.Given{Name: "delta", Is: s.Delta != 0},
		spec.Given{Name: "checkpoint", Is: s.Checkpoint != ""}, spec.Given{Name: "warm-start", Is: len(s.Start) > 0}, spec.Given{Name: "proof", Is: s.Proof != nil})
}
