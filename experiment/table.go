package experiment

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/chart"
	"optcomplete/internal/lists"
)

// Names of the files that a study writes beside its cells.
const (
	MarkdownFile = "real.md"
	CSVFile      = "real.csv"
	JSONFile     = "real.json"
	GapFile      = "gap.svg"
)

// write puts the cells into every form.
func write(folder string, head Head, cells []Cell) error {
	forms := map[string]func(io.Writer) error{
		MarkdownFile: func(w io.Writer) error { return Markdown(w, head, cells) },
		CSVFile:      func(w io.Writer) error { return CSV(w, cells) },
		JSONFile: indented(struct {
			Head  Head   `json:"study"`
			Cells []Cell `json:"cells"`
		}{head, cells}),
		GapFile: gapChart(cells).SVG,
	}
	return writeForms(folder, forms)
}

// writeForms writes a file of each name.
func writeForms(folder string, forms map[string]func(io.Writer) error) error {
	for name, form := range forms {
		if err := atomicfile.File(filepath.Join(folder, name), form); err != nil {
			return err
		}
	}
	return nil
}

// indented writes a value as JSON.
func indented(value any) func(io.Writer) error {
	return func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(value)
	}
}

// spread is the median, the least and the most of a number over the seeds.
func spread[C any](cells []C, number func(C) float64) (median, least, most float64) {
	all := lists.Each(cells, number)
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2, all[0], all[len(all)-1]
}

// line is a model and a k: a row of the table, over all seeds.
type line struct {
	model string
	k     int
	cells []Cell
}

// lines gathers the cells in the order of their first appearance.
func lines(cells []Cell) []line {
	var out []line
	for _, c := range cells {
		at := slices.IndexFunc(out, func(l line) bool { return l.model == c.Model && l.k == c.K })
		if at < 0 {
			at = len(out)
			out = append(out, line{model: c.Model, k: c.K})
		}
		out[at].cells = append(out[at].cells, c)
	}
	return out
}

func (l *line) name() string {
	switch {
	case l.model == Effects:
		return "effects alone"
	case l.k == 0:
		return l.model
	}
	return fmt.Sprintf("%s, k = %d", l.model, l.k)
}

// mean, median and worst of a number over the seeds.
func (l *line) mean(of func(Cell) float64) float64 {
	sum := 0.0
	for _, c := range l.cells {
		sum += of(c)
	}
	return sum / float64(len(l.cells))
}

func (l *line) median(of func(Cell) float64) float64 {
	median, _, _ := spread(l.cells, of)
	return median
}

func (l *line) worst(of func(Cell) float64) float64 {
	_, _, worst := spread(l.cells, of)
	return worst
}

var (
	rmse  = func(c Cell) float64 { return c.Holdout.RMSE }
	mae   = func(c Cell) float64 { return c.Holdout.MAE }
	mape  = func(c Cell) float64 { return c.Holdout.MAPE.Value }
	ratio = func(c Cell) float64 { return c.Ratio }
	gap   = func(c Cell) float64 { return c.Gap }
)

// writeCoverage writes, for models that have intervals, which part of the held-out
// entries lies in them, over the seeds that had the time to tell.
func writeCoverage(b *strings.Builder, all []line) {
	head := false
	for _, l := range all {
		l.cells = slices.DeleteFunc(slices.Clone(l.cells), func(c Cell) bool { return len(c.Coverage) == 0 })
		if len(l.cells) == 0 {
			continue
		}
		with := l.cells[0].Coverage
		if !head {
			head = true
			b.WriteString("\nHeld-out entries in their intervals (mean over the seeds whose time limit left time for it), and the mean width of these:\n\n| model | seeds |")
			for _, c := range with {
				fmt.Fprintf(b, " %s | width |", percent(c.Probability))
			}
			b.WriteString("\n|---|---|" + strings.Repeat("---|---|", len(with)) + "\n")
		}
		fmt.Fprintf(b, "| %s | %d |", l.name(), len(l.cells))
		for x := range with {
			covered, width := func(c Cell) float64 { return c.Coverage[x].Covered }, func(c Cell) float64 { return c.Coverage[x].Width }
			fmt.Fprintf(b, " %s | %.2f |", percent(l.mean(covered)), l.mean(width))
		}
		b.WriteString("\n")
	}
}

