package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/result"
)

// group is a method with a k on some data, over all seeds that have a result.
type group struct {
	data, method string
	k            int
	cells        []cell
	skipped      []string // why others have none
	all          []cell   // of the table
}

// groups gathers the cells in the order of their first appearance.
func groups(cells []cell) []group {
	var out []group
	for _, c := range cells {
		at := slices.IndexFunc(out, func(g group) bool { return g.data == c.Data && g.method == c.Method && g.k == c.K })
		if at < 0 {
			at = len(out)
			out = append(out, group{data: c.Data, method: c.Method, k: c.K, all: cells})
		}
		switch {
		case c.Skipped == "":
			out[at].cells = append(out[at].cells, c)
		case !slices.Contains(out[at].skipped, c.Skipped):
			out[at].skipped = append(out[at].skipped, c.Skipped)
		}
	}
	return out
}

// singles makes a group of each cell.
func singles(cells []cell) []group {
	return lists.Each(cells, func(c cell) group { return groups([]cell{c})[0] })
}

func (g *group) name() string {
	switch {
	case g.method == effectsAlone.name:
		return "effects alone"
	case g.k == 0:
		return g.method
	}
	return fmt.Sprintf("%s, k = %d", g.method, g.k)
}

// stopped counts the seeds on which the search met its limit.
func (g *group) stopped() int {
	return len(slices.DeleteFunc(slices.Clone(g.cells), func(c cell) bool { return c.Status != result.TimeLimit.String() }))
}

// spread is the median, the least and the most of a number over the seeds.
func spread(cells []cell, number func(cell) float64) (median, least, most float64) {
	all := lists.Each(cells, number)
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2, all[0], all[len(all)-1]
}

// A column of a table has a title, and shows a group.
type column struct {
	title string
	show  func(g *group) string
}

// table writes the groups with a result; why others have none stands in the column
// behind that of the method.
func table(w io.Writer, all []group, columns []column) {
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(lists.Each(columns, func(c column) string { return c.title }), " | "), strings.Repeat("---|", len(columns)))
	for _, g := range all {
		if len(g.cells) > 0 {
			fmt.Fprintf(w, "| %s |\n", strings.Join(lists.Each(columns, func(c column) string { return c.show(&g) }), " | "))
		}
		for _, why := range g.skipped {
			fmt.Fprintf(w, "| %s | %s |\n", g.name(), strings.Join(append([]string{"skipped: " + why}, make([]string, len(columns)-2)...), " | "))
		}
	}
}

// numbers of a cell.
var (
	searchSeconds = func(c cell) float64 { return c.Seconds.Search }
	totalSeconds  = func(c cell) float64 { return c.Seconds.Total }
	rmse          = func(c cell) float64 { return c.Holdout.RMSE }
	mae           = func(c cell) float64 { return c.Holdout.MAE }
	mape          = func(c cell) float64 { return c.Holdout.MAPE.Value }
	cleanMAPE     = func(c cell) float64 { return c.CleanMAPE }
	ratioOf       = func(c cell) float64 { return c.Ratio }
	gapOf         = func(c cell) float64 { return c.Gap }
)

// mean, median and worst over the seeds are columns; ranged is the median with the
// spread, where the seeds differ.
func mean(title string, of func(cell) float64, print func(float64) string) column {
	return column{title, func(g *group) string {
		sum := 0.0
		for _, c := range g.cells {
			sum += of(c)
		}
		return print(sum / float64(len(g.cells)))
	}}
}

func median(title string, of func(cell) float64, print func(float64) string) column {
	return column{title, func(g *group) string { m, _, _ := spread(g.cells, of); return print(m) }}
}

func worst(title string, of func(cell) float64, print func(float64) string) column {
	return column{title, func(g *group) string { _, _, m := spread(g.cells, of); return print(m) }}
}

func ranged(title string, of func(cell) float64, print func(float64) string) column {
	return column{title, func(g *group) string {
		median, least, most := spread(g.cells, of)
		if print(least) == print(most) {
			return print(median)
		}
		return fmt.Sprintf("%s (%s–%s)", print(median), print(least), print(most))
	}}
}

