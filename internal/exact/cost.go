package exact

import (
	"math"
	"math/big"
)

// bits is the precision of every number here.
const bits = 700

func number(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
func zero() *big.Float            { return new(big.Float).SetPrec(bits) }
func times(a, b *big.Float) *big.Float {
	return zero().Mul(a, b)
}

// Cost is that of a selection, or of groups' members, on the instance's entries:
//
//	min over u, μ of (Σ w (a − Σ_j b_j (u_ij + μ_j))² + Σ_j (Σ_i u_ij²/γ + μ_j²/γ₀)) / (n·m)
//
// with no μ unless the instance has a γ₀, and w = 1 of entries without weights.
func (in *Instance) Cost(selection []int) *big.Float {
	total := zero()
	if in.Gamma0 > 0 {
		total = in.pooled(selection)
	} else {
		for i := range in.Rows {
			var v [][]*big.Float
			var a []*big.Float
			for _, e := range in.Entries {
				if e.Row == i {
					v = append(v, in.features(e, selection))
					a = append(a, times(e.root(), number(e.Value)))
				}
			}
			ridge := make([]*big.Float, len(selection))
			for x := range ridge {
				ridge[x] = zero().Quo(number(1), number(in.Gamma))
			}
			total.Add(total, least(v, a, ridge))
		}
	}
	return total.Quo(total, times(number(float64(in.Rows)), number(float64(in.Columns))))
}

// Regression is the cost of a single regression of all entries on products of row
// and column features: product q·p₂+l is row feature q times column feature l.
func (in *Instance) Regression(selection []int) *big.Float {
	var v [][]*big.Float
	var a, ridge []*big.Float
	for _, e := range in.Entries {
		row := make([]*big.Float, len(selection))
		for x, j := range selection {
			row[x] = times(e.root(), times(number(in.RowFeatures[e.Row][j/in.P]), number(in.Features[e.Column][j%in.P])))
		}
		v, a = append(v, row), append(a, times(e.root(), number(e.Value)))
	}
	for range selection {
		ridge = append(ridge, zero().Quo(number(1), number(in.Gamma)))
	}
	total := least(v, a, ridge)
	return total.Quo(total, times(number(float64(in.Rows)), number(float64(in.Columns))))
}

// Table is the cost of a regression of all entries on features of the columns, each times a factor, and
// centred with the values or not.
func (in *Instance) Table(selection []int, factor []float64, centred bool) *big.Float {
	n := number(float64(len(in.Entries)))
	centre := func(of func(e Entry) float64, by float64) []*big.Float {
		mean := zero()
		out := make([]*big.Float, len(in.Entries))
		for i, e := range in.Entries {
			out[i] = times(number(of(e)), number(by))
			mean.Add(mean, out[i])
		}
		mean.Quo(mean, n)
		for _, x := range out {
			if centred {
				x.Sub(x, mean)
			}
		}
		return out
	}
	v := make([][]*big.Float, len(in.Entries))
	var ridge []*big.Float
	for _, j := range selection {
		for i, x := range centre(func(e Entry) float64 { return in.Features[e.Column][j] }, factor[j]) {
			v[i] = append(v[i], x)
		}
		ridge = append(ridge, zero().Quo(number(1), number(in.Gamma)))
	}
	total := least(v, centre(func(e Entry) float64 { return e.Value }, 1), ridge)
	return total.Quo(total, n)
}

func (in *Instance) features(e Entry, selection []int) []*big.Float {
	row := make([]*big.Float, len(selection))
	for x, j := range selection {
		row[x] = times(e.root(), number(in.Features[e.Column][j]))
	}
	return row
}

// root is that of the weight: the values and features of an entry times it make one
// without.
func (e Entry) root() *big.Float {
	if e.Weight == 0 {
		return number(1)
	}
	return zero().Sqrt(number(e.Weight))
}

// pooled is the whole problem as one regression: the unknowns of every row, then
// those of the population.
func (in *Instance) pooled(selection []int) *big.Float {
	k := len(selection)
	unknowns := (in.Rows + 1) * k
	var v [][]*big.Float
	var a []*big.Float
	for _, e := range in.Entries {
		row := make([]*big.Float, unknowns)
		for x := range row {
			row[x] = zero()
		}
		for x, b := range in.features(e, selection) {
			row[e.Row*k+x] = b
			row[in.Rows*k+x] = b
		}
		v, a = append(v, row), append(a, times(e.root(), number(e.Value)))
	}
	ridge := make([]*big.Float, unknowns)
	for x := range ridge {
		gamma := in.Gamma
		if x >= in.Rows*k {
			gamma = in.Gamma0
		}
		ridge[x] = zero().Quo(number(1), number(gamma))
	}
	return least(v, a, ridge)
}

// least is the least of ‖a − Vu‖² + Σ ridge_x u_x², by the normal equations and
// the residual at their solution.
func least(v [][]*big.Float, a, ridge []*big.Float) *big.Float {
	t := len(ridge)
	k := make([][]*big.Float, t) // with the right-hand side in column t
	for x := range k {
		k[x] = make([]*big.Float, t+1)
		for y := range k[x] {
			sum := zero()
			for e := range v {
				if y < t {
					sum.Add(sum, times(v[e][x], v[e][y]))
				} else {
					sum.Add(sum, times(v[e][x], a[e]))
				}
			}
			k[x][y] = sum
		}
		k[x][x].Add(k[x][x], ridge[x])
	}
	for x := range t { // a positive definite matrix needs no pivoting
		for y := x + 1; y < t; y++ {
			by := zero().Quo(k[y][x], k[x][x])
			for z := x; z <= t; z++ {
				k[y][z].Sub(k[y][z], times(by, k[x][z]))
			}
		}
	}
	u := make([]*big.Float, t)
	for x := t - 1; x >= 0; x-- {
		u[x] = k[x][t]
		for y := x + 1; y < t; y++ {
			u[x].Sub(u[x], times(k[x][y], u[y]))
		}
		u[x].Quo(u[x], k[x][x])
	}
	total := zero()
	for e := range v {
		r := zero().Set(a[e])
		for x := range u {
			r.Sub(r, times(v[e][x], u[x]))
		}
		total.Add(total, times(r, r))
	}
	for x := range u {
		total.Add(total, times(ridge[x], times(u[x], u[x])))
	}
	return total
}

// Best is the least cost over the selections that are allowed.
func Best(p, k int, allowed func(selection []int) bool, cost func(selection []int) *big.Float) *big.Float {
	var best *big.Float
	selection := make([]int, 0, k)
	var walk func(from int)
	walk = func(from int) {
		if len(selection) == k {
			if allowed == nil || allowed(selection) {
				if c := cost(selection); best == nil || c.Cmp(best) < 0 {
					best = c
				}
			}
			return
		}
		for j := from; j < p; j++ {
			selection = append(selection, j)
			walk(j + 1)
			selection = selection[:len(selection)-1]
		}
	}
	walk(0)
	return best
}

// Above is how far a number is above the truth, as a fraction of it; 0 where both
// are 0.
func Above(x float64, truth *big.Float) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.Inf(1)
	}
	diff := zero().Sub(number(x), truth)
	if diff.Sign() == 0 {
		return 0
	}
	if truth.Sign() == 0 {
		return math.Inf(diff.Sign())
	}
	part, _ := diff.Quo(diff, truth).Float64()
	return part
}
