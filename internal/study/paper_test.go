package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"optcomplete"
	"optcomplete/evaluate"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/spec"
)

// The panels are as long as the paper's, and their figures those of a second
// reading of its tables, summed by column.
func TestPanelsAreThePapers(t *testing.T) {
	var lengths []int
	sums := map[string]float64{}
	for _, p := range Panels() {
		lengths = append(lengths, len(p.Rows))
		for _, r := range p.Rows {
			for name, v := range map[string]float64{
				"oc": r.OptComplete.Seconds, "oc%": r.OptComplete.MAPE, "cp": r.CutPlanes.Seconds, "cp%": r.CutPlanes.MAPE,
				"imc": r.IMC.Seconds, "imc%": r.IMC.MAPE, "sials": r.SIALS.Seconds, "sials%": r.SIALS.MAPE,
			} {
				sums[p.Name[:1]+name] += v
			}
			if r.Netflix != (p.Name == "netflix") || r.K > r.Features || r.Missing < 0.2 || r.Missing > 0.99 {
				t.Errorf("%s: %+v", p.Name, r)
			}
		}
	}
	if !slices.Equal(lengths, []int{4, 4, 4, 4, 4, 8, 10}) {
		t.Errorf("the panels have %v rows", lengths)
	}
	for name, want := range map[string]float64{
		"koc": 2 + 20.7 + 240 + 980, "kcp": 18 + 130 + 1584 + 8461, "poc": 0.9 + 2 + 12.1 + 90.3, "pcp": 4.5 + 18 + 95.9 + 680,
		"loc": 0.2 + 1.4 + 5.7 + 52 + 98 + 480 + 680 + 1415, "lsials": 0.12 + 2.8 + 20.7 + 420 + 4042 + 25094, "limc%": 12.1 + 4.7 + 2.5 + 1.7 + 0.5 + 0.3,
		"moc": (1.7 + 0.9 + 0.6 + 0.2) + (0.9 + 0.7 + 1.2 + 3), // mu and m
	} {
		if math.Abs(sums[name]-want) > 1e-9 {
			t.Errorf("%s sums to %v, want %v", name, sums[name], want)
		}
	}
	if _, err := panelsOf("n,q"); err == nil {
		t.Error("panel q was found")
	}
}

// tinyPanel is along n, small enough for a test.
func tinyPanel() Panel {
	panel := Panels()[1]
	panel.Rows = panel.Rows[:2]
	for i := range panel.Rows {
		panel.Rows[i].Shape = Shape{Rows: 30 + 30*i, Columns: 30, Features: 8, K: 2, Missing: 0.5}
	}
	return panel
}

var timeless = cmp.Options{cmpopts.IgnoreFields(cell{}, "Seconds", "Memory", "Trace"), cmpopts.EquateEmpty()}

// newPaper is a study of the panels with the methods.
func newPaper(t *testing.T, names string, panels ...Panel) *paper {
	t.Helper()
	methods := must.Get(methodsOf(names))(t)
	return &paper{study: &study{methods: methods, seeds: 1, first: 1, folder: t.TempDir()}, panels: panels, Test: 1000}
}

// cells runs a study and gives its cells.
func (p *paper) all(ctx context.Context) (cells []cell, err error) {
	before := p.onCell
	p.onCell = func(c cell, have bool) {
		cells = append(cells, c)
		if before != nil {
			before(c, have)
		}
	}
	return cells, p.run(ctx)
}

