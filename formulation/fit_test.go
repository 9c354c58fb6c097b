package formulation

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/evaluate"
	"optcomplete/internal/must"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// instance is a small synthetic problem.
func instance(t *testing.T, config synth.Config) (Problem, *synth.Instance) {
	t.Helper()
	made := must.Get(synth.Generate(config))(t)
	return Problem{Ratings: made.Ratings, Features: made.Features}, made
}

func fit(t *testing.T, problem Problem, settings Settings) *model.Model {
	t.Helper()
	fitted := must.Get(Fit(context.Background(), problem, settings))(t)
	return fitted
}

// saved is a model as it comes back from a folder.
func saved(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	dir := t.TempDir() + "/model"
	must.Do(t, store.Save(m, dir))
	loaded := must.Get(store.Load(dir))(t)
	return loaded
}

var kinds = []spec.Kind{spec.Full, spec.Pooled, spec.Paper}

var small = synth.Config{Rows: 60, Columns: 50, Features: 20, K: 4, Missing: 0.4, Noise: 0.01, Seed: 3}

// timeless clears what may differ between two equal runs.
func timeless(m *model.Model) *model.Model {
	m.Summary.Seconds, m.Summary.MasterSeconds = result.Seconds{}, 0
	m.Summary.Readings = nil // what a source remembers is not read again
	for i := range m.Summary.Trace {
		m.Summary.Trace[i].Seconds = 0
	}
	return m
}

func same(t *testing.T, what string, a, b *model.Model) {
	t.Helper()
	type content struct {
		Summary model.Summary
		Parts   estimate.Parts
	}
	if d := cmp.Diff(content{a.Summary, a.Parts}, content{b.Summary, b.Parts}); d != "" {
		t.Fatalf("%s: the fits differ:\n%s", what, d)
	}
}

// TestThreadsGiveSameBits compares whole models, γ chosen by validation.
func TestThreadsGiveSameBits(t *testing.T) {
	problem, _ := instance(t, small)
	for _, kind := range kinds {
		settings := Settings{Model: kind, K: 4, Statistics: spec.Statistics{Holdout: 0.2}, Limits: spec.Limits{Threads: 1}}
		want := timeless(fit(t, problem, settings))
		same(t, kind.String()+" again", want, timeless(fit(t, problem, settings)))
		for _, threads := range []int{2, 8} {
			settings.Threads = threads
			same(t, kind.String()+" with threads", want, timeless(fit(t, problem, settings)))
		}
	}
}

// meant leaves out what a model has no use for.
func meant(s Settings) Settings {
	if s.Model != spec.Pooled {
		s.Gamma0 = 0
	}
	if s.Model == spec.Paper {
		s.NoClip = false
	}
	if s.Model != spec.Full {
		s.ColumnShrinkage = 0
	}
	return s
}

// TestSettingsThatDoNothingAreRefused by the library as by the command line.
func TestSettingsThatDoNothingAreRefused(t *testing.T) {
	problem, _ := instance(t, small)
	for name, s := range map[string]Settings{
		"gamma0":           {K: 1, Statistics: spec.Statistics{Gamma: 1, Gamma0: 1}},
		"gamma-factor":     {K: 1, Model: spec.Paper, Statistics: spec.Statistics{GammaFactor: 2}},
		"refit":            {K: 1, Statistics: spec.Statistics{Refit: spec.Ridge}},
		"column-shrinkage": {K: 1, Model: spec.Pooled, Statistics: spec.Statistics{ColumnShrinkage: 1}},
		"clip":             {K: 1, Model: spec.Paper, NoClip: true},
		"k":                {K: 1, Method: SoftImpute{}},
		"always":           {Method: SoftImpute{}, Choice: spec.Choice{Always: []string{"f01"}}},
		"gamma":            {Method: IMC{}, Statistics: spec.Statistics{Gamma: 1}},
		"time-limit":       {Method: IMC{}, Limits: spec.Limits{TimeLimit: 1}},
		"checkpoint":       {Method: EffectsOnly{}, Checkpoint: t.TempDir()},
		"residual-rank":    {Method: SoftImpute{}, ResidualRank: 2},
		"warm-start":       {Method: EffectsOnly{}, Start: []string{"f01"}},
		"proof":            {K: 1, Method: CutPlanes{}, Proof: io.Discard},
		"model":            {Method: SoftImpute{}, Model: spec.Pooled},
	} {
		_, err := Fit(context.Background(), problem, s)
		var fault *spec.Error
		if !errors.As(err, &fault) || fault.Setting != name || !strings.Contains(err.Error(), "does not apply to") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestFitNeverSeesHeldOutEntries changes every held-out value and wants the
// same selection, certificate, γ and coefficients.
func TestFitNeverSeesHeldOutEntries(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			neverSeesHeldOut(t, meant(Settings{Model: kind, K: 4, Statistics: spec.Statistics{Holdout: 0.3, Seed: 5}, NoClip: true}))
		})
	}
}

