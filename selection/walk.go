package selection

import (
	"context"
	"errors"
	"slices"
	"time"

	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/search"
)

// walk is a path on all data.
type walk[Data any] struct {
	f     Formulation[Data]
	all   Data
	c     Learned
	path  PathSettings
	r     *PathResult
	clock *Clock // nil: no limit

	cost   *Cost
	search *search.Walk
	ks     []int // of the oracle, for each point
}

// within runs a part of the path that is to leave so much time. It notes where the
// time was too short.
func (w *walk[Data]) within(ctx context.Context, reserved time.Duration, part func(context.Context) error) error {
	short, cancel := w.clock.Before(ctx, reserved)
	defer cancel()
	err := part(short)
	if short.Err() != nil {
		w.r.TimeLimit = true
		return nil
	}
	return err
}

// curve searches every k to the root of its tree, lets neighbours help each other, and
// scores what is found. The limit must leave so much time; the first k is there in any
// case, unless the context is cancelled before.
func (w *walk[Data]) curve(ctx context.Context, reserved time.Duration) error {
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	var err error
	if w.cost, err = w.f.Cost(finish, w.all, w.path.KMax, w.c); err != nil {
		return err
	}
	w.search = search.NewWalk(w.cost.Oracle)
	brief := w.cost.Find
	brief.OnEvent, brief.TimeLimit, brief.SearchTime = nil, 0, 0
	brief.MaxNodes, brief.Brief, brief.Gap = 1, true, 0
	if err := brief.Validate(w.cost.Oracle.Dim()); err != nil {
		return err
	}
	short, cancel := w.clock.Before(ctx, reserved)
	defer cancel()
	task := progress.Start(ctx, "First curve", int64(brief.K), "k")
	defer task.Done()
	for k := max(1, len(brief.Always)); k <= w.cost.Find.K; k++ {
		if brief.K = k; len(w.ks) > 0 && short.Err() != nil {
			break
		}
		here := short
		if len(w.ks) == 0 && ctx.Err() == nil {
			here = ctx
		}
		found, err := w.search.Minimize(here, brief)
		if errors.Is(err, search.ErrInfeasible) && k < w.cost.Find.K {
			continue // what is always selected may require more than k features
		}
		if len(w.ks) > 0 && errors.Is(err, search.ErrNothingYet) {
			break
		}
		if err != nil {
			return err
		}
		if len(w.cost.Selected(found.Selection)) == 0 {
			continue // nothing but what is always selected
		}
		w.ks = append(w.ks, k)
		w.r.Points = append(w.r.Points, PathPoint{})
		if err := w.point(finish, len(w.ks)-1); err != nil {
			return err
		}
		if w.path.OnPoint != nil {
			w.path.OnPoint(w.r.Points[len(w.ks)-1])
		}
		task.To(int64(k))
	}
	if len(w.r.Points) > 0 && ctx.Err() == nil {
		train, err := w.f.Score(finish, w.all, w.all, nil, w.c)
		if err != nil {
			return err
		}
		w.r.Without = &Validated{Train: train}
	}
	if len(w.ks) > 0 && w.ks[len(w.ks)-1] < w.cost.Find.K {
		w.r.TimeLimit = true
	}
	return w.improve(short)
}

// improve lets neighbours help each other.
func (w *walk[Data]) improve(ctx context.Context) error {
	if len(w.ks) == 0 || ctx.Err() != nil {
		return nil
	}
	helping := progress.Start(ctx, "Improving each k from its neighbours", 0, "")
	defer helping.Done()
	better, err := w.search.Improve(ctx)
	if err != nil {
		return err
	}
	for x, k := range w.ks {
		if slices.Contains(better, k) {
			if err := w.point(context.WithoutCancel(ctx), x); err != nil {
				return err
			}
		}
	}
	w.compare()
	return nil
}

// point says what is known about a k now, and scores its selection if that is new.
func (w *walk[Data]) point(ctx context.Context, x int) (err error) {
	found, p := *w.search.Found(w.ks[x]), &w.r.Points[x]
	names := w.f.Names()
	units := w.cost.Selected(found.Selection)
	selected := lists.Pick(names, units)
	if p.Certificate, err = w.cost.Certificate(ctx, &found, names, w.cost.Find.Gap); err != nil {
		return err
	}
	if p.K == 0 || !slices.Equal(p.Selected, selected) {
		p.K, p.Selected = len(units), selected
		if p.Train, err = w.f.Score(ctx, w.all, w.all, units, w.c); err != nil {
			return err
		}
	}
	w.compare()
	return nil
}

// compare says what enters and leaves from each k to the next.
func (w *walk[Data]) compare() {
	var before []string
	proven := true
	for x := range w.r.Points {
		p := &w.r.Points[x]
		p.Entering, p.Leaving = lists.Without(p.Selected, before), lists.Without(before, p.Selected)
		p.Settled = proven && p.Status == search.Optimal
		before, proven = p.Selected, p.Status == search.Optimal
	}
}

// prove proves the selections on all data within the limits: the chosen one first.
func (w *walk[Data]) prove(ctx context.Context) error {
	finish := context.WithoutCancel(ctx)
	var order []int
	for x, p := range w.r.Points {
		if p.K == w.r.Chosen {
			order = slices.Insert(order, 0, x)
		} else {
			order = append(order, x)
		}
	}
	order = slices.DeleteFunc(order, func(x int) bool { return w.r.Points[x].Status == search.Optimal })
	task := progress.Start(ctx, "Proving", int64(len(order)), "k")
	defer task.Done()
	began := time.Now()
	for done, x := range order {
		find := w.cost.Find
		find.K, find.OnEvent, find.MaxPasses = w.ks[x], w.path.Watch.OnEvent, max(w.path.Passes, 0)
		if find.TimeLimit = 0; w.clock != nil {
			find.TimeLimit = max(w.clock.Left()/time.Duration(len(order)-done), time.Nanosecond)
		}
		if own := w.path.Limits.SearchTime; own > 0 {
			find.SearchTime = max((own-time.Since(began))/time.Duration(len(order)-done), time.Nanosecond)
		}
		if _, err := w.search.Minimize(ctx, find); err != nil {
			return search.SettingsError(err)
		}
		if err := w.point(finish, x); err != nil {
			return err
		}
		w.r.TimeLimit = w.r.TimeLimit || w.r.Points[x].Status == search.TimeLimit
		if w.path.OnProof != nil {
			w.path.OnProof(w.r.Points[x])
		}
		task.To(int64(done + 1))
	}
	if err := w.improve(ctx); err != nil {
		return err
	}
	if w.path.OnFound == nil {
		return nil
	}
	for _, k := range w.ks {
		if err := w.path.OnFound(w.cost, *w.search.Found(k), w.c); err != nil {
			return err
		}
	}
	return nil
}
