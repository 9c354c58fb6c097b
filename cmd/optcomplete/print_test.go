package main

import (
	"testing"

	"optcomplete/model"
	"optcomplete/result"
	"optcomplete/spec"
)

// TestCertificateSaysWhatIsProven, no more.
func TestCertificateSaysWhatIsProven(t *testing.T) {
	for _, c := range []struct {
		summary model.Summary
		want    string
	}{
		{model.Summary{K: 5, Certificate: result.Certificate{Certified: true, Status: "optimal"}}, "proven optimal: no other selection of 5 features costs less"},
		{model.Summary{K: 1, Choice: spec.Choice{Never: []string{"x"}}, Certificate: result.Certificate{Certified: true, Status: "optimal"}}, "proven optimal: no other allowed selection of 1 feature costs less"},
		{model.Summary{K: 5, Certificate: result.Certificate{Certified: true, Status: "gap", Gap: 0.01234}}, "proven: no selection of 5 features is more than 1.24 % cheaper"},
		{model.Summary{K: 5, Certificate: result.Certificate{Certified: true, Status: "time_limit", Gap: 0.2}}, "stopped early (time limit), proven so far: no selection of 5 features is more than 20.1 % cheaper"},
		{model.Summary{K: 5, Certificate: result.Certificate{Certified: true, Status: "interrupted", Gap: 1}}, "stopped early (interrupted) before anything was proven"},
		{model.Summary{K: 5, Certificate: result.Certificate{Certified: true, Status: "numerical_limit", Gap: 0.2}}, "numerical limit: it is proven that no selection of 5 features is more than 20.1 % cheaper, and rounding errors hide the rest " + numericalRemedy},
		{model.Summary{K: 5, Certificate: result.Certificate{Certified: true, Status: "numerical_limit", Gap: 1}}, "numerical limit: nothing is proven, and rounding errors hide the rest " + numericalRemedy},
		{model.Summary{K: 5, Settings: map[string]string{"certify": "true"}, Certificate: result.Certificate{Status: "interrupted"}}, "stopped early (interrupted) while still on samples, which prove nothing (a larger --time-limit reaches the proof)"},
		{model.Summary{K: 5, Certificate: result.Certificate{Status: "sampled", Gap: 0}}, "not proven: samples prove nothing (--certify goes on to a proof)"},
	} {
		if got := certificate(&c.summary); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestChosenShrinkageIsTold, and one that was given is not called chosen.
func TestChosenShrinkageIsTold(t *testing.T) {
	for want, s := range map[string]model.Summary{
		"": {Model: "pooled", RowShrinkage: 2},
		"of column effects: 2.5 entries, learned (--column-shrinkage)":         {Model: "full", RowShrinkage: 16, ColumnShrinkage: 2.5},
		"of column effects: 2 weight of entries, learned (--column-shrinkage)": {Model: "full", ColumnShrinkage: 2, Weighted: true},
		"of column effects: 8 entries, as given (--column-shrinkage)":          {Model: "full", ColumnShrinkage: 8, Settings: map[string]string{"column-shrinkage": "8"}},
	} {
		if got := shrinkage(&s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestNumbersForPeople: no exponents of per cents, no point behind a whole number.
func TestNumbersForPeople(t *testing.T) {
	for got, want := range map[string]string{
		percent(11.5): "1,150 %", percent(9.994): "999 %", percent(0.123): "12.3 %", percent(1e30): "1,000,000,000,000,000 %",
		costText(563507323, 1, 9): "563507323", costText(0.5, 0.1, 4): "0.5000",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
