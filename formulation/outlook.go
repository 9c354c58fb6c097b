package formulation

import (
	"context"

	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
)

// Numbers of the outlook on a proof.
const (
	outlookFrom   = 4_000_000 // entries evaluated by a search before it is asked for: it costs about as much
	outlookDives  = 8
	outlookPasses = 400  // of the sample, at each γ
	outlookSteps  = 6    // γ to look at below, half a decade apart
	outlookShare  = 10   // an outlook takes at most one part in this many of the time limit
	inSight       = 5e10 // evaluations × entries: about an hour of one processor
	halfDecade    = 3.1622776601683795
)

// outlook watches a search, and once tells how far away its proof is.
type outlook struct {
	formulation *formulation
	from        *cost
	learned     selection.Learned
	near        float64              // evaluations × entries that are in sight
	tell        func(result.Outlook) // may be nil
	asked       bool
	known       *result.Outlook
}

// event receives everything that the search does.
func (o *outlook) event(ctx context.Context, e search.Event) {
	observed := o.from.values.Observed()
	if o.asked || e.Sampled || e.Kind == search.EventDone || e.Nodes < 2 || !(e.Gap > max(o.from.Find.Gap, search.Precision)) || e.Passes*observed < outlookFrom {
		return
	}
	o.asked = true
	if limit := o.from.Find.TimeLimit; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit/outlookShare)
		defer cancel()
	}
	defer progress.Start(ctx, "Estimating the size of the tree", 0, "").Done()
	known, err := o.look(pass.WithLabel(ctx, "samples"), e.Selection, e.Elapsed.Seconds()/float64(max(e.Passes, 1)))
	if err != nil {
		return // no estimate, and nothing depends on one
	}
	o.known = known
	if o.tell != nil {
		o.tell(*known)
	}
}

// look estimates the tree at γ, and at smaller ones until a proof is in sight. It
// starts from the incumbent: to find it is no part of a proof. An evaluation takes so many
// seconds.
func (o *outlook) look(ctx context.Context, incumbent []int, evaluation float64) (*result.Outlook, error) {
	units := o.learned.Units != nil && !o.learned.Given
	found := &result.Outlook{Gamma: oneGammaOf(o.learned), Factor: units}
	observed := float64(o.from.values.Observed())
	c := o.learned
	from := newSampler(o.from.values, o.formulation.Seed)
	sizes := from.sizes()
	for step := range outlookSteps + 1 {
		var s *cost
		if len(sizes) > 0 {
			var err error
			if s, _, err = o.formulation.sampleCost(ctx, from, sizes[0], c); err != nil {
				return nil, err
			}
		} else {
			s = o.formulation.costOf(o.from.values, c)
		}
		find := s.Find
		find.Gap, find.MaxPasses, find.MaxNodes, find.Start = o.from.Find.Gap, outlookPasses, 0, [][]int{incumbent}
		ahead, err := search.Outlook(ctx, s.Oracle, find, outlookDives, o.formulation.Seed)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		near := ahead.Evaluations*observed <= o.near
		if step == 0 {
			found.Nodes, found.Evaluations, found.InSight = ahead.Nodes, ahead.Evaluations, near
			found.Seconds = ahead.Evaluations * evaluation
		}
		if near {
			if step > 0 {
				found.Largest = c.Gamma
				if units {
					found.Largest = c.Factor
				}
				found.SecondsThere = ahead.Evaluations * evaluation
				if there, err := s.briefly(ctx, incumbent); err == nil {
					found.Differs = len(lists.Without(there, incumbent))
				}
			}
			break
		}
		if units { // the level stays what it is
			c.Factor = selection.Round(c.Factor / halfDecade)
			continue
		}
		c.Gamma = selection.Round(c.Gamma / halfDecade)
		c.Gamma0 /= halfDecade
	}
	return found, nil
}