// Markdown writes the tables for people: means over the seeds, every seed, intervals,
// and the selected features.
func Markdown(w io.Writer, head Head, cells []Cell) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows, %d columns, %d features, %d observed entries; %.0f %% held out", head.Rows, head.Columns, head.Features, head.Observed, 100*head.Holdout)
	if head.Limit > 0 {
		fmt.Fprintf(&b, "; at most %.0f s for each search", head.Limit)
	}
	b.WriteString(".\n\n| model | seeds | RMSE mean | median | MAE | MAPE | ratio to effects: mean | worst | gap: worst | proven optimal | choose, search, refit (s, median) |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	all := lines(cells)
	for _, l := range all {
		proven, worst := "", ""
		if l.k > 0 {
			proven = fmt.Sprintf("%d of %d", count(l.cells, func(c Cell) bool { return c.Status == "optimal" }), len(l.cells))
			worst = percent(l.worst(gap))
		}
		fmt.Fprintf(&b, "| %s | %d | %.4f | %.4f | %.4f | %s | %.4f | %.4f | %s | %s | %.1f, %.1f, %.1f |\n", l.name(), len(l.cells),
			l.mean(rmse), l.median(rmse), l.mean(mae), percent(l.mean(mape)), l.mean(ratio), l.worst(ratio), worst, proven,
			l.median(func(c Cell) float64 { return c.Seconds.Choose }), l.median(func(c Cell) float64 { return c.Seconds.Search }), l.median(func(c Cell) float64 { return c.Seconds.Refit }))
	}
	b.WriteString("\nEvery seed:\n\n| seed | model | RMSE | MAE | MAPE | ratio | γ | gap | status | seconds: choose, search, refit |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range cells {
		l := line{model: c.Model, k: c.K}
		gamma, shown := "", ""
		if c.K > 0 {
			gamma, shown = fmt.Sprintf("%.2g", c.Gamma), percent(c.Gap)
		}
		fmt.Fprintf(&b, "| %d | %s | %.4f | %.4f | %s | %.4f | %s | %s | %s | %.1f, %.1f, %.1f |\n", c.Seed, l.name(),
			c.Holdout.RMSE, c.Holdout.MAE, percent(c.Holdout.MAPE.Value), c.Ratio, gamma, shown, strings.ReplaceAll(c.Status, "_", " "), c.Seconds.Choose, c.Seconds.Search, c.Seconds.Refit)
	}
	writeCoverage(&b, all)
	b.WriteString("\nSelected features, with the number of seeds that select them:\n\n")
	for _, l := range all {
		if l.k > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", l.name(), strings.Join(l.selected(), ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// selected lists the features by how many seeds select them.
func (l *line) selected() []string {
	times := map[string]int{}
	var names []string
	for _, c := range l.cells {
		for _, name := range c.Selected {
			if times[name]++; times[name] == 1 {
				names = append(names, name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return times[b] - times[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, times[name])
	}
	return names
}

func count(cells []Cell, is func(Cell) bool) int {
	n := 0
	for _, c := range cells {
		if is(c) {
			n++
		}
	}
	return n
}

// percent prints a fraction with three digits that matter; below the precision
// of the search a gap is nothing.
func percent(x float64) string {
	if x < 1e-9 {
		return "0 %"
	}
	return strconv.FormatFloat(100*x, 'g', 3, 64) + " %"
}

// CSV writes a line for every cell.
func CSV(w io.Writer, cells []Cell) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"seed", "model", "k", "rmse", "mae", "mape", "ratio", "train_rmse", "gamma", "row_shrinkage", "column_shrinkage", "gap", "status", "choose_s", "search_s", "refit_s", "selected"}}
	f := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for _, c := range cells {
		rows = append(rows, []string{
			strconv.FormatUint(c.Seed, 10), c.Model, strconv.Itoa(c.K), f(c.Holdout.RMSE), f(c.Holdout.MAE), f(c.Holdout.MAPE.Value), f(c.Ratio), f(c.Train.RMSE),
			f(c.Gamma), f(c.Row), f(c.Column), f(c.Gap), c.Status, f(c.Seconds.Choose), f(c.Seconds.Search), f(c.Seconds.Refit), strings.Join(c.Selected, "|"),
		})
	}
	if err := out.WriteAll(rows); err != nil {
		return err
	}
	return out.Error()
}

// gapChart plots the gap over time of the first seed's searches in full.
func gapChart(cells []Cell) *chart.Chart {
	c := &chart.Chart{Title: "Gap over time, model full", X: "seconds of search", Y: "relative gap, %", LogY: true}
	for _, cell := range cells {
		if cell.Model != "full" || cell.Seed != 1 {
			continue
		}
		s := chart.Series{Name: fmt.Sprintf("k = %d", cell.K), Step: true}
		for _, p := range cell.Trace {
			// A proof has no place on a logarithmic axis: it is drawn at its foot.
			s.Points = append(s.Points, chart.Point{X: p.Seconds, Y: 100 * max(p.Gap, 1e-6)})
		}
		c.Series = append(c.Series, s)
	}
	c.Note = "A line that reaches the foot of the picture ends with a proof of optimality."
	return c
}
