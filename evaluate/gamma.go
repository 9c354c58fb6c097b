package evaluate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"optcomplete/internal/gammapath"
	"optcomplete/result"
)

// Race is a choice of γ: on samples of rows, each larger than the last, every γ that
// can still win selects features and is scored by how well they predict.
type Race struct {
	Path   gammapath.Path
	Levels int // samples

	// Select finds a selection on a sample at each γ, increasing, from the one that is
	// given for it; nil: from none.
	Select func(ctx context.Context, level int, gammas []float64, start [][]int) ([][]int, error)
	// Score is the errors of a selection's predictions on a sample.
	Score func(ctx context.Context, level int, gamma float64, selection []int) (*Errors, error)
	// ByGamma: errors depend on γ and not only on the selection.
	ByGamma bool
	// Root is, about, the gap that the root of a search would leave.
	Root func(ctx context.Context, gamma float64, selection []int) (gap float64, err error)
	// Limited tells whether rounding errors would hide a proof.
	Limited func(ctx context.Context, gamma float64, selection []int) (bool, error)
	// Many says that there are so many selections that a proof may take long.
	Many bool

	Names   func(selection []int) []string
	OnPoint func(result.GammaPoint) // called for each γ in the end; may be nil
}

// Won is the outcome of a Race.
type Won struct {
	Gamma     float64
	Selection []int // there, on the last sample; nil: nothing could be tried
	Path      []result.GammaPoint
}

// Gaps at the root of a search: up to easy its proof is easy; beyond hopelessGap none
// will be found.
const (
	easy        = 0.05
	hopelessGap = 0.25
)

// hopeless is by how many standard errors of the difference a γ must be worse than
// the best to be given up.
const hopeless = 2

// runner is a γ in a race.
type runner struct {
	step      int // along the path
	gamma     float64
	level     int   // of the last sample that it was tried on; -1: none
	selection []int // there
	errors    *Errors
	ratio     float64 // of its error to the least on that sample
	out       bool    // given up
	gap       float64 // Race.Root of it; negative: not asked
}

