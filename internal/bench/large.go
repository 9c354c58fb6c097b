package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/data/synth"
	"optcomplete/internal/memory"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
	"optcomplete/search"
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

// large measures the large rows of the paper's table: how soon the selection is found
// on samples, how long its proof on all entries and the coefficients of every row
// take, in how many passes and how much memory. Each line is put into the table of
// docs/benchmarks-large.md as soon as it is there.
//
// Rows whose entries do not fit on this machine are generated as they are read:
// there the selection is searched, the coefficients of a hundredth of the rows are
// computed, and the rest is extrapolated; the table says so.
func large(args []string) error {
	flags := flag.NewFlagSet("large", flag.ExitOnError)
	only := flags.String("rows", "", "names of rows, with commas; all of them without")
	dir := flags.String("dir", os.TempDir(), "folder for packs")
	gap := flags.Float64("gap", 0, "gap at which the proof ends; 0: 0.001, of the full model on ratings 0.01")
	limit := flags.Duration("time-limit", 10*time.Minute, "for each fit")
	gamma := flags.Float64("gamma", 0, "γ instead of the row's own")
	amount := flags.String("memory", "", "memory to use")
	into := flags.String("into", "", "page whose table gets the lines, such as docs/benchmarks-large.md; without, they are printed")
	profile := flags.String("cpuprofile", "", "file for a profile of the last row's fit, for go tool pprof")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, r := range largeRows {
		if *only != "" && !strings.Contains(","+*only+",", ","+r.name+",") {
			continue
		}
		if *gamma > 0 {
			r.gamma = *gamma
		}
		b := bench{largeRow: r, dir: *dir, gap: *gap, limit: *limit, into: *into, profile: *profile}
		switch {
		case *gap > 0:
		case r.kind == spec.Full:
			b.gap = 0.01
		default:
			b.gap = 0.001
		}
		if *amount != "" {
			var err error
			if b.memory, err = memory.Parse(*amount); err != nil {
				return err
			}
			debug.SetMemoryLimit(b.memory) // as fit does
		}
		if err := b.run(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

type bench struct {
	largeRow
	dir    string
	gap    float64
	limit  time.Duration
	memory int64

	into    string // a page; empty: stdout
	profile string // a file
}

func (b *bench) run(ctx context.Context) error {
	var source *synth.Source
	var err error
	if b.form == "netflix" {
		source, err = synth.Netflix(b.n, b.m, b.k, 1-1e8/float64(b.n)/float64(b.m), 1)
	} else {
		source, err = synth.NewSource(synth.Config{Rows: b.n, Columns: b.m, Features: b.p, K: b.k, Missing: 0.95, Noise: 0.01, Seed: 1})
	}
	if err != nil {
		return err
	}
	problem := optcomplete.Problem{Ratings: data.NewRatings(source, source.RowIDs(), source.ColumnIDs()), Features: source.Features}
	settings := optcomplete.Settings{K: b.k, Model: b.kind, Statistics: optcomplete.Statistics{Gamma: b.gamma, Seed: 1}, Limits: optcomplete.Limits{Gap: b.gap, TimeLimit: b.limit, NearTies: -1, Memory: b.memory}}
	switch b.form {
	case "generated":
		return b.generated(ctx, source, problem, settings)
	case "memory":
		made, err := source.Collect()
		if err != nil {
			return err
		}
		problem.Ratings = made.Ratings
	default:
		file, err := b.packed(source)
		if err != nil {
			return err
		}
		defer file.Close()
		problem.Ratings = problem.Ratings.With(file)
	}
	truth := source.SelectedNames()
	source = nil
	debug.FreeOSMemory()
	resetPeak()
	settings.Folder = filepath.Join(b.dir, "optcomplete-large-model")
	defer os.RemoveAll(settings.Folder)
	if b.profile != "" {
		f, err := os.Create(b.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	start, began := time.Now(), processor()
	proven := began
	settings.OnEvent = func(search.Event) { proven = processor() }
	fitted, err := optcomplete.Fit(ctx, problem, settings)
	if err != nil {
		return err
	}
	defer fitted.Close()
	if err := store.Save(fitted, settings.Folder); err != nil {
		return err
	}
	all, ended := time.Since(start), processor()
	s := &fitted.Summary
	return b.line(seconds(s.Seconds.Select-s.Seconds.Choose), common(s.Selected, truth), seconds(s.Seconds.Certify), strconv.Itoa(s.Passes),
		fmt.Sprintf("%.2g %%", 100*s.Gap), seconds(all.Seconds()-s.Seconds.Select-s.Seconds.Certify), seconds(all.Seconds()),
		seconds(ended-began)+", "+seconds(ended-proven))
}

// processor is how long the processors have worked for this process, in seconds.
func processor() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}

// packed writes the source as a pack, unless it is there, and opens it.
func (b *bench) packed(source *synth.Source) (*pack.File, error) {
	path := filepath.Join(b.dir, fmt.Sprintf("optcomplete-%dx%d.pack", b.n, b.m))
	if _, err := os.Stat(path); err != nil {
		start := time.Now()
		w, err := pack.Create(path, source.ColumnIDs(), pack.WriterOptions{Rows: b.n})
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
		fmt.Fprintf(os.Stderr, "wrote %s in %v\n", path, time.Since(start).Round(time.Second))
	}
	start := time.Now()
	file, err := pack.Open(path)
	if err != nil {
		return nil, err
	}
	info := file.Info()
	fmt.Fprintf(os.Stderr, "%s: %d entries, %.2f bytes an entry, opened in %v\n", path, info.Observed, float64(info.Bytes)/float64(info.Observed), time.Since(start).Round(time.Microsecond))
	return file, nil
}

// generated searches samples, and computes the coefficients of a hundredth of the
// rows with what was found.
func (b *bench) generated(ctx context.Context, source *synth.Source, problem optcomplete.Problem, settings optcomplete.Settings) error {
	resetPeak()
	found, err := optcomplete.Select(ctx, problem, settings)
	if err != nil {
		return err
	}
	var part []int
	for i := 0; i < b.n; i += 100 {
		part = append(part, i)
	}
	start := time.Now()
	if _, err := estimate.Coefficients(ctx, data.Rows(source, part), source.Features, found.Features, spec.LeastSquares, 0, 2); err != nil {
		return err
	}
	took := time.Since(start)
	whole := took.Seconds() * float64(b.n) / float64(len(part))
	return b.line(seconds(found.Elapsed.Seconds()), common(found.Selected, source.SelectedNames()), "—", "—", fmt.Sprintf("(sampled %.2g %%)", 100*found.SampledGap),
		fmt.Sprintf("%s for %d rows; all: about %s by extrapolation", seconds(took.Seconds()), len(part), seconds(whole)), "—", "—")
}

const largeHead = "| n × m (p, k) | paper | selection found | of k true | proof | passes | gap | coefficients of all rows | in all | processors: in all, coefficients | peak memory |"

func (b *bench) line(cells ...string) error {
	form := b.form
	if form == "netflix" {
		form += ", " + b.kind.String()
	}
	row := fmt.Sprintf("| %s × %s (%d, %d), %s | %s | %s | %s |", power(b.n), power(b.m), b.p, b.k, form, b.paper, strings.Join(cells, " | "), memory.Format(peak()))
	fmt.Println(row)
	if b.into == "" {
		return nil
	}
	page, err := readPage(b.into)
	if err == nil {
		err = page.put(largeHead, row)
	}
	if err == nil {
		err = page.write()
	}
	return err
}

func power(n int) string {
	text := strconv.Itoa(n)
	if zeros := len(text) - 1; strings.Trim(text[1:], "0") == "" && text[0] == '1' {
		return "10^" + strconv.Itoa(zeros)
	}
	return text
}

func seconds(s float64) string {
	if s < 10 {
		return fmt.Sprintf("%.2f s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// common is how many of the true features were found.
func common(selected, truth []string) string {
	count := 0
	for _, name := range selected {
		for _, is := range truth {
			if name == is {
				count++
			}
		}
	}
	return fmt.Sprintf("%d of %d", count, len(truth))
}

// resetPeak lets the kernel measure the largest resident size anew.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peak is the largest anonymous memory seen: without pages of mapped files, which
// the system takes back at will. The resident size is all that is recorded, so
// the mapped part as it is now is subtracted.
func peak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	field := func(name string) (kb int64) {
		for _, line := range strings.Split(string(status), "\n") {
			if rest, ok := strings.CutPrefix(line, name+":"); ok {
				fmt.Sscan(rest, &kb)
			}
		}
		return kb
	}
	return (field("VmHWM") - field("RssFile")) << 10
}
