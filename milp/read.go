package milp

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// newAnswer has no weights yet: NaN marks the ones that were not read.
func newAnswer(p int) answer {
	a := answer{weights: make([]float64, p), eta: math.NaN(), bound: math.NaN(), seconds: math.NaN()}
	for j := range a.weights {
		a.weights[j] = math.NaN()
	}
	return a
}

// set stores the value of a named variable.
func (a *answer) set(name, value string) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return garbage("variable %s has the value %q", name, value)
	}
	if name == "eta" {
		a.eta = v
		return nil
	}
	digits, ok := strings.CutPrefix(name, "s")
	j, err := strconv.Atoi(digits)
	if !ok || err != nil || j < 1 || j > len(a.weights) {
		return &AnswerError{Reason: "it has a variable " + strconv.Quote(name) + ", which the master has not"}
	}
	if !math.IsNaN(a.weights[j-1]) {
		return garbage("variable %s is there twice", name)
	}
	a.weights[j-1] = v
	return nil
}

// complete checks that every variable was read; where the format leaves out
// zeros (sparse), the missing ones are zero.
func (a *answer) complete(sparse bool) error {
	if math.IsNaN(a.eta) {
		if !sparse {
			return garbage("the solution file ends early: no eta")
		}
		a.eta = 0
	}
	for j, w := range a.weights {
		if math.IsNaN(w) {
			if !sparse {
				return garbage("the solution file ends early: no s%d", j+1)
			}
			a.weights[j] = 0
		}
	}
	a.found = true
	return nil
}