func neverSeesHeldOut(t *testing.T, settings Settings) {
	problem, _ := instance(t, small)
	want := fit(t, problem, settings)
	if want.Summary.Holdout == nil || want.Summary.Holdout.Entries == 0 {
		t.Fatal("nothing was held out")
	}
	n, m := problem.Ratings.Dims()
	var entries []data.Entry
	changed := 0
	position := 0
	train := want.Summary.Observed
	for i := range n {
		columns, values := problem.Ratings.Matrix().Row(i)
		for e, c := range columns {
			entries = append(entries, data.Entry{Row: int32(i), Column: c, Value: values[e]})
			position++
		}
	}
	held := heldOut(problem.Ratings.Source().(*data.Matrix), settings)
	for at := range entries {
		if held[at] {
			entries[at].Value += 1000
			changed++
		}
	}
	if position-changed != train {
		t.Fatalf("%d of %d entries are held out, but the fit saw %d", changed, position, train)
	}
	other := must.Get(data.NewMatrix(n, m, entries))(t)
	got := fit(t, Problem{Ratings: problem.Ratings.With(other), Features: problem.Features}, settings)
	if got.Summary.Holdout.RMSE < 900 {
		t.Fatalf("the held-out entries were not changed: RMSE %v", got.Summary.Holdout.RMSE)
	}
	// What is measured on the held-out entries, and what describes them.
	got.Summary.Holdout, got.Summary.Baselines, got.Summary.Diagnostics = want.Summary.Holdout, want.Summary.Baselines, want.Summary.Diagnostics
	got.Summary.Coverage, got.Summary.Warnings = want.Summary.Coverage, want.Summary.Warnings
	same(t, "held-out values changed", timeless(want), timeless(got))
}

// TestAutoGammaFindsTheTruth on data where the features are identifiable.
func TestAutoGammaFindsTheTruth(t *testing.T) {
	for seed := range uint64(5) {
		config := small
		config.Seed = seed
		problem, made := instance(t, config)
		fitted := fit(t, problem, Settings{Model: spec.Paper, K: 4})
		if d := cmp.Diff(made.SelectedNames(), fitted.Summary.Selected); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		if !(fitted.Summary.Gamma > 0) || fitted.Summary.Units != nil {
			t.Errorf("seed %d: γ = %v, units %v", seed, fitted.Summary.Gamma, fitted.Summary.Units)
		}
	}
}

// TestNoiseFreeDataIsFinite: cost and gap stay numbers when nothing is left to
// explain, and when there is nothing at all.
func TestNoiseFreeDataIsFinite(t *testing.T) {
	config := small
	config.Noise = 0
	problem, made := instance(t, config)
	fitted := fit(t, problem, Settings{Model: spec.Paper, K: 4, Statistics: spec.Statistics{Gamma: 1e6}})
	if d := cmp.Diff(made.SelectedNames(), fitted.Summary.Selected); d != "" {
		t.Error(d)
	}
	n, m := problem.Ratings.Dims()
	zeros := []data.Entry{{Row: 0, Column: 0}, {Row: 1, Column: 1}}
	matrix := must.Get(data.NewMatrix(n, m, zeros))(t)
	for _, gamma := range []float64{0, 1} {
		fitted = fit(t, Problem{Ratings: problem.Ratings.With(matrix), Features: problem.Features}, Settings{Model: spec.Paper, K: 4, Statistics: spec.Statistics{Gamma: gamma}})
		if fitted.Summary.Cost != 0 || fitted.Summary.Gap != 0 || fitted.Summary.Status != "optimal" {
			t.Errorf("all zeros: cost %v, gap %v, %v", fitted.Summary.Cost, fitted.Summary.Gap, fitted.Summary.Status)
		}
	}
}

