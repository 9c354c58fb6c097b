package selection

import (
	"context"
	"time"

	"optcomplete/result"
	"optcomplete/search"
)

// Found is a selection, and what is proven about it.
type Found struct {
	search.Result
	Units       []int // selected
	Certificate result.Certificate
	Removal     []result.Removal
	// RemovalError says why the costs of removals are missing: they are only there to
	// be looked at, and never take the answer down.
	RemovalError error
	At           time.Duration // into the search; what came after went into the proof

	// Of a Fit, what was learned, and the course of the search, thinned.
	Learned Learned
	Trace   []result.TracePoint

	run                        *Run
	chosen, prepared, searched time.Duration // into the run
}

// Seconds is how long the parts of the run took, which ends now.
func (f *Found) Seconds() result.Seconds {
	selected, total := f.prepared+f.At, time.Since(f.run.Began)
	return result.Seconds{
		Choose: f.chosen.Seconds(), Select: selected.Seconds(), Certify: (f.searched - selected).Seconds(),
		Complete: (total - f.searched).Seconds(), Total: total.Seconds(),
	}
}

// search searches a cost, in the way given, and certifies what it finds.
func (f *Found) search(ctx context.Context, cost *Cost, names []string, by func(context.Context, *Cost) (search.Result, time.Duration, error)) (err error) {
	if by != nil {
		f.Result, f.At, err = by(ctx, cost)
	} else {
		find := cost.Find
		find.OnEvent = Stamp(find.OnEvent, &f.At)
		f.Result, err = search.Minimize(ctx, cost.Oracle, find)
	}
	if err != nil {
		return search.SettingsError(err)
	}
	f.Units = cost.Selected(f.Selection)
	// An interrupt ends the search, not the answer.
	f.Certificate, err = cost.Certificate(context.WithoutCancel(ctx), &f.Result, names, cost.Find.Gap)
	return err
}

// remove costs the removal of each unit.
func (f *Found) remove(ctx context.Context, cost *Cost, names []string) {
	f.Removal, f.RemovalError = cost.Removal(ctx, f.Selection, names)
}

// Stamp passes events on and keeps the time of the last incumbent.
func Stamp(next func(search.Event), found *time.Duration) func(search.Event) {
	return func(e search.Event) {
		if e.Kind == search.EventIncumbent {
			*found = e.Elapsed
		}
		if next != nil {
			next(e)
		}
	}
}

// Division is how the time limit of a fit is divided. What is not in it went into
// reading and preparing the data.
type Division struct {
	Limit  time.Duration
	Choice time.Duration // that choosing γ and the shrinkages took
	Tried  int           // γ
	Given  bool          // γ was given: only shrinkages were chosen
	Cut    bool          // the choice ran out of its third: the best so far was taken
	Search time.Duration // what the search has
	Refit  time.Duration // kept for fitting and scoring every row, as estimated
	Extra  time.Duration // kept for the cost of removals, comparisons and diagnostics
}
