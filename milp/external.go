package milp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// External runs a solver program on a file and verifies what it answers. Make
// one with [New]. It keeps no state and may be used concurrently.
type External struct {
	// Path is the program to run. Empty means looked up by name; see [Find].
	Path string
	// Grace is the time a program may run past Options.TimeLimit before it
	// counts as hung. 0 means 10 seconds. Without a time limit only the
	// context ends a program.
	Grace time.Duration

	adapter *adapter
}

var _ Solver = (*External)(nil)

const defaultGrace = 10 * time.Second

// adapter is what differs between the programs.
type adapter struct {
	name    string
	program string
	format  func(io.Writer, *Master) error // writer of the model file
	suffix  string                         // of the model file's name

	solution string // name of the solution file; empty means solutionFile

	versionArgs []string
	version     *regexp.Regexp // first group is the version

	// prepare returns the arguments; it may write further files into the
	// directory, which is also where the program runs.
	prepare func(dir string, options Options) (args []string, err error)
	printed printed
	// read completes an answer by the solution file and what was printed.
	read func(a answer, solution, printed string) (answer, error)
}

// answer is what a program claims about a master of p features.
func (a *adapter) answer(solution, printed string, p int) (answer, error) {
	return a.read(a.printed.newAnswer(printed, p), solution, printed)
}

// File names in the working directory of a program.
const (
	solutionFile = "solution.txt"
	gurobiFile   = "solution.sol" // the suffix selects the format
	optionsFile  = "options.txt"
)

// answer is what a program claims, in the units of the file.
type answer struct {
	proved   bool   // it says the answer is optimal, or within the gap
	reason   string // its own word for how it ended
	found    bool   // there is a selection
	weights  []float64
	eta      float64
	bound    float64 // NaN if it does not say
	nodes    int
	seconds  float64 // NaN if it does not say
	rounding float64 // relative precision of the printed eta
}

// Name returns the word users choose the solver by.
func (e *External) Name() string { return e.adapter.name }

// Version asks the program for its version.
func (e *External) Version(ctx context.Context) (string, error) {
	path, err := e.locate()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "optcomplete-milp-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	run := process{name: e.adapter.name, path: path, args: e.adapter.versionArgs, dir: dir, limit: defaultGrace}
	output, err := run.wait(ctx)
	var crash *CrashError
	if err != nil && !errors.As(err, &crash) { // some exit with 1 after --version
		return "", err
	}
	found := e.adapter.version.FindStringSubmatch(output)
	if found == nil {
		return "", &GarbageError{Solver: e.adapter.name, Reason: "it prints no version", Output: output}
	}
	return found[1], nil
}

