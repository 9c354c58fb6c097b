package evaluate

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/random"
	"optcomplete/pass"
	"optcomplete/result"
)

// Trial is what came of one fit on the training part.
type Trial struct {
	Selection []int
	Selected  []string // its names
	RootGap   float64  // how far from proven it was after the root of the search
	Limited   bool     // rounding errors would hide a proof
	Predict   Predictor
}

// GammaSettings say how γ is chosen.
type GammaSettings struct {
	// Try fits on the training part with the given γ, starting from the
	// selections of the γ before.
	Try func(ctx context.Context, train data.Source, gamma float64, start [][]int) (Trial, error)

	// Path is the γ to try. γ has the unit 1/feature², so it is measured
	// against FeatureScale.
	Path gammapath.Path

	Share   float64 // part of the entries to validate on; zero means 0.2
	Entries int     // larger data are sampled by rows to about this many; zero: never
	Seed    uint64
	Threads int
	OnPoint func(result.GammaPoint) // called after each γ; may be nil
}

// TrialEntries is how many entries trials use, about: of larger data, some rows.
const TrialEntries = 800_000

const sampleStream = 0x67616d6d61 // "gamma"

// validationStream keeps the validation part apart from a hold-out of the same
// seed: the same entries would be in both otherwise.
const validationStream = 0x76616c6964 // "valid"

// Part is a training and a validation part of a matrix.
type Part struct{ Train, Held data.Source }

// Validation is the part of the entries that choices are made on.
func (s *GammaSettings) Validation(ctx context.Context, m data.Source) (Part, error) {
	share := s.Share
	if share == 0 {
		share = 0.2
	}
	if s.Entries > 0 {
		var err error
		if m, err = sampleRows(ctx, m, s.Entries, s.Seed, s.Threads); err != nil {
			return Part{}, err
		}
	}
	train, held, err := Split(ctx, m, share, random.Hash(s.Seed, validationStream), s.Threads)
	return Part{train, held}, err
}

// ChooseGamma picks γ on a validation part of the entries: along a path of γ,
// each fit started from the last, it scores what the fits predict. Of those
// whose error is as good as the least it takes the one with the smallest root
// gap, the easiest to prove: with a least-squares refit many γ lead to the same
// predictions. The whole path is returned beside it.
//
// When the context is cancelled, it chooses from what there is.
func ChooseGamma(ctx context.Context, part Part, settings GammaSettings) (float64, []result.GammaPoint, error) {
	if part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return settings.Path.Default(), nil, nil // nothing to validate on
	}
	var start [][]int
	return settings.Path.Choose(ctx, func(gamma float64) (result.GammaPoint, error) {
		trial, err := settings.Try(ctx, part.Train, gamma, start)
		if err != nil {
			return result.GammaPoint{}, err
		}
		start = [][]int{trial.Selection}
		score, err := Score(ctx, part.Held, trial.Predict, settings.Threads)
		return result.GammaPoint{
			Gamma: gamma, RMSE: score.RMSE, RootGap: min(trial.RootGap, 1), Selected: trial.Selected, Limited: trial.Limited,
		}, err
	}, settings.OnPoint)
}

// sampleRows keeps whole rows, chosen by a hash of the seed and their ids, with about the
// given number of entries together, in memory. The matrix keeps its shape.
func sampleRows(ctx context.Context, s data.Source, entries int, seed uint64, threads int) (*data.Matrix, error) {
	share := 1.0
	if observed := s.Observed(); observed > entries {
		share = float64(entries) / float64(observed)
	} else if all, ok := s.(*data.Matrix); ok {
		return all, nil
	}
	return pass.Collect(context.WithoutCancel(ctx), s, threads, "sample of rows", rowSample{shareKeys(s), seed, share})
}

// FeatureScale is the mean, over rows with entries and over features, of Σ b_j²
// on the row's entries: what γ is measured against.
func FeatureScale(survey *data.Survey, features *data.Features) float64 {
	columns, p := features.Dims()
	sum := 0.0
	for j := range columns {
		for _, b := range features.Row(j) {
			sum += float64(survey.Columns[j]) * b * b
		}
	}
	if survey.Rows == 0 || p == 0 {
		return 0
	}
	return sum / float64(p) / float64(survey.Rows)
}
