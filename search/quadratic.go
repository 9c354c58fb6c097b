package search

import "math"

// quadratic is a small convex quadratic problem on a simplex with bounds:
//
//	min gradient·d + ½ dᵀ hessian d,  d = x − start,
//	Σx kept,  lower ≤ x ≤ upper.
//
// It is solved by exchanging weight between pairs of variables, the pair
// chosen by the largest decrease (as in Platt's sequential minimal
// optimisation with the second-order choice of Fan, Chen and Lin 2005).
type quadratic struct {
	feature, at  []int
	x            []float64 // start, then the solution
	lower, upper []float64
	gradient     []float64 // at x
	hessian      []float64 // row by row
}

func (q *quadratic) minimize() {
	t := len(q.x)
	h := q.hessian
	for range 40 * t {
		i := -1
		steepest, flattest := math.Inf(1), math.Inf(-1)
		for a := range t {
			if q.x[a] < q.upper[a] && q.gradient[a] < steepest {
				i, steepest = a, q.gradient[a]
			}
			if q.x[a] > q.lower[a] {
				flattest = max(flattest, q.gradient[a])
			}
		}
		if i < 0 || flattest-steepest <= 1e-10*math.Abs(steepest) {
			return
		}
		j, gain := -1, 0.0
		for a := range t {
			if q.x[a] > q.lower[a] && q.gradient[a] > steepest {
				diff := q.gradient[a] - steepest
				curve := max(h[i*t+i]+h[a*t+a]-2*h[i*t+a], 1e-300)
				if g := diff * diff / curve; g > gain {
					j, gain = a, g
				}
			}
		}
		if j < 0 {
			return
		}
		curve := max(h[i*t+i]+h[j*t+j]-2*h[i*t+j], 1e-300)
		move := (q.gradient[j] - steepest) / curve
		up, down := q.upper[i]-q.x[i], q.x[j]-q.lower[j]
		move = min(move, up, down)
		q.x[i] += move
		q.x[j] -= move
		if move == up {
			q.x[i] = q.upper[i]
		}
		if move == down {
			q.x[j] = q.lower[j]
		}
		for a := range t {
			q.gradient[a] += move * (h[a*t+i] - h[a*t+j])
		}
	}
}
