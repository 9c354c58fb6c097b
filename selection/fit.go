package selection

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"optcomplete/checkpoint"
	"optcomplete/internal/timelimit"
	"optcomplete/result"
	"optcomplete/search"
)

// Run says how a fit goes. All but K may be left at zero.
type Run struct {
	K      int
	Clock  *timelimit.Clock  // of the whole fit; nil: none
	Memory *checkpoint.Store // of what was computed; nil: none

	OnEvent func(search.Event)      // called for everything the search does; may be nil
	OnGamma func(result.GammaPoint) // called for every γ tried; may be nil

	Limit     time.Duration  // of the clock
	OnDivided func(Division) // told before the search how that is divided; may be nil

	OnChosen func(gamma float64, tried []result.GammaPoint) // told, where γ were tried, which was taken; may be nil
}

// Fit chooses what is left to validation, selects K units, certifies them and costs
// the removal of each. A limit or a cancelled context is not an error.
func Fit[Data any](ctx context.Context, f Formulation[Data], train Data, r Run) (*Found, error) {
	start := time.Now()
	c, err := Chosen(ctx, r.Memory, func() (Choices, error) { return f.Choose(ctx, train, r.K, r.OnGamma) })
	if err != nil {
		return nil, search.SettingsError(err)
	}
	if r.OnChosen != nil && len(c.GammaPath) > 0 {
		r.OnChosen(c.Gamma, c.GammaPath)
	}
	chosen := time.Since(start)
	cost, err := f.Cost(ctx, train, r.K, c)
	if err != nil {
		return nil, err
	}
	cost.Oracle = c.Remember(cost.Oracle, r.Memory, "all", r.K)
	cost.Find.OnEvent, cost.Find.TimeLimit = r.OnEvent, r.Clock.Search(0)
	if r.OnDivided != nil && r.Clock != nil {
		r.OnDivided(Division{Limit: r.Limit, Choice: chosen, Tried: len(c.GammaPath), Cut: c.Cut != nil, Search: cost.Find.TimeLimit})
	}
	prepared := time.Since(start)
	found, err := Select(ctx, cost, f.Names())
	if err != nil {
		return nil, err
	}
	found.Choices, found.Chosen, found.Prepared = c, chosen, prepared
	return found, nil
}

// Remember lets a checkpoint, if there is one, answer for the cost at these choices.
// The label says of which data it is.
func (c *Choices) Remember(cost search.Oracle, memory *checkpoint.Store, label string, k int) search.Oracle {
	if memory == nil {
		return cost
	}
	return memory.Oracle(cost, fmt.Sprintf("%s k %d gamma %v %v shrinkage %v %v", label, k, c.Gamma, c.Gamma0, c.Row, c.Column))
}

// Chosen is what choose gives, as a checkpoint, if there is one, remembers it.
func Chosen(ctx context.Context, memory *checkpoint.Store, choose func() (Choices, error)) (Choices, error) {
	if memory == nil {
		return choose()
	}
	var c Choices
	interrupted := false
	answer, err := memory.Do([]byte("what was chosen"), func() (b []byte, err error) {
		if c, err = choose(); err != nil {
			return nil, err
		}
		if err := cmp.Or(ctx.Err(), c.Cut); err != nil {
			interrupted = true
			return nil, err // what an interrupt or a limit left is not to be kept
		}
		return json.Marshal(c)
	})
	if interrupted {
		return c, nil // the best so far
	}
	if err != nil {
		return c, err
	}
	var kept Choices
	return kept, json.Unmarshal(answer, &kept)
}
