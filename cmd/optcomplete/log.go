package main

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/internal/rounding"
	"optcomplete/internal/settings"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// searchLog prints what a search does, as solvers do: what is to be done, then a
// line for every incumbent, and otherwise one now and then. Bounds are printed
// rounded down and gaps rounded up, so that each line is true; what is only true
// of samples has a ~ before it and a heading of its own.
type searchLog struct {
	thing string // what is selected, "" for feature
	*common
	columns   []logColumn
	lines     int               // since the heading
	sampled   bool              // the heading is the one of samples
	k         int               // of the search that the heading is for
	gammas    int               // that were printed
	lastGamma result.GammaPoint // the last of them
	names     []string          // of what can be selected, for events; nil: not known
	measure   string            // what the errors of γ are; empty: RMSE
	start     time.Time         // of the first search; one search may follow another
	last      time.Duration     // when a line was printed
	told      bool              // how long a proof takes
	looked    bool              // an outlook was printed
	own       time.Duration     // after which the search ends by itself; 0: never
	cuts      int               // at which the next line is due, without times
}

// headingEvery is the number of lines after which the heading comes again.
const headingEvery = 20

// logColumn is a column of the log. On a narrow terminal those with the largest
// spare are left out first.
type logColumn struct {
	name    string
	sampled string // the name on samples, if another
	width   int
	spare   int
	show    func(l *searchLog, e *search.Event) string
}

var logColumns = []logColumn{
	{"Nodes", "", 8, 2, func(_ *searchLog, e *search.Event) string { return fmt.Sprint(e.Nodes) }},
	{"Open", "", 6, 5, func(_ *searchLog, e *search.Event) string { return fmt.Sprint(e.Open) }},
	{"Incumbent", "On samples", 14, 0, func(_ *searchLog, e *search.Event) string { cost, _, _ := numbersOf(e); return cost }},
	{"Bound", "Not a bound", 14, 1, func(_ *searchLog, e *search.Event) string { _, bound, _ := numbersOf(e); return bound }},
	{"Certified gap", "Sampled gap", 14, 0, func(_ *searchLog, e *search.Event) string { _, _, gap := numbersOf(e); return gap }},
	{"Cuts", "", 7, 4, func(_ *searchLog, e *search.Event) string { return fmt.Sprint(e.Cuts) }},
	{"Passes", "", 7, 3, func(_ *searchLog, e *search.Event) string { return fmt.Sprint(e.Passes) }},
	{"Time", "", 8, 0, func(l *searchLog, _ *search.Event) string { return seconds(time.Since(l.start).Seconds()) }},
}

// logDigits is how many digits of costs and bounds are printed.
const logDigits = 7

// numbersOf prints the cost, the bound and the gap of an event; where there is
// no bound, or none that says anything, a dash.
func numbersOf(e *search.Event) (cost, bound, gap string) {
	cost, bound, gap = "-", "-", "-"
	if !math.IsInf(e.Cost, 1) {
		cost = costText(e.Cost, e.Bound, logDigits)
	}
	if e.Gap <= 1 {
		bound, gap = rounding.Down(e.Bound, logDigits), rounding.PercentUp(e.Gap)
	}
	if e.Sampled {
		for _, text := range []*string{&cost, &bound, &gap} {
			if *text != "-" {
				*text = "~" + *text
			}
		}
	}
	return cost, bound, gap
}

