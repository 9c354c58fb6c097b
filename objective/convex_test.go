package objective

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/search"
)

var _ search.Curved = (*Convex)(nil)

// convexInstance is a small problem under a loss.
type convexInstance struct {
	matrix      *data.Matrix
	features    *data.Features
	offsets     *Offsets
	loss        loss.Loss
	gamma       float64
	nonnegative []bool
}

// drawConvex makes an instance from a number: plain, or with features of very
// different scales, copies of others and strong effects.
func drawConvex(number uint64) convexInstance {
	rng := random.New(number, 0x636f6e76)
	uniform := func() float64 { return random.Unit(rng.Uint64()) }
	n, m, p := 1+int(uniform()*6), 2+int(uniform()*8), 2+int(uniform()*5)
	in := convexInstance{loss: loss.Loss(number % 4), gamma: math.Pow(10, 5*uniform()-2)}
	nasty := number%3 == 0
	values := make([]float64, m*p)
	for i := range values {
		values[i] = rng.Normal()
	}
	if nasty {
		scale := math.Pow(10, 4*uniform()-2)
		for c := range m {
			values[c*p] *= scale
			values[c*p+1] = values[c*p] * (1 + 1e-2*rng.Normal())
		}
	}
	names := make([]string, p)
	ids := make([]string, m)
	for j := range names {
		names[j] = string(rune('a' + j))
	}
	for j := range ids {
		ids[j] = string(rune('A' + j))
	}
	in.features = data.NewFeatures(ids, names, values)
	if number%2 == 0 {
		in.offsets = &Offsets{Mean: rng.Normal(), Row: make([]float64, n), Column: make([]float64, m)}
		for i := range in.offsets.Row {
			in.offsets.Row[i] = rng.Normal()
		}
		for j := range in.offsets.Column {
			in.offsets.Column[j] = rng.Normal()
		}
		if number%4 < 2 || number%8 > 5 {
			in.offsets.Weight = make([]float64, m)
			for j := range in.offsets.Weight {
				in.offsets.Weight[j] = math.Pow(10, 2*uniform()-1)
			}
		}
	}
	if number%5 == 0 {
		in.nonnegative = make([]bool, p)
		for j := range in.nonnegative {
			in.nonnegative[j] = uniform() < 0.6
		}
	}
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if uniform() < 0.3 {
				continue
			}
			a := 3 * rng.Normal()
			switch in.loss {
			case loss.Logistic:
				a = math.Round(uniform())
			case loss.Poisson:
				a = math.Floor(6 * uniform() * uniform())
			}
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: a})
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		panic(err)
	}
	if in.offsets == nil || in.offsets.Weight == nil { // every entry its own
		if matrix, err = matrix.WithWeights(drawWeights(len(entries), number)); err != nil {
			panic(err)
		}
	}
	in.matrix = matrix
	return in
}

// cost solves every row by one coordinate after the other, which shares nothing
// with the code it checks.
func (in convexInstance) cost(weights []float64) float64 {
	n, m := in.matrix.Dims()
	total := 0.0
	for i := range n {
		columns, values := in.matrix.Row(i)
		u := make([]float64, len(weights))
		x, weight := make([]float64, len(values)), make([]float64, len(values))
		for e, c := range columns {
			weight[e] = 1
			if in.offsets != nil {
				x[e] = in.offsets.At(i, c)
				if in.offsets.Weight != nil {
					weight[e] = in.offsets.Weight[c]
				}
			}
			if in.matrix.Weighted() {
				weight[e] = in.matrix.RowWeights(i)[e]
			}
		}
		slopes := func(j int, d float64) (first, second float64) {
			for e, c := range columns {
				b := in.features.Row(int(c))[j]
				_, s, h := in.loss.At(values[e], x[e]+d*b)
				first, second = first+weight[e]*s*b, second+weight[e]*h*b*b
			}
			return first + 2*(u[j]+d)/(in.gamma*weights[j]), second + 2/(in.gamma*weights[j])
		}
		for range 20000 {
			moved := 0.0
			for j, s := range weights {
				if s == 0 {
					continue
				}
				bounded := in.nonnegative != nil && in.nonnegative[j]
				// The slope rises: its root by safeguarded Newton steps.
				low, high := -100.0, 100.0
				if bounded {
					low = -u[j]
				}
				d := 0.0
				for step := range 100 {
					first, second := slopes(j, d)
					if first > 0 {
						high = d
					} else {
						low = d
					}
					next := d - first/second
					if !(next > low && next < high) || in.loss == loss.Poisson && step < 50 {
						if bounded && next <= low && low == -u[j] {
							next = low
						} else {
							next = (low + high) / 2
						}
					}
					if math.Abs(next-d) <= 1e-16*(1+math.Abs(u[j])) {
						d = next
						break
					}
					d = next
				}
				for e, c := range columns {
					x[e] += d * in.features.Row(int(c))[j]
				}
				u[j] += d
				moved = math.Max(moved, math.Abs(d)/(1e-12+math.Abs(u[j])))
			}
			if moved < 1e-12 {
				break
			}
		}
		for e, a := range values {
			value, _, _ := in.loss.At(a, x[e])
			total += weight[e] * value
		}
		for j, s := range weights {
			if s > 0 {
				total += u[j] * u[j] / (in.gamma * s)
			}
		}
	}
	return total / float64(n*m)
}

