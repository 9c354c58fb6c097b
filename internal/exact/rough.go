package exact

import (
	"math"
	"math/big"
)

// rough is where to start from: Newton steps in double precision, with features of
// size 1. They only save time. nil: they came to nothing.
func (r *regression) rough() []*big.Float {
	d := len(r.u)
	scale, b := make([]float64, d), make([][]float64, len(r.design))
	for e, row := range r.design {
		b[e] = make([]float64, d)
		for x, v := range row {
			b[e][x], _ = v.Float64()
			scale[x] = max(scale[x], math.Abs(b[e][x]))
		}
	}
	penalty := make([]float64, d)
	for x := range scale {
		if scale[x] == 0 {
			scale[x] = 1
		}
		penalty[x], _ = r.penalty[x].Float64()
		penalty[x] /= scale[x] * scale[x]
	}
	u := make([]float64, d)
	cost := r.roughly(b, scale, penalty, u, nil, nil)
	for range 100 {
		slope, k := make([]float64, d), make([][]float64, d)
		for x := range k {
			k[x] = make([]float64, d+1)
		}
		r.roughly(b, scale, penalty, u, slope, k)
		for x := range d {
			k[x][d] = slope[x]
			for y := x + 1; y < d; y++ {
				k[y][x] = k[x][y]
			}
		}
		for x := range d {
			for y := x + 1; y < d; y++ {
				by := k[y][x] / k[x][x]
				for z := x; z <= d; z++ {
					k[y][z] -= by * k[x][z]
				}
			}
		}
		step, gain := make([]float64, d), 0.0
		for x := d - 1; x >= 0; x-- {
			step[x] = k[x][d]
			for y := x + 1; y < d; y++ {
				step[x] -= k[x][y] * step[y]
			}
			step[x] /= k[x][x]
			gain += step[x] * slope[x]
		}
		if !(gain > 1e-14*cost) {
			break
		}
		by, moved := 1.0, false
		for range 40 {
			to := make([]float64, d)
			for x := range to {
				to[x] = u[x] - by*step[x]
			}
			if after := r.roughly(b, scale, penalty, to, nil, nil); after < cost {
				u, cost, moved = to, after, true
				break
			}
			by /= 2
		}
		if !moved {
			break
		}
	}
	out := make([]*big.Float, d)
	for x := range out {
		if math.IsNaN(u[x]) || math.IsInf(u[x], 0) {
			return nil
		}
		out[x] = new(big.Float).Quo(precise(u[x]), precise(scale[x]))
	}
	return out
}

// roughly is the cost of coefficients, and adds up its slopes and the upper half of its
// second derivatives, unless they are nil.
func (r *regression) roughly(b [][]float64, scale, penalty, u, slope []float64, k [][]float64) float64 {
	cost := 0.0
	for x, p := range penalty {
		cost += p * u[x] * u[x]
		if slope != nil {
			slope[x] += 2 * p * u[x]
			k[x][x] += 2 * p
		}
	}
	for e := range b {
		a, _ := r.value[e].Float64()
		w, _ := r.weight[e].Float64()
		x, _ := r.offset[e].Float64()
		for y, v := range b[e] {
			x += v / scale[y] * u[y]
		}
		var value, s, h float64
		switch far := x - a; r.in.Loss {
		case "logistic":
			p := 1 / (1 + math.Exp(-x))
			value, s, h = math.Max(x, 0)+math.Log1p(math.Exp(-math.Abs(x)))-a*x, p-a, p*(1-p)
		case "poisson":
			rate := math.Exp(x)
			value, s, h = rate-a*x, rate-a, rate
			if a > 0 {
				value += a*math.Log(a) - a
			}
		default:
			value, s, h = far*far, 2*far, 2
			if delta := r.in.Delta; r.in.Loss == "huber" && math.Abs(far) > delta {
				value, s, h = delta*(2*math.Abs(far)-delta), math.Copysign(2*delta, far), 0
			}
		}
		cost += w * value
		if slope == nil {
			continue
		}
		for y, v := range b[e] {
			v /= scale[y]
			slope[y] += w * s * v
			for z := y; z < len(u); z++ {
				k[y][z] += w * h * v * b[e][z] / scale[z]
			}
		}
	}
	return cost
}
