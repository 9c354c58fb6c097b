// Package gammapath chooses γ along a path, the same way for every model whose
// error can be measured on data held out.
//
// It takes a unit (the mean square of the features, so that γ·unit has none) and
// a function that selects and scores at one γ. It gives the γ to use and the
// whole path. It must never decide by a single best error: errors that differ by
// next to nothing are the same to it, and of those it takes the γ whose search
// is the easiest to prove. It proposes no γ at which rounding errors would hide the
// proof, as long as there is another.
package gammapath

import (
	"context"
	"math"
	"slices"

	"optcomplete/result"
	"optcomplete/spec"
)

// Path is the γ to try: γ·Unit goes from 10^First (coefficients shrunk to
// nothing) to 10^Last (hardly at all) in steps of 10^Step.
type Path struct {
	Unit              float64
	First, Last, Step float64
	Equal             float64 // errors this near, relatively, are the same
	// Patience: this many γ in a row that are worse, or no better with something left
	// to prove, end the path; zero: none do. Where proofs are free and errors equal
	// the coefficients are still shrunk so much that the same features win: that
	// says nothing of a larger γ.
	Patience int
}

// Standard is the path for features in a unit, seven γ a factor of ten apart.
func Standard(unit float64) Path { return Path{Unit: unit, First: -1, Last: 5, Step: 1, Equal: 1e-3} }

const easy = 1e-6 // root gaps this near are the same

// Usable tells whether there is a unit to measure γ by.
func (p Path) Usable() bool { return p.Unit > 0 && !math.IsInf(p.Unit, 1) }

// Default is γ for when nothing can be validated: the middle of the path.
func (p Path) Default() float64 {
	if !p.Usable() {
		return 1
	}
	return Gamma(math.Pow(10, (p.First+p.Last)/2) / p.Unit)
}

// Choose tries each γ of the path in rising order. It stops early where the
// error has long been no better, or is no better and the relaxation useless.
// When the context is cancelled, it chooses from what there is. on may be nil.
func (p Path) Choose(ctx context.Context, try func(gamma float64) (result.GammaPoint, error), on func(result.GammaPoint)) (float64, []result.GammaPoint, error) {
	if !p.Usable() {
		return p.Default(), nil, nil
	}
	var path []result.GammaPoint
	best, since := math.Inf(1), 0
	for exponent := p.First; exponent <= p.Last+1e-9 && ctx.Err() == nil; exponent += p.Step {
		point, err := try(Gamma(math.Pow(10, exponent) / p.Unit))
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
		if point.RMSE < best*(1-p.Equal) {
			since = 0
		} else if point.Gap() > easy || point.RMSE > best*(1+p.Equal) {
			since++
		}
		best = min(best, point.RMSE)
		if since > 0 && (since == p.Patience || point.Gap() > 0.5) {
			break
		}
	}
	if len(path) == 0 {
		return p.Default(), nil, nil
	}
	usable := slices.DeleteFunc(slices.Clone(path), func(point result.GammaPoint) bool { return point.Limited })
	if len(usable) == 0 {
		return path[0].Gamma, path, nil // the smallest: rounding errors grow with γ
	}
	best = math.Inf(1)
	for _, point := range usable {
		best = min(best, point.RMSE)
	}
	return easiest(usable, best*(1+p.Equal)), path, nil
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
		if point.RMSE <= good && point.Gap() <= least+easy {
			found = append(found, point.Gamma)
		}
	}
	return found[len(found)/2]
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

// Gamma is a γ rounded, and within the limits that the setting has.
func Gamma(gamma float64) float64 {
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
