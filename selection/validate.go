package selection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/internal/progress"
	"optcomplete/search"
)

// validate scores every k on every fold. A fold that an interrupt cut short does
// not count.
func validate[Data any](ctx context.Context, f Formulation[Data], all Data, c Learned, path PathSettings, r *PathResult) error {
	folds, part := path.Folds, func(x int) (train, held Data) { return f.Fold(all, x, path.Folds) }
	if path.Repeats > 0 {
		folds, part = path.Repeats, func(x int) (train, held Data) { return f.Repeat(all, x) }
	}
	if len(r.Points) == 0 {
		return nil
	}
	most := r.Points[len(r.Points)-1].K
	task := progress.Start(ctx, "Validating", int64(2*folds*len(r.Points)), "steps")
	defer task.Done()
	for x := range folds {
		train, held := part(x)
		var given *Learned
		if path.OneChoice {
			given = &c
		}
		selections, c, err := decide(ctx, f, train, path.KMax, most, given, task)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return search.SettingsError(err)
		}
		scores := make([]float64, len(r.Points))
		for i, point := range r.Points {
			at := slices.IndexFunc(selections, func(s []int) bool { return len(s) == point.K })
			if at < 0 {
				return fmt.Errorf("selection: fold %d has no selection of %d", x+1, point.K)
			}
			if scores[i], err = f.Score(ctx, train, held, selections[at], c); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
			task.Add(1)
		}
		if r.Without != nil {
			without, err := f.Score(ctx, train, held, nil, c)
			if err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
			r.Without.Folds = append(r.Without.Folds, without)
		}
		if of, has := f.(Compared[Data]); has {
			alone, err := of.Alone(ctx, train, held)
			if err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
			if !math.IsNaN(alone) {
				r.Alone = cmp.Or(r.Alone, new(Validated))
				r.Alone.Folds = append(r.Alone.Folds, alone)
			}
		}
		for i, score := range scores {
			r.Points[i].Folds = append(r.Points[i].Folds, score)
		}
		r.Folds++
		if path.OnFold != nil {
			r.choose()
			path.OnFold(x+1, folds, r.Points)
		}
	}
	return nil
}

// trialSteps is how many steps of learning a prior a trial takes.
const trialSteps = 4

// A fold is searched by foldPasses evaluations in all, and leastTrial for each k, so that
// a path takes no more than a few times what its longest fit does.
const (
	foldPasses = 320
	leastTrial = 20
)

// Decide is everything that Path decides, on some data: the choices and a selection
// for every k, the search ended at its root.
func Decide[Data any](ctx context.Context, f Formulation[Data], train Data, most int) (selections [][]int, c Learned, err error) {
	return decide(ctx, f, train, most, most, nil, progress.None{})
}

// decide is Decide, for k up to some number of units, with choices that may be given.
func decide[Data any](ctx context.Context, f Formulation[Data], train Data, kMax, most int, given *Learned, task progress.Task) (selections [][]int, c Learned, err error) {
	if given != nil {
		c = *given
	} else if c, err = f.Learn(ctx, train, middle(kMax), nil, nil); err != nil {
		return nil, c, err
	}
	cost, err := f.Cost(ctx, train, kMax, c)
	if err != nil {
		return nil, c, err
	}
	cost.Limit(max(leastTrial, min(TrialPasses, foldPasses/most)))
	cost.Find.K -= kMax - most
	cost.Find.OnEvent = func(e search.Event) {
		if e.Kind == search.EventDone {
			task.Add(1)
		}
	}
	results, err := search.Path(ctx, cost.Oracle, cost.Find)
	if err != nil {
		return nil, c, err
	}
	c.Steps = trialSteps
	for _, found := range results {
		selections = append(selections, cost.Selected(found.Selection))
	}
	return selections, c, ctx.Err()
}
