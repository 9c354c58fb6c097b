package exact

import (
	"math"
	"math/big"
)

// Lossy is an instance under a loss: logistic, poisson, huber or squared. Row i has
// the coefficients that minimise
//
//	Σ_t w_t ℓ(a_t, o_t + r + b_tᵀu) + Level·r² + (1/γ)‖u‖²
//
// where there is an effect r only if Level > 0.
type Lossy struct {
	*Instance
	Loss        string
	Delta       float64   // of huber
	Offset      []float64 // of each entry
	Weight      []float64 // of each entry; nil: 1
	Level       float64
	Nonnegative []bool // of each feature; nil: none
}

// Least is the least cost of a selection, by damped Newton steps. Where coefficients
// must not be negative it is that of the best part of the selection whose own are
// not, for each row.
func (in *Lossy) Least(selection []int) *big.Float {
	total := precise(0)
	for i := range in.Rows {
		total.Add(total, in.row(i, selection))
	}
	return total.Quo(total, precise(float64(in.Rows)*float64(in.Columns)))
}

// row is the least cost of a row.
func (in *Lossy) row(i int, selection []int) *big.Float {
	var held []int
	for x, j := range selection {
		if in.Nonnegative != nil && in.Nonnegative[j] {
			held = append(held, x)
		}
	}
	var best *big.Float
	for out := range 1 << len(held) {
		without := map[int]bool{}
		for y, x := range held {
			if out>>y&1 == 1 {
				without[x] = true
			}
		}
		var part []int
		for x, j := range selection {
			if !without[x] {
				part = append(part, j)
			}
		}
		r := in.regression(i, part)
		cost := r.solve()
		negative := false
		for x, j := range part {
			negative = negative || in.Nonnegative != nil && in.Nonnegative[j] && r.u[len(r.u)-len(part)+x].Sign() < 0
		}
		if !negative && (best == nil || cost.Cmp(best) < 0) {
			best = cost
		}
	}
	return best
}

// regression is a row with the features of a selection.
type regression struct {
	in                    *Lossy
	design                [][]*big.Float // of each entry
	value, offset, weight []*big.Float
	penalty               []*big.Float
	u                     []*big.Float
}

func (in *Lossy) regression(i int, selection []int) *regression {
	r := &regression{in: in}
	if in.Level > 0 {
		r.penalty = append(r.penalty, precise(in.Level))
	}
	for range selection {
		r.penalty = append(r.penalty, new(big.Float).Quo(precise(1), precise(in.Gamma)))
	}
	for e, entry := range in.Entries {
		if entry.Row != i {
			continue
		}
		var b []*big.Float
		if in.Level > 0 {
			b = append(b, precise(1))
		}
		for _, j := range selection {
			b = append(b, precise(in.Features[entry.Column][j]))
		}
		weight := 1.0
		if in.Weight != nil {
			weight = in.Weight[e]
		}
		r.design, r.value = append(r.design, b), append(r.value, precise(entry.Value))
		r.offset, r.weight = append(r.offset, precise(in.Offset[e])), append(r.weight, precise(weight))
	}
	for range r.penalty {
		r.u = append(r.u, precise(0))
	}
	return r
}

// solve goes to the optimum, and gives its cost.
func (r *regression) solve() *big.Float {
	cost := r.cost(r.u)
	if near := r.rough(); near != nil {
		if there := r.cost(near); there != nil && there.Cmp(cost) < 0 {
			r.u, cost = near, there
		}
	}
	for range 300 {
		step, gain := r.newton()
		if left := new(big.Float).SetMantExp(cost, -200); gain.Cmp(left) <= 0 {
			break
		}
		by, moved := precise(1), false
		for range 200 {
			to := make([]*big.Float, len(r.u))
			for x := range to {
				to[x] = new(big.Float).Sub(r.u[x], new(big.Float).Mul(by, step[x]))
			}
			if after := r.cost(to); after != nil && after.Cmp(cost) < 0 {
				r.u, cost, moved = to, after, true
				break
			}
			by.SetMantExp(by, -1)
		}
		if !moved {
			break
		}
	}
	return cost
}

// predict is the sum of an entry.
func (r *regression) predict(e int, u []*big.Float) *big.Float {
	x := new(big.Float).Copy(r.offset[e])
	for y, b := range r.design[e] {
		x.Add(x, new(big.Float).Mul(b, u[y]))
	}
	return x
}

// cost is nil where a rate is beyond any.
func (r *regression) cost(u []*big.Float) *big.Float {
	sum := precise(0)
	for e := range r.design {
		x := r.predict(e, u)
		if about, _ := x.Float64(); r.in.Loss == "poisson" && !(about < 1e5) {
			return nil
		}
		value := r.in.value(r.value[e], x)
		sum.Add(sum, value.Mul(value, r.weight[e]))
	}
	for y, penalty := range r.penalty {
		sum.Add(sum, new(big.Float).Mul(penalty, new(big.Float).Mul(u[y], u[y])))
	}
	return sum
}

