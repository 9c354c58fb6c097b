package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"optcomplete/internal/memory"
)

// PaperFile is the name of a panel's file of a kind: md, csv, json or svg.
func PaperFile(panel, kind string) string { return "paper-" + panel + "." + kind }

// writePaper puts a panel into every form.
func writePaper(folder string, head PaperHead, panel Panel, cells []PaperCell) error {
	name := func(kind string) string { return PaperFile(panel.Name, kind) }
	forms := map[string]func(io.Writer) error{
		name("md"):  func(w io.Writer) error { return paperMarkdown(w, head, panel, cells) },
		name("csv"): func(w io.Writer) error { return paperCSV(w, cells) },
		name("json"): indented(struct {
			Head  PaperHead   `json:"study"`
			Panel string      `json:"panel"`
			Paper []Row       `json:"paper"` // the paper's own figures
			Cells []PaperCell `json:"cells"`
		}{head, panel.Name, panel.Rows, cells}),
	}
	if panel.Along != nil {
		forms[name("svg")] = paperChart(panel, cells).SVG
	}
	return writeForms(folder, forms)
}

// group is a method on a row, over all seeds that have a result.
type group struct {
	Shape
	method  string
	cells   []PaperCell
	skipped []string // why others have none
}

// groups gathers the cells in the order of their first appearance.
func groups(cells []PaperCell) []group {
	var out []group
	for _, c := range cells {
		at := slices.IndexFunc(out, func(g group) bool { return g.Shape == c.Shape && g.method == c.Method })
		if at < 0 {
			at = len(out)
			out = append(out, group{Shape: c.Shape, method: c.Method})
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

// show prints the median and, where the seeds differ, the spread.
func (g *group) show(number func(PaperCell) float64, print func(float64) string) string {
	median, least, most := spread(g.cells, number)
	if print(least) == print(most) {
		return print(median)
	}
	return fmt.Sprintf("%s (%s–%s)", print(median), print(least), print(most))
}

// stopped counts the seeds on which the search met its limit.
func (g *group) stopped() int {
	n := 0
	for _, c := range g.cells {
		if c.Status == "time_limit" {
			n++
		}
	}
	return n
}

func searchSeconds(c PaperCell) float64 { return c.Seconds.Search }
func totalSeconds(c PaperCell) float64  { return c.Seconds.Total }

// secondsOf prints times without an exponent.
func secondsOf(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 1:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
}

func whole(x float64) string    { return strconv.FormatFloat(x, 'f', 0, 64) }
func twoPlace(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// paperMarkdown writes a panel for people, the paper's figures beside ours.
func paperMarkdown(w io.Writer, head PaperHead, panel Panel, cells []PaperCell) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n\n", panel.Title, about(head, panel, cells))
	b.WriteString("| n × m | p | k | missing | method | seeds | search, s | total, s | MAPE | MAPE, noise-free | ratio to oracle | found | gap | cuts | passes | memory |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	all := groups(cells)
	for _, row := range panel.Rows {
		where := fmt.Sprintf("| %d × %d | %d | %d | %.3g %% ", row.Rows, row.Columns, row.Features, row.K, 100*row.Missing)
		for _, g := range all {
			if g.Shape != row.Shape {
				continue
			}
			if len(g.cells) > 0 {
				b.WriteString(where + g.line())
				where = "| | | | "
			}
			for _, why := range g.skipped {
				name := g.method
				if name == oracleName {
					name = "all methods"
				}
				fmt.Fprintf(&b, "%s| %s | skipped: %s |%s\n", where, name, why, strings.Repeat(" |", 10))
				where = "| | | | "
			}
		}
		for _, m := range theirMethods {
			if t, name := row.theirs(m); t.Seconds > 0 {
				fmt.Fprintf(&b, "%s| *paper: %s* | | | *%g* | *%g %%* |%s\n", where, name, t.Seconds, t.MAPE, strings.Repeat(" |", 7))
				where = "| | | | "
			}
		}
	}
	if panel.Along != nil {
		fmt.Fprintf(&b, "\n%s\n![%s: time](%s)\n", slopes(panel, all), panel.Title, PaperFile(panel.Name, "svg"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// about says how the numbers of a panel came about.
func about(head PaperHead, panel Panel, cells []PaperCell) string {
	gamma := "γ is tuned on a fifth of the training entries, as in the paper. If several γ do equally well there, certified takes the one that is easiest to prove, and the paper's methods take the smallest at which they do as well themselves"
	if head.Gamma > 0 {
		gamma = fmt.Sprintf("γ = %g and is not tuned", head.Gamma)
	}
	on, features := fmt.Sprintf("at most %d of the missing entries", head.Test), ""
	if panel.Name == "netflix" {
		on = fmt.Sprintf("at most %d entries of the fifth that is held out, with the predictions of all methods kept within 1 to 5", head.Test)
		features = "full and IMC get the film features as `fit` encodes and scales them; the paper's model and the oracle take them as they are. "
	}
	limit := ""
	for _, c := range cells {
		if c.Limit > 0 {
			limit = fmt.Sprintf("; at most %g s for each search", c.Limit)
		}
	}
	return fmt.Sprintf("%s. MAPE is over %s; %d threads%s. Numbers are medians over the seeds (least–most). "+
		"The oracle knows the true features and fits them by least squares, as the paper's methods do; on rows with few entries, methods that shrink can beat it (a ratio below 1). "+
		"full is this program's own model, with effects and a learned prior (and a remainder of low rank); all other methods that select use the paper's model. %sLines in italics are the paper's own figures, on 16 cores with Gurobi, Matlab and R.", gamma, on, head.Threads, limit, features)
}

// line is a line of the table, from the method on.
func (g *group) line() string {
	first, name := g.cells[0], g.method
	if n := g.stopped(); n > 0 {
		name += fmt.Sprintf(" (%d stopped at %g s)", n, first.Limit)
	}
	if first.Generated {
		name += " (entries generated at every pass)"
	}
	search, found, gap, cuts, passes := "", "", "", "", ""
	if first.Seconds.Search > 0 {
		search = g.show(searchSeconds, secondsOf)
	}
	if first.Selects && g.method != oracleName {
		found = g.show(func(c PaperCell) float64 { return float64(c.Found) }, whole) + fmt.Sprintf(" of %d", g.K)
	}
	if first.Bounded {
		gap = g.show(func(c PaperCell) float64 { return c.Gap }, percent)
	}
	if first.Cuts > 0 {
		cuts = g.show(func(c PaperCell) float64 { return float64(c.Cuts) }, whole)
		passes = g.show(func(c PaperCell) float64 { return float64(c.Passes) }, whole)
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, len(g.cells), search, g.show(totalSeconds, secondsOf),
		g.show(func(c PaperCell) float64 { return c.MAPE }, percent), g.show(func(c PaperCell) float64 { return c.CleanMAPE }, percent),
		g.show(func(c PaperCell) float64 { return c.Ratio }, twoPlace), found, gap, cuts, passes,
		g.show(func(c PaperCell) float64 { return float64(c.Memory) }, func(x float64) string { return memory.Format(int64(x)) }))
}

// paperCSV writes a line for every cell.
func paperCSV(w io.Writer, cells []PaperCell) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"netflix", "n", "m", "p", "k", "missing", "observed", "method", "seed", "choose_s", "search_s", "total_s", "mape", "clean_mape",
		"ratio", "clean_ratio", "found", "gap", "cuts", "nodes", "passes", "memory", "gamma", "status", "limit_s", "skipped", "selected"}}
	f := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	d := strconv.Itoa
	for _, c := range cells {
		found, gap := "", ""
		if c.Selects {
			found = d(c.Found)
		}
		if c.Bounded {
			gap = f(c.Gap)
		}
		rows = append(rows, []string{
			strconv.FormatBool(c.Netflix), d(c.Rows), d(c.Columns), d(c.Features), d(c.K), f(c.Missing), d(c.Observed), c.Method, strconv.FormatUint(c.Seed, 10),
			f(c.Seconds.Choose), f(c.Seconds.Search), f(c.Seconds.Total), f(c.MAPE), f(c.CleanMAPE), f(c.Ratio), f(c.CleanRatio), found, gap,
			d(c.Cuts), d(c.Nodes), d(c.Passes), strconv.FormatInt(c.Memory, 10), f(c.Gamma), c.Status, f(c.Limit), c.Skipped, strings.Join(c.Selected, "|"),
		})
	}
	return out.WriteAll(rows)
}
