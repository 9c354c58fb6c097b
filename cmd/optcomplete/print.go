package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"optcomplete/model"
	"optcomplete/search"
)

// searchLog prints what the search does, as a solver does: a line for every
// incumbent, and otherwise one now and then.
type searchLog struct {
	*common
	lines int
	last  time.Duration
}

// logEvery is the time between two lines that bring nothing but progress.
const logEvery = time.Second

func newSearchLog(c *common) *searchLog { return &searchLog{common: c} }

func (l *searchLog) gamma(p model.GammaPoint) {
	l.notef("gamma %-8.3g validation RMSE %-10.5g root gap %s", p.Gamma, p.RMSE, percent(p.RootGap))
}

func (l *searchLog) event(e search.Event) {
	if l.quiet {
		return
	}
	switch e.Kind {
	case search.EventIncumbent, search.EventDone:
	case search.EventStart:
		l.last = 0
		return
	default:
		if e.Elapsed-l.last < logEvery {
			return
		}
	}
	if l.lines%20 == 0 {
		fmt.Fprintf(l.stderr, "%8s %8s %13s %13s %9s %7s %7s %8s\n", "nodes", "open", "incumbent", "bound", "gap", "cuts", "passes", "time")
	}
	l.lines++
	l.last = e.Elapsed
	source := ""
	switch {
	case e.Sampled:
		source = "  sampled"
	case e.Kind == search.EventIncumbent:
		source = "  " + e.Source
	}
	bound, gap := "-", "-"
	if e.Gap <= 1 {
		bound, gap = fmt.Sprintf("%.7g", e.Bound), percent(e.Gap)
	}
	fmt.Fprintf(l.stderr, "%8d %8d %13.7g %13s %9s %7d %7d %8s%s\n",
		e.Nodes, e.Open, e.Cost, bound, gap, e.Cuts, e.Passes, seconds(e.Elapsed.Seconds()), source)
}

// printSummary prints a fitted model for people.
func printSummary(w io.Writer, s *model.Summary, output string) {
	fmt.Fprintf(w, "Selected %d of %d features\n", s.K, s.Features)
	for _, name := range s.Selected {
		fmt.Fprintf(w, "  %s\n", name)
	}
	printCertificate(w, s)
	printMetrics(w, "Train", &s.Train)
	if s.Holdout != nil {
		printMetrics(w, "Hold-out", s.Holdout)
	}
	printNearTies(w, s)
	if output != "" {
		fmt.Fprintf(w, "Model     %s\n", output)
	}
}

// printCertificate prints cost, bound, gap, and what the search did.
func printCertificate(w io.Writer, s *model.Summary) {
	fmt.Fprintf(w, "Cost      %.9g  (gamma %.4g)\n", s.Cost, s.Gamma)
	if s.Certified {
		fmt.Fprintf(w, "Bound     %.9g  no selection of %d features costs less\n", s.Bound, s.K)
		fmt.Fprintf(w, "Gap       %s  %s\n", percent(s.Gap), certificate(s))
	} else {
		fmt.Fprintf(w, "Bound     none: samples prove nothing (--certify goes on to a proof)\n")
	}
	if s.SampledGap != nil {
		fmt.Fprintf(w, "Sampled   gap %s on samples of %s × %s\n", percent(*s.SampledGap),
			count(s.SampleRows, "row"), count(s.SampleColumns, "column"))
	}
	if s.Solver != "" {
		fmt.Fprintf(w, "Masters   %s in %s by %s %s\n", count(s.MasterNodes, "node"), seconds(s.MasterSeconds), s.Solver, s.SolverVersion)
	}
	fmt.Fprintf(w, "Search    %s, %s, %s enumerated, %s over the data\n",
		count(s.Nodes, "node"), count(s.Cuts, "cut"), count(s.Enumerated, "selection"), counted(s.Passes, "pass", "passes"))
	fmt.Fprintf(w, "Time      %s to select, %s to certify\n", seconds(s.Seconds.Select), seconds(s.Seconds.Certify))
}

// certificate says in one sentence what is proven.
func certificate(s *model.Summary) string {
	switch s.Status {
	case search.Optimal.String():
		return "proven optimal: no other selection is better"
	case search.GapReached.String():
		return "proven: no selection is better by more than this"
	default:
		return "stopped early (" + strings.ReplaceAll(s.Status, "_", " ") + "): no selection is better by more than this"
	}
}

func printMetrics(w io.Writer, name string, m *model.Metrics) {
	fmt.Fprintf(w, "%-9s RMSE %.5g, MAE %.5g, MAPE %s on %s\n", name, m.RMSE, m.MAE, percent(m.MAPE), counted(m.Entries, "entry", "entries"))
}

// printNearTies prints the next best selections, by what they exchange.
func printNearTies(w io.Writer, s *model.Summary) {
	if len(s.NearTies) == 0 {
		return
	}
	fmt.Fprintln(w, "Next best selections seen")
	for _, tie := range s.NearTies {
		more := "same cost"
		if s.Cost > 0 {
			more = fmt.Sprintf("cost +%s", percent((tie.Cost-s.Cost)/s.Cost))
		}
		fmt.Fprintf(w, "  %-16s %s\n", more, exchange(s.Selected, tie.Selected))
	}
}

// exchange describes selection b by what it has other than a.
func exchange(a, b []string) string {
	return strings.Join(without(b, a), ", ") + " instead of " + strings.Join(without(a, b), ", ")
}

// without is the names of one list that are not in another.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// percent prints a fraction as a percentage with three digits that matter.
func percent(x float64) string {
	switch x *= 100; {
	case x == 0:
		return "0 %"
	case x < 1e-3:
		return fmt.Sprintf("%.0e %%", x)
	default:
		return fmt.Sprintf("%.3g %%", x)
	}
}

func seconds(x float64) string {
	switch {
	case x < 0.0995:
		return fmt.Sprintf("%.3f s", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f s", x)
	default:
		return (time.Duration(x) * time.Second).String()
	}
}

func count(n int, what string) string { return counted(n, what, what+"s") }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped prints an integer with commas.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
