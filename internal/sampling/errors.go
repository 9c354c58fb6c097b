package sampling

import (
	"context"
	"math"

	"optcomplete/data/synth"
	"optcomplete/objective"
	"optcomplete/search"
)

// ErrorPoint is the error of the sampled cost and gradient at one selection, for
// samples of one size: the root of its mean square over the draws, relative to
// the cost, and to the gradient's norm.
type ErrorPoint struct {
	objective.SampleSize
	Cost     float64
	Gradient float64
}

// Errors measures samples of each size against the exact cost.
func Errors(in *synth.Instance, gamma float64, selection []int, sizes []objective.SampleSize, draws int, seed uint64) ([]ErrorPoint, error) {
	ctx := context.Background()
	weights := search.Indicator(in.Config.Features, selection)
	want, err := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 0).Eval(ctx, weights)
	if err != nil {
		return nil, err
	}
	var points []ErrorPoint
	for _, size := range sizes {
		sampled := objective.NewSampled(in.Ratings.Matrix(), in.Features, gamma, size, seed, 0)
		point := ErrorPoint{SampleSize: size}
		for range draws {
			got, err := sampled.Eval(ctx, weights)
			if err != nil {
				return nil, err
			}
			point.Cost += (got.Cost - want.Cost) * (got.Cost - want.Cost)
			for j, g := range got.Gradient {
				point.Gradient += (g - want.Gradient[j]) * (g - want.Gradient[j])
			}
		}
		point.Cost = math.Sqrt(point.Cost/float64(draws)) / want.Cost
		point.Gradient = math.Sqrt(point.Gradient/float64(draws)) / norm(want.Gradient)
		points = append(points, point)
	}
	return points, nil
}

// FiniteRows is the factor by which drawing g of n rows without replacement errs
// less than with it, √((n−g)/(n−1)). Theorem 3 leaves it out; it matters where g
// is not small beside n, and is 0 at g = n.
func FiniteRows(g, n int) float64 {
	if n <= 1 {
		return 0
	}
	return math.Sqrt(float64(n-g) / float64(n-1))
}

// Slope is that of the least-squares line through (log x, log y).
func Slope(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		u, v := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+u, sy+v, sxx+u*u, sxy+u*v
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func norm(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}
