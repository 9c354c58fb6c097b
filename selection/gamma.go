package selection

import (
	"context"
	"math"
	"slices"

	"optcomplete/result"
	"optcomplete/spec"
)

// A path of γ: γ·unit goes from 10^leastGamma (coefficients shrunk to nothing) to
// 10^mostGamma (hardly at all) in steps of a factor of ten.
const (
	leastGamma = -1
	mostGamma  = 5

	equalErrors = 1e-3 // errors this near, relatively, are the same
	equalGaps   = 1e-6 // and so are root gaps
)

// usable tells whether there is a unit to measure γ by.
func usable(unit float64) bool { return unit > 0 && !math.IsInf(unit, 1) }

// DefaultGamma is γ for when nothing can be validated: the middle of the path.
func DefaultGamma(unit float64) float64 {
	if !usable(unit) {
		return 1
	}
	return RoundGamma(math.Pow(10, (leastGamma+mostGamma)/2.) / unit)
}

// ChooseGamma chooses γ along a path, whatever the error that is measured on data held
// out. unit is the mean square of the features, so that γ·unit has none; try selects and
// scores at one γ.
//
// Errors that differ by next to nothing are the same: of those it takes the γ whose search
// is the easiest to prove, and none at which rounding errors would hide the proof, as long
// as there is another. It stops early where the error is no better and the relaxation
// useless. When the context is cancelled, it chooses from what there is. on may be nil.
func ChooseGamma(ctx context.Context, unit float64, try func(gamma float64) (result.GammaPoint, error), on func(result.GammaPoint)) (float64, []result.GammaPoint, error) {
	if !usable(unit) {
		return DefaultGamma(unit), nil, nil
	}
	var path []result.GammaPoint
	best := math.Inf(1)
	for exponent := leastGamma; exponent <= mostGamma && ctx.Err() == nil; exponent++ {
		point, err := try(RoundGamma(math.Pow(10, float64(exponent)) / unit))
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
		if point.RMSE >= best*(1-equalErrors) && point.Gap() > 0.5 {
			break
		}
		best = min(best, point.RMSE)
	}
	if len(path) == 0 {
		return DefaultGamma(unit), nil, nil
	}
	usable := slices.DeleteFunc(slices.Clone(path), func(point result.GammaPoint) bool { return point.Limited })
	if len(usable) == 0 {
		return path[0].Gamma, path, nil // the smallest: rounding errors grow with γ
	}
	best = math.Inf(1)
	for _, point := range usable {
		best = min(best, point.RMSE)
	}
	return easiest(usable, best*(1+equalErrors)), path, nil
}

// easiest is, of the γ whose error is good enough, the one with the smallest
// root gap; of several, the middle one.
func easiest(path []result.GammaPoint, good float64) float64 {
	least := math.Inf(1)
	for _, point := range path {
		if point.RMSE <= good {
			least = min(least, point.Gap())
		}
	}
	var found []float64
	for _, point := range path {
		if point.RMSE <= good && point.Gap() <= least+equalGaps {
			found = append(found, point.Gamma)
		}
	}
	return found[len(found)/2]
}

// RoundGamma is a γ rounded, and within the limits that the setting has.
func RoundGamma(gamma float64) float64 {
	return min(max(Round(gamma), spec.LeastGamma), spec.MostGamma)
}

// Round keeps two digits: γ is a setting that people read and type.
func Round(gamma float64) float64 {
	digits := math.Floor(math.Log10(gamma)) - 1
	unit := math.Pow(10, math.Abs(digits))
	if digits < 0 {
		return math.Round(gamma*unit) / unit
	}
	return math.Round(gamma/unit) * unit
}

// ErrorAt is the error of one γ of a path.
func ErrorAt(path []result.GammaPoint, gamma float64) float64 {
	for _, point := range path {
		if point.Gamma == gamma {
			return point.RMSE
		}
	}
	return 0
}
