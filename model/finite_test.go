package model_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/result"
)

// TestDiagnosticsNeverTakeTheAnswerDown: what is only there to be looked at is
// left out, with a warning, where its numbers are not finite.
func TestDiagnosticsNeverTakeTheAnswerDown(t *testing.T) {
	s := model.Summary{
		Certificate: result.Certificate{
			Cost: 2, Bound: 2, Status: "optimal",
			NearTies: []result.NearTie{{Cost: math.NaN()}, {Cost: 3}, {Cost: math.Inf(1)}},
		},
		Selected: []string{"a"},
		Removal:  []result.Removal{{Name: "a", Cost: math.Inf(1)}},
		Variance: &result.Variance{},
		Train:    result.Metrics{MAPE: result.RelativeOf(math.Inf(1)), RMSE: 1},
		Holdout:  &result.Metrics{RMSE: math.NaN()},
	}
	s.WithoutDiagnostic("the diagnostics are", errors.New("model: too large"))
	var b bytes.Buffer
	must.Do(t, s.WriteJSON(&b))
	must.Do(t, s.Normalize())
	if s.Removal != nil || s.Holdout != nil || s.Variance == nil || len(s.NearTies) != 1 || s.NearTies[0].Cost != 3 || s.Train.MAPE.Value != math.MaxFloat64 {
		t.Fatalf("%+v", s)
	}
	warnings := len(s.Warnings)
	all := strings.Join(s.Warnings, "\n")
	for _, want := range []string{"removing each feature", "held-out", "near-tie", "MAPE", "the diagnostics are left out: too large"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning about %q in %q", want, all)
		}
	}
	if err := s.Normalize(); err != nil || len(s.Warnings) != warnings {
		t.Fatalf("%v, %d warnings after %d", err, len(s.Warnings), warnings)
	}
	s.Cost = math.Inf(1)
	if err := s.Normalize(); err == nil {
		t.Fatal("a cost that is not finite was accepted")
	}
}
