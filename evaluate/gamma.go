package evaluate

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/model"
)

// Trial is what came of one fit on the training part.
type Trial struct {
	Selection []int
	Selected  []string // its names
	RootGap   float64  // how far from proven it was after the root of the search
	Predict   func(row int, columns []int32, out []float64)
}

// GammaSettings say how γ is chosen.
type GammaSettings struct {
	// Try fits on the training part with the given γ, starting from the
	// selections of the γ before.
	Try func(ctx context.Context, train *data.Matrix, gamma float64, start [][]int) (Trial, error)

	// The path: γ·Unit = 10^First … 10^Last in steps of 10^Step. γ has the
	// unit 1/feature², so it is measured against FeatureScale.
	Unit              float64
	First, Last, Step float64
	Equal             float64 // errors this near, relatively, are the same

	Share   float64 // part of the entries to validate on; zero means 0.2
	Entries int     // larger data are sampled by rows to about so many; zero: never
	Seed    uint64
	Threads int
	OnPoint func(model.GammaPoint) // called after each γ; may be nil
}

const (
	gammaEasy  = 1e-6 // root gaps this near are the same
	gammaWorse = 2    // so many γ in a row that are no better end the path
)

const sampleStream = 0x67616d6d61 // "gamma"

// Part is a training and a validation part of a matrix.
type Part struct{ Train, Held *data.Matrix }

// Validation is the part of the entries that choices are made on.
func (s *GammaSettings) Validation(m *data.Matrix) Part {
	share := s.Share
	if share == 0 {
		share = 0.2
	}
	if s.Entries > 0 {
		m = sampleRows(m, s.Entries, s.Seed)
	}
	train, held := Split(m, share, s.Seed)
	return Part{train, held}
}

// ChooseGamma picks γ on a validation part of the entries: along a path of γ,
// each fit started from the last, it scores what the fits predict. Of those
// whose error is as good as the least it takes the one with the smallest root
// gap, the easiest to prove: with a least-squares refit many γ lead to the same
// predictions. The whole path is returned beside it.
//
// When the context is cancelled, it chooses from what there is.
func ChooseGamma(ctx context.Context, m *data.Matrix, settings GammaSettings) (float64, []model.GammaPoint, error) {
	part := settings.Validation(m)
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 || settings.Unit == 0 {
		return settings.standard(), nil, nil // nothing to validate on
	}
	var path []model.GammaPoint
	var start [][]int
	best, worse := math.Inf(1), 0
	for exponent := settings.First; exponent <= settings.Last+1e-9 && ctx.Err() == nil; exponent += settings.Step {
		gamma := RoundGamma(math.Pow(10, exponent) / settings.Unit)
		trial, err := settings.Try(ctx, part.Train, gamma, start)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return 0, nil, err
		}
		start = [][]int{trial.Selection}
		point := model.GammaPoint{
			Gamma: gamma, RMSE: Score(part.Held, trial.Predict, settings.Threads).RMSE,
			RootGap: min(trial.RootGap, 1), Selected: trial.Selected,
		}
		path = append(path, point)
		if settings.OnPoint != nil {
			settings.OnPoint(point)
		}
		if point.RMSE < best*(1-settings.Equal) {
			worse = 0
		} else if worse++; worse >= gammaWorse || point.RootGap > 0.5 {
			break // beyond, it only becomes harder to prove and no better
		}
		best = min(best, point.RMSE)
	}
	if len(path) == 0 {
		return settings.standard(), nil, nil
	}
	return middle(path, best*(1+settings.Equal)), path, nil
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

// FeatureScale is the mean, over rows with entries and over features, of Σ b_j²
// on the row's entries: what γ is measured against.
func FeatureScale(m *data.Matrix, features *data.Features) float64 {
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
	if rows == 0 || p == 0 {
		return 0
	}
	return sum / float64(p) / float64(rows)
}

// standard is the middle of the path, for when nothing can be validated.
func (s *GammaSettings) standard() float64 {
	if s.Unit == 0 {
		return 1
	}
	return RoundGamma(math.Pow(10, (s.First+s.Last)/2) / s.Unit)
}

// RoundGamma keeps two digits: γ is a setting that people read and type.
func RoundGamma(gamma float64) float64 {
	digits := math.Floor(math.Log10(gamma)) - 1
	unit := math.Pow(10, math.Abs(digits))
	if digits < 0 {
		return math.Round(gamma*unit) / unit
	}
	return math.Round(gamma/unit) * unit
}
