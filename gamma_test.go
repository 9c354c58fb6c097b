package optcomplete

import (
	"context"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/result"
	"optcomplete/spec"
)

// TestValidationErrorsOfThePapersModelStayInRange: least squares of a row with
// few ratings predict far beyond them, and one such row would choose γ.
func TestValidationErrorsOfThePapersModelStayInRange(t *testing.T) {
	source, err := synth.Netflix(800, 60, 5, 0.9, 1)
	if err != nil {
		t.Fatal(err)
	}
	made := must.Get(source.Collect())(t)
	tried := 0
	_, err = ChooseGamma(context.Background(), Problem{Ratings: made.Ratings, Features: source.Features}, Settings{
		K:          5,
		Model:      spec.Paper,
		Statistics: Statistics{Seed: 1},
		OnGamma: func(p result.GammaPoint) {
			if tried++; !(p.RMSE > 0 && p.RMSE < 2) {
				t.Errorf("γ %v: validation RMSE %v of ratings from 1 to 5", p.Gamma, p.RMSE)
			}
		},
	})
	if err != nil || tried < 3 {
		t.Errorf("%d γ tried, %v", tried, err)
	}
}