// figure finds a number in what a program printed, or NaN. The last match
// counts.
func figure(printed string, pattern *regexp.Regexp) float64 {
	all := pattern.FindAllStringSubmatch(printed, -1)
	if all == nil {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(all[len(all)-1][1], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func whole(x float64) int {
	if math.IsNaN(x) || x < 0 || x > 1e15 {
		return 0
	}
	return int(x)
}

var (
	highsBound   = regexp.MustCompile(`(?m)^\s*Dual bound\s+(\S+)`)
	highsNodes   = regexp.MustCompile(`(?m)^\s*Nodes\s+(\d+)\s*$`)
	highsSeconds = regexp.MustCompile(`(?m)^\s*Timing\s+(\S+)`)
)

// readHiGHS reads the raw solution style: the model status, then the columns
// by name after a line "# Columns N".
func readHiGHS(solution, printed string, p int) (answer, error) {
	a := newAnswer(p)
	all := lines(solution)
	if len(all) < 2 || all[0] != "Model status" {
		return a, garbage("the solution file does not begin with a model status")
	}
	a.reason = all[1]
	a.proved = all[1] == "Optimal"
	a.bound = figure(printed, highsBound)
	a.nodes = whole(figure(printed, highsNodes))
	a.seconds = figure(printed, highsSeconds)
	a.rounding = 1e-12
	at := -1
	for i, line := range all {
		if strings.HasPrefix(line, "# Columns ") {
			at = i + 1
			break
		}
	}
	if at < 0 {
		if a.proved {
			return a, garbage("the solution file says optimal but holds no columns")
		}
		return a, nil
	}
	for _, line := range all[at:] {
		if line == "" || strings.HasPrefix(line, "#") {
			break
		}
		if err := a.pair(line); err != nil {
			return a, err
		}
	}
	return a, a.complete(false)
}

// pair takes a line of a name and a value.
func (a *answer) pair(line string) error {
	fields := strings.Fields(line)
	if len(fields) != 2 {
		return garbage("line %q is not a name and a value", line)
	}
	return a.set(fields[0], fields[1])
}

var (
	cbcNodes   = regexp.MustCompile(`(?m)^Enumerated nodes:\s+(\d+)`)
	cbcBound   = regexp.MustCompile(`(?m)^Lower bound:\s+(\S+)`)
	cbcSeconds = regexp.MustCompile(`(?m)^Time \(Wallclock seconds\):\s+(\S+)`)
)

// readCBC reads "STATUS - objective value V", then lines of number, name, value
// and reduced cost; "**" before a line marks an infeasible value. With
// printingOptions all, rows come before columns, in the same form.
func readCBC(solution, printed string, p int) (answer, error) {
	a := newAnswer(p)
	all := lines(solution)
	status, _, ok := strings.Cut(all[0], " - objective value")
	if !ok {
		if strings.Contains(strings.ToLower(all[0]), "infeasible") || strings.Contains(all[0], "no solution") {
			a.reason = all[0]
			return a, nil
		}
		return a, garbage("the solution file does not begin with a status")
	}
	a.reason = status
	a.proved = strings.HasPrefix(status, "Optimal") // "Optimal (within gap tolerance)" too
	if !a.proved {
		a.bound = figure(printed, cbcBound) - 1e-3 // printed with three digits, rounded to nearest
		if strings.Contains(status, "no integer solution") || strings.HasPrefix(status, "Infeasible") || strings.HasPrefix(status, "Integer infeasible") {
			return a, nil
		}
	}
	a.nodes = whole(figure(printed, cbcNodes))
	a.seconds = figure(printed, cbcSeconds)
	a.rounding = 1e-7 // printed with %15.8g
	for _, line := range all[1:] {
		fields := strings.Fields(strings.TrimPrefix(line, "**"))
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 4 {
			return a, garbage("line %q is not number, name, value, reduced cost", line)
		}
		if fields[1] == "select" || strings.HasPrefix(fields[1], "cut") {
			continue
		}
		if err := a.set(fields[1], fields[2]); err != nil {
			return a, err
		}
	}
	return a, a.complete(false)
}

// readGLPK reads what glp_write_mip writes: "s mip ROWS COLUMNS STATUS VALUE"
// with status o (optimal), f (feasible), n (none) or u (undefined), then
// "j COLUMN VALUE" lines, then "e o f".
func readGLPK(solution, printed string, p int) (answer, error) {
	a := newAnswer(p)
	ended := false
	for _, line := range lines(solution) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		switch fields[0] {
		case "c", "i":
		case "e":
			ended = line == "e o f"
		case "s":
			if len(fields) != 6 || fields[1] != "mip" || fields[3] != strconv.Itoa(p+1) {
				return a, garbage("line %q does not describe the master's solution", line)
			}
			a.proved = fields[4] == "o"
			a.reason = map[string]string{"o": "optimal", "f": "feasible", "n": "infeasible"}[fields[4]]
			if a.reason == "" {
				a.reason = "undefined"
			}
			a.found = fields[4] == "o" || fields[4] == "f"
		case "j":
			if len(fields) != 3 {
				return a, garbage("line %q is not a column and a value", line)
			}
			name := "eta" // column 1; s1 is column 2
			if fields[1] != "1" {
				n, _ := strconv.Atoi(fields[1])
				name = "s" + strconv.Itoa(n-1)
			}
			if err := a.set(name, fields[2]); err != nil {
				return a, err
			}
		default:
			return a, garbage("line %q", line)
		}
	}
	if a.reason == "" || !ended {
		return a, garbage("the solution file is empty or ends early")
	}
	// glpsol prints times with one digit only; the run time says more.
	if !a.found {
		return a, nil
	}
	if strings.Contains(printed, "RELATIVE MIP GAP TOLERANCE REACHED") {
		a.proved, a.reason = true, "gap reached"
	}
	a.rounding = 1e-12
	return a, a.complete(false)
}

var (
	scipBound   = regexp.MustCompile(`(?m)^\s*Dual Bound\s*:\s*(\S+)`)
	scipNodes   = regexp.MustCompile(`(?m)^\s*Solving Nodes\s*:\s*(\d+)`)
	scipSeconds = regexp.MustCompile(`(?m)^\s*Solving Time \(sec\)\s*:\s*(\S+)`)
)

// readSCIP reads the raw format: status, objective value, then the variables
// that are not zero, each with its objective coefficient.
func readSCIP(solution, printed string, p int) (answer, error) {
	a := newAnswer(p)
	all := lines(solution)
	status, ok := strings.CutPrefix(all[0], "solution status:")
	if !ok {
		return a, garbage("the solution file does not begin with a status")
	}
	a.reason = strings.TrimSpace(status)
	a.proved = strings.HasPrefix(a.reason, "optimal") || a.reason == "gap limit reached"
	a.bound = figure(printed, scipBound)
	a.nodes = whole(figure(printed, scipNodes))
	a.seconds = figure(printed, scipSeconds)
	a.rounding = 1e-12
	if len(all) < 2 || strings.HasPrefix(all[1], "no solution available") {
		if a.proved {
			return a, garbage("the solution file says %q but holds no solution", a.reason)
		}
		return a, nil
	}
	objective, ok := strings.CutPrefix(all[1], "objective value:")
	if !ok {
		return a, garbage("line %q is not the objective value", all[1])
	}
	claimed, err := strconv.ParseFloat(strings.TrimSpace(objective), 64)
	if err != nil {
		return a, garbage("objective value %q", objective)
	}
	for _, line := range all[2:] {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 3 || !strings.HasPrefix(fields[2], "(obj:") {
			return a, garbage("line %q is not name, value, objective", line)
		}
		if err := a.set(fields[0], fields[1]); err != nil {
			return a, err
		}
	}
	if err := a.complete(true); err != nil {
		return a, err
	}
	if math.Abs(a.eta-claimed) > 1e-9*max(1, math.Abs(claimed)) {
		return a, garbage("eta is %v, the objective value %v", a.eta, claimed)
	}
	return a, nil
}

var (
	gurobiBound   = regexp.MustCompile(`best bound (\S+),`)
	gurobiNodes   = regexp.MustCompile(`Explored (\d+) nodes`)
	gurobiSeconds = regexp.MustCompile(`Explored .* in (\S+) seconds`)
)

// readGurobi reads the SOL format, comments after "#" and then a name and a
// value a line; how the solve ended is only in the log.
func readGurobi(solution, printed string, p int) (answer, error) {
	a := newAnswer(p)
	a.bound = figure(printed, gurobiBound)
	a.nodes = whole(figure(printed, gurobiNodes))
	a.seconds = figure(printed, gurobiSeconds)
	a.rounding = 1e-12
	switch {
	case strings.Contains(printed, "Optimal solution found"):
		a.proved, a.reason = true, "optimal"
	case strings.Contains(printed, "Time limit reached"):
		a.reason = "time limit reached"
	case strings.Contains(printed, "infeasible"):
		a.reason = "infeasible"
	default:
		return a, garbage("the log does not say how the solve ended")
	}
	if strings.TrimSpace(solution) == "" {
		if a.proved {
			return a, garbage("the log says optimal but there is no solution file")
		}
		return a, nil
	}
	for _, line := range lines(solution) {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := a.pair(line); err != nil {
			return a, err
		}
	}
	return a, a.complete(false)
}
