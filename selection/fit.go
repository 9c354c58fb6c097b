package selection

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"optcomplete/checkpoint"
	"optcomplete/internal/progress"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// Watch is what is called while a run goes on; each may be nil.
type Watch struct {
	OnEvent   func(search.Event)                             // called for everything the search does
	OnGamma   func(result.GammaPoint)                        // called for every γ tried
	OnChosen  func(gamma float64, tried []result.GammaPoint) // called with the γ taken, if several were tried
	OnDivided func(Division)                                 // called before the search with how the time limit is divided
}

// Run says how a fit goes. All but K may be left at zero.
type Run struct {
	K      int
	Start  bool        // there is a selection to start from: an interrupt before the search has an answer
	Limits spec.Limits // those of time count
	Began  time.Time   // when the fit began to prepare; zero: now
	Watch

	// Reserve estimates what is to be kept of the time limit for what comes after the
	// search; nil: nothing is kept.
	Reserve func(ctx context.Context, cost *Cost) (refit, extra time.Duration, err error)

	// Search searches the cost, and tells when the selection was found; nil:
	// search.Minimize does.
	Search func(ctx context.Context, cost *Cost) (search.Result, time.Duration, error)

	// Complete makes what it likes of the selection; its readings are made together
	// with those of the costs of removals, which then have only what time is left.
	Complete func(ctx context.Context, found *Found) error

	OnLearned func(Learned) // called with what was learned of how much rows differ on features, if it was; may be nil

	// What Open makes.
	Clock  *Clock            // of the whole fit; nil: none
	Memory *checkpoint.Store // of what was computed; nil: none
}

// Open starts the clock, and opens the memory in a folder, unless that is empty, of the
// run with a fingerprint. Close closes it.
func (r *Run) Open(folder string, fingerprint func() (string, error)) (err error) {
	if r.Began.IsZero() {
		r.Began = time.Now()
	}
	r.Clock = NewClock(r.Limits.TimeLimit, cmp.Or(r.Limits.Began, r.Began))
	if folder == "" {
		return nil
	}
	text, err := fingerprint()
	if err == nil {
		r.Memory, err = checkpoint.Open(folder, text)
	}
	return err
}

// Close closes the memory.
func (r *Run) Close() {
	if r.Memory != nil {
		r.Memory.Close()
	}
}

// Fit chooses what is left to validation, selects K units, certifies them and costs
// the removal of each. A limit or a cancelled context is not an error, but that there
// is nothing to answer where the context ends before the search.
func Fit[Data any](ctx context.Context, f Selectable[Data], train Data, r *Run) (*Found, error) {
	if r.Began.IsZero() {
		r.Began = time.Now()
	}
	start := time.Now()
	c, err := r.learned(ctx, func() (Learned, error) { return f.Learn(ctx, train, r.K, nil, r.OnGamma) })
	if err != nil {
		return nil, search.SettingsError(err)
	}
	if ctx.Err() != nil && !r.Start {
		return nil, ctx.Err()
	}
	if r.OnLearned != nil && c.Units != nil && !c.Given {
		r.OnLearned(c)
	}
	if r.OnChosen != nil && len(c.GammaPath) > 0 {
		r.OnChosen(c.Gamma, c.GammaPath)
	}
	found := &Found{Learned: c, run: r, chosen: time.Since(r.Began)}
	preparing := progress.Start(ctx, "Preparing the search", 0, "")
	defer preparing.Done()
	cost, err := f.Cost(context.WithoutCancel(ctx), train, r.K, c)
	if err != nil {
		return nil, err
	}
	cost.Oracle = c.Remember(cost.Oracle, r.Memory, "all", r.K)
	var course trace
	cost.Find.OnEvent = func(e search.Event) {
		course.event(e)
		if r.OnEvent != nil {
			r.OnEvent(e)
		}
	}
	divided, err := r.divide(ctx, cost, &c, time.Since(start))
	if err != nil {
		return nil, err
	}
	preparing.Done()
	found.prepared = time.Since(r.Began)
	if err := found.search(ctx, cost, f.Names(), r.Search); err != nil {
		return nil, err
	}
	found.searched, found.Trace = time.Since(r.Began), course.points
	if r.Complete == nil {
		found.remove(context.WithoutCancel(ctx), cost, f.Names())
		return found, nil
	}
	return found, pass.Together(ctx, func(ctx context.Context) error { return r.Complete(context.WithoutCancel(ctx), found) }, func(ctx context.Context) error {
		if !found.Status.Early() { // the selection is proven: an interrupt costs its answer nothing
			ctx = context.WithoutCancel(ctx)
		}
		removing, stop := r.Clock.Before(ctx, divided.Refit)
		defer stop()
		removal := &Found{Result: found.Result}
		if removal.remove(removing, cost, f.Names()); removal.RemovalError == nil && removal.Removal == nil && len(found.Units) > 0 {
			if removal.RemovalError = Why(removing, removing.Err()); ctx.Err() != nil {
				removal.RemovalError = errInterrupted
			}
		}
		found.Removal, found.RemovalError = removal.Removal, removal.RemovalError
		return nil
	})
}

// errInterrupted is why something is missing that nothing else depends on.
var errInterrupted = errors.New("the run was interrupted")

// divide gives the search what is left of the time limit.
func (r *Run) divide(ctx context.Context, cost *Cost, c *Learned, took time.Duration) (d Division, err error) {
	d = Division{Limit: r.Limits.TimeLimit, Choice: took, Tried: len(c.GammaPath), Given: c.Given, Cut: c.Cut != nil}
	if r.Clock == nil {
		return d, nil
	}
	if r.Reserve != nil {
		if d.Refit, d.Extra, err = r.Reserve(ctx, cost); err != nil {
			return d, err
		}
	}
	cost.Find.TimeLimit = r.Clock.Search(d.Refit + d.Extra)
	d.Search = cost.Find.TimeLimit
	if r.OnDivided != nil {
		r.OnDivided(d)
	}
	return d, nil
}

// Remember lets a checkpoint, if there is one, answer for the cost at these choices.
// The label says of which data it is.
func (c *Learned) Remember(cost search.Oracle, memory *checkpoint.Store, label string, k int) search.Oracle {
	if memory == nil {
		return cost
	}
	return memory.Oracle(cost, fmt.Sprintf("%s k %d gamma %v %v factor %v shrinkage %v %v delta %v units %d", label, k, c.Gamma, c.Gamma0, c.Factor, c.Row, c.Column, c.Delta, c.unitsSum()))
}

// unitsSum tells units apart: a cost in other units is another, and a run whose learning was cut
// short has others than the one that continues it.
func (c *Learned) unitsSum() uint64 {
	h := fnv.New64a()
	if c.Units != nil {
		for _, x := range append([]float64{c.Units.Level}, c.Units.Features...) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return h.Sum64()
}

// learned is what learn gives, as the memory, if there is one, remembers it.
func (r *Run) learned(ctx context.Context, learn func() (Learned, error)) (Learned, error) {
	if r.Memory == nil {
		return learn()
	}
	var c Learned
	interrupted := false
	answer, err := r.Memory.Do([]byte("what was chosen"), func() (b []byte, err error) {
		if c, err = learn(); err != nil {
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
	var kept Learned
	return kept, json.Unmarshal(answer, &kept)
}
