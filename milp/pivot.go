package milp

import "math"

// choose picks the basic variable that leaves: a feature outside its bounds or
// a violated cut, by infeasibility² / (norm of its row of the basis inverse)²,
// which is dual steepest edge (Forrest & Goldfarb 1992). The norms of cuts
// would cost t² each, so they are computed for the most violated few only. It
// reports false when nothing is infeasible.
func (l *relaxation) choose() bool {
	n := len(l.tight)
	best := 0.0
	l.ray.leaving, l.ray.cut = -1, -1
	for i := 1; i < n; i++ {
		j := l.basic[i]
		under, over := l.lower[j]-l.x[i], l.x[i]-l.upper[j]
		v := max(under, over)
		if v <= tolFeasible {
			continue
		}
		row := l.inv.row(i)
		if score := v * v / dot(row, row); score > best {
			best = score
			l.ray.leaving, l.ray.slope = i, v
			l.ray.sign = 1
			if under > over {
				l.ray.sign = -1
			}
		}
	}
	const few = 3
	var cuts [few]int
	var worst [few]float64
	for i, w := range l.slack {
		if v := -w; v > worst[few-1] && l.row[i] == 0 && v > l.tolerance(i) {
			m := few - 1
			for ; m > 0 && v > worst[m-1]; m-- {
				worst[m], cuts[m] = worst[m-1], cuts[m-1]
			}
			worst[m], cuts[m] = v, i
		}
	}
	for m, v := range worst {
		if v == 0 {
			break
		}
		l.aimCut(cuts[m])
		if score := v * v / (1 + dot(l.ray.rho[:n], l.ray.rho[:n])); score > best {
			best = score
			l.ray.leaving, l.ray.cut, l.ray.slope, l.ray.sign = 0, cuts[m], v, 1
		}
	}
	return l.ray.leaving >= 0
}

// tolerance is the violation of a cut that is left standing: a part in 1e11 of
// η, or the rounding of the cut's own sum.
func (l *relaxation) tolerance(cut int) float64 {
	return max(1e-11*math.Abs(l.x[0]), 4e-15*l.size[cut])
}

// aimCut sets rho = −v·M⁻¹ for the row v of a cut that is not tight.
func (l *relaxation) aimCut(cut int) {
	n := len(l.tight)
	l.ray.rho = resize(l.ray.rho, n)
	rho := l.ray.rho
	g := l.gradient(cut)
	for r, v := range l.inv.row(0) {
		rho[r] = -v
	}
	for i := 1; i < n; i++ {
		if f := g[l.basic[i]]; f != 0 {
			subtract(rho, -f, l.inv.row(i))
		}
	}
}

// aim sets the dual direction and alpha, the rate at which the reduced costs
// fall along it: alpha_j = rho_0 − Σ_r rho_r·g_r[j].
func (l *relaxation) aim() {
	r := &l.ray
	if r.leaving == 0 {
		l.aimCut(r.cut)
	} else {
		r.cut = -1
		r.rho = resize(r.rho, len(l.tight))
		copy(r.rho, l.inv.row(r.leaving))
	}
	for j := range r.alpha {
		r.alpha[j] = r.rho[0]
	}
	l.combine(r.alpha, r.rho, r.cut, -1)
}

// test walks along the ray past the reduced costs that change sign, flipping
// those features to their other bound, as long as the bound still rises (the
// long-step rule), and finds what enters the basis. It reports false if nothing
// does.
func (l *relaxation) test() bool {
	r := &l.ray
	r.passed, r.breaks = r.passed[:0], r.breaks[:0]
	r.enter, r.drop, r.gain = -1, 0, 0
	y := l.inv.row(0)
	stop := math.Inf(1) // the first λ to reach zero
	for i := 1; i < len(l.tight); i++ {
		if rate := -r.sign * r.rho[i]; rate > tolPivot {
			if theta := max(y[i], 0) / rate; theta < stop || theta == stop && rate > -r.sign*r.rho[r.drop] {
				stop, r.drop = theta, i
			}
		}
	}
	for j, a := range r.alpha {
		if a = r.sign * a; a > tolPivot && !l.high[j] || a < -tolPivot && l.high[j] {
			if l.place[j] > 0 || l.lower[j] == l.upper[j] {
				continue
			}
			if theta := max(l.d[j]/a, 0); theta <= stop {
				r.breaks = append(r.breaks, breakpoint{theta, math.Abs(a), j})
			}
		}
	}
	heapify(r.breaks)
	slope, at := r.slope, 0.0
	for len(r.breaks) > 0 {
		next := r.breaks[0]
		r.gain += slope * (next.theta - at)
		at = next.theta
		if slope -= next.alpha; slope <= 0 {
			r.enter, r.theta, r.drop = next.feature, at, 0
			l.prefer(next)
			return true
		}
		r.passed = append(r.passed, next.feature)
		r.breaks = pop(r.breaks)
	}
	if r.drop == 0 {
		return false
	}
	r.gain += slope * (stop - at)
	r.theta = stop
	return true
}

