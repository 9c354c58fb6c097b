package formulation

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/remainder"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// AutoRank lets the entries decide the rank of the unnamed part of the remainder.
const AutoRank = -1

// mostOthers is how many features that are not selected a remainder has at most:
// a step takes time by the cube of their number. mostOthersOf is the part of the
// columns' number that they may be.
const (
	mostOthers   = 120
	mostOthersOf = 4
)

// trialEntries is how many entries there must be for each number of the rows' learned
// covariance for the other features to be taken without a trial, and trialAtMost how many
// entries a trial takes at most.
const (
	trialEntries = 50
	trialAtMost  = 100_000
)

// setRemainder fits what the effects and the selected features leave, together
// with them: the other features with shrunken coefficients, and unnamed traits.
// See package remainder. The selection and its certificate are not touched.
func (t *formulation) setRemainder(ctx context.Context, train data.Source, s *cost, found []int, c selection.Learned, parts *estimate.Parts, encoding *encode.Encoding, summary *model.Summary) error {
	if t.ResidualRank == 0 || train.Observed() == 0 {
		return nil
	}
	steps := progress.Start(ctx, "Fitting the remainder", 0, "steps")
	defer steps.Done()
	t.onStep = func(remainder.Step) { steps.Add(1) }
	others, all, err := t.others(ctx, s, found, mostOthers)
	if err != nil {
		return err
	}
	if d := 1 + len(t.members(s.Selected(found))) + len(others); train.Observed() < trialEntries*d*(d+1)/2 {
		none := false
		if others, none, err = t.tryOthers(ctx, train, s, found, c, len(others)); err != nil {
			return err
		}
		if none {
			summary.Warnings = append(summary.Warnings, "no remainder was fitted: on validation entries it predicts no better than the selected features alone (there are few entries for so many coefficients)")
			return nil
		}
	}
	err = t.fitRemainder(ctx, train, s, found, others, c, parts, encoding)
	if errors.Is(err, remainder.ErrPrecision) {
		summary.Warnings = append(summary.Warnings, "no remainder was fitted: double precision does not suffice for it (features that are nearly the same or explain everything, or values of extreme sizes)")
		return nil
	}
	if err == nil && t.enough != nil && t.enough() {
		summary.Warnings = append(summary.Warnings, "the remainder was stopped before it was fitted to the end: it predicts, but with more time it would predict better")
	} else if err == nil && parts.Remainder == nil {
		summary.Warnings = append(summary.Warnings, "no remainder was fitted: no other features are left, and no unnamed traits were found")
	}
	if parts.Remainder != nil && len(others) < all {
		parts.Remainder.OtherOf = all
	}
	return err
}

// tryOthers gives the other features with which the remainder predicts validation
// entries best: at most so many, a quarter of that, or none; and whether the selected
// features alone are as good. The covariance of many coefficients, learned from
// few entries, is that of their noise.
func (t *formulation) tryOthers(ctx context.Context, train data.Source, s *cost, found []int, c selection.Learned, most int) (best []int, none bool, err error) {
	ctx = pass.WithLabel(ctx, "trial of the remainder")
	part, err := evaluate.Validation(ctx, train, 0.2, trialAtMost, t.Seed, t.Threads)
	if err != nil {
		return nil, false, err
	}
	score := t.trial(ctx, part, s, found, c)
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		best, _, err = t.others(ctx, s, found, most)
		return best, false, err
	}
	without, err := score(nil, false)
	if err != nil {
		return nil, false, err
	}
	none = true
	least := without
	for _, count := range slices.Compact([]int{most, most / 4, 0}) {
		others, _, err := t.others(ctx, s, found, count)
		if err != nil {
			return nil, false, err
		}
		switch with, err := score(others, true); {
		case errors.Is(err, remainder.ErrPrecision):
		case err != nil:
			return nil, false, err
		case with.Score() < least.Score() && with.BetterBy(without, 2): // and not by chance
			best, none, least = others, false, with
		}
	}
	return best, none, nil
}

// trial scores a fit of a part of the entries, with these other features and traits or
// without a remainder.
func (t *formulation) trial(ctx context.Context, part evaluate.Part, s *cost, found []int, c selection.Learned) func(others []int, remainders bool) (*evaluate.Errors, error) {
	with := *t
	with.memory, with.enough = nil, nil
	if !t.linked() {
		with.refit = spec.LearnedPrior
	}
	units := s.Selected(found)
	return func(others []int, remainders bool) (*evaluate.Errors, error) {
		parts, err := with.parts(ctx, part.Train, units, c)
		if err == nil && remainders {
			err = with.fitRemainder(ctx, part.Train, s, found, others, c, parts, nil)
		}
		if err != nil {
			return nil, err
		}
		return evaluate.ScoreErrors(ctx, part.Held, t.predictor(parts, units), t.Threads)
	}
}

