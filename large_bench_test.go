package optcomplete_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/data/synth"
	"optcomplete/formulation"
	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/internal/must"
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
	kind  spec.Kind
}

var largeRows = []largeRow{
	{"1e4x1e4", 10_000, 10_000, 200, 10, "memory", 1, spec.Paper},
	{"1e5x1e3", 100_000, 1_000, 200, 10, "memory", 1, spec.Paper},
	{"1e5x1e4", 100_000, 10_000, 200, 10, "memory", 1, spec.Paper},
	{"1e6x1e4", 1_000_000, 10_000, 200, 10, "pack", 1, spec.Paper},
	{"1e6x1e5", 1_000_000, 100_000, 200, 10, "generated", 1, spec.Paper},
	{"1e6x1e6", 1_000_000, 1_000_000, 200, 10, "generated", 1, spec.Paper},
	// γ as validation finds it; the one for the paper's model is smaller than that, so that there is something to prove.
	{"netflix", 471_268, 14_538, 59, 5, "netflix", 0.0039, spec.Full},
	{"netflix-paper", 471_268, 14_538, 59, 5, "netflix", 0.002, spec.Paper},
}

// BenchmarkLarge measures the large rows of the paper's table: how soon the selection is found on
// samples, how long its proof on all entries and the coefficients of every row take, in how many
// passes and how much memory; $LARGE_MEMORY, such as 4G, is what fits may take. Packs stay in the
// folder for temporary files.
//
// Rows whose entries do not fit on this machine are generated as they are read: there the selection
// is searched, and the coefficients of a hundredth of the rows are computed.
func BenchmarkLarge(b *testing.B) {
	for _, r := range largeRows {
		b.Run(r.name, func(b *testing.B) {
			var limits spec.Limits
			limits.TimeLimit = 10 * time.Minute
			if text := os.Getenv("LARGE_MEMORY"); text != "" {
				limits.Memory = must.Get(memory.Parse(text))(b)
				debug.SetMemoryLimit(limits.Memory) // as fit does
			}
			b.ReportMetric(0, "ns/op")
			r.measure(b, limits)
		})
	}
}

// measure fits and saves; of rows that are generated it searches samples, and computes the
// coefficients of a hundredth of the rows with what was found.
func (r largeRow) measure(b *testing.B, limits spec.Limits) {
	ctx := context.Background()
	config := synth.Config{Rows: r.n, Columns: r.m, Features: r.p, K: r.k, Missing: 0.95, Noise: 0.01, Seed: 1}
	generate := func() (*synth.Source, error) { return synth.NewSource(config) }
	if r.form == "netflix" {
		generate = func() (*synth.Source, error) { return synth.Netflix(r.n, r.m, r.k, 1-1e8/float64(r.n)/float64(r.m), 1) }
	}
	source := must.Get(generate())(b)
	problem := formulation.Problem{Ratings: data.NewRatings(source, source.RowIDs(), source.ColumnIDs()), Features: source.Features}
	s := formulation.Settings{K: r.k, Model: r.kind, Statistics: spec.Statistics{Gamma: r.gamma, Seed: 1}, Limits: limits}
	s.NearTies, s.Gap = -1, 0.001
	if r.kind == spec.Full {
		s.Gap = 0.01
	}
	switch r.form {
	case "generated":
	case "memory":
		problem.Ratings = must.Get(source.Collect())(b).Ratings
	default:
		file := must.Get(r.packed(source))(b)
		defer file.Close()
		problem.Ratings = problem.Ratings.With(file)
	}
	truth := source.SelectedNames()
	found := func(selected []string) {
		b.ReportMetric(float64(len(truth)-len(lists.Without(truth, selected))), "true")
		b.ReportMetric(float64(len(truth)), "k")
	}
	peak := watchMemory()
	defer func() { b.ReportMetric(float64(peak())/1e6, "MB-peak") }()
	start := time.Now()
	if r.form == "generated" {
		selection := must.Get(formulation.Select(ctx, problem, s))(b)
		found(selection.Selected)
		b.ReportMetric(selection.Elapsed.Seconds(), "s-found")
		b.ReportMetric(100*selection.SampledGap, "%gap-sampled")
		var part []int
		for i := 0; i < r.n; i += 100 {
			part = append(part, i)
		}
		start = time.Now()
		must.Get(estimate.FitParts(ctx, data.Rows(source, part), estimate.Chosen(source.Features, selection.Features), len(selection.Features), estimate.Recipe{Kind: spec.Paper, Threads: 2}))(b)
		b.ReportMetric(time.Since(start).Seconds(), "s-hundredth")
		return
	}
	s.Folder = filepath.Join(b.TempDir(), "model")
	fitted := must.Get(formulation.Fit(ctx, problem, s))(b)
	defer fitted.Close()
	must.Do(b, store.Save(fitted, s.Folder))
	all, sum := time.Since(start).Seconds(), &fitted.Summary
	found(sum.Selected)
	b.ReportMetric(sum.Seconds.Select-sum.Seconds.Choose, "s-found")
	b.ReportMetric(sum.Seconds.Certify, "s-proof")
	b.ReportMetric(float64(sum.Passes), "passes")
	b.ReportMetric(100*sum.Gap, "%gap")
	b.ReportMetric(all-sum.Seconds.Select-sum.Seconds.Certify, "s-rows")
	b.ReportMetric(all, "s-all")
}

// packed writes the source as a pack, unless it is there, and opens it.
func (r largeRow) packed(source *synth.Source) (*pack.File, error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("optcomplete-%dx%d.pack", r.n, r.m))
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

// watchMemory looks at the memory in use every few milliseconds until the
// function it returns is called, which gives the largest that was seen.
func watchMemory() (peak func() int64) {
	debug.FreeOSMemory() // what came before does not count
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var most int64
	look := func() {
		metrics.Read(samples)
		most = max(most, int64(samples[0].Value.Uint64()-samples[1].Value.Uint64()))
	}
	look()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				look()
				return
			case <-tick.C:
				look()
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return most
	}
}
