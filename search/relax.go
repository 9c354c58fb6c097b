package search

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Constants of the relaxation, found by measurement on the paper's instances
// for γ from 1e-2 to 1e4.
const (
	relaxSteps = 24   // most evaluations for one node
	dropWeight = 1e-7 // weights below are set to zero
	newWeight  = 1e-3 // weight of a feature that enters the support
	trust      = 0.1  // a Newton step changes a weight by at most this factor
	wideStart  = 64   // up to this many free features, all start with weight
	newtonMost = 80   // largest support for which Newton steps pay, unless the settings say more
)

// point is an evaluated point of a relaxation.
type point struct {
	weights []float64
	cost    float64
	cut     cut
	hessian []float64 // of the support, nil if not known
	support []int
}

// relax minimises the cost over the node's relaxation, 0 ≤ s ≤ 1, Σs = k and
// what is fixed, just well enough: until the node is ruled out, or until the
// bound is so near the relaxed cost that only splitting can help. It returns
// the feature to split on, or −1 when the node is done.
//
// Multiplicative steps lead while they gain a lot, Newton steps finish: the
// cost behaves like 1/(1+q·s), which the former follow well from afar and the
// latter near the optimum. Any evaluated point gives a true cut, so nothing
// here can make a bound false.
func (s *searcher) relax(ctx context.Context, n *node) (branch int, err error) {
	weights := s.startWeights(n)
	multiplicative := n.weights == nil // at the root, which starts from afar
	if s.Guide != nil {
		if weights, err = s.guided(ctx, n, weights, multiplicative); err != nil {
			s.halt = err
			return 0, err
		}
		multiplicative = false
	}
	var at *point
	lag := math.Inf(1) // cost − bound at the last accepted point
	halvings := 0
	for range relaxSteps {
		trial := &point{weights: weights, support: supportOf(weights)}
		newton := (s.curved != nil || s.Guide != nil) && !multiplicative && len(trial.support) <= cmp.Or(s.NewtonMost, newtonMost)
		if trial.cost, trial.cut, trial.hessian, err = s.eval(ctx, weights, newton); err != nil {
			return 0, err
		}
		before := n.Free
		if s.boundByCut(n, &trial.cut) {
			return -1, nil
		}
		var made *cut
		if selection := s.round(weights, trial.cut.gradient, &n.region); selection != nil {
			if made, err = s.selection(ctx, selection, "relaxation"); err != nil {
				return 0, err
			}
		}
		if (made != nil && s.boundByCut(n, made)) || s.closed(n) {
			return -1, nil
		}
		if done, err := s.finish(ctx, n, effortBefore); done || err != nil {
			return -1, err
		}
		if at != nil && trial.cost > at.cost && n.Free == before && halvings < 4 {
			// Too far: half the way back.
			halvings++
			weights = halfway(at.weights, trial.weights)
			continue
		}
		halvings = 0
		at = trial
		n.weights = at.weights
		own, taken, _ := s.pool.Least(at.cut.constant, at.cut.gradient, &n.region)
		if at.cost-n.bound <= 0.2*(s.cutoff()-n.bound) && at.cost < s.cutoff() {
			break
		}
		if at.cost-own <= 1e-9*at.cost {
			break
		}
		if multiplicative && at.cost-own > lag/3 {
			multiplicative = false
		}
		lag = at.cost - own
		weights = s.step(at, n)
		s.enter(weights, at, n, -taken)
		conform(weights, &n.region)
	}
	n.weights, n.at = at.weights, at
	return s.branch(at, n), nil
}

// supportOf lists the features of positive weight.
func supportOf(weights []float64) (support []int) {
	for j, w := range weights {
		if w > 0 {
			support = append(support, j)
		}
	}
	return support
}

func halfway(a, b []float64) []float64 {
	middle := make([]float64, len(a))
	for j := range middle {
		middle[j] = (a[j] + b[j]) / 2
	}
	return middle
}

