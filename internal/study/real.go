package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"optcomplete"
	"optcomplete/data/ingest"
	"optcomplete/encode"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/chart"
	"optcomplete/spec"
)

// real is a study of the user's data.
type real struct {
	ratings, features string
	complete          bool // columns that a feature is missing of are left out
	least             int  // rows with fewer entries are left out
	holdout           float64
	k                 []int
}

// realKey is what must be equal for results to stand in one folder.
type realKey struct {
	Rows     int     `json:"rows"`
	Columns  int     `json:"columns"`
	Features int     `json:"features"`
	Observed int     `json:"observed"`
	Sum      float64 `json:"sum"` // of all values: other data of the same shape has another
	Holdout  float64 `json:"holdout"`
	Version  string  `json:"version"`
}

// read reads the data for the models that scale features, and as they are for the
// paper's, each when it is first asked for.
func (r *real) read(ctx context.Context) problems {
	have := map[bool]optcomplete.Problem{}
	return func(kind spec.Kind) (optcomplete.Problem, error) {
		given := kind.AsGiven()
		problem, is := have[given]
		if is {
			return problem, nil
		}
		s := optcomplete.ReadSettings{Model: kindOf(given), MinEntries: r.least, Ratings: ingest.Settings{DropUnknown: r.complete}}
		if r.complete {
			s.Features = &encode.Options{CompleteOnly: true, Keep: given}
			if given {
				s.Features.Scale = encode.AsIs
			}
		}
		problem, notes, err := optcomplete.Read(ctx, r.ratings, r.features, s)
		for _, text := range notes.Warnings {
			fmt.Fprintln(os.Stderr, text)
		}
		if other, is := have[!given]; is && err == nil && (!slices.Equal(problem.Ratings.RowIDs, other.Ratings.RowIDs) || problem.Ratings.Observed() != other.Ratings.Observed()) {
			err = fmt.Errorf("%s: the models would not see the same entries", r.ratings)
		}
		if err == nil {
			have[given] = problem
		}
		return problem, err
	}
}

// run fits everything, and writes the tables.
func (r *real) run(ctx context.Context, s *study, problem problems) error {
	whole, err := problem(spec.Full)
	if err != nil {
		return err
	}
	head := realKey{Observed: whole.Ratings.Observed(), Holdout: r.holdout, Version: optcomplete.Version}
	head.Rows, head.Columns = whole.Ratings.Dims()
	_, head.Features = whole.Features.Dims()
	for i := range head.Rows {
		_, values := whole.Ratings.Matrix().Row(i)
		for _, v := range values {
			head.Sum += v
		}
	}
	s.methods = append([]method{effectsAlone}, slices.DeleteFunc(s.methods, func(m method) bool { return m.name == effectsAlone.name })...)
	s.error = func(c cell) float64 { return c.Holdout.RMSE }
	if err := s.open(head); err != nil {
		return err
	}
	defer s.file.Close()
	cells, failed := s.on(ctx, filepath.Base(r.ratings), r.k, func(seed uint64) (*trial, error) {
		return &trial{Limits: s.Limits, seed: seed, problem: problem, holdout: r.holdout}, nil
	})
	text := r.tables(head, s, cells)
	if err := os.WriteFile(filepath.Join(s.folder, "real.md"), []byte(text), 0o666); err != nil {
		return err
	}
	if err := atomicfile.File(filepath.Join(s.folder, "gap.svg"), gapChart(s.first, cells).SVG); err != nil {
		return err
	}
	fmt.Print(text)
	return failed
}

// tables are for people: means over the seeds, every seed, intervals, and the
// selected features.
func (r *real) tables(head realKey, s *study, cells []cell) string {
	all := groups(cells)
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows, %d columns, %d features, %d observed entries; %.0f %% held out", head.Rows, head.Columns, head.Features, head.Observed, 100*head.Holdout)
	if s.TimeLimit > 0 {
		fmt.Fprintf(&b, "; at most %.0f s for each search", s.TimeLimit.Seconds())
	}
	b.WriteString(".\n\n")
	table(&b, all, realColumns)
	b.WriteString("\nEvery seed:\n\n")
	table(&b, singles(cells), seedColumns)
	covered := slices.DeleteFunc(groups(slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return len(c.Coverage) == 0 })), func(g group) bool { return len(g.cells) == 0 })
	if len(covered) > 0 {
		b.WriteString("\nHeld-out entries in their intervals (mean over the seeds whose time limit left time for it), and the mean width of these:\n\n")
		table(&b, covered, coverageColumns(covered[0].cells[0].Coverage))
	}
	b.WriteString("\nSelected features, with the number of seeds that select them:\n\n")
	for _, g := range all {
		if g.k > 0 && len(g.cells) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", g.name(), strings.Join(g.selected(), ", "))
		}
	}
	return b.String()
}

// selected lists the features by how many seeds select them.
func (g *group) selected() []string {
	times := map[string]int{}
	var names []string
	for _, c := range g.cells {
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

// gapChart plots the gap over time of one seed's searches in full.
func gapChart(seed uint64, cells []cell) *chart.Chart {
	c := &chart.Chart{Title: "Gap over time, model full", X: "seconds of search", Y: "relative gap, %", LogY: true}
	for _, cell := range cells {
		if cell.Method != "full" || cell.Seed != seed {
			continue
		}
		s := chart.Series{Name: fmt.Sprintf("k = %d", cell.K), Step: true}
		for _, p := range cell.Trace {
			// A proof has no place on a logarithmic axis: it is drawn at its foot.
			s.Points = append(s.Points, chart.Point{X: p.X, Y: 100 * max(p.Y, 1e-6)})
		}
		c.Series = append(c.Series, s)
	}
	c.Note = "A line that reaches the foot of the picture ends with a proof of optimality."
	return c
}