// prefer replaces the entering feature by one of (nearly) the same step length
// and a larger pivot, for stability (Harris 1973).
func (l *relaxation) prefer(first breakpoint) {
	r := &l.ray
	best := first.alpha
	const slack = 1e-12
	for i, b := range r.breaks {
		if i > 32 {
			break
		}
		if b.alpha > best && b.theta <= first.theta+slack/b.alpha && b.theta <= first.theta*(1+1e-9)+slack {
			best, r.enter = b.alpha, b.feature
		}
	}
}

// step carries out the basis change the ratio test found, and reports false,
// having changed nothing, if the pivot is not to be trusted.
func (l *relaxation) step() bool {
	r := &l.ray
	n := len(l.tight)
	var u []float64
	if r.enter >= 0 {
		u = l.entering(r.enter)
		pivot := r.alpha[r.enter]
		var check float64
		if r.leaving > 0 {
			check = u[r.leaving]
		} else {
			check = l.corner(r.cut, r.enter, u)
		}
		if math.Abs(check-pivot) > 1e-6*(math.Abs(pivot)+1e-3) || math.Abs(pivot) < tolPivot {
			return false
		}
	}
	if move := r.sign * r.theta; move != 0 {
		subtract(l.d, move, r.alpha)
	}
	for _, j := range r.passed {
		l.flip(j)
	}
	if r.enter >= 0 && l.high[r.enter] {
		l.shift(r.enter, -1)
		l.high[r.enter] = false
	}
	out := -1
	if r.leaving > 0 {
		out = l.basic[r.leaving]
	}
	switch {
	case r.leaving == 0 && r.enter >= 0:
		for i := range r.rho {
			r.rho[i] = -r.rho[i]
		}
		l.inv.grow(u, r.rho, r.alpha[r.enter])
		l.tight = append(l.tight, r.cut)
		l.basic = append(l.basic, r.enter)
		l.row[r.cut], l.place[r.enter] = n, n
	case r.leaving == 0:
		for i := range r.rho {
			r.rho[i] = -r.rho[i]
		}
		l.inv.replaceRow(r.drop, r.rho)
		l.row[l.tight[r.drop]] = 0
		l.tight[r.drop] = r.cut
		l.row[r.cut] = r.drop
	case r.enter >= 0:
		l.inv.replaceColumn(r.leaving, u)
		l.basic[r.leaving] = r.enter
		l.place[r.enter] = r.leaving
	default:
		l.inv.shrink(r.leaving, r.drop)
		l.row[l.tight[r.drop]] = 0
		last := n - 1
		l.tight[r.drop], l.basic[r.leaving] = l.tight[last], l.basic[last]
		if r.drop != last {
			l.row[l.tight[r.drop]] = r.drop
		}
		if r.leaving != last {
			l.place[l.basic[r.leaving]] = r.leaving
		}
		l.tight, l.basic = l.tight[:last], l.basic[:last]
	}
	if out >= 0 {
		l.place[out] = 0
		l.high[out] = r.sign > 0 && l.upper[out] == 1 || l.lower[out] == 1
		if l.high[out] {
			l.shift(out, 1)
		}
		l.d[out] = -r.sign * r.theta
	}
	if r.enter >= 0 {
		l.d[r.enter] = 0
	}
	for _, j := range l.basic[1:] {
		l.d[j] = 0
	}
	l.fresh++
	l.values()
	return true
}

func (l *relaxation) flip(j int) {
	by := 1.0
	if l.high[j] {
		by = -1
	}
	l.high[j] = !l.high[j]
	l.shift(j, by)
}

// entering returns u = M⁻¹·(column of the feature over the tight rows).
func (l *relaxation) entering(j int) []float64 {
	n := len(l.tight)
	l.scratch = resize(l.scratch, 2*n)
	column, u := l.scratch[:n], l.scratch[n:2*n]
	column[0] = 1
	t := l.column(j)
	for r := 1; r < n; r++ {
		column[r] = -t[l.tight[r]]
	}
	for i := range n {
		u[i] = dot(l.inv.row(i), column)
	}
	return u
}

// corner is the pivot of a step that adds a cut and a feature to the basis:
// −g_c[j] − v·u for the row v of the cut.
func (l *relaxation) corner(cut, j int, u []float64) float64 {
	g := l.gradient(cut)
	s := -g[j] - u[0]
	for i := 1; i < len(u); i++ {
		s += g[l.basic[i]] * u[i]
	}
	return s
}

// heapify and pop keep the breakpoint of least theta first.
func heapify(h []breakpoint) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		sift(h, i)
	}
}

func pop(h []breakpoint) []breakpoint {
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	if n > 0 {
		sift(h, 0)
	}
	return h
}

func sift(h []breakpoint, i int) {
	x := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && less(h[c+1], h[c]) {
			c++
		}
		if !less(h[c], x) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = x
}

func less(a, b breakpoint) bool {
	return a.theta < b.theta || a.theta == b.theta && a.alpha > b.alpha
}
