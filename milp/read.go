package milp

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// printed is where a program prints its figures; nil: nowhere that says more than it has.
type printed struct{ bound, nodes, seconds *regexp.Regexp }

// newAnswer has the figures that were printed, and no weights yet: NaN marks the ones that
// were not read.
func (f printed) newAnswer(text string, p int) answer {
	a := answer{weights: make([]float64, p), eta: math.NaN(), bound: figure(text, f.bound), seconds: figure(text, f.seconds), rounding: 1e-12}
	a.nodes = whole(figure(text, f.nodes))
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
	if pattern == nil {
		return math.NaN()
	}
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

// columns reads lines of so many fields, of which two are a name and its value. Blank lines,
// comments and rows of the master are left out.
func (a *answer) columns(all []string, form string, fields, name, value int) error {
	for _, line := range all {
		found := strings.Fields(strings.TrimPrefix(line, "**")) // a mark of CBC: the value is infeasible
		switch {
		case len(found) == 0 || strings.HasPrefix(line, "#"):
			continue
		case len(found) != fields || fields == 3 && !strings.HasPrefix(found[2], "(obj:"): // of SCIP
			return garbage("line %q is not %s", line, form)
		case found[name] == "select" || strings.HasPrefix(found[name], "cut"):
			continue
		}
		if err := a.set(found[name], found[value]); err != nil {
			return err
		}
	}
	return nil
}

// readHiGHS reads the raw solution style: the model status, then the columns
// by name after a line "# Columns N".
func readHiGHS(a answer, solution, _ string) (answer, error) {
	all := lines(solution)
	if len(all) < 2 || all[0] != "Model status" {
		return a, garbage("the solution file does not begin with a model status")
	}
	a.reason = all[1]
	a.proved = all[1] == "Optimal"
	at := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, "# Columns ") })
	if at < 0 {
		if a.proved {
			return a, garbage("the solution file says optimal but holds no columns")
		}
		return a, nil
	}
	all = all[at+1:]
	if end := slices.IndexFunc(all, func(line string) bool { return line == "" || line[0] == '#' }); end >= 0 {
		all = all[:end]
	}
	if err := a.columns(all, "a name and a value", 2, 0, 1); err != nil {
		return a, err
	}
	return a, a.complete(false)
}

// readCBC reads "STATUS - objective value V", then lines of number, name, value
// and reduced cost; "**" before a line marks an infeasible value. With
// printingOptions all, rows come before columns, in the same form.
func readCBC(a answer, solution, _ string) (answer, error) {
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
	a.bound -= 1e-3                                 // printed with three digits, rounded to nearest
	if a.proved {
		a.bound = math.NaN()
	} else {
		if strings.Contains(status, "no integer solution") || strings.HasPrefix(status, "Infeasible") || strings.HasPrefix(status, "Integer infeasible") {
			return a, nil
		}
	}
	a.rounding = 1e-7 // printed with %15.8g
	if err := a.columns(all[1:], "number, name, value, reduced cost", 4, 1, 2); err != nil {
		return a, err
	}
	return a, a.complete(false)
}

// readGLPK reads what glp_write_mip writes: "s mip ROWS COLUMNS STATUS VALUE"
// with status o (optimal), f (feasible), n (none) or u (undefined), then
// "j COLUMN VALUE" lines, then "e o f".
func readGLPK(a answer, solution, printed string) (answer, error) {
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
			if len(fields) != 6 || fields[1] != "mip" || fields[3] != strconv.Itoa(len(a.weights)+1) {
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
	return a, a.complete(false)
}

// readSCIP reads the raw format: status, objective value, then the variables
// that are not zero, each with its objective coefficient.
func readSCIP(a answer, solution, _ string) (answer, error) {
	all := lines(solution)
	status, ok := strings.CutPrefix(all[0], "solution status:")
	if !ok {
		return a, garbage("the solution file does not begin with a status")
	}
	a.reason = strings.TrimSpace(status)
	a.proved = strings.HasPrefix(a.reason, "optimal") || a.reason == "gap limit reached"
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
	if err := a.columns(all[2:], "name, value, objective", 3, 0, 1); err != nil {
		return a, err
	}
	if err := a.complete(true); err != nil {
		return a, err
	}
	if math.Abs(a.eta-claimed) > 1e-9*max(1, math.Abs(claimed)) {
		return a, garbage("eta is %v, the objective value %v", a.eta, claimed)
	}
	return a, nil
}

// readGurobi reads the SOL format, comments after "#" and then a name and a
// value a line; how the solve ended is only in the log.
func readGurobi(a answer, solution, printed string) (answer, error) {
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
	if err := a.columns(lines(solution), "a name and a value", 2, 0, 1); err != nil {
		return a, err
	}
	return a, a.complete(false)
}
