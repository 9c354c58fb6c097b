package testkit

import "math/big"

// Precise is the cost of Theorem 1 in arithmetic of 200 bits: what the others
// are measured against where γ is large and the dense formula loses digits.
func (in Instance) Precise(s []float64) float64 {
	n, m := in.Matrix.Dims()
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	total := number(0)
	for i := range n {
		columns, values := in.Matrix.Row(i)
		size := len(columns)
		// The rows and columns of I + γ W B S Bᵀ W that are not observed are
		// those of the identity and do not matter.
		k := make([][]*big.Float, size)
		for x, c := range columns {
			k[x] = make([]*big.Float, size+1)
			for y, d := range columns {
				sum := number(0)
				for f, w := range s {
					if w == 0 {
						continue
					}
					term := number(in.Features.Row(int(c))[f])
					term.Mul(term, number(in.Features.Row(int(d))[f]))
					sum.Add(sum, term.Mul(term, number(w)))
				}
				sum.Mul(sum, number(in.Gamma))
				if x == y {
					sum.Add(sum, number(1))
				}
				k[x][y] = sum
			}
			k[x][size] = number(values[x])
		}
		// Gaussian elimination; aᵀK⁻¹a is the sum of the squares of the
		// eliminated right-hand sides over the pivots, K being symmetric.
		for x := range size {
			square := number(0).Mul(k[x][size], k[x][size])
			total.Add(total, square.Quo(square, k[x][x]))
			for y := x + 1; y < size; y++ {
				factor := number(0).Quo(k[y][x], k[x][x])
				for z := x + 1; z <= size; z++ {
					k[y][z].Sub(k[y][z], number(0).Mul(factor, k[x][z]))
				}
			}
		}
	}
	total.Quo(total, number(float64(n)*float64(m)))
	cost, _ := total.Float64()
	return cost
}