// guided minimises the guide's cost over the node's relaxation, from the given
// weights, by the steps of relax. Where it ends is where the oracle is asked.
func (s *searcher) guided(ctx context.Context, n *node, weights []float64, multiplicative bool) ([]float64, error) {
	var at *point
	lag := math.Inf(1)
	halvings := 0
	for range relaxSteps {
		trial := &point{weights: weights, support: supportOf(weights)}
		var found Cut
		var err error
		if !multiplicative && len(trial.support) <= newtonMost {
			found, trial.hessian, err = s.Guide.EvalHessian(ctx, weights)
		} else {
			found, err = s.Guide.Eval(ctx, weights)
		}
		if err != nil {
			return nil, err
		}
		trial.cost, trial.cut = found.Cost, cut{constant: found.Constant, gradient: found.Gradient}
		if at != nil && trial.cost > at.cost && halvings < 4 {
			halvings++
			weights = halfway(at.weights, trial.weights)
			continue
		}
		halvings = 0
		at = trial
		own, taken, _ := s.pool.Least(at.cut.constant, at.cut.gradient, &n.region)
		if at.cost-own <= 1e-4*at.cost {
			break
		}
		if multiplicative && at.cost-own > lag/3 {
			multiplicative = false
		}
		lag = at.cost - own
		weights = s.step(at, n)
		s.enter(weights, at, n, -taken)
		conform(weights, &n.region)
	}
	return at.weights, nil
}

// startWeights is where a node's relaxation begins: the parent's weights, or
// at the root equal weights on all features, or, when there are many, on the
// incumbent's and those with the steepest gradients there.
func (s *searcher) startWeights(n *node) []float64 {
	weights := slices.Clone(n.weights)
	if weights == nil {
		weights = make([]float64, s.p)
		last := s.pool.cuts[len(s.pool.cuts)-1].gradient
		var order []int
		for j, state := range n.State {
			if state == free {
				order = append(order, j)
			}
		}
		if len(order) > wideStart {
			slices.SortStableFunc(order, func(a, b int) int { return sign(last[a] - last[b]) })
			order = order[:min(len(order), max(wideStart, 3*s.K))]
			order = append(order, s.best.Selection...)
		}
		for _, j := range order {
			weights[j] = 1
		}
		fill := float64(n.Left) / float64(len(order))
		for j := range weights {
			weights[j] *= fill
		}
	}
	conform(weights, &n.region)
	return weights
}

// conform makes weights fit a region: fixed features at 1 or 0, tiny weights
// dropped, and the free ones scaled, capped at 1, to the sum that is left.
func conform(weights []float64, r *region) {
	positive := 0
	for j, state := range r.State {
		switch {
		case state == in:
			weights[j] = 1
		case state == out || weights[j] < dropWeight:
			weights[j] = 0
		default:
			positive++
		}
	}
	if positive < r.Left {
		for j, state := range r.State {
			if state == free && weights[j] == 0 {
				weights[j] = newWeight
			}
		}
	}
	scaleTo(weights, r)
}

// scaleTo multiplies the free weights by the factor c for which
// Σ min(1, c·w) is what the region has left.
func scaleTo(weights []float64, r *region) {
	if r.Left == 0 {
		for j, state := range r.State {
			if state == free {
				weights[j] = 0
			}
		}
		return
	}
	// Capping the largest one after the other; each sweep caps at least one.
	for {
		sum, capped := 0.0, 0
		for j, state := range r.State {
			if state != free {
				continue
			}
			if weights[j] >= 1 {
				capped++
			} else {
				sum += weights[j]
			}
		}
		room := float64(r.Left - capped)
		if sum == 0 || room <= 0 {
			break
		}
		c := room / sum
		over := false
		for j, state := range r.State {
			if state == free && weights[j] < 1 {
				weights[j] *= c
				if weights[j] >= 1 {
					weights[j], over = 1, true
				}
			}
		}
		if !over {
			break
		}
	}
}

