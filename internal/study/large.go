package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/data/synth"
	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
	"optcomplete/spec"
)

// largeRow is a line of the table of large data.
type largeRow struct {
	name  string
	n, m  int
	p, k  int
	form  string // memory, pack, generated or netflix
	gamma float64
	paper string // its seconds: OptComplete / CutPlanes
	kind  spec.Kind
}

var largeRows = []largeRow{
	{"1e4x1e4", 10_000, 10_000, 200, 10, "memory", 1, "—", spec.Paper},
	{"1e5x1e3", 100_000, 1_000, 200, 10, "memory", 1, "52 / 1520", spec.Paper},
	{"1e5x1e4", 100_000, 10_000, 200, 10, "memory", 1, "98 / 5769", spec.Paper},
	{"1e6x1e4", 1_000_000, 10_000, 200, 10, "pack", 1, "480 / —", spec.Paper},
	{"1e6x1e5", 1_000_000, 100_000, 200, 10, "generated", 1, "680 / —", spec.Paper},
	{"1e6x1e6", 1_000_000, 1_000_000, 200, 10, "generated", 1, "1415 / —", spec.Paper},
	// γ as validation finds it; the one for the paper's model is smaller than that, so that there is something to prove.
	{"netflix", 471_268, 14_538, 59, 5, "netflix", 0.0039, "170 / —", spec.Full},
	{"netflix-paper", 471_268, 14_538, 59, 5, "netflix", 0.002, "170 / —", spec.Paper},
}

const largeHead = "| n × m (p, k) | paper | selection found | of k true | proof | passes | gap | coefficients of all rows | in all | peak memory |"

