package exact_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"optcomplete/formulation"
	"optcomplete/internal/attack"
	"optcomplete/internal/exact"
	"optcomplete/proof"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// TestModels fits the models that make features and values of their own, γ chosen
// or given: what they say must follow from the numbers they print, and the checker
// of proofs, which makes the features and values anew, must agree.
func TestModels(t *testing.T) {
	tried, wrong, limits, verified := 0, 0, 0, 0
	for seed := range attack.Rounds(few() / 3) {
		tried++
		limited, agreed, err := tryModel(t, seed)
		if err != nil {
			wrong++
			t.Errorf("seed %d: %v", seed, err)
		}
		if limited {
			limits++
		}
		if agreed {
			verified++
		}
	}
	for _, seed := range []uint64{1794788247, 1794792972, 1794810039, 1794819156} { // more coefficients than entries, and the same features twice
		if _, _, err := tryModel(t, seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	attack.Report(t, "models full, pooled and paper: certificate against its proof", tried, wrong,
		"%d verified as claimed, the others with fewer digits; %d at a numerical limit", verified, limits)
}

// tryModel fits one of the models and checks its proof. It tells whether the fit
// ended at a numerical limit, and whether all its digits were verified.
func tryModel(t *testing.T, seed uint64) (limited, verified bool, err error) {
	in := exact.Nasty(seed)
	settings := formulation.Settings{K: in.K, Model: []spec.Kind{spec.Full, spec.Pooled, spec.Paper}[seed%3]}
	settings.Threads = 1
	if seed%2 == 0 {
		settings.Gamma = in.Gamma
		if settings.Model == spec.Pooled {
			settings.Gamma0 = in.Gamma
		}
	}
	var text bytes.Buffer
	settings.Proof = &text
	fitted, err := formulation.Fit(t.Context(), problem(in), settings)
	if err != nil {
		return false, false, err
	}
	s := &fitted.Summary
	if err := s.WriteJSON(io.Discard); err != nil {
		return false, false, err
	}
	if gap := search.RelativeGap(s.Cost, s.Bound); s.Bound < 0 || s.Bound > s.Cost || gap != s.Gap || (s.Status == result.Optimal) != (gap <= search.Precision) {
		return false, false, fmt.Errorf("%v: cost %v, bound %v, gap %v, %v", settings.Model, s.Cost, s.Bound, s.Gap, s.Status)
	}
	limited = s.Status == result.NumericalLimit
	read, err := proof.Read(&text, "proof")
	if err != nil {
		return limited, false, err
	}
	verdict, err := formulation.Verify(t.Context(), problem(in), s, read, 1)
	if err != nil {
		return limited, false, err
	}
	// Values less their effects have lost digits, more where little is left of them:
	// what is compared is not the same problem to the last bit.
	square := 0.0
	for _, e := range in.Entries {
		square += e.Value * e.Value / float64(in.Rows) / float64(in.Columns)
	}
	lost := 1e-9
	if settings.Model != spec.Paper && s.Cost > 0 {
		lost += 1e-14 * math.Sqrt(square/s.Cost)
	}
	if s.Bound > verdict.High*(1+lost) || s.Cost < verdict.Low*(1-lost) {
		return limited, false, fmt.Errorf("%v, γ %v: cost %v and bound %v are claimed, but the selection costs %v to %v", settings.Model, s.Gamma, s.Cost, s.Bound, verdict.Low, verdict.High)
	}
	return limited, len(verdict.Faults) == 0, nil
}

// TestRemainders: no size of values and features takes the answer of a fit with a
// remainder down.
func TestRemainders(t *testing.T) {
	tried, wrong, without := 0, 0, 0
	try := func(seed uint64) {
		in := exact.Nasty(seed)
		settings := formulation.Settings{K: in.K, ResidualRank: 2}
		settings.Threads, settings.Gamma = 1, in.Gamma
		tried++
		fitted, err := formulation.Fit(t.Context(), problem(in), settings)
		if err != nil {
			wrong++
			t.Errorf("seed %d: %v", seed, err)
			return
		}
		for _, warning := range fitted.Summary.Warnings {
			if strings.HasPrefix(warning, "no remainder was fitted") {
				without++
			}
		}
	}
	try(1794795121)
	for seed := range attack.Rounds(few() / 6) {
		try(seed)
	}
	attack.Report(t, "fits with a remainder", tried, wrong, "%d without it, beyond double precision", without)
}
