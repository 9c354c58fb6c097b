// Package gammapath chooses γ along a path, the same way for every model whose
// error can be measured on data held out.
//
// It takes a unit (the mean square of the features, so that γ·unit has none) and
// a function that selects and scores at one γ. It gives the γ to use and the
// whole path. It must never decide by a single best error: errors that differ by
// less than a thousandth are the same to it, and of those it takes the γ whose
// search is the easiest to prove.
package gammapath

import (
	"context"
	"math"

	"optcomplete/model"
)

// γ·unit goes from 10^first (coefficients shrunk to nothing) to 10^last (hardly
// at all).
const (
	first, last = -1, 5
	equal       = 1e-3 // errors this near, relatively, are the same
	easy        = 1e-6 // root gaps this near are the same
)

// Default is γ for when nothing can be validated: the middle of the path.
func Default(unit float64) float64 {
	if !(unit > 0) || math.IsInf(unit, 1) {
		return 1
	}
	return round(100 / unit)
}

// Choose tries each γ of the path in rising order. It stops early where the
// relaxation has become useless and the error no better. When the context is
// cancelled, it chooses from what there is. on may be nil.
func Choose(ctx context.Context, unit float64, try func(gamma float64) (model.GammaPoint, error), on func(model.GammaPoint)) (float64, []model.GammaPoint, error) {
	if !(unit > 0) || math.IsInf(unit, 1) {
		return Default(unit), nil, nil
	}
	var path []model.GammaPoint
	best := math.Inf(1)
	for exponent := first; exponent <= last && ctx.Err() == nil; exponent++ {
		point, err := try(round(math.Pow(10, float64(exponent)) / unit))
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return 0, nil, err
		}
		path = append(path, point)
		if on != nil {
			on(point)
		}
		if point.RootGap > 0.5 && point.RMSE > best*(1-equal) {
			break
		}
		best = min(best, point.RMSE)
	}
	if len(path) == 0 {
		return Default(unit), nil, nil
	}
	for _, point := range path {
		best = min(best, point.RMSE)
	}
	return easiest(path, best*(1+equal)), path, nil
}

// easiest is, of the γ whose error is good enough, the one with the smallest
// root gap; of several, the middle one.
func easiest(path []model.GammaPoint, good float64) float64 {
	least := math.Inf(1)
	for _, point := range path {
		if point.RMSE <= good {
			least = min(least, point.RootGap)
		}
	}
	var found []float64
	for _, point := range path {
		if point.RMSE <= good && point.RootGap <= least+easy {
			found = append(found, point.Gamma)
		}
	}
	return found[len(found)/2]
}

// round keeps two digits: γ is a setting that people read and type.
func round(gamma float64) float64 {
	digits := math.Floor(math.Log10(gamma)) - 1
	unit := math.Pow(10, math.Abs(digits))
	if digits < 0 {
		return math.Round(gamma*unit) / unit
	}
	return math.Round(gamma/unit) * unit
}