// Run runs the race. It begins with three γ around the middle of the path, two steps
// apart. When the context is cancelled, the best so far wins.
func (r *Race) Run(ctx context.Context) (Won, error) {
	steps := int(math.Round((r.Path.Last - r.Path.First) / r.Path.Step))
	if r.Levels == 0 || steps < 0 {
		return Won{Gamma: r.Path.Default()}, nil
	}
	var all []*runner
	for step := max(steps/2-2, 0); step <= min(steps/2+2, steps); step += 2 {
		all = append(all, r.enter(step, nil))
	}
	var more bool
	var err error
	for level := 0; level < r.Levels; level++ {
		if all, err = r.lap(ctx, level, all, steps); err != nil {
			break
		}
		if _, same := left(all); same { // a larger sample can only show that a smaller γ, easier to prove, is as good
			if more, err = r.revivable(ctx, level+1, all); err != nil || !more {
				break
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		return Won{}, err
	}
	return r.end(ctx, all)
}

// lap runs on one sample: as far to either side as the error falls, then between.
func (r *Race) lap(ctx context.Context, level int, all []*runner, steps int) ([]*runner, error) {
	err := r.run(ctx, level, all)
	for err == nil {
		first, last := all[0], all[len(all)-1]
		switch {
		case agree(all):
			if more, err := r.revive(ctx, level, all); !more {
				return all, err
			}
		case first.best() && first.step >= 2:
			all = append([]*runner{r.enter(first.step-2, first.selection)}, all...)
		case last.best() && last.step+2 <= steps:
			all = append(all, r.enter(last.step+2, last.selection))
		default:
			more := r.between(all)
			if len(more) == len(all) {
				if more, err := r.revive(ctx, level, all); !more {
					return all, err
				}
			}
			all = more
		}
		err = r.run(ctx, level, all)
	}
	return all, err
}

// best tells whether no error on its sample was smaller.
func (x *runner) best() bool { return !x.out && x.ratio == 1 }

// enter is a γ that starts from a selection.
func (r *Race) enter(step int, selection []int) *runner {
	gamma := math.Pow(10, r.Path.First+float64(step)*r.Path.Step) / r.Path.Unit
	return &runner{step: step, gamma: gammapath.Gamma(gamma), level: -1, selection: selection, gap: -1}
}

// run tries on a sample every γ that is not given up and was not tried there, and
// gives up those that are worse than the best beyond chance.
func (r *Race) run(ctx context.Context, level int, all []*runner) error {
	if err := ctx.Err(); err != nil {
		return err // readings of small data are too short to notice
	}
	var in []*runner
	var gammas []float64
	var start [][]int
	for _, x := range all {
		if !x.out && x.level < level {
			in, gammas, start = append(in, x), append(gammas, x.gamma), append(start, x.selection)
		}
	}
	selections, err := r.Select(ctx, level, gammas, start)
	if err != nil {
		return err
	}
	scores := make([]*Errors, len(in))
	known := func(selection []int) *Errors {
		for _, x := range all {
			if !r.ByGamma && x.level == level && slices.Equal(x.selection, selection) {
				return x.errors
			}
		}
		return nil
	}
	for x, runner := range in {
		if scores[x] = known(selections[x]); scores[x] == nil {
			if scores[x], err = r.Score(ctx, level, gammas[x], selections[x]); err != nil {
				return err
			}
		}
		runner.level, runner.selection, runner.errors, runner.gap = level, selections[x], scores[x], -1
	}
	var best *Errors
	for _, x := range all {
		if !x.out && (best == nil || x.errors.RMSE < best.RMSE) {
			best = x.errors
		}
	}
	for _, x := range all {
		if x.level < level {
			continue
		}
		if x.ratio = 1; best.RMSE > 0 {
			x.ratio = x.errors.RMSE / best.RMSE
		}
		x.out = best.betterBy(x.errors, hopeless)
	}
	return nil
}

// alike tells whether a γ predicts as well as the best: it is not worse beyond chance,
// nor by more than Path.Equal.
func (r *Race) alike(x *runner) bool { return !x.out && x.ratio <= 1+r.Path.Equal }

// between adds the γ between the best and its neighbours, and that below the smallest
// that predicts alike, each with the selection of the one below to start from.
func (r *Race) between(all []*runner) []*runner {
	smallest := slices.IndexFunc(all, r.alike)
	var more []*runner
	for x, a := range all {
		more = append(more, a)
		if x+1 < len(all) && all[x+1].step-a.step > 1 && (a.best() || all[x+1].best() || x+1 == smallest) {
			more = append(more, r.enter(a.step+1, a.selection))
		}
	}
	return more
}

// revive lets the γ below the smallest that predicts alike run again, if it is revivable.
func (r *Race) revive(ctx context.Context, level int, all []*runner) (bool, error) {
	more, err := r.revivable(ctx, level, all)
	if more {
		all[slices.IndexFunc(all, r.alike)-1].out = false
	}
	return more, err
}

// revivable tells whether the γ below the smallest that predicts alike was given up on a
// smaller sample, and would be easier to prove: the smaller a sample, the worse are the
// selections of a small γ.
func (r *Race) revivable(ctx context.Context, level int, all []*runner) (bool, error) {
	at := slices.IndexFunc(all, r.alike) - 1
	if at < 0 || !all[at].out || all[at].level >= level || level >= r.Levels {
		return false, nil
	}
	easy, err := r.easy(ctx, all[at+1])
	return !easy && err == nil, err
}

// easy tells whether a proof at the γ is.
func (r *Race) easy(ctx context.Context, x *runner) (bool, error) {
	if x.gap < 0 {
		gap, err := r.Root(ctx, x.gamma, x.selection)
		if err != nil {
			return false, err
		}
		x.gap = gap
	}
	return x.gap <= easy, nil
}

// left counts the γ that can still win, and tells whether all of them select the same
// features.
func left(all []*runner) (count int, same bool) {
	var first []int
	same = true
	for _, x := range all {
		switch {
		case x.out:
		case count == 0:
			first, count = x.selection, 1
		default:
			same = same && slices.Equal(first, x.selection)
			count++
		}
	}
	return count, same
}

// agree tells whether several γ are left and select the same features: none of them,
// and none between them, would do anything else.
func agree(all []*runner) bool {
	count, same := left(all)
	return count > 1 && same
}

// end takes the winner.
func (r *Race) end(ctx context.Context, all []*runner) (Won, error) {
	var tried []*runner
	var best *runner
	for _, x := range all {
		if x.errors == nil {
			continue // an interrupt came first
		}
		tried = append(tried, x)
		if !x.out && (best == nil || x.errors.RMSE < best.errors.RMSE) {
			best = x
		}
	}
	if best == nil {
		return Won{Gamma: r.Path.Default()}, nil
	}
	won := Won{}
	for _, x := range tried {
		point := result.GammaPoint{Gamma: x.gamma, RMSE: x.ratio * best.errors.RMSE, Selected: r.Names(x.selection)}
		won.Path = append(won.Path, point)
		if r.OnPoint != nil {
			r.OnPoint(point)
		}
	}
	chosen, err := r.easiest(ctx, tried)
	if err != nil && ctx.Err() == nil {
		return Won{}, err
	}
	won.Gamma, won.Selection = chosen.gamma, chosen.selection
	return won, nil
}

// easierTwin goes on to larger γ that have the same selection and the same error, as
// long as the proof becomes easier: without noise it does. The answer is the same.
func (r *Race) easierTwin(ctx context.Context, alike []*runner, chosen *runner) (*runner, error) {
	twins := slices.DeleteFunc(slices.Clone(alike), func(x *runner) bool {
		return x.gamma < chosen.gamma || x.ratio != chosen.ratio || !slices.Equal(x.selection, chosen.selection)
	})
	slices.SortFunc(twins, func(a, b *runner) int { return cmp.Compare(a.gamma, b.gamma) })
	for _, x := range twins {
		if _, err := r.easy(ctx, x); err != nil {
			return chosen, err
		}
		switch {
		case x.gap < chosen.gap:
			chosen = x
		case x != chosen:
			return chosen, nil
		}
		if chosen.gap <= 0 {
			break // proven at the root
		}
	}
	return chosen, nil
}

// middle is the middle one of the γ whose proof is easy and whose error is, but for a quarter
// of Path.Equal, the least of those, each selection counted once; of two, the smaller:
// features are selected on the entries that errors are measured on, and a larger γ fits
// them more closely. nil: none is easy. The γ are sorted by their errors.
func (r *Race) middle(ctx context.Context, alike []*runner) (*runner, error) {
	var equal []*runner
	for _, x := range alike {
		if len(equal) > 0 && x.ratio > equal[0].ratio*(1+r.Path.Equal/4) {
			break
		}
		easy, err := r.easy(ctx, x)
		if err != nil {
			return nil, err
		}
		if easy {
			equal = append(equal, x)
		}
	}
	if len(equal) == 0 {
		return nil, nil
	}
	slices.SortFunc(equal, func(a, b *runner) int { return cmp.Compare(a.gamma, b.gamma) })
	equal = slices.CompactFunc(equal, func(a, b *runner) bool { return slices.Equal(a.selection, b.selection) })
	return equal[(len(equal)-1)/2], nil
}

// easiest is, of the γ that predict as well as the best, the smallest if none has a
// smaller error; else the middle one of those whose proof is easy; if there is none, the
// smallest. But if that has no proof in sight either, ease decides nothing, and it is the
// one with the least error. Where rounding errors would hide the proof, it is a smaller
// one.
func (r *Race) easiest(ctx context.Context, tried []*runner) (_ *runner, err error) {
	var alike []*runner
	for _, x := range tried {
		if r.alike(x) {
			alike = append(alike, x)
		}
	}
	chosen := alike[0]
	slices.SortStableFunc(alike, func(a, b *runner) int { return cmp.Compare(a.ratio, b.ratio) })
	if chosen != alike[0] {
		if _, err := r.easy(ctx, chosen); err != nil {
			return chosen, err
		}
		if chosen.gap > hopelessGap { // and so have the larger ones
			chosen = alike[0]
		}
		if middle, err := r.middle(ctx, alike); err != nil {
			return chosen, err
		} else if middle != nil {
			chosen = middle
		}
	}
	if r.Many {
		if chosen, err = r.easierTwin(ctx, alike, chosen); err != nil {
			return chosen, err
		}
	}
	for at := slices.Index(tried, chosen); at > 0; at-- { // rounding errors grow with γ
		limited, err := r.Limited(ctx, chosen.gamma, chosen.selection)
		if err != nil || !limited {
			return chosen, err
		}
		chosen = tried[at-1]
	}
	return chosen, nil
}