// only leaves a column empty for groups that it says nothing about.
func only(when func(c cell) bool, of column) column {
	return column{of.title, func(g *group) string {
		if !when(g.cells[0]) {
			return ""
		}
		return of.show(g)
	}}
}

// Conditions.
var (
	bounded = func(c cell) bool { return c.Bounded }
	selects = func(c cell) bool { return c.K > 0 && c.Method != oracle.name }
	cuts    = func(c cell) bool { return c.Cuts > 0 }
)

// digits prints with n decimals.
func digits(n int) func(float64) string {
	return func(x float64) string { return strconv.FormatFloat(x, 'f', n, 64) }
}

// percent prints a fraction with three digits that matter; below the precision
// of the search a gap is nothing.
func percent(x float64) string {
	if x < 1e-9 {
		return "0 %"
	}
	return strconv.FormatFloat(100*x, 'g', 3, 64) + " %"
}

// secondsText prints seconds without an exponent.
func secondsText(x float64) string {
	switch {
	case x >= 100:
		return digits(0)(x)
	case x >= 1:
		return digits(1)(x)
	}
	return digits(3)(x)
}

var (
	named   = column{"method", func(g *group) string { return g.name() }}
	ofSeeds = column{"seeds", func(g *group) string { return strconv.Itoa(len(g.cells)) }}
	times   = column{"choose, search, total (s, median)", func(g *group) string {
		choose, _, _ := spread(g.cells, func(c cell) float64 { return c.Seconds.Choose })
		search, _, _ := spread(g.cells, searchSeconds)
		total, _, _ := spread(g.cells, totalSeconds)
		return fmt.Sprintf("%.1f, %.1f, %.1f", choose, search, total)
	}}
	proven = column{"proven optimal", func(g *group) string {
		optimal := slices.DeleteFunc(slices.Clone(g.cells), func(c cell) bool { return c.Status != result.Optimal.String() })
		return fmt.Sprintf("%d of %d", len(optimal), len(g.cells))
	}}
)

// realColumns and seedColumns are those of studies of real data.
var (
	realColumns = []column{named, ofSeeds, mean("RMSE mean", rmse, digits(4)), median("median", rmse, digits(4)), mean("MAE", mae, digits(4)), mean("MAPE", mape, percent),
		mean("ratio to effects: mean", ratioOf, digits(4)), worst("worst", ratioOf, digits(4)), only(bounded, worst("gap: worst", gapOf, percent)), only(bounded, proven), times}
	seedColumns = []column{{"seed", func(g *group) string { return strconv.FormatUint(g.cells[0].Seed, 10) }}, named,
		mean("RMSE", rmse, digits(4)), mean("MAE", mae, digits(4)), mean("MAPE", mape, percent), mean("ratio", ratioOf, digits(4)),
		only(selects, mean("γ", func(c cell) float64 { return c.Gamma }, func(x float64) string { return fmt.Sprintf("%.2g", x) })), only(bounded, mean("gap", gapOf, percent)),
		{"status", func(g *group) string { return strings.ReplaceAll(g.cells[0].Status, "_", " ") }}, times}
)

// coverageColumns show which part of the held-out entries lies in its intervals.
func coverageColumns(with []result.Coverage) []column {
	columns := []column{named, ofSeeds}
	for x, c := range with {
		columns = append(columns, mean(percent(c.Probability), func(c cell) float64 { return c.Coverage[x].Covered }, percent),
			mean("width", func(c cell) float64 { return c.Coverage[x].Width }, digits(2)))
	}
	return columns
}

