package formulation

import (
	"context"

	"optcomplete/internal/gammapath"
	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
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
	task    *task
	from    *selector
	choices choices
	near    float64              // evaluations × entries that are in sight
	tell    func(result.Outlook) // may be nil
	asked   bool
	known   *result.Outlook
}

// event receives everything that the search does.
func (o *outlook) event(ctx context.Context, e search.Event) {
	observed := o.from.values.Observed()
	if o.asked || e.Sampled || e.Kind == search.EventDone || e.Nodes < 2 || !(e.Gap > max(o.from.find.Gap, search.Precision)) || e.Passes*observed < outlookFrom {
		return
	}
	o.asked = true
	if limit := o.from.find.TimeLimit; limit > 0 {
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
	learned := o.choices.Units != nil && !o.choices.Given
	found := &result.Outlook{Gamma: oneGammaOf(o.choices), Factor: learned}
	observed := float64(o.from.values.Observed())
	c := o.choices
	from := newSampler(o.from.values, o.task.Seed)
	sizes := from.sizes()
	for step := range outlookSteps + 1 {
		var s *selector
		if len(sizes) > 0 {
			var err error
			if s, _, err = o.task.sampleCost(ctx, from, sizes[0], c); err != nil {
				return nil, err
			}
		} else {
			s = o.task.newSelector(o.from.values, c)
		}
		find := s.find
		find.Gap, find.MaxPasses, find.MaxNodes, find.Start = o.from.find.Gap, outlookPasses, 0, [][]int{incumbent}
		ahead, err := search.Outlook(ctx, s.oracle, find, outlookDives, o.task.Seed)
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
				if learned {
					found.Largest = c.Factor
				}
				found.SecondsThere = ahead.Evaluations * evaluation
				if there, err := s.briefly(ctx, incumbent); err == nil {
					found.Differs = len(lists.Without(there, incumbent))
				}
			}
			break
		}
		if learned { // the level stays what it is
			c.Factor = gammapath.Round(c.Factor / halfDecade)
			continue
		}
		c.Gamma = gammapath.Round(c.Gamma / halfDecade)
		c.Gamma0 /= halfDecade
	}
	return found, nil
}
