package formulation

import (
	"cmp"
	"context"
	"math"
	"time"

	"optcomplete/cutplanes"
	"optcomplete/milp"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// CutPlanes is the paper's Algorithm 1, proven; see package cutplanes.
type CutPlanes struct {
	Solver     string // of the MILP masters, see milp.Names; empty: embedded
	SolverPath string // its program, or the folder that holds it; empty: see milp.Find

	OnCuts func(cutplanes.Header) // called before the first cut; may be nil
	OnStep func(cutplanes.Step)   // called for each cut; may be nil
}

// OptComplete is the paper's Algorithm 2. It works on samples and proves nothing unless
// asked to certify what it finds; see package cutplanes.
type OptComplete struct {
	Solver     string // as of CutPlanes
	SolverPath string

	// The size of the samples, by the paper's rule; see objective.PaperSample.
	SampleRows     int     // g0; zero means 100
	SampleConstant float64 // c; zero means 1

	// Certify goes on to a proof: the certified search, started from what was found.
	Certify bool

	OnCuts func(cutplanes.Header) // as of CutPlanes
	OnStep func(cutplanes.Step)
}

var _, _ selecting = CutPlanes{}, OptComplete{}

func (CutPlanes) String() string   { return "cutplanes" }
func (OptComplete) String() string { return "optcomplete" }

func (m CutPlanes) check(Problem) error { return checkSolver(m.Solver, m.SolverPath) }

// embedded is the solver that keeps a limit of nodes within a master too.
var embedded = (&milp.Embedded{}).Name()

// solverOf is the solver of a method's masters; empty: the embedded one, or none.
func solverOf(m Method) string {
	switch m := m.(type) {
	case CutPlanes:
		return m.Solver
	case OptComplete:
		return m.Solver
	}
	return ""
}

func checkSolver(name, path string) error {
	if _, err := milp.New(name, path); err != nil {
		return &spec.Error{Problem: err.Error()}
	}
	return nil
}

func (m OptComplete) check(problem Problem) error {
	if m.SampleRows < 0 {
		return spec.Errorf("the number of rows to sample is %d, but must be positive", m.SampleRows)
	}
	if !(m.SampleConstant >= 0) || math.IsInf(m.SampleConstant, 1) {
		return spec.Errorf("the sample constant is %v, but must be a positive number", m.SampleConstant)
	}
	if rows, columns := problem.Ratings.Dims(); rows == 0 || columns == 0 {
		return spec.Errorf("there are no entries to sample from")
	}
	return checkSolver(m.Solver, m.SolverPath)
}

func (CutPlanes) checkProof() error {
	return spec.Errorf("no proof can be written of the method cutplanes: what its MILP solver does is not known (use the method certified)")
}

func (m OptComplete) checkProof() error {
	if m.Certify {
		return nil
	}
	return spec.Errorf("the method optcomplete proves nothing by itself, so there is no proof to write (certify what it finds, or use the method certified)")
}

func (m CutPlanes) recorded() map[string]string { return recordSolver(m.Solver) }

func (m OptComplete) recorded() map[string]string {
	out := recordSolver(m.Solver)
	if m.Certify {
		out["certify"] = "true"
	}
	return out
}

func recordSolver(name string) map[string]string {
	if name == "" {
		return map[string]string{}
	}
	return map[string]string{"solver": name}
}

func (m CutPlanes) search(ctx context.Context, t *formulation, s *cost, _ selection.Learned, summary *model.Summary) (search.Result, time.Duration, error) {
	summary.Certified = true
	var found time.Duration
	run, err := t.master(m, m.Solver, m.SolverPath, m.OnCuts, s, summary, &found)
	if err != nil {
		return search.Result{}, 0, err
	}
	run.OnStep = m.OnStep
	result, err := cutplanes.CutPlanes(ctx, s.Oracle, run)
	recordMaster(result, summary)
	return result.Result, found, err
}

func (m OptComplete) search(ctx context.Context, t *formulation, s *cost, _ selection.Learned, summary *model.Summary) (search.Result, time.Duration, error) {
	if s.exact == nil {
		return search.Result{}, 0, spec.Errorf("the method optcomplete samples the paper's cost: it takes neither the pooled model nor groups of features")
	}
	var found time.Duration
	run, err := t.master(m, m.Solver, m.SolverPath, m.OnCuts, s, summary, &found)
	if err != nil {
		return search.Result{}, 0, err
	}
	run.OnStep = m.OnStep
	size := objective.PaperSample(s.values, s.Find.K, cmp.Or(m.SampleRows, 100), cmp.Or(m.SampleConstant, 1))
	summary.SampleRows, summary.SampleColumns = size.Rows, size.Columns
	sampled := s.exact.Sampled(size, t.Seed)
	result, err := cutplanes.OptComplete(ctx, sampled, s.exact, run)
	summary.SampledGap = &result.SampledGap
	recordMaster(result, summary)
	if err == nil && m.Certify && !result.Status.Early() {
		summary.Certified = true
		return certify(ctx, s.Oracle, s.Find, result.Result)
	}
	return result.Result, found, err
}

// master tells of the cuts to come and makes the settings of their masters. A master
// proves nothing by itself.
func (t *formulation) master(m Method, name, path string, onCuts func(cutplanes.Header), s *cost, summary *model.Summary, found *time.Duration) (cutplanes.Settings, error) {
	solver, err := milp.New(name, path)
	if err != nil {
		return cutplanes.Settings{}, err
	}
	if onCuts != nil {
		onCuts(cutplanes.Header{
			Method: m.String(), Features: t.Names(), K: s.Find.K, Always: s.Find.Always, Never: s.Find.Never, Gamma: summary.Gamma,
		})
	}
	run := cutplanes.Settings{Search: s.Find, Solver: solver, Seed: t.Seed}
	run.Search.OnEvent, run.Search.Recorder = selection.Stamp(s.Find.OnEvent, found), nil
	return run, nil
}

// recordMaster keeps what the solver of the masters was and did.
func recordMaster(r cutplanes.Result, summary *model.Summary) {
	summary.Solver, summary.SolverVersion = r.Solver, r.SolverVersion
	summary.MasterNodes, summary.MasterSeconds = r.Nodes, r.MasterSeconds
}
