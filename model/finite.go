package model

import (
	"fmt"
	"math"
	stdreflect "reflect"
	"strings"
)

// Warn adds a sentence to the warnings of the summary, once.
func (s *Summary) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, known := range s.Warnings {
		if known == text {
			return
		}
	}
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], text)
}

// WithoutDiagnostic says in the warnings that a part of the summary, which is
// there to be looked at and which nothing else rests on, could not be computed.
func (s *Summary) WithoutDiagnostic(what string, err error) {
	s.Warn("%s left out: %s", what, strings.TrimPrefix(err.Error(), "model: "))
}

// dropDiagnostics leaves out what is there to be looked at and is not finite:
// numbers that JSON cannot hold must not take the answer down with them.
func (s *Summary) dropDiagnostics() {
	const why = "its numbers are too large to compute with (rescale the values or the features)"
	drop := func(what string, value any, leave func()) {
		if !allFinite(stdreflect.ValueOf(value)) {
			leave()
			s.Warn("%s left out: %s", what, why)
		}
	}
	drop("the cost of removing each feature is", s.Removal, func() { s.Removal = nil })
	drop("the explained variance is", s.Variance, func() { s.Variance = nil })
	drop("the comparison with baselines is", s.Baselines, func() { s.Baselines = nil })
	drop("the diagnostics are", s.Diagnostics, func() { s.Diagnostics = nil })
	drop("the trace of the search is", s.Trace, func() { s.Trace = nil })
	drop("the scores on the held-out entries are", s.Holdout, func() { s.Holdout = nil })
	for i := 0; i < len(s.NearTies); i++ {
		drop("a near-tie is", s.NearTies[i].Cost, func() {
			s.NearTies = append(s.NearTies[:i:i], s.NearTies[i+1:]...)
			i--
		})
	}
	for _, metric := range []struct {
		name  string
		value *float64
	}{{"MAPE", &s.Train.MAPE.Value}, {"RMSE", &s.Train.RMSE}, {"MAE", &s.Train.MAE}} {
		if !allFinite(stdreflect.ValueOf(*metric.value)) {
			*metric.value = math.MaxFloat64
			s.Warn("the %s on the training entries is too large to compute: the largest number stands for it", metric.name)
		}
	}
}

// allFinite tells whether every number in a value is.
func allFinite(v stdreflect.Value) bool {
	switch v.Kind() {
	case stdreflect.Float64, stdreflect.Float32:
		return !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	case stdreflect.Pointer, stdreflect.Interface:
		return v.IsNil() || allFinite(v.Elem())
	case stdreflect.Slice, stdreflect.Array:
		for i := range v.Len() {
			if !allFinite(v.Index(i)) {
				return false
			}
		}
	case stdreflect.Map:
		for _, key := range v.MapKeys() {
			if !allFinite(v.MapIndex(key)) {
				return false
			}
		}
	case stdreflect.Struct:
		for i := range v.NumField() {
			if !allFinite(v.Field(i)) {
				return false
			}
		}
	}
	return true
}
