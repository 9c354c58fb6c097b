package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/internal/gammapath"
	"optcomplete/result"
)

// Race is a choice of γ: on samples of rows, each larger than the last, every γ that
// can still win selects features and is scored by how well they predict. The last sample
// is all there is to choose on: there, the selections are nearly those of the fit, and
// errors differ by more than chance where it matters.
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

	Names func(selection []int) []string

	scores map[string]*Errors // of the last sample
}

// Won is the outcome of a Race.
type Won struct {
	Gamma     float64
	Selection []int // there, on the last sample that it was tried on; nil: nothing could be tried
	Level     int   // of that sample
	Errors    *Errors
	Path      []result.GammaPoint
	// Rivals are smaller γ that predict nearly as well, each better than its neighbours.
	Rivals []Rival
}

// Rival is a γ that did not win a Race.
type Rival struct {
	Gamma     float64
	Selection []int // on the last sample that it was tried on
}

// hopeless is by how many standard errors of the difference a γ must be worse than
// the best to be given up.
const hopeless = 2

// farApart is how many steps of the path are from one γ to the next in the beginning.
const farApart = 2

// most is how many γ the last sample is begun with, at most.
const most = 3

// runner is a γ in a race.
type runner struct {
	step      int // along the path
	gamma     float64
	level     int   // of the last sample that it was tried on; -1: none
	selection []int // there
	errors    *Errors
	ratio     float64 // of its error to the least on that sample
	out       bool    // given up
	limited   bool    // Race.Limited
}

// Run runs the race. It begins with three γ around the middle of the path. When the
// context is cancelled, the best so far wins.
func (r *Race) Run(ctx context.Context) (Won, error) {
	steps := int(math.Round((r.Path.Last - r.Path.First) / r.Path.Step))
	if r.Levels == 0 || steps < 0 {
		return Won{Gamma: r.Path.Default()}, nil
	}
	var all []*runner
	for step := max(steps/2-farApart, 0); step <= min(steps/2+farApart, steps); step += farApart {
		all = append(all, r.enter(step, nil))
	}
	var err error
	for level := 0; level < r.Levels; level++ {
		r.scores = map[string]*Errors{}
		if level == 0 && r.Levels > 1 {
			if err = r.run(ctx, 0, all); err != nil || agree(all) {
				break
			}
			for _, x := range all {
				x.out = false // what so small a sample shows is held against none
			}
			continue
		}
		if all, err = r.lap(ctx, level, all, steps); err != nil || agree(all) {
			break
		}
		if level+1 < r.Levels {
			narrow(all)
		}
	}
	if err != nil && ctx.Err() == nil {
		return Won{}, err
	}
	return r.end(ctx, all)
}

// narrow gives up all γ but the best few that are better than their neighbours: on either
// side of a worse one, errors may be about the same.
func narrow(all []*runner) {
	in := slices.DeleteFunc(peaks(all), func(x *runner) bool { return x.out })
	slices.SortStableFunc(in, func(a, b *runner) int { return cmp.Compare(a.ratio, b.ratio) })
	in = in[:min(len(in), most)]
	for _, x := range all {
		x.out = !slices.Contains(in, x)
	}
}

// peaks are the γ that are better than their neighbours; of neighbours that are equal, the
// smallest.
func peaks(all []*runner) (in []*runner) {
	for x, a := range all {
		if (x == 0 || a.ratio < all[x-1].ratio) && (x+1 == len(all) || a.ratio <= all[x+1].ratio) {
			in = append(in, a)
		}
	}
	return in
}

// lap runs on one sample: as far to either side as the error falls, then between the
// best and its neighbours. Those next to the best run even if they were given up: what a
// smaller sample showed of them is not held against them.
func (r *Race) lap(ctx context.Context, level int, all []*runner, steps int) ([]*runner, error) {
	far := farApart
	if level > 0 && level+1 == r.Levels {
		far = 1 // the best is known nearly
	}
	for {
		if err := r.run(ctx, level, all); err != nil {
			return all, err
		}
		if agree(all) {
			return all, nil
		}
		var more []*runner
		again := false
		if first := all[0]; first.best() && first.step > 0 {
			more = append(more, r.enter(max(first.step-far, 0), first.selection))
		}
		for x, a := range all {
			more = append(more, a)
			if x+1 == len(all) {
				break
			}
			b := all[x+1]
			if !a.best() && !b.best() || !r.ByGamma && slices.Equal(a.selection, b.selection) {
				continue
			}
			if b.step-a.step > 1 {
				from := a
				if b.best() {
					from = b
				}
				more = append(more, r.enter((a.step+b.step)/2, from.selection))
				continue
			}
			for _, x := range []*runner{a, b} {
				if x.out && x.level < level {
					x.out, again = false, true
				}
			}
		}
		if last := all[len(all)-1]; last.best() && last.step < steps {
			more = append(more, r.enter(min(last.step+far, steps), last.selection))
		}
		if len(more) == len(all) && !again {
			return all, nil
		}
		all = more
	}
}