// TestPaperResumes: an interrupted run, gone on with, is the run in one go; what
// was done is not done again, and rows that two panels share are done once.
func TestPaperResumes(t *testing.T) {
	panel := tinyPanel()
	const names = "certified,optcomplete,cutplanes"
	p := newPaper(t, names, panel)
	p.seeds = 2
	want, err := p.all(t.Context())
	if err != nil || len(want) != 2*2*4 {
		t.Fatalf("%d cells, %v", len(want), err)
	}
	for _, c := range want {
		if c.Method != "optcomplete" && (c.Found != 2 || math.Abs(c.Ratio-1) > 1e-9) || c.Holdout.MAPE.Value <= c.CleanMAPE || c.Memory <= 0 || c.Seconds.Total <= 0 {
			t.Errorf("%+v", c)
		}
		if proves := c.Method == "certified" || c.Method == "cutplanes"; c.Bounded != proves || proves && (c.Gap > 1e-9 || c.Status != "optimal" || c.Cuts == 0) {
			t.Errorf("%+v", c)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	p = newPaper(t, names, panel)
	p.seeds = 2
	folder, done := p.folder, 0
	p.onCell = func(cell, bool) {
		if done++; done == 6 {
			cancel()
		}
	}
	if cells, err := p.all(ctx); !errors.Is(err, context.Canceled) || len(cells) != 6 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	again := 0
	other := panel
	other.Name, other.Rows = "mu", panel.Rows[:1]
	p = newPaper(t, names, panel, other)
	p.seeds, p.folder = 2, folder
	p.onCell = func(_ cell, have bool) {
		if !have {
			again++
		}
	}
	got := must.Get(p.all(t.Context()))(t)
	if again != len(want)-6 {
		t.Errorf("%d of %d cells were computed again", again, len(want))
	}
	if d := cmp.Diff(append(want, want[:8]...), got, timeless); d != "" {
		t.Error(d)
	}
	text := string(must.Get(os.ReadFile(filepath.Join(folder, panel.file("md"))))(t))
	for _, part := range []string{"| certified | 2 |", "*paper: CutPlanes*", "*72.5*", "2 of 2", "| cutplanes |", "O(√n·log n)"} {
		if !strings.Contains(text, part) || strings.Contains(text, "NaN") {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	if text := must.Get(os.ReadFile(filepath.Join(folder, panel.file("svg"))))(t); len(text) == 0 || strings.Contains(string(text), "NaN") {
		t.Errorf("the plot is\n%s", text)
	}
	p = newPaper(t, names, panel)
	p.folder, p.Gamma = folder, 10
	if err := p.run(t.Context()); err == nil || !strings.Contains(err.Error(), "use another folder") {
		t.Errorf("another γ in the same folder: %v", err)
	}
}

// TestPaperOnRatings: the Netflix-shaped rows are scored on what is withheld.
func TestPaperOnRatings(t *testing.T) {
	panel := must.Get(panelsOf("netflix"))(t)[0]
	panel.Rows = panel.Rows[:1]
	panel.Rows[0].Shape = Shape{Netflix: true, Rows: 300, Columns: 60, Features: 59, K: 3, Missing: 0.8}
	p := newPaper(t, "certified", panel)
	p.Gamma, p.TimeLimit, p.Test = 1, 2*time.Second, 200
	cells, err := p.all(t.Context())
	if err != nil || len(cells) != 2 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	for _, c := range cells {
		if c.CleanMAPE <= 0 || c.CleanMAPE >= c.Holdout.MAPE.Value || c.Observed < 2000 || c.Observed > 3700 {
			t.Errorf("%+v", c)
		}
	}
}

// TestFilmFeaturesAreGivenAsToFit: encoded to one unit and without the constant,
// for the methods that the command line would run so.
func TestFilmFeaturesAreGivenAsToFit(t *testing.T) {
	p := newPaper(t, "certified")
	shape := Shape{Netflix: true, Rows: 100, Columns: 200, Features: 59, K: 3, Missing: 0.8}
	made := must.Get(p.trial(shape, 1))(t)
	asMade := must.Get(made.problem(spec.Paper))(t)
	given := must.Get(made.problem(spec.Full))(t)
	if slices.Contains(given.Features.Names, "Constant") || given.Encoding == nil || given.Ratings != asMade.Ratings {
		t.Errorf("features %q, encoding %v", given.Features.Names, given.Encoding)
	}
	items, features := given.Features.Dims()
	for f := range features {
		var sum, squares float64
		for j := range items {
			v := given.Features.Row(j)[f]
			sum += v
			squares += v * v
		}
		if mean, square := sum/float64(items), squares/float64(items); math.Abs(mean) > 1e-9 || math.Abs(square-1) > 0.02 {
			t.Errorf("%s: mean %v, mean square %v", given.Features.Names[f], mean, square)
		}
	}
	shape.Netflix = false
	made = must.Get(p.trial(shape, 1))(t)
	if must.Get(made.problem(spec.Full))(t).Features != must.Get(made.problem(spec.Paper))(t).Features {
		t.Error("synthetic features are not as they were made")
	}
}

// TestThePapersMethodSelectsTheTruth: the γ that is learned suits the paper's method too.
func TestThePapersMethodSelectsTheTruth(t *testing.T) {
	p := newPaper(t, "certified")
	made := must.Get(p.trial(Shape{Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.2}, 2))(t)
	gamma := must.Get(made.gammaOf(t.Context(), 5))(t)
	c := cell{}
	c.K = 5
	s := optcomplete.Settings{Model: spec.Paper, Method: optcomplete.OptComplete{}}
	s.Gamma = gamma
	if _, err := made.fit(t.Context(), &c, s); err != nil || !slices.Equal(c.Selected, made.truth) {
		t.Errorf("at γ %v it selects %v, %v", gamma, c.Selected, err)
	}
}

// TestGeneratedRowsGiveTheSame: entries made at every reading are those in memory.
func TestGeneratedRowsGiveTheSame(t *testing.T) {
	panel := tinyPanel()
	panel.Rows = panel.Rows[:1]
	all, rest := memoryFor(panel.Rows[0].Shape)
	const names = "certified,optcomplete,cutplanes,full,full+remainder,imc,softimpute,effects"
	p := newPaper(t, names, panel)
	p.Memory = all
	want := must.Get(p.all(t.Context()))(t)
	p = newPaper(t, names, panel)
	p.Memory = (all + rest) / 2
	got := must.Get(p.all(t.Context()))(t)
	for i := range want {
		if want[i].Generated || !got[i].Generated {
			t.Errorf("generated: %v, then %v", want[i].Generated, got[i].Generated)
		}
	}
	if d := cmp.Diff(want, got, timeless, cmpopts.IgnoreFields(cell{}, "Generated")); d != "" {
		t.Error(d)
	}
	p.folder, p.TimeLimit = t.TempDir(), time.Microsecond
	if got := must.Get(p.all(t.Context()))(t); len(got) != 0 || !strings.Contains(p.table(panel, []cell{{Data: panel.Rows[0].String(), Skipped: p.misfit(panel.Rows[0].Shape)}}), "would take") {
		t.Errorf("%+v", got)
	}
}

// TestPaperSkips says so: where memory is short, and where a method is not done
// in time, whose other seeds are not tried.
func TestPaperSkips(t *testing.T) {
	panel := tinyPanel()
	p := newPaper(t, "certified", panel)
	p.Memory = 1000
	if cells := must.Get(p.all(t.Context()))(t); len(cells) != 0 || !strings.Contains(p.misfit(panel.Rows[0].Shape), "memory") {
		t.Errorf("%+v", cells)
	}
	nothing := testkit.Predict(func(int, []int32, []float64) {})
	slow := method{name: "slow", limits: 1, fit: func(ctx context.Context, t *trial, c *cell) (evaluate.Predictor, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	endless := method{name: "endless", fit: func(_ context.Context, _ *trial, c *cell) (evaluate.Predictor, error) {
		c.Status = "time_limit"
		return nothing, nil
	}}
	lasting := method{name: "lasting", limits: 2, fit: func(ctx context.Context, _ *trial, _ *cell) (evaluate.Predictor, error) {
		<-ctx.Done() // the best so far, as after an interrupt
		return nothing, nil
	}}
	p = newPaper(t, "certified", panel)
	p.methods, p.TimeLimit, p.seeds = []method{slow, lasting}, 20*time.Millisecond, 2
	cells, err := p.all(t.Context())
	if err != nil || len(cells) != 12 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	for _, c := range cells {
		if (c.Method != "oracle") != (c.Skipped != "") {
			t.Errorf("%+v", c)
		}
	}
	text := string(must.Get(os.ReadFile(filepath.Join(p.folder, panel.file("md"))))(t))
	if !strings.Contains(text, "| slow | skipped: not done in 20ms") || !strings.Contains(text, "| lasting | skipped: not done in 40ms") {
		t.Errorf("the table does not say what is skipped:\n%s", text)
	}
	panel.Rows = panel.Rows[:1]
	p = newPaper(t, "certified", panel)
	p.methods, p.seeds = []method{endless}, 5
	tried := 0
	for _, c := range must.Get(p.all(t.Context()))(t) {
		if c.Method == "endless" && c.Skipped == "" {
			tried++
		}
	}
	if tried != hopeless {
		t.Errorf("a search without end was tried on %d seeds", tried)
	}
	if _, err := methodsOf("certified,nothing"); err == nil {
		t.Error("a method of no name was found")
	}
}

func TestSlopeIsThePower(t *testing.T) {
	var points []place
	for _, x := range []float64{1, 10, 100, 1000} {
		points = append(points, place{x, 0.3 * math.Pow(x, 1.5)})
	}
	if s, ok := slope(points); !ok || math.Abs(s-1.5) > 1e-12 {
		t.Errorf("the slope is %v", s)
	}
	if _, ok := slope(points[:1]); ok {
		t.Error("one point has a slope")
	}
	panel := Panels()[1]
	if s, ok := slope(theirCurve(panel, "cutplanes")); !ok || s < 1.05 || s > 1.2 {
		t.Errorf("the paper's CutPlanes grows with the power %v of n", s)
	}
}