// newton is the step to take off, and by how much it would lower the cost at first,
// by Gaussian elimination.
func (r *regression) newton() (step []*big.Float, gain *big.Float) {
	d := len(r.u)
	k := make([][]*big.Float, d)
	slope := make([]*big.Float, d)
	for x := range k {
		k[x] = make([]*big.Float, d+1)
		for y := range k[x] {
			k[x][y] = precise(0)
		}
		twice := new(big.Float).Mul(precise(2), r.penalty[x])
		k[x][x].Set(twice)
		slope[x] = twice.Mul(twice, r.u[x])
	}
	for e, b := range r.design {
		s, h := r.in.slope(r.value[e], r.predict(e, r.u))
		s.Mul(s, r.weight[e])
		h.Mul(h, r.weight[e])
		for x := range d {
			slope[x].Add(slope[x], new(big.Float).Mul(s, b[x]))
			hb := new(big.Float).Mul(h, b[x])
			for y := range d {
				k[x][y].Add(k[x][y], new(big.Float).Mul(hb, b[y]))
			}
		}
	}
	for x := range d {
		k[x][d].Set(slope[x])
	}
	for x := range d { // a positive definite matrix needs no pivoting
		for y := x + 1; y < d; y++ {
			by := new(big.Float).Quo(k[y][x], k[x][x])
			for z := x; z <= d; z++ {
				k[y][z].Sub(k[y][z], new(big.Float).Mul(by, k[x][z]))
			}
		}
	}
	step, gain = make([]*big.Float, d), precise(0)
	for x := d - 1; x >= 0; x-- {
		step[x] = k[x][d]
		for y := x + 1; y < d; y++ {
			step[x].Sub(step[x], new(big.Float).Mul(k[x][y], step[y]))
		}
		step[x].Quo(step[x], k[x][x])
		gain.Add(gain, new(big.Float).Mul(step[x], slope[x]))
	}
	return step, gain
}

// value is the loss of x for a.
func (in *Lossy) value(a, x *big.Float) *big.Float {
	switch in.Loss {
	case "logistic": // log(1 + eˣ) − ax, which is also log(1 + e⁻ˣ) + (1 − a)x
		e := exp(new(big.Float).Neg(new(big.Float).Abs(x)))
		value := new(big.Float).Sub(e, new(big.Float).Quo(new(big.Float).Mul(e, e), precise(2)))
		if small, _ := e.Float64(); small > 1e-30 { // or 1 + e has fewer digits
			value = logarithm(new(big.Float).Add(precise(1), e))
		}
		if x.Sign() >= 0 {
			return value.Add(value, new(big.Float).Mul(new(big.Float).Sub(precise(1), a), x))
		}
		return value.Sub(value, new(big.Float).Mul(a, x))
	case "poisson":
		value := new(big.Float).Sub(exp(x), new(big.Float).Mul(a, x))
		if a.Sign() > 0 {
			value.Add(value, new(big.Float).Mul(a, logarithm(a)))
		}
		return value.Sub(value, a)
	}
	r := new(big.Float).Sub(x, a)
	if far := new(big.Float).Abs(r); in.Loss == "huber" && far.Cmp(precise(in.Delta)) > 0 {
		delta := precise(in.Delta)
		return new(big.Float).Mul(delta, far.Sub(far.Mul(far, precise(2)), delta))
	}
	return r.Mul(r, r)
}

// slope is that of the loss in x, and its curvature.
func (in *Lossy) slope(a, x *big.Float) (slope, curvature *big.Float) {
	switch in.Loss {
	case "logistic":
		e := exp(new(big.Float).Neg(new(big.Float).Abs(x)))
		one := new(big.Float).Add(precise(1), e)
		less, more := new(big.Float).Quo(e, one), new(big.Float).Quo(precise(1), one)
		p := less
		if x.Sign() >= 0 {
			p = more
		}
		return new(big.Float).Sub(p, a), new(big.Float).Mul(less, more)
	case "poisson":
		e := exp(x)
		return new(big.Float).Sub(e, a), new(big.Float).Copy(e)
	}
	r := new(big.Float).Sub(x, a)
	if in.Loss == "huber" && new(big.Float).Abs(r).Cmp(precise(in.Delta)) > 0 {
		return precise(math.Copysign(2*in.Delta, float64(r.Sign()))), precise(0)
	}
	return r.Mul(r, precise(2)), precise(2)
}