// What a remainder would gain is tried with so many steps and unnamed traits at most.
const (
	gainEntries = 50_000 // at most
	gainSteps   = 6
	gainRank    = 10
)

// tryRemainder tells what a remainder would gain, on some of the entries: nil where there is none
// to be had, or the entries are too few to tell.
func (t *formulation) tryRemainder(ctx context.Context, train data.Source, s *cost, found []int, c selection.Learned) (*model.RemainderTrial, error) {
	if !t.Model.Effects().Rows || len(t.Nonnegative) > 0 {
		return nil, nil
	}
	ctx = pass.WithLabel(ctx, "trial of the remainder")
	part, err := evaluate.Validation(ctx, train, 0.2, gainEntries, t.Seed, t.Threads)
	if err != nil || part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return nil, err
	}
	others, _, err := t.others(ctx, s, found, mostOthers)
	if err != nil {
		return nil, err
	}
	quick, settings := *t, *t.Settings
	settings.ResidualRank = gainRank
	quick.Settings, quick.remainderSteps = &settings, gainSteps
	score := quick.trial(ctx, part, s, found, c)
	without, err := score(nil, false)
	if err != nil {
		return nil, err
	}
	with, err := score(others, true)
	if errors.Is(err, remainder.ErrPrecision) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	gain := with.Gain(without)
	if gain == nil {
		return nil, nil
	}
	return &model.RemainderTrial{Entries: part.Train.Observed() + part.Held.Observed(), Gain: 1 - with.Score()/without.Score(), Range: *gain}, nil
}

// fitRemainder fits the remainder with these other features.
func (t *formulation) fitRemainder(ctx context.Context, train data.Source, s *cost, found, others []int, c selection.Learned, parts *estimate.Parts, encoding *encode.Encoding) error {
	members := t.members(s.Selected(found))
	o := estimate.Others{Values: estimate.Chosen(t.features, others)}
	for _, j := range others {
		o.Names = append(o.Names, t.features.Names[j])
	}
	if encoding != nil && len(others) > 0 {
		o.Encoding = encoding.Select(others)
	}
	if u := c.Units; u != nil && !c.Given {
		learned := u.Own
		if learned == nil {
			learned = u.Features
		}
		o.Variances = lists.Pick(learned, others)
		if t.scaled(c).Loss.Linked() { // a likelihood, and half the square of a coefficient
			for x := range o.Variances {
				o.Variances[x] /= 2
			}
		}
	}
	recipe := remainder.Settings{Rank: t.ResidualRank, Steps: t.remainderSteps, Seed: t.Seed, Threads: t.Threads, Enough: t.enough, OnStep: t.onStep}
	if t.memory != nil && train.Observed() >= longStep {
		left := rememberedBytes
		recipe.Remember = func(question string, compute func() ([]byte, error)) ([]byte, error) {
			if left < 0 {
				return compute()
			}
			answer, err := t.memory.Do([]byte(question), compute)
			left -= len(answer)
			return answer, err
		}
	}
	return parts.FitRemainder(ctx, train, estimate.Chosen(t.features, members), len(members), o, t.Model, recipe)
}

// longStep is how many entries make a step of the remainder worth remembering in a
// checkpoint, and rememberedBytes about how many bytes are kept, in memory too: the
// sums of a step have numbers for every column. What is not kept is computed again.
var longStep = 4 << 20

const rememberedBytes = 256 << 20

// others are the features that are not selected, at most this many and a part of the
// columns: those that the cost falls with the fastest if they get weight besides the
// selection. Features that are the same for all columns are left out; all tells how
// many there are without them.
func (t *formulation) others(ctx context.Context, s *cost, found []int, most int) (out []int, all int, err error) {
	var units []int
	for u := range t.units {
		if !slices.Contains(found, u) {
			units = append(units, u)
			for _, f := range t.units[u].features {
				if t.varies(f) {
					all++
				}
			}
		}
	}
	columns, _ := t.features.Dims()
	most = min(most, columns/mostOthersOf)
	if all > most {
		at, err := s.Oracle.Eval(ctx, search.Indicator(s.Oracle.Dim(), found))
		if err != nil {
			return nil, 0, err
		}
		slices.SortStableFunc(units, func(u, v int) int { return cmp.Compare(at.Gradient[u], at.Gradient[v]) })
	}
	for _, u := range units {
		for _, f := range t.units[u].features {
			if len(out) < most && t.varies(f) {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return out, all, nil
}

// varies tells whether a feature is not the same for all columns.
func (t *formulation) varies(f int) bool {
	m, _ := t.features.Dims()
	for j := 1; j < m; j++ {
		if t.features.Row(j)[f] != t.features.Row(0)[f] {
			return true
		}
	}
	return false
}
