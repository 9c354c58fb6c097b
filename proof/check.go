package proof

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Verdict is what a check found.
type Verdict struct {
	Bound float64 `json:"bound"`     // no selection costs less: the checker's own
	Low   float64 `json:"cost_low"`  // what the model's selection costs, at least
	High  float64 `json:"cost_high"` // and at most
	Gap   float64 `json:"gap"`       // (High − Bound)/High

	Cuts       int `json:"cuts"` // that were needed and computed
	Branchings int `json:"branchings"`
	Fixings    int `json:"fixings"`
	Closed     int `json:"closed"`     // regions closed by a cut
	Modelled   int `json:"modelled"`   // regions closed by a model
	Enumerated int `json:"enumerated"` // selections evaluated
	Unproven   int `json:"unproven"`   // regions that nothing closes

	// Faults are what the model or the proof claims and the check does not bear out.
	Faults []string `json:"faults"`
}

// RefusedError is returned for a proof that is of something else, or makes no sense.
type RefusedError struct{ Problem string }

func (e *RefusedError) Error() string { return "the proof is refused: " + e.Problem }

// Check checks a proof against the data. A proof of something else is a
// *RefusedError. A proof that proves less than the model claims is a Verdict with
// Faults: its Bound is true all the same.
func Check(ctx context.Context, problem *Problem, p *Proof, threads int) (*Verdict, error) {
	s, err := problem.Statement(ctx, threads)
	if err != nil {
		return nil, err
	}
	if what := p.Statement.differs(&s); what != "" {
		return nil, &RefusedError{"it is about " + what}
	}
	if found := withoutLevel(p.selected, len(problem.Units)); !slices.Equal(found, problem.Selected) {
		return nil, &RefusedError{"it is about another selection than the model's"}
	}
	c, err := newCost(ctx, problem, threads)
	if err != nil {
		return nil, err
	}
	k := &check{Problem: problem, proof: p, cost: c, verdict: Verdict{Faults: []string{}}}
	return k.run(ctx)
}

// withoutLevel leaves out the unit that stands for the level of a row.
func withoutLevel(selection []int, units int) []int {
	return slices.DeleteFunc(slices.Clone(selection), func(u int) bool { return u >= units })
}

func newCost(ctx context.Context, problem *Problem, threads int) (*cost, error) {
	values, err := problem.values(ctx)
	if err != nil {
		return nil, err
	}
	c := &cost{matrix: values, unit: 1, gamma: problem.Gamma, threads: threads}
	c.n, c.m = values.Dims()
	c.normalize()
	_, c.p = problem.Features.Dims()
	c.b = problem.Features.Values
	for _, u := range problem.Units {
		c.units = append(c.units, u.Features)
	}
	if problem.Model == "pooled" {
		c.gamma0 = problem.Gamma0
	}
	if problem.Gammas != nil { // features times √γ have γ = 1
		roots := make([]float64, 0, c.p+1)
		for _, gamma := range problem.Gammas {
			if !(gamma >= 0) || math.IsInf(gamma, 1) {
				return nil, fmt.Errorf("proof: a feature has γ = %v", gamma)
			}
			roots = append(roots, math.Sqrt(gamma))
		}
		c.b = make([]float64, 0, c.m*(c.p+1))
		for j := range c.m {
			for f, b := range problem.Features.Row(j) {
				c.b = append(c.b, b*roots[f])
			}
			c.b = append(c.b, roots[c.p])
		}
		c.units = append(c.units, []int{c.p})
		c.p++
	}
	if !(c.gamma > 0) || problem.Model == "pooled" && !(c.gamma0 > 0) {
		return nil, errors.New("proof: γ must be positive")
	}
	c.largest = make([]float64, c.p)
	for at, x := range c.b {
		c.largest[at%c.p] = max(c.largest[at%c.p], math.Abs(x))
	}
	for i := range c.n {
		c.longest = max(c.longest, values.Entries(i))
	}
	return c, nil
}

// check is one check as it goes.
type check struct {
	*Problem
	proof   *Proof
	cost    *cost
	verdict Verdict
	target  float64 // n·m·bound, as claimed, less what does not matter
	least   float64 // n·m·cost of any selection is at least this

	cuts     map[int]*cut
	model    *step // whose tangents these are:
	tangents *tangents
	own      *cut  // and where it was taken
	last     *step // the tangent computed last, and it
	tangent  *cut
	found    [][]int // selections that the model has not ruled out

	pending              []pending // to be evaluated
	enumerating, listing float64   // how many
	singles              []point   // to be evaluated one by one
}