// TestStoppedFitsAnswer: limits and cancellation give a model with a true bound.
func TestStoppedFitsAnswer(t *testing.T) {
	config := synth.Config{Rows: 80, Columns: 60, Features: 40, K: 6, Missing: 0.5, Noise: 1, Seed: 1}
	problem, _ := instance(t, config)
	settings := Settings{Model: spec.Paper, K: 6, Statistics: spec.Statistics{Gamma: 30}}
	best := fit(t, problem, settings).Summary
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, kind := range []spec.Kind{spec.Paper, spec.Full, spec.Pooled} { // nothing was looked at: nothing is answered
		if fitted, err := Fit(cancelled, problem, Settings{Model: kind, K: 6}); fitted != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v: interrupted at once: %v, %v", kind, fitted, err)
		}
	}
	if path, err := Path(cancelled, problem, settings, selection.PathSettings{KMax: 3}); path != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted at once: %v, %v", path, err)
	}
	started := settings
	started.Start = best.Selected
	for name, c := range map[string]struct {
		ctx    context.Context
		change func(*Settings)
		status string
	}{
		"cancelled": {cancelled, func(s *Settings) { *s = started }, "interrupted"},
		"time":      {context.Background(), func(s *Settings) { s.TimeLimit = time.Nanosecond }, "time_limit"},
		"nodes":     {context.Background(), func(s *Settings) { s.MaxNodes = 1 }, "node_limit"},
		"gap":       {context.Background(), func(s *Settings) { s.Gap = 0.5 }, "gap"},
	} {
		t.Run(name, func(t *testing.T) {
			stopped := settings
			c.change(&stopped)
			fitted := must.Get(Fit(c.ctx, problem, stopped))(t)
			s := fitted.Summary
			if s.Status.String() != c.status {
				t.Errorf("status %v", s.Status)
			}
			if len(s.Selected) != 6 || s.Cost < best.Cost*(1-1e-9) || s.Bound > best.Cost*(1+1e-9) || math.IsNaN(s.Gap) {
				t.Errorf("cost %v bound %v gap %v, optimum %v", s.Cost, s.Bound, s.Gap, best.Cost)
			}
			if len(fitted.Coefficients.(*estimate.RowMatrix).Values) != 80*6 {
				t.Error("no coefficients")
			}
		})
	}
}

// TestEventsTellTheWholeStory: they begin, end, and never contradict the result.
func TestEventsTellTheWholeStory(t *testing.T) {
	problem, _ := instance(t, small)
	var events []search.Event
	fitted := fit(t, problem, Settings{Model: spec.Paper, K: 4, Statistics: spec.Statistics{Gamma: 5}, OnEvent: func(e search.Event) { events = append(events, e) }})
	last := events[len(events)-1]
	if events[0].Kind != search.EventStart || last.Kind != search.EventDone {
		t.Errorf("from %v to %v", events[0].Kind, last.Kind)
	}
	if last.Cost != fitted.Summary.Cost || last.Bound != fitted.Summary.Bound || last.Passes != fitted.Summary.Passes {
		t.Errorf("last event %+v, summary %+v", last, fitted.Summary)
	}
}

