package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/search"
)

// GammaSettings say how γ is chosen.
type GammaSettings struct {
	Search  search.Settings // K, Always, Never; limits and Start are set here
	Refit   model.Refit     // how the coefficients are fitted
	Share   float64         // part of the entries to validate on; zero means 0.2
	Seed    uint64
	Threads int
	OnPoint func(model.GammaPoint) // called after each γ; may be nil
}

// The path of γ. γ has the unit 1/feature², so it is measured against q, the
// mean over rows and features of a row's Σ b_j²: γ·q from 10^-1 (coefficients
// shrunk to nothing) to 10^5 (hardly at all).
const (
	gammaFirst, gammaLast = -1, 5
	gammaPasses           = 80      // evaluations spent on one γ at most
	gammaEqual            = 1e-3    // errors this near, relatively, are the same
	gammaEasy             = 1e-6    // root gaps this near are the same
	gammaEntries          = 200_000 // of larger data, rows with about so many entries are used
)

const sampleStream = 0x67616d6d61 // "gamma"

// ChooseGamma picks γ on a validation part of the entries: along a path of γ,
// each search warm-started from the last, it selects, refits and scores. Of
// those whose error is as good as the least it takes the one with the smallest
// root gap, the easiest to prove: with a least-squares refit many γ lead to the
// same predictions. The whole path is returned beside it.
//
// When the context is cancelled, it chooses from what there is.
func ChooseGamma(ctx context.Context, m *data.Matrix, features *data.Features, settings GammaSettings) (float64, []model.GammaPoint, error) {
	share := settings.Share
	if share == 0 {
		share = 0.2
	}
	train, held := Split(sampleRows(m, gammaEntries, settings.Seed), share, settings.Seed)
	unit := featureScale(train, features)
	if train.Observed() == 0 || held.Observed() == 0 || unit == 0 {
		return defaultGamma(unit), nil, nil // nothing to validate on
	}
	oracle := objective.NewExact(train, features, 1, settings.Threads)
	var path []model.GammaPoint
	each := settings.Search
	each.MaxNodes, each.MaxPasses, each.NearTies, each.OnEvent = 1, gammaPasses, -1, nil
	best := math.Inf(1)
	for exponent := gammaFirst; exponent <= gammaLast && ctx.Err() == nil; exponent++ {
		gamma := roundGamma(math.Pow(10, float64(exponent)) / unit)
		result, err := search.Minimize(ctx, oracle.WithGamma(gamma), each)
		if err != nil {
			return 0, nil, err
		}
		if result.Status == search.Interrupted {
			break
		}
		each.Start = [][]int{result.Selection}
		coefficients, err := model.Coefficients(ctx, train, features, result.Selection, settings.Refit, gamma, settings.Threads)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return 0, nil, err
		}
		score := Score(held, model.Predictor(features, result.Selection, coefficients), settings.Threads)
		point := model.GammaPoint{Gamma: gamma, RMSE: score.RMSE, RootGap: min(result.RootGap, 1)}
		for _, j := range result.Selection {
			point.Selected = append(point.Selected, features.Names[j])
		}
		path = append(path, point)
		if settings.OnPoint != nil {
			settings.OnPoint(point)
		}
		// Beyond, it only becomes harder to prove and no better.
		if point.RootGap > 0.5 && point.RMSE > best*(1-gammaEqual) {
			break
		}
		best = min(best, point.RMSE)
	}
	if len(path) == 0 {
		return defaultGamma(unit), nil, nil
	}
	return middle(path, best*(1+gammaEqual)), path, nil
}

// middle is, of the γ whose error is good enough, the one with the smallest
// root gap; of several, the middle one.
func middle(path []model.GammaPoint, good float64) float64 {
	least := math.Inf(1)
	for _, point := range path {
		if point.RMSE <= good {
			least = min(least, point.RootGap)
		}
	}
	var easiest []float64
	for _, point := range path {
		if point.RMSE <= good && point.RootGap <= least+gammaEasy {
			easiest = append(easiest, point.Gamma)
		}
	}
	return easiest[len(easiest)/2]
}

// sampleRows keeps whole rows, chosen by a hash of the seed, with about the
// given number of entries together. The matrix keeps its shape.
func sampleRows(m *data.Matrix, entries int, seed uint64) *data.Matrix {
	if m.Observed() <= entries {
		return m
	}
	share := float64(entries) / float64(m.Observed())
	n, _ := m.Dims()
	keep := make([]bool, 0, m.Observed())
	for i := range n {
		columns, _ := m.Row(i)
		chosen := random.Unit(random.Hash(seed, sampleStream, uint64(i))) < share
		for range columns {
			keep = append(keep, chosen)
		}
	}
	return m.Filter(func(at int) bool { return keep[at] })
}

// featureScale is the mean, over rows with entries and over features, of Σ b_j²
// on the row's entries.
func featureScale(m *data.Matrix, features *data.Features) float64 {
	columns, p := features.Dims()
	square := make([]float64, columns)
	for j := range columns {
		for _, b := range features.Row(j) {
			square[j] += b * b
		}
	}
	n, _ := m.Dims()
	sum, rows := 0.0, 0
	for i := range n {
		at, _ := m.Row(i)
		for _, c := range at {
			sum += square[c]
		}
		if len(at) > 0 {
			rows++
		}
	}
	if rows == 0 {
		return 0
	}
	return sum / float64(p) / float64(rows)
}

// defaultGamma is the middle of the path, for when nothing can be validated.
func defaultGamma(unit float64) float64 {
	if unit == 0 {
		return 1
	}
	return roundGamma(100 / unit)
}

// roundGamma keeps two digits: γ is a setting that people read and type.
func roundGamma(gamma float64) float64 {
	digits := math.Floor(math.Log10(gamma)) - 1
	unit := math.Pow(10, math.Abs(digits))
	if digits < 0 {
		return math.Round(gamma*unit) / unit
	}
	return math.Round(gamma/unit) * unit
}