// step is the next point after at: a Newton step where the second derivatives
// are known, else a multiplicative one, else (for a cost that grows somewhere)
// a scaled gradient step.
func (s *searcher) step(at *point, n *node) []float64 {
	weights := slices.Clone(at.weights)
	falling := !slices.ContainsFunc(at.support, func(j int) bool { return at.cut.gradient[j] >= 0 })
	if at.hessian == nil && falling {
		// s_j ∝ s_j·√(−∂c/∂s_j): minimises, over s, the cost with the rows'
		// coefficients held.
		largest := 0.0
		for _, j := range at.support {
			if n.State[j] == free {
				weights[j] *= math.Sqrt(-at.cut.gradient[j])
				largest = max(largest, weights[j])
			}
		}
		for _, j := range at.support {
			if n.State[j] == free {
				weights[j] /= 2 * largest // below the cap: conform scales
			}
		}
		return weights
	}
	q := quadratic{}
	for x, j := range at.support {
		if n.State[j] != free {
			continue
		}
		w := at.weights[j]
		q.feature = append(q.feature, j)
		q.at = append(q.at, x)
		q.x = append(q.x, w)
		q.gradient = append(q.gradient, at.cut.gradient[j])
		lower := w * trust
		if w < 10*dropWeight || at.hessian == nil {
			lower = 0
		}
		q.lower = append(q.lower, lower)
		upper := min(1, max(w/trust, newWeight))
		if at.hessian == nil {
			upper = 1
		}
		q.upper = append(q.upper, upper)
	}
	t := len(q.x)
	q.hessian = make([]float64, t*t)
	for x := range t {
		for y := range t {
			if at.hessian != nil {
				q.hessian[x*t+y] = at.hessian[q.at[x]*len(at.support)+q.at[y]]
			}
		}
		if at.hessian == nil {
			// Without second derivatives, those of 1/s-like costs: −2g.
			q.hessian[x*t+x] = 2 * math.Abs(q.gradient[x])
		}
	}
	q.minimize()
	for x, j := range q.feature {
		weights[j] = q.x[x]
	}
	return weights
}

// enter gives a little weight to the features without any whose gradient is
// steeper than the price: they belong to the relaxation's support.
func (s *searcher) enter(weights []float64, at *point, n *node, price float64) {
	var better []int
	for j, state := range n.State {
		if state == free && at.weights[j] == 0 && -at.cut.gradient[j] > price*(1+1e-9) {
			better = append(better, j)
		}
	}
	limit := 8 + len(at.support)/4
	if len(better) > limit {
		slices.SortStableFunc(better, func(a, b int) int { return sign(at.cut.gradient[a] - at.cut.gradient[b]) })
		better = better[:limit]
	}
	for _, j := range better {
		weights[j] = newWeight
	}
}

// branch picks the feature to split on: where both fixing it in and fixing it
// out would raise the relaxed cost the most. With price λ and, along w_j, a
// cost like 1/(1+κw), fixing out costs λκw²/(1−κw) and fixing in
// λκv²/(1+κv), v = 1−w, after the weight is given to the others at price λ.
func (s *searcher) branch(at *point, n *node) int {
	best, bestScore := -1, -1.0
	for x, j := range at.support {
		if n.State[j] != free {
			continue
		}
		w := at.weights[j]
		v := 1 - w
		down, up := w, v
		if price := -at.cut.gradient[j]; at.hessian != nil && price > 0 {
			kappa := at.hessian[x*len(at.support)+x] / (2 * price)
			down = price * kappa * w * w / max(1-kappa*w, 1e-6)
			up = price * kappa * v * v / (1 + kappa*v)
		}
		score := min(down, up) + max(down, up)/5
		if score > bestScore {
			best, bestScore = j, score
		}
	}
	if best < 0 {
		best = slices.Index(n.State, free)
	}
	return best
}