// costText prints a cost. One that equals its bound is printed as the bound is.
func costText(cost, bound float64, digits int) string {
	if cost == bound {
		return rounding.Down(bound, digits)
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.*g", digits, cost), ".")
}

// mark is the letter for what found an incumbent.
func mark(source string) string {
	if source == "" {
		return " "
	}
	return strings.ToUpper(source[:1])
}

// The legend explains the columns of the log, which are of proven numbers, and its
// letters.
const (
	legendColumns = "Incumbent: cost of the best selection so far. Bound: no selection costs less. Nodes: parts of the search tree looked at; Open: parts left. Cuts: evaluations that the bound rests on. Passes: readings of all entries"
	legendLetters = "Letters say what found a selection: S it was the start, G greedy search, R rounding of the relaxation, E enumeration, L a leaf of the tree, M the master problem"
	legend        = legendColumns + ". " + legendLetters
)

func newSearchLog(c *common) *searchLog {
	columns := logColumns
	if !c.logTimes {
		columns = columns[:len(columns)-1]
	}
	return &searchLog{common: c, columns: fitColumns(columns, c.errTerminal.width)}
}

// fitColumns leaves out what a narrow terminal has no room for.
func fitColumns(columns []logColumn, width int) []logColumn {
	for {
		total, most := 2, 0 // the mark, and a last column that stays free
		for i, c := range columns {
			if total += c.width; c.spare > columns[most].spare {
				most = i
			}
		}
		if total <= width || columns[most].spare == 0 {
			return columns
		}
		columns = append(columns[:most:most], columns[most+1:]...)
	}
}

// begin prints what is to be done, and the settings that matter for it.
func (l *searchLog) begin(cmd *cobra.Command, k, p int, more ...string) {
	if l.quiet {
		return
	}
	if k == 0 {
		l.factf("Task", "predict; the method selects no features")
	} else {
		l.factf("Task", "select %d of %s (%s)", k, count(p, cmp.Or(l.thing, "feature")), ways(p, k))
	}
	l.factf("Settings", "%s", strings.Join(append(more, settingsOf(cmd, k > 0)...), ", "))
	version := "OptComplete " + spec.Version
	if l.logTimes { // the machine is no part of a log that is to be the same everywhere
		threads := l.threads
		if threads == 0 {
			threads = runtime.GOMAXPROCS(0)
		}
		version += ", " + count(threads, "thread")
	}
	l.factf("Solver", "%s", version)
}

// ways says how many selections there are.
func ways(p, k int) string {
	if k > p {
		return "impossible"
	}
	n := new(big.Int).Binomial(int64(p), int64(k))
	if n.IsInt64() && n.Int64() < 1e12 {
		return count(int(n.Int64()), "selection")
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return fmt.Sprintf("%.2g selections", f)
}

// settingsOf lists the settings that a log is read with: the method and the seed, and
// if features are selected the model and gamma, always; others where they were given.
func settingsOf(cmd *cobra.Command, selects bool) []string {
	var parts []string
	for i := range table {
		s := &table[i]
		switch s.Group {
		case inChoice, inModel, inSearch, inPaper, inTwoSided, inChecks:
		default:
			continue
		}
		flag := cmd.Flag(s.Name)
		if flag == nil || settings.Of(flag) != s || s.Name == "k" {
			continue
		}
		if rows := cmd.Flag("row-features"); s.Name == "model" && rows != nil && rows.Changed {
			continue // products are a model of their own
		}
		if always := s.Name == "method" || selects && (s.Name == "model" || s.Name == "gamma"); always || flag.Changed {
			parts = append(parts, settingText(flag))
		}
	}
	return append(parts, settingText(cmd.Flag("seed")))
}

func settingText(flag *pflag.Flag) string {
	if value := flag.Value.String(); value != "true" {
		return flag.Name + " " + value
	}
	return flag.Name
}

// gamma prints a γ that was tried.
func (l *searchLog) gamma(p result.GammaPoint) {
	if l.events != nil {
		l.events.Gamma(p)
	}
	head, gap := "", ""
	if p.RootGap != nil {
		head, gap = fmt.Sprintf(" %11s", "Root gap"), fmt.Sprintf(" %11s", rounding.PercentUp(*p.RootGap))
	}
	name := "Validation " + cmp.Or(l.measure, "RMSE")
	width := max(18, len(name))
	if l.gammas == 0 {
		l.notef("\n%s", l.errTerminal.style(bold, fmt.Sprintf("%12s %*s%s", "Gamma tried", width, name, head)))
	}
	if p.Limited {
		gap = " numerical limit"
	}
	if last := l.lastGamma; l.gammas > 0 && p.RMSE == last.RMSE && slices.Equal(p.Selected, last.Selected) {
		gap += "  (the same features)"
	}
	l.gammas++
	l.lastGamma = p
	l.notef("%12.3g %*.5g%s", p.Gamma, width, p.RMSE, gap)
}

// chosen prints the γ taken of those that were tried, and why.
func (l *searchLog) chosen(gamma float64, tried []result.GammaPoint) {
	const equal = 1e-3 // errors that may count as equal: see selection.ChooseGamma
	least, own := math.Inf(1), math.Inf(1)
	for _, p := range tried {
		if !p.Limited {
			least = min(least, p.RMSE)
		}
		if p.Gamma == gamma {
			own = p.RMSE
		}
	}
	switch {
	case own <= least:
		l.factf("Gamma", "%.3g taken: none of these predicts better", gamma)
	case own <= least*(1+equal):
		l.factf("Gamma", "%.3g taken: its error is %s above the least of these, which counts as equal, and then the proofs decide", gamma, rounding.PercentUp(own/least-1))
	default:
		l.factf("Gamma", "%.3g taken: at those with smaller errors, rounding would hide the proof", gamma)
	}
	if edge := result.AlikeOf(tried, nil).AtEdge(gamma); edge != "" {
		l.notef("warning: %s (give it with --gamma)", edge)
	}
}

// outlook prints how far away a proof is.
func (l *searchLog) outlook(o result.Outlook) {
	l.looked = true
	l.factf("Outlook", "%s", asFlags(o.Words()))
}

// divided prints how the time limit is divided.
func (l *searchLog) divided(d selection.Division) {
	if !l.logTimes {
		return
	}
	parts := []string{seconds(d.Search.Seconds()) + " left for the search"}
	if d.Refit+d.Extra > 0 {
		parts = append(parts, seconds(d.Refit.Seconds())+" to fit every row", seconds(d.Extra.Seconds())+" for comparisons and diagnostics")
	}
	if d.Choice > 0 && (d.Tried > 0 || d.Cut) {
		took := "choosing gamma took " + seconds(d.Choice.Seconds())
		switch {
		case d.Cut && d.Given:
			took = "choosing the shrinkage of effects took " + seconds(d.Choice.Seconds()) + ", its share: what there is so far is used"
		case d.Cut && d.Tried == 0:
			took = "learning took " + seconds(d.Choice.Seconds()) + ", its share: what there is so far is used"
		case d.Cut:
			took += ", its share: the best so far is used"
		}
		parts = append([]string{took}, parts...)
	}
	l.notef("")
	l.factf("Limit", "%s: %s", d.Limit, strings.Join(parts, "; "))
}

// named are the names of a selection, where they are known. What comes after the features is not
// selected but always in: the level of a row.
func (l *searchLog) named(selection []int) (names []string) {
	for _, f := range selection {
		if f < len(l.names) {
			names = append(names, l.names[f])
		}
	}
	return names
}

// event prints an event, if it is worth a line.
func (l *searchLog) event(e search.Event) {
	if l.events != nil {
		l.events.Search(e, l.named(e.Selection))
	}
	if l.quiet {
		return
	}
	if l.start.IsZero() {
		l.start = time.Now().Add(-e.Elapsed)
	}
	if e.Kind == search.EventStart {
		l.cuts = 0
		if e.Sampled && l.sampled {
			l.notef(" Next sample")
		}
	}
	l.tell(&e)
	if !l.due(&e) {
		return
	}
	l.last = time.Since(l.start)
	l.heading(&e)
	l.lines++
	found := " "
	if e.Kind == search.EventIncumbent {
		found = l.errTerminal.style(green, mark(e.Source))
	}
	var line strings.Builder
	for _, c := range l.columns {
		fmt.Fprintf(&line, "%*s", c.width, c.show(l, &e))
	}
	l.notef("%s%s", found, line.String())
}

// due tells whether an event deserves a line: incumbents and the end always,
// progress after a while, which grows with the time taken. A log without times
// goes by the cuts instead, so as to be the same on every machine.
func (l *searchLog) due(e *search.Event) bool {
	switch e.Kind {
	case search.EventStart:
		return false
	case search.EventIncumbent, search.EventDone:
		return true
	}
	if !l.logTimes {
		if e.Cuts < l.cuts || math.IsInf(e.Cost, 1) {
			return false
		}
		l.cuts = max(1, 2*e.Cuts)
		return true
	}
	now := time.Since(l.start)
	return now-l.last >= min(max(time.Second, now/20), 30*time.Second)
}

// heading prints the names of the columns where they are due: at first, when
// another search begins, on the way from samples to all the entries, and every
// this many lines.
func (l *searchLog) heading(e *search.Event) {
	first, phase, other := l.k == 0, e.Sampled != l.sampled, l.k != e.K
	if !first && !phase && !other && l.lines < headingEvery {
		return
	}
	switch {
	case e.Sampled && (first || phase):
		l.notef("\nOn samples of the rows: numbers with ~ are costs on samples and prove nothing.")
	case phase:
		l.notef("\nOn all observed entries: from here on, bounds and gaps are proven.")
	case other && !first:
		l.notef("\nk = %d", e.K)
	default:
		l.notef("")
	}
	switch {
	case first && e.Sampled:
		l.factf("Log", "%s", legendLetters)
	case first:
		l.factf("Log", "%s", legend)
	case phase && !e.Sampled:
		l.factf("Log", "%s", legendColumns)
	}
	l.lines, l.sampled, l.k = 0, e.Sampled, e.K
	var line strings.Builder
	for _, c := range l.columns {
		name := c.name
		if e.Sampled && c.sampled != "" {
			name = c.sampled
		}
		fmt.Fprintf(&line, "%*s", c.width, name)
	}
	l.notef(" %s", l.errTerminal.style(bold, line.String()))
}