// Solve writes the master to a file, runs the program on it and verifies the
// answer: a selection of K features that respects Always and Never, whose η,
// recomputed here, is what the program claims. Options.Start is not passed on;
// an answer that is worse than it is an error.
func (e *External) Solve(ctx context.Context, m *Master, options Options) (Solution, error) {
	if err := m.Validate(); err != nil {
		return Solution{}, err
	}
	path, err := e.locate()
	if err != nil {
		return Solution{}, err
	}
	dir, err := os.MkdirTemp("", "optcomplete-milp-")
	if err != nil {
		return Solution{}, err
	}
	defer os.RemoveAll(dir)
	if err := e.writeModel(filepath.Join(dir, "model"+e.adapter.suffix), m); err != nil {
		return Solution{}, err
	}
	args, err := e.adapter.prepare(dir, options)
	if err != nil {
		return Solution{}, err
	}
	run := process{name: e.adapter.name, path: path, args: args, dir: dir}
	if options.TimeLimit > 0 {
		run.limit = options.TimeLimit + e.grace()
	}
	start := time.Now()
	printed, err := run.wait(ctx)
	if err != nil {
		return Solution{}, err
	}
	elapsed := time.Since(start).Seconds()
	solution, err := os.ReadFile(filepath.Join(dir, cmp.Or(e.adapter.solution, solutionFile)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Solution{}, err
	}
	a, err := e.adapter.answer(string(solution), printed, m.P)
	if err != nil {
		return Solution{}, e.named(err, printed)
	}
	if math.IsNaN(a.seconds) {
		a.seconds = elapsed
	}
	return verify(e.adapter.name, m, a, options)
}

// named adds what the reader of a solution file does not know to its error.
func (e *External) named(err error, printed string) error {
	var garbage *GarbageError
	if errors.As(err, &garbage) {
		garbage.Solver, garbage.Output = e.adapter.name, printed
	}
	var wrong *AnswerError
	if errors.As(err, &wrong) {
		wrong.Solver = e.adapter.name
	}
	return err
}

func (e *External) grace() time.Duration {
	if e.Grace > 0 {
		return e.Grace
	}
	return defaultGrace
}

func (e *External) writeModel(path string, m *Master) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := e.adapter.format(f, m); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// rounds is how far from 0 or 1 a program's weight may be.
const rounds = 1e-6

// verify turns a claim into a Solution, or says what is wrong with it.
func verify(solver string, m *Master, a answer, options Options) (Solution, error) {
	if !a.found {
		return Solution{}, &NotOptimalError{Solver: solver, Reason: a.reason}
	}
	wrong := func(format string, args ...any) (Solution, error) {
		return Solution{}, &AnswerError{Solver: solver, Reason: fmt.Sprintf(format, args...)}
	}
	var selection []int
	for j, w := range a.weights {
		switch {
		case math.Abs(w) <= rounds:
		case math.Abs(w-1) <= rounds:
			selection = append(selection, j)
		default:
			return wrong("feature s%d has the weight %v, neither 0 nor 1", j+1, w)
		}
	}
	if err := m.feasible(selection); err != nil {
		return wrong("%v", err)
	}
	scale := FileScale(m)
	s := Solution{Selection: selection, Objective: m.Value(selection), Nodes: a.nodes, Seconds: a.seconds}
	claimed, tolerance := a.eta/scale, claimTolerance(m, a)/scale
	if math.IsNaN(claimed) || math.Abs(claimed-s.Objective) > tolerance {
		return wrong("it claims the objective %.12g, but its selection has %.12g (tolerance %.3g)", claimed, s.Objective, tolerance)
	}
	bound := claimed - options.Gap*math.Abs(claimed)
	if !math.IsNaN(a.bound) {
		bound = a.bound / scale
	}
	if !a.proved && math.IsNaN(a.bound) {
		bound = m.Floor
	}
	s.Bound = max(m.Floor, min(s.Objective, bound-tolerance))
	if !a.proved {
		return s, &NotOptimalError{Solver: solver, Reason: a.reason, Solution: s}
	}
	if start, fits := m.startValue(options.Start); fits && s.Objective > start+tolerance+options.Gap*math.Abs(start) {
		return wrong("it claims %.12g is optimal, but the start has %.12g", s.Objective, start)
	}
	if better := m.exchanged(selection); better < s.Objective-tolerance-options.Gap*math.Abs(s.Objective) {
		return wrong("it claims %.12g is optimal, but exchanging features gives %.12g", s.Objective, better)
	}
	return s, nil
}

// exchanged returns the least η that exchanges of one feature at a time lead to.
func (m *Master) exchanged(selection []int) float64 {
	t := &tree{m: m, scale: scaleOf(m)}
	root := m.root()
	t.build(root.Inside(), root.Open())
	t.offer(selection)
	t.polish(selection)
	return t.value
}

// claimTolerance is how far a correct claim, in the units of the file, may be
// from η at the rounded selection: a cut may be violated by the solver's
// feasibility tolerance, which applies to the row as scaled by the solver
// (1e-6 of its largest entry); each weight is as far from an integer as
// printed; and eta is printed with this many digits.
func claimTolerance(m *Master, a answer) float64 {
	scale := FileScale(m)
	tolerance := rounds
	for _, c := range m.Cuts {
		peak, drift := math.Abs(c.Constant), 0.0
		for j, g := range c.Gradient {
			peak = max(peak, math.Abs(g))
			drift += math.Abs(g) * math.Abs(a.weights[j]-math.Round(a.weights[j]))
		}
		tolerance = max(tolerance, (rounds*peak+drift)*scale)
	}
	return tolerance + a.rounding*math.Abs(a.eta)
}

func (m *Master) startValue(start []int) (float64, bool) {
	s := slices.Sorted(slices.Values(start))
	if len(start) == 0 || m.feasible(s) != nil {
		return 0, false
	}
	return m.Value(s), true
}

// garbage is an answer that cannot be read; Solve adds the solver's name.
func garbage(format string, args ...any) error {
	return &GarbageError{Reason: fmt.Sprintf(format, args...)}
}

// lines splits text and drops surrounding space.
func lines(text string) []string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}