func (k *check) run(ctx context.Context) (*Verdict, error) {
	k.target = k.Bound / k.cost.unit / k.cost.unit * k.cost.size() * (1 - agree/8)
	k.least = math.Inf(1)

	needed, err := k.survey()
	if err != nil {
		return nil, err
	}
	incumbent := k.place(k.indicator())
	incumbent.upper, incumbent.precise = true, true
	if err := k.cost.evaluate(ctx, []*place{incumbent}); err != nil {
		return nil, err
	}
	low, high := k.costs(incumbent)
	if !(high-low <= agree/10*high) {
		if err := k.cost.evaluateLong(ctx, []*place{incumbent}); err != nil {
			return nil, err
		}
		low, high = k.costs(incumbent)
	}
	root := k.root(len(k.cost.units))
	k.cuts = map[int]*cut{}
	if err := k.evaluateCuts(ctx, needed, plainly, agree/100*high); err != nil {
		return nil, err
	}
	// Cuts that do not show what was claimed may have been solved for too badly.
	for level := precisely; level <= withLong; level++ {
		if err := k.evaluateCuts(ctx, k.below(root, level), level, 0); err != nil {
			return nil, err
		}
	}
	refused := k.proof.walk(root, func(r *region, by, model *step) {
		if err == nil {
			err = k.rule(ctx, r, by, model)
		}
	})
	if refused != nil {
		return nil, &RefusedError{refused.Error()}
	}
	if err == nil {
		err = k.endModel(ctx)
	}
	if err == nil {
		err = k.flush(ctx)
	}
	if err == nil {
		err = k.evaluate(ctx, k.singles)
	}
	if err != nil {
		return nil, err
	}
	v := &k.verdict
	v.Bound = max(0, down(k.cost.perEntry(min(k.least, high))))
	v.Low, v.High = max(0, down(k.cost.perEntry(low))), up(k.cost.perEntry(high))
	if v.High > 0 {
		v.Gap = max(0, (v.High-v.Bound)/v.High)
	}
	k.compare()
	return v, nil
}

// survey counts, and finds the cuts that are needed.
func (k *check) survey() (needed []int, err error) {
	use := make([]bool, len(k.proof.points))
	v := &k.verdict
	for _, n := range k.proof.nodes {
		for x := range n.steps {
			s := &n.steps[x]
			fixed := len(s.within) + len(s.without)
			v.Fixings += fixed
			switch {
			case s.kind == split:
				v.Branchings++
			case s.kind == byModel:
				v.Modelled++
			case s.kind == byCut && fixed == 0:
				v.Closed++
			}
		}
	}
	err = k.proof.walk(k.root(len(k.cost.units)), func(_ *region, by, _ *step) {
		if by.kind == byCut {
			use[by.cut] = true
		}
	})
	if err != nil {
		return nil, &RefusedError{err.Error()}
	}
	for at, is := range use {
		if is {
			needed = append(needed, at)
		}
	}
	v.Cuts = len(needed)
	return needed, nil
}

// indicator is the point of the selection.
func (k *check) indicator() point {
	at := point{units: slices.Clone(k.Selected)}
	if k.Gammas != nil {
		at.units = append(at.units, len(k.Units))
	}
	for range at.units {
		at.weights = append(at.weights, 1)
	}
	return at
}

// place spreads the weights of a point over the features.
func (k *check) place(at point) *place {
	out := &place{}
	for x, u := range at.units {
		for _, j := range k.cost.units[u] {
			out.support, out.weight = append(out.support, j), append(out.weight, at.weights[x])
		}
	}
	return out
}

// batchNumbers is about how many numbers the sums of the cuts that are computed
// at once may take.
const batchNumbers = 1 << 25

// evaluateCuts computes cuts at a level, many in one reading of the rows. Those that rounding has
// lowered by more than the tolerance are computed once more, precisely.
func (k *check) evaluateCuts(ctx context.Context, needed []int, level int, tolerance float64) error {
	var again []int
	batch := max(1, batchNumbers/(2*k.cost.p*(k.cost.parts()+k.cost.threads)))
	evaluate := k.cost.evaluate
	if level == withLong {
		needed = needed[:min(len(needed), mostLongPlaces)]
		evaluate = k.cost.evaluateLong
	}
	for group := range slices.Chunk(needed, batch) {
		places := make([]*place, len(group))
		for x, at := range group {
			places[x] = k.place(k.proof.points[at])
			places[x].precise = level > plainly
		}
		if err := evaluate(ctx, places); err != nil {
			return err
		}
		for x, at := range group {
			if level == withLong && places[x].found == nil {
				continue
			}
			k.cuts[at] = k.cost.cut(places[x])
			if level == plainly && !(k.cuts[at].loose <= tolerance) {
				again = append(again, at)
			}
		}
	}
	if len(again) > 0 {
		return k.evaluateCuts(ctx, again, precisely, 0)
	}
	return nil
}

// below lists the cuts that are below what was claimed where they are used, and of a lower
// level.
func (k *check) below(root *region, level int) (low []int) {
	found := map[int]bool{}
	_ = k.proof.walk(root, func(r *region, by, _ *step) { // survey has seen that it can be walked
		if at := by.cut; by.kind == byCut && !found[at] && !(k.cuts[at].bound(r) >= k.target) && k.cuts[at].level < level {
			found[at] = true
			low = append(low, at)
		}
	})
	return low
}

func (r *region) clone() *region {
	out := *r
	out.state, out.in, out.room = slices.Clone(r.state), slices.Clone(r.in), slices.Clone(r.room)
	return &out
}