// TestConvexAgainstBruteForce: costs agree with an independent solver, no cut is
// above any selection's cost, and the search proves the best selection.
func TestConvexAgainstBruteForce(t *testing.T) {
	instances := uint64(60)
	if testing.Short() {
		instances = 24
	}
	ctx := context.Background()
	for number := range instances {
		in := drawConvex(number)
		o := NewConvex(in.matrix, in.features, in.gamma, loss.Scaled{Loss: in.loss}, in.offsets, in.nonnegative, 1)
		p := o.Dim()
		k := 1 + int(number)%(p-1)
		costs := map[int]float64{} // by the bits of the selection
		best := math.Inf(1)
		for set := range 1 << p {
			weights, size := make([]float64, p), 0
			for j := range p {
				if set>>j&1 == 1 {
					weights[j] = 1
					size++
				}
			}
			if size != k {
				continue
			}
			costs[set] = in.cost(weights)
			best = math.Min(best, costs[set])
		}
		rng := random.New(number, 1)
		for range 4 {
			weights := make([]float64, p)
			for j := range weights {
				weights[j] = math.Max(0, 1.5*random.Unit(rng.Uint64())-0.5)
			}
			cut := must.Get(o.Eval(ctx, weights))(t)
			cost, constant, gradient := cut.Cost, cut.Constant, cut.Gradient
			if want := in.cost(weights); math.Abs(cost-want) > 1e-9*(want+1e-9) {
				t.Errorf("%d (%v): cost %v, want %v", number, in.loss, cost, want)
			}
			at := constant
			for j, g := range gradient {
				at += g * weights[j]
			}
			if at > cost || at < cost-1e-8*(cost+1e-6) {
				t.Errorf("%d (%v): the cut at its own point is %v, the cost %v", number, in.loss, at, cost)
			}
			for set, cost := range costs {
				at := constant
				for j, g := range gradient {
					if set>>j&1 == 1 {
						at += g
					}
				}
				if at > cost*(1+1e-12) {
					t.Errorf("%d (%v): the cut is %v at a selection of cost %v", number, in.loss, at, cost)
				}
			}
		}
		result := must.Get(search.Minimize(ctx, o, search.Settings{K: k}))(t)
		if result.Bound > best*(1+1e-12) {
			t.Errorf("%d (%v): bound %v, best %v", number, in.loss, result.Bound, best)
		}
		if result.Cost > best*(1+1e-9)+1e-15 || result.Cost < best*(1-1e-9)-1e-15 {
			t.Errorf("%d (%v): cost %v, best %v (%v)", number, in.loss, result.Cost, best, result.Status)
		}
		if result.Status != search.Optimal {
			t.Logf("%d (%v): %v, gap %g", number, in.loss, result.Status, result.Gap)
		}
	}
}

// TestConvexSecondDerivatives compares them with differences of the gradient.
func TestConvexSecondDerivatives(t *testing.T) {
	ctx := context.Background()
	for number := range uint64(24) {
		in := drawConvex(3*number + 1)
		if in.loss == loss.Huber {
			continue // has kinks in its slope
		}
		in.gamma = math.Min(in.gamma, 10)
		o := NewConvex(in.matrix, in.features, in.gamma, loss.Scaled{Loss: in.loss}, in.offsets, nil, 1)
		p := o.Dim()
		rng := random.New(number, 2)
		weights := make([]float64, p)
		for j := range weights {
			weights[j] = 0.2 + 0.6*random.Unit(rng.Uint64())
		}
		at, hessian, err := o.EvalHessian(ctx, weights)
		if err != nil {
			t.Fatal(err)
		}
		gradient := at.Gradient
		for j := range p {
			const h = 1e-5
			weights[j] += h
			up, _ := o.Eval(ctx, weights)
			weights[j] -= 2 * h
			down, _ := o.Eval(ctx, weights)
			weights[j] += h
			for l := range p {
				want := (up.Gradient[l] - down.Gradient[l]) / (2 * h)
				if math.Abs(hessian[j*p+l]-want) > 1e-4*(math.Abs(want)+math.Abs(gradient[l])) {
					t.Errorf("%d (%v): second derivative %d, %d is %v, want %v", number, in.loss, j, l, hessian[j*p+l], want)
				}
			}
		}
	}
}

// TestConvexSquaredAgrees: with the squared loss it is the cost of Exact.
func TestConvexSquaredAgrees(t *testing.T) {
	in := drawConvex(4)
	in.matrix, _ = in.matrix.WithWeights(nil)
	exact := NewExact(in.matrix, in.features, in.gamma, 1)
	convex := NewConvex(in.matrix, in.features, in.gamma, loss.Scaled{}, nil, nil, 1)
	weights := make([]float64, exact.Dim())
	for j := range weights {
		weights[j] = 1 / float64(1+j)
	}
	one := must.Get(exact.Eval(context.Background(), weights))(t)
	other := must.Get(convex.Eval(context.Background(), weights))(t)
	if math.Abs(one.Cost-other.Cost) > 1e-12*one.Cost || math.Abs(one.Constant-other.Constant) > 1e-10*math.Abs(one.Constant) {
		t.Errorf("%+v, want %+v", other, one)
	}
	for j, want := range one.Gradient {
		if math.Abs(want-other.Gradient[j]) > 1e-10*math.Abs(want) {
			t.Errorf("gradient %d: %v, want %v", j, other.Gradient[j], want)
		}
	}
}