// TestRemovalIsTheCostWithout: what is recorded for each selected feature is the
// cost of fitting the others alone.
func TestRemovalIsTheCostWithout(t *testing.T) {
	problem, _ := instance(t, small)
	for _, kind := range []spec.Kind{spec.Paper, spec.Pooled, spec.Full} {
		settings := meant(Settings{Model: kind, K: 3, Statistics: spec.Statistics{Gamma: 5, ColumnShrinkage: 2}})
		all := fit(t, problem, settings).Summary
		if len(all.Removal) != 3 {
			t.Fatalf("%v: %d removals", kind, len(all.Removal))
		}
		for x, r := range all.Removal {
			others := settings
			others.K = 2
			others.Always = slices.Delete(slices.Clone(all.Selected), x, x+1)
			want := fit(t, problem, others).Summary.Cost
			if r.Name != all.Selected[x] || math.Abs(r.Cost-want) > 1e-9*want || r.Cost < all.Cost {
				t.Errorf("%v without %s: %v, want %v", kind, r.Name, r.Cost, want)
			}
		}
	}
}

// TestFitsOfAlmostNothingAnswer: no row or column without entries, no selection of
// all features, gives an answer that is no number.
func TestFitsOfAlmostNothingAnswer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, m, p := rapid.IntRange(1, 5).Draw(rt, "rows"), rapid.IntRange(1, 5).Draw(rt, "columns"), rapid.IntRange(1, 3).Draw(rt, "p")
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, -2}), m*p, m*p).Draw(rt, "features")
		var entries []data.Entry
		for i := range n {
			for j := range m {
				if rapid.IntRange(0, 2).Draw(rt, "observed") == 0 {
					entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: rapid.Float64Range(1, 5).Draw(rt, "value")})
				}
			}
		}
		matrix := must.Get(data.NewMatrix(n, m, entries))(rt)
		names := func(prefix string, count int) (out []string) {
			for x := range count {
				out = append(out, prefix+string(rune('a'+x)))
			}
			return out
		}
		columns := names("c", m)
		fitted := must.Get(Fit(context.Background(), Problem{
			Ratings:  data.NewRatings(matrix, names("r", n), columns),
			Features: data.NewFeatures(columns, names("f", p), values),
		}, Settings{K: p, Model: rapid.SampledFrom([]spec.Kind{spec.Full, spec.Pooled, spec.Paper}).Draw(rt, "kind"), Limits: spec.Limits{Threads: 1}}))(rt)
		for _, row := range append(fitted.RowIDs, "nobody") {
			for _, column := range append(columns, "nothing") {
				if a := fitted.Answer(row, column); math.IsNaN(a.Value) || math.IsInf(a.Value, 0) {
					rt.Fatalf("%s, %s: %+v", row, column, a)
				}
			}
		}
	})
}

// TestBadSettingsAreExplained wants a SettingsError that names the culprit.
func TestBadSettingsAreExplained(t *testing.T) {
	problem, _ := instance(t, small)
	for want, change := range map[string]func(*Settings){
		"k is 0":                 func(s *Settings) { s.K = 0 },
		"only 20 features":       func(s *Settings) { s.K = 21 },
		"gamma is -1":            func(s *Settings) { s.Gamma = -1 },
		"gamma is NaN":           func(s *Settings) { s.Gamma = math.NaN() },
		"hold out is 1":          func(s *Settings) { s.Holdout = 1 },
		"gap is 2":               func(s *Settings) { s.Gap = 2 },
		`"f99", which is not`:    func(s *Settings) { s.Always = []string{"f99"} },
		"both always and never":  func(s *Settings) { s.Always, s.Never = []string{"f01"}, []string{"f01"} },
		"more than k = 4":        func(s *Settings) { s.Always = problem.Features.Names[:5] },
		"which leaves 3, fewer":  func(s *Settings) { s.Never = problem.Features.Names[:17] },
		"time limit is -1s, but": func(s *Settings) { s.TimeLimit = -time.Second },
	} {
		settings := Settings{Model: spec.Paper, K: 4}
		change(&settings)
		_, err := Fit(context.Background(), problem, settings)
		var bad *spec.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// heldOut tells for each entry in row-major order whether the settings hold it out.
func heldOut(m *data.Matrix, settings Settings) []bool {
	train, _ := evaluate.SplitMatrix(m, settings.Holdout, settings.Seed)
	n, _ := m.Dims()
	var held []bool
	for i := range n {
		all, _ := m.Row(i)
		kept, _ := train.Row(i)
		for _, c := range all {
			held = append(held, !slices.Contains(kept, c))
		}
	}
	return held
}
