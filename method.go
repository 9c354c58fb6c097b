package optcomplete

import (
	"context"
	"fmt"
	"math"
	"time"

	"optcomplete/cutplanes"
	"optcomplete/data"
	"optcomplete/milp"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/search"
)

// Method is a way to select features.
type Method int

const (
	Certified   Method = iota // branch and bound on relaxations, proven; see package search
	CutPlanes                 // the paper's Algorithm 1, proven; see package cutplanes
	OptComplete               // the paper's Algorithm 2, on samples, not proven
)

var methods = [...]string{"certified", "cutplanes", "optcomplete"}

func (m Method) String() string { return methods[m] }

// ParseMethod finds a method by its name.
func ParseMethod(name string) (Method, error) {
	for m, known := range methods {
		if name == known {
			return Method(m), nil
		}
	}
	return 0, fmt.Errorf("method %q is unknown: it must be certified, cutplanes or optcomplete", name)
}

// Master holds the settings of the paper's methods.
type Master struct {
	Solver string // of the MILP masters, see milp.Names; empty: embedded

	// The size of OptComplete's samples, by the paper's rule; see
	// objective.PaperSample.
	SampleRows     int     // g0; zero means 100
	SampleConstant float64 // c; zero means 1

	// Certify lets OptComplete go on to a proof: the certified search, started
	// from what was found.
	Certify bool

	// OnCuts is called before the first cut and OnStep for each; may be nil.
	OnCuts func(cutplanes.Header)
	OnStep func(cutplanes.Step)
}

func (m *Master) validate() error {
	if _, err := milp.New(m.Solver); err != nil {
		return &SettingsError{err.Error()}
	}
	if m.SampleRows < 0 {
		return &SettingsError{fmt.Sprintf("the number of rows to sample is %d, but must be positive", m.SampleRows)}
	}
	if !(m.SampleConstant >= 0) || math.IsInf(m.SampleConstant, 1) {
		return &SettingsError{fmt.Sprintf("the sample constant is %v, but must be a positive number", m.SampleConstant)}
	}
	if m.SampleRows == 0 {
		m.SampleRows = 100
	}
	if m.SampleConstant == 0 {
		m.SampleConstant = 1
	}
	return nil
}

// search selects the features at summary.Gamma by the method of the settings,
// and records in the summary what only that method has. It also tells when the
// selection was found; the time after that went into its proof.
func (s *Settings) search(ctx context.Context, train *data.Matrix, features *data.Features, find search.Settings, summary *model.Summary) (search.Result, time.Duration, error) {
	exact := objective.NewExact(train, features, summary.Gamma, s.Threads)
	if s.Method == Certified {
		summary.Certified = true
		return minimize(ctx, exact, find)
	}
	solver, err := milp.New(s.Master.Solver)
	if err != nil {
		return search.Result{}, 0, err
	}
	if s.Master.OnCuts != nil {
		s.Master.OnCuts(cutplanes.Header{
			Method: s.Method.String(), Features: features.Names, K: find.K, Always: find.Always, Never: find.Never, Gamma: summary.Gamma,
		})
	}
	settings := cutplanes.Settings{Search: find, Solver: solver, Seed: s.Seed, OnStep: s.Master.OnStep}
	var found time.Duration
	settings.Search.OnEvent = stamp(find.OnEvent, &found)
	var result cutplanes.Result
	switch s.Method {
	case CutPlanes:
		summary.Certified = true
		result, err = cutplanes.CutPlanes(ctx, exact, settings)
	case OptComplete:
		size := objective.PaperSample(train, find.K, s.Master.SampleRows, s.Master.SampleConstant)
		summary.SampleRows, summary.SampleColumns = size.Rows, size.Columns
		sampled := objective.NewSampled(train, features, summary.Gamma, size, s.Seed, s.Threads)
		result, err = cutplanes.OptComplete(ctx, sampled, exact, settings)
		summary.SampledGap = &result.SampledGap
	}
	if err != nil {
		return search.Result{}, 0, err
	}
	summary.Solver, summary.SolverVersion = result.Solver, result.SolverVersion
	summary.MasterNodes, summary.MasterSeconds = result.Nodes, result.MasterSeconds
	if s.Method == OptComplete && s.Master.Certify && !result.Status.Early() {
		summary.Certified = true
		return certify(ctx, exact, find, result.Result)
	}
	return result.Result, found, nil
}

// minimize is the certified search.
func minimize(ctx context.Context, oracle search.Oracle, find search.Settings) (search.Result, time.Duration, error) {
	var found time.Duration
	find.OnEvent = stamp(find.OnEvent, &found)
	result, err := search.Minimize(ctx, oracle, find)
	return result, found, err
}

// certify proves, or improves, a selection that was found on samples, in the
// time that is left. Passes and times are those of both.
func certify(ctx context.Context, oracle search.Oracle, find search.Settings, sampled search.Result) (search.Result, time.Duration, error) {
	find.Start = [][]int{sampled.Selection}
	if find.TimeLimit > 0 {
		find.TimeLimit = max(find.TimeLimit-sampled.Elapsed, time.Millisecond)
	}
	result, found, err := minimize(ctx, oracle, find)
	result.Passes += sampled.Passes
	result.Elapsed += sampled.Elapsed
	return result, sampled.Elapsed + found, err
}

// stamp passes events on and keeps the time of the last incumbent.
func stamp(next func(search.Event), found *time.Duration) func(search.Event) {
	return func(e search.Event) {
		if e.Kind == search.EventIncumbent {
			*found = e.Elapsed
		}
		if next != nil {
			next(e)
		}
	}
}