// paperColumns are those of the paper's panels.
var paperColumns = []column{
	{"method", func(g *group) string {
		name := g.method
		if n := g.stopped(); n > 0 {
			name += fmt.Sprintf(" (%d stopped at %g s)", n, g.cells[0].Limit)
		}
		if g.cells[0].Generated {
			name += " (entries generated at every pass)"
		}
		return name
	}}, ofSeeds,
	only(func(c cell) bool { return c.Seconds.Search > 0 }, ranged("search, s", searchSeconds, secondsText)),
	only(func(c cell) bool { return c.Seconds.Search > 0 }, column{"× certified", func(g *group) string { return g.against("certified") }}),
	ranged("total, s", totalSeconds, secondsText),
	ranged("MAPE", mape, percent), ranged("MAPE, noise-free", cleanMAPE, percent), ranged("ratio to oracle", ratioOf, digits(2)),
	only(selects, column{"found", func(g *group) string {
		return ranged("", func(c cell) float64 { return float64(c.Found) }, digits(0)).show(g) + fmt.Sprintf(" of %d", g.k)
	}}),
	only(bounded, ranged("gap", gapOf, percent)), only(cuts, ranged("cuts", func(c cell) float64 { return float64(c.Cuts) }, digits(0))),
	only(cuts, ranged("passes", func(c cell) float64 { return float64(c.Passes) }, digits(0))),
	ranged("memory", func(c cell) float64 { return float64(c.Memory) }, func(x float64) string { return memory.Format(int64(x)) }),
}

// against is the median ratio of search times to another method's on the same data and
// seed.
func (g *group) against(method string) string {
	var both []cell
	for _, c := range g.cells {
		for _, d := range g.all {
			if d.Data == c.Data && d.Seed == c.Seed && d.Method == method && d.Seconds.Search > 0 {
				c.Seconds.Search /= d.Seconds.Search
				both = append(both, c)
				break
			}
		}
	}
	if len(both) == 0 {
		return ""
	}
	m, _, _ := spread(both, searchSeconds)
	return strconv.FormatFloat(m, 'g', 3, 64)
}

// table writes a panel for people, the paper's figures beside ours.
func (p *paper) table(panel Panel, cells []cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n", panel.Title, p.about(panel))
	all := groups(cells)
	for i := range panel.Rows {
		row := &panel.Rows[i]
		ours := slices.DeleteFunc(slices.Clone(all), func(g group) bool { return g.data != row.String() })
		if len(ours) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n\n", row)
		table(&b, ours, paperColumns)
		for _, m := range theirMethods {
			if t, name := row.theirs(m); t.Seconds > 0 {
				fmt.Fprintf(&b, "| *paper: %s* | | | | *%g* | *%g %%* |%s\n", name, t.Seconds, t.MAPE, strings.Repeat(" |", len(paperColumns)-6))
			}
		}
	}
	if panel.Along != nil {
		fmt.Fprintf(&b, "\n%s\n![%s: time](%s)\n", slopes(panel, all), panel.Title, panel.file("svg"))
	}
	return b.String()
}

// about says how the numbers of a panel came about.
func (p *paper) about(panel Panel) string {
	gamma := "γ is learned from the variances of the rows' coefficients, once for all methods"
	switch {
	case p.Gamma > 0:
		gamma = fmt.Sprintf("γ = %g and is not tuned", p.Gamma)
	case p.Factor > 0:
		gamma = fmt.Sprintf("All methods get the γ that is learned, times %g", p.Factor)
	}
	on, features := fmt.Sprintf("at most %d of the missing entries", p.Test), ""
	if panel.Name == "netflix" {
		on = fmt.Sprintf("at most %d entries of the fifth that is held out, with the predictions of all methods kept within 1 to 5", p.Test)
		features = "full and IMC get the film features as `fit` encodes and scales them; the paper's model and the oracle take them as they are. "
	}
	limit := ""
	if p.TimeLimit > 0 {
		limit = fmt.Sprintf("; at most %g s for each search", p.TimeLimit.Seconds())
	}
	return fmt.Sprintf("%s. MAPE is over %s; %d threads%s. Numbers are medians over the seeds (least–most). "+
		"The oracle knows the true features and fits them by least squares, as the paper's methods do; on rows with few entries, methods that shrink can beat it (a ratio below 1). "+
		"full is this program's own model, with effects and a learned prior (and a remainder of low rank); all other methods that select use the paper's model. %sLines in italics are the paper's own figures, on 16 cores with Gurobi, Matlab and R.", gamma, on, p.Threads, limit, features)
}
