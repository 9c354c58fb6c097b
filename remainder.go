package optcomplete

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/remainder"
)

// AutoRank lets the evidence choose the rank of the unnamed part of the remainder.
const AutoRank = -1

// mostOthers is how many features that are not selected a remainder has at most:
// a step takes time by the cube of their number. mostOthersOf is the part of the
// columns' number that they may be.
const (
	mostOthers   = 120
	mostOthersOf = 4
)

// setRemainder fits what the effects and the selected features leave, together
// with them: the other features with shrunken coefficients, and unnamed traits.
// See package remainder. The selection and its certificate are not touched.
func (t *task) setRemainder(ctx context.Context, train data.Source, s *selector, found []int, parts *estimate.Parts, encoding *encode.Encoding, summary *model.Summary) error {
	if t.ResidualRank == 0 || train.Observed() == 0 {
		return nil
	}
	members := t.members(s.units(t, found))
	_, columns := train.Dims()
	others, err := t.others(ctx, s, found, min(mostOthers, columns/mostOthersOf))
	if err != nil {
		return err
	}
	o := estimate.Others{Values: estimate.Chosen(t.features, others)}
	for _, j := range others {
		o.Names = append(o.Names, t.features.Names[j])
	}
	if encoding != nil && len(others) > 0 {
		o.Encoding = encoding.Select(others)
	}
	recipe := remainder.Settings{Rank: t.ResidualRank, Seed: t.Seed, Threads: t.Threads}
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
	err = parts.FitRemainder(ctx, train, estimate.Chosen(t.features, members), len(members), o, t.Model, recipe)
	if errors.Is(err, remainder.ErrPrecision) {
		summary.Warnings = append(summary.Warnings, "no remainder was fitted: double precision does not suffice for it (features that are nearly the same or explain everything, or values of extreme sizes)")
		return nil
	}
	return err
}

// longStep is how many entries make a step of the remainder worth remembering in a
// checkpoint, and rememberedBytes about how many bytes are kept, in memory too: the
// sums of a step have numbers for every column. What is not kept is computed again.
var longStep = 4 << 20

const rememberedBytes = 256 << 20

// others are the features that are not selected, at most this many: those that the
// cost falls with the fastest if they get weight besides the selection. Features
// that are the same for all columns are left out.
func (t *task) others(ctx context.Context, s *selector, found []int, most int) ([]int, error) {
	var units []int
	count := 0
	for u := range t.units {
		if !slices.Contains(found, u) {
			units = append(units, u)
			count += len(t.units[u].features)
		}
	}
	if count > most {
		weights := make([]float64, s.oracle.Dim())
		for _, u := range found {
			weights[u] = 1
		}
		at, err := s.oracle.Eval(ctx, weights)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(units, func(u, v int) int { return cmp.Compare(at.Gradient[u], at.Gradient[v]) })
	}
	var out []int
	for _, u := range units {
		for _, f := range t.units[u].features {
			if len(out) < most && t.varies(f) {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// varies tells whether a feature is not the same for all columns.
func (t *task) varies(f int) bool {
	m, _ := t.features.Dims()
	for j := 1; j < m; j++ {
		if t.features.Row(j)[f] != t.features.Row(0)[f] {
			return true
		}
	}
	return false
}