// largeStudy measures the large rows of the paper's table: how soon the selection is
// found on samples, how long its proof on all entries and the coefficients of every
// row take, in how many passes and how much memory. Each line is put into the table
// of docs/benchmarks-large.md as soon as it is there.
//
// Rows whose entries do not fit on this machine are generated as they are read:
// there the selection is searched, the coefficients of a hundredth of the rows are
// computed, and the rest is extrapolated; the table says so.
func largeStudy(ctx context.Context, args []string) error {
	var l large
	flags := flag.NewFlagSet("large", flag.ExitOnError)
	only := flags.String("rows", "", "names of rows, with commas; all of them without")
	flags.StringVar(&l.dir, "dir", os.TempDir(), "folder for packs")
	flags.Float64Var(&l.Gap, "gap", 0, "gap at which the proof ends; 0: 0.001, of the full model on ratings 0.01")
	flags.DurationVar(&l.TimeLimit, "limit", 10*time.Minute, "for each fit")
	flags.Func("memory", "memory to use, such as 4G", func(text string) (err error) {
		l.Memory, err = memory.Parse(text)
		debug.SetMemoryLimit(l.Memory) // as fit does
		return err
	})
	flags.StringVar(&l.into, "into", "", "page whose table gets the lines, such as docs/benchmarks-large.md; without, they are printed")
	profile := flags.String("cpuprofile", "", "file for a profile, for go tool pprof")
	flags.Parse(args)
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for _, r := range largeRows {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), r.name) {
			continue
		}
		row, err := l.row(ctx, r)
		if err != nil {
			return err
		}
		fmt.Println(row)
		if l.into == "" {
			continue
		}
		page, err := readPage(l.into)
		if err == nil {
			err = page.put(largeHead, row)
		}
		if err == nil {
			err = page.write()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type large struct {
	optcomplete.Limits
	dir  string
	into string // a page; empty: stdout
}

// row measures a row, and gives its line.
func (l large) row(ctx context.Context, r largeRow) (string, error) {
	var source *synth.Source
	var err error
	if r.form == "netflix" {
		source, err = synth.Netflix(r.n, r.m, r.k, 1-1e8/float64(r.n)/float64(r.m), 1)
	} else {
		source, err = synth.NewSource(synth.Config{Rows: r.n, Columns: r.m, Features: r.p, K: r.k, Missing: 0.95, Noise: paperNoise, Seed: 1})
	}
	if err != nil {
		return "", err
	}
	problem := optcomplete.Problem{Ratings: data.NewRatings(source, source.RowIDs(), source.ColumnIDs()), Features: source.Features}
	s := optcomplete.Settings{K: r.k, Model: r.kind, Statistics: optcomplete.Statistics{Gamma: r.gamma, Seed: 1}, Limits: l.Limits}
	switch s.NearTies = -1; {
	case s.Gap > 0:
	case r.kind == spec.Full:
		s.Gap = 0.01
	default:
		s.Gap = 0.001
	}
	switch r.form {
	case "generated":
	case "memory":
		made, err := source.Collect()
		if err != nil {
			return "", err
		}
		problem.Ratings = made.Ratings
	default:
		file, err := l.packed(r, source)
		if err != nil {
			return "", err
		}
		defer file.Close()
		problem.Ratings = problem.Ratings.With(file)
		r.form += ", " + r.kind.String()
	}
	s.Folder = filepath.Join(l.dir, "optcomplete-large-model")
	defer os.RemoveAll(s.Folder)
	peak := watchMemory()
	cells, err := measure(ctx, r, problem, s, source)
	return fmt.Sprintf("| %s × %s (%d, %d), %s | %s | %s | %s |", power(r.n), power(r.m), r.p, r.k, r.form, r.paper, strings.Join(cells, " | "), memory.Format(peak())), err
}

// measure fits and saves; of rows that are generated it searches samples, and
// computes the coefficients of a hundredth of the rows with what was found.
func measure(ctx context.Context, r largeRow, problem optcomplete.Problem, s optcomplete.Settings, source *synth.Source) ([]string, error) {
	truth := source.SelectedNames()
	common := func(selected []string) string {
		return fmt.Sprintf("%d of %d", len(truth)-len(lists.Without(truth, selected)), len(truth))
	}
	show := func(seconds float64) string { return secondsText(seconds) + " s" }
	if r.form == "generated" {
		found, err := optcomplete.Select(ctx, problem, s)
		if err != nil {
			return nil, err
		}
		var part []int
		for i := 0; i < r.n; i += 100 {
			part = append(part, i)
		}
		start := time.Now()
		_, err = estimate.Coefficients(ctx, data.Rows(source, part), source.Features, found.Features, spec.LeastSquares, 0, 2)
		took := since(start)
		return []string{show(found.Elapsed.Seconds()), common(found.Selected), "—", "—", fmt.Sprintf("(sampled %.2g %%)", 100*found.SampledGap),
			fmt.Sprintf("%s for %d rows; all: about %s by extrapolation", show(took), len(part), show(100*took)), "—"}, err
	}
	start := time.Now()
	fitted, err := optcomplete.Fit(ctx, problem, s)
	if err != nil {
		return nil, err
	}
	defer fitted.Close()
	err = store.Save(fitted, s.Folder)
	all, sum := since(start), &fitted.Summary
	return []string{show(sum.Seconds.Select - sum.Seconds.Choose), common(sum.Selected), show(sum.Seconds.Certify), strconv.Itoa(sum.Passes),
		fmt.Sprintf("%.2g %%", 100*sum.Gap), show(all - sum.Seconds.Select - sum.Seconds.Certify), show(all)}, err
}

// packed writes the source as a pack, unless it is there, and opens it.
func (l large) packed(r largeRow, source *synth.Source) (*pack.File, error) {
	path := filepath.Join(l.dir, fmt.Sprintf("optcomplete-%dx%d.pack", r.n, r.m))
	if _, err := os.Stat(path); err == nil {
		return pack.Open(path)
	}
	w, err := pack.Create(path, source.ColumnIDs(), pack.WriterOptions{Rows: r.n})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	ids := source.RowIDs()
	err = data.ForEach(source, func(i int, columns []int32, values []float64) error { return w.Append(ids[i], columns, values) })
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	return pack.Open(path)
}

func power(n int) string {
	text := strconv.Itoa(n)
	if zeros := len(text) - 1; strings.Trim(text[1:], "0") == "" && text[0] == '1' {
		return "10^" + strconv.Itoa(zeros)
	}
	return text
}