// best tells whether no error on its sample was smaller.
func (x *runner) best() bool { return !x.out && x.ratio == 1 }

// enter is a γ that starts from a selection.
func (r *Race) enter(step int, selection []int) *runner {
	gamma := math.Pow(10, r.Path.First+float64(step)*r.Path.Step) / r.Path.Unit
	return &runner{step: step, gamma: gammapath.Gamma(gamma), level: -1, selection: selection}
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
	for x, selection := range selections {
		if scores[x], err = r.score(ctx, level, gammas[x], selection); err != nil {
			return err
		}
	}
	for x, runner := range in { // all or none: errors on different samples do not compare
		runner.level, runner.selection, runner.errors = level, selections[x], scores[x]
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
		x.out = best.BetterBy(x.errors, hopeless)
	}
	return nil
}

// score is Score, once for each selection.
func (r *Race) score(ctx context.Context, level int, gamma float64, selection []int) (*Errors, error) {
	key := fmt.Sprint(selection)
	if r.ByGamma {
		key = fmt.Sprint(gamma, selection)
	}
	if known := r.scores[key]; known != nil {
		return known, nil
	}
	errors, err := r.Score(ctx, level, gamma, selection)
	if err == nil {
		r.scores[key] = errors
	}
	return errors, err
}

// agree tells whether several γ were tried, none of them is given up, and all select the
// same features: none between them would do anything else.
func agree(all []*runner) bool {
	return len(all) > 1 && !slices.ContainsFunc(all, func(x *runner) bool { return x.out || !slices.Equal(x.selection, all[0].selection) })
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
		if x.best() {
			best = x
		}
	}
	if best == nil {
		return Won{Gamma: r.Path.Default()}, nil
	}
	chosen, err := r.choose(ctx, tried)
	if err != nil && ctx.Err() == nil {
		return Won{}, err
	}
	won := Won{Gamma: chosen.gamma, Selection: chosen.selection, Level: chosen.level, Errors: chosen.errors}
	for _, x := range tried {
		won.Path = append(won.Path, result.GammaPoint{Gamma: x.gamma, RMSE: x.ratio * best.errors.RMSE, Selected: r.Names(x.selection), Limited: x.limited})
	}
	for _, x := range peaks(tried) {
		if x.gamma < chosen.gamma && x.ratio <= 1+result.AlikeTolerance && !slices.Equal(x.selection, chosen.selection) {
			won.Rivals = append(won.Rivals, Rival{x.gamma, x.selection})
		}
	}
	return won, nil
}

// choose is, of the γ that predict as well as the best but for Path.Equal, the smallest:
// its proof is the easiest. Where rounding errors would hide the proof, it is a smaller
// one.
func (r *Race) choose(ctx context.Context, tried []*runner) (chosen *runner, err error) {
	alike := slices.DeleteFunc(slices.Clone(tried), func(x *runner) bool { return x.out || x.ratio > 1+r.Path.Equal })
	chosen = alike[0]
	if r.Many {
		if chosen, err = r.easierTwin(ctx, alike); err != nil {
			return chosen, err
		}
	}
	for at := slices.Index(tried, chosen); at > 0; at-- { // rounding errors grow with γ
		if chosen.limited, err = r.Limited(ctx, chosen.gamma, chosen.selection); err != nil || !chosen.limited {
			return chosen, err
		}
		chosen = tried[at-1]
	}
	return chosen, nil
}

// easierTwin is the first γ, or a larger one that has the same selection and the same
// error, as long as the proof becomes easier: without noise it does. The answer is the
// same.
func (r *Race) easierTwin(ctx context.Context, alike []*runner) (*runner, error) {
	chosen, least := alike[0], math.Inf(1)
	twins := slices.DeleteFunc(alike, func(x *runner) bool { return x.ratio != chosen.ratio || !slices.Equal(x.selection, chosen.selection) })
	if len(twins) == 1 {
		return chosen, nil
	}
	for _, x := range twins {
		gap, err := r.Root(ctx, x.gamma, x.selection)
		if err != nil || gap >= least {
			return chosen, err
		}
		chosen, least = x, gap
		if gap <= 0 {
			break // proven at the root
		}
	}
	return chosen, nil
}
