package optcomplete

import (
	"context"
	"fmt"
	"math"
	"time"

	"optcomplete/cutplanes"
	"optcomplete/milp"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/search"
	"optcomplete/spec"
)

// Method is a way to select features.
type Method int

const (
	Certified   Method = iota // branch and bound on relaxations, proven; see package search
	CutPlanes                 // the paper's Algorithm 1, proven; see package cutplanes
	OptComplete               // the paper's Algorithm 2, on samples, not proven
	SoftImpute                // no features: effects and a matrix of low rank; see package baseline/softimpute
	IMC                       // all features, in a matrix of low rank; see package baseline/imc
	EffectsOnly               // mean, row and column effects; see package baseline/effects
)

var methods = [...]string{"certified", "cutplanes", "optcomplete", "softimpute", "imc", "effects"}

func (m Method) String() string { return methods[m] }

// ParseMethod finds a method by its name.
func ParseMethod(name string) (Method, error) {
	for m, known := range methods {
		if name == known {
			return Method(m), nil
		}
	}
	return 0, fmt.Errorf("method %q is unknown: it must be certified, cutplanes, optcomplete, softimpute, imc or effects", name)
}

// Master holds the settings of the paper's methods.
type Master struct {
	Solver     string // of the MILP masters, see milp.Names; empty: embedded
	SolverPath string // its program, or the folder that holds it; empty: see milp.Find

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
	if _, err := milp.New(m.Solver, m.SolverPath); err != nil {
		return &spec.Error{Problem: err.Error()}
	}
	if m.SampleRows < 0 {
		return spec.Errorf("the number of rows to sample is %d, but must be positive", m.SampleRows)
	}
	if !(m.SampleConstant >= 0) || math.IsInf(m.SampleConstant, 1) {
		return spec.Errorf("the sample constant is %v, but must be a positive number", m.SampleConstant)
	}
	if m.SampleRows == 0 {
		m.SampleRows = 100
	}
	if m.SampleConstant == 0 {
		m.SampleConstant = 1
	}
	return nil
}

// search selects by the method of the settings, and records in the summary what
// only that method has. It also tells when the selection was found; the time
// after that went into its proof.
func (t *task) search(ctx context.Context, s *selector, c choices, settings *Settings, summary *model.Summary) (search.Result, time.Duration, error) {
	if settings.Method == Certified {
		summary.Certified = true
		if settings.Sampling == AlwaysSampling || settings.Sampling == AutoSampling && s.values.Observed() >= sampleFrom {
			return t.sampleThenProve(ctx, s, c, settings, summary)
		}
		return minimize(ctx, s.oracle, s.find)
	}
	solver, err := milp.New(settings.Master.Solver, settings.Master.SolverPath)
	if err != nil {
		return search.Result{}, 0, err
	}
	if settings.Master.OnCuts != nil {
		names := t.names(nil)
		for _, u := range t.units {
			names = append(names, u.name)
		}
		settings.Master.OnCuts(cutplanes.Header{
			Method: settings.Method.String(), Features: names, K: s.find.K, Always: s.find.Always, Never: s.find.Never, Gamma: summary.Gamma,
		})
	}
	run := cutplanes.Settings{Search: s.find, Solver: solver, Seed: settings.Seed, OnStep: settings.Master.OnStep}
	var found time.Duration
	run.Search.OnEvent, run.Search.Recorder = stamp(s.find.OnEvent, &found), nil // a master proves nothing by itself
	var result cutplanes.Result
	switch settings.Method {
	case CutPlanes:
		summary.Certified = true
		result, err = cutplanes.CutPlanes(ctx, s.oracle, run)
	case OptComplete:
		if s.exact == nil {
			return search.Result{}, 0, spec.Errorf("the method optcomplete samples the paper's cost: it takes neither the pooled model nor groups of features")
		}
		size := objective.PaperSample(s.values, s.find.K, settings.Master.SampleRows, settings.Master.SampleConstant)
		summary.SampleRows, summary.SampleColumns = size.Rows, size.Columns
		sampled := objective.NewSampled(s.values, t.features, summary.Gamma, size, settings.Seed, t.threads)
		result, err = cutplanes.OptComplete(ctx, sampled, s.exact, run)
		summary.SampledGap = &result.SampledGap
	}
	if err != nil {
		return search.Result{}, 0, err
	}
	summary.Solver, summary.SolverVersion = result.Solver, result.SolverVersion
	summary.MasterNodes, summary.MasterSeconds = result.Nodes, result.MasterSeconds
	if settings.Method == OptComplete && settings.Master.Certify && !result.Status.Early() {
		summary.Certified = true
		return certify(ctx, s.oracle, s.find, result.Result)
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
