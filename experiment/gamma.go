package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/cputime"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/progress"
	"optcomplete/spec"
)

// GammaSettings say how the choice of γ is judged.
type GammaSettings struct {
	Seeds     int
	First     uint64 // the first seed; zero means 1
	Grid      bool   // compare with a grid of γ; else only costs are measured
	Repeats   int    // fits of which the processor times are added; zero means 1
	OnGridded func(gamma, rmse float64, selected []string, cpu time.Duration)
	OnCell    func(GammaCell)

	optcomplete.Limits // of each search
}

// GammaSet is data to choose γ on.
type GammaSet struct {
	Name string
	K    int
	Kind spec.Kind
	// Load gives what to fit for a seed and what to score on; nil: a part of the
	// entries is held out for each seed.
	Load func(ctx context.Context, seed uint64) (optcomplete.Problem, *data.Matrix, error)
}

// GammaCell is what came of one set and seed.
type GammaCell struct {
	Set         string
	K           int
	Seed        uint64
	Gamma       float64 // chosen
	Row, Column float64 // shrinkages chosen
	RMSE        float64 // of its predictions for entries that nothing was chosen on
	Gap         float64
	Best, Least float64       // the γ of the grid with the least such error, and that
	Choose, Fit time.Duration // processor time of the choice, and of the search, coefficients and scores of a fit with all given
	Path        string        // γ tried
}

// The grid goes gridSteps steps of a factor gridStep down and up from the chosen γ.
const (
	gridStep  = 0.25 // decades
	gridSteps = 4
)

// Gamma fits every set with γ chosen, and then with each γ of a grid around it and
// the same shrinkages, and compares the errors for entries that neither saw. It
// also tells what the choice cost beside a fit with γ and the shrinkages given, which
// has to find its selection itself.
func Gamma(ctx context.Context, sets []GammaSet, s GammaSettings) ([]GammaCell, error) {
	var cells []GammaCell
	first := max(s.First, 1)
	for _, set := range sets {
		for seed := first; seed < first+uint64(s.Seeds); seed++ {
			cell, err := s.cell(ctx, set, seed)
			if err != nil {
				return cells, fmt.Errorf("%s, k = %d, seed %d: %w", set.Name, set.K, seed, err)
			}
			cells = append(cells, cell)
			if s.OnCell != nil {
				s.OnCell(cell)
			}
		}
	}
	return cells, nil
}

// cell is one set and seed.
func (s *GammaSettings) cell(ctx context.Context, set GammaSet, seed uint64) (GammaCell, error) {
	cell := GammaCell{Set: set.Name, K: set.K, Seed: seed}
	problem, held, err := set.Load(ctx, seed)
	if err != nil {
		return cell, err
	}
	settings := optcomplete.Settings{
		K: set.K, Model: set.Kind,
		Statistics: optcomplete.Statistics{Seed: seed},
		Limits:     s.Limits,
	}
	settings.NearTies = -1
	if held == nil {
		settings.Holdout = netflixHoldout
	}
	for range max(s.Repeats, 1) {
		chosen, other := &stages{}, &stages{}
		fitted, rmse, err := s.fit(progress.NewContext(ctx, chosen), problem, held, settings)
		if err != nil {
			return cell, err
		}
		sum := &fitted.Summary
		cell.Gamma, cell.Row, cell.Column, cell.RMSE, cell.Gap = sum.Gamma, sum.RowShrinkage, sum.ColumnShrinkage, rmse, sum.Gap
		given := settings
		given.Gamma, given.RowShrinkage, given.ColumnShrinkage = cell.Gamma, cell.Row, cell.Column
		if _, _, err := s.fit(progress.NewContext(ctx, other), problem, held, given); err != nil {
			return cell, err
		}
		cell.Choose += max(chosen.prepared()-other.prepared(), 0) // less what any fit does first
		cell.Fit += other.at["Comparing with simpler predictions"] - other.at[preparing]
		cell.Path = ""
		for _, p := range sum.GammaPath {
			cell.Path += fmt.Sprintf("%.3g:%.5f ", p.Gamma, p.RMSE)
		}
	}
	cell.Best, cell.Least = cell.Gamma, cell.RMSE
	if !s.Grid {
		return cell, nil
	}
	settings.RowShrinkage, settings.ColumnShrinkage = cell.Row, cell.Column
	for step := -gridSteps; step <= gridSteps; step++ {
		if settings.Gamma = gammapath.Round(cell.Gamma * math.Pow(10, float64(step)*gridStep)); step == 0 {
			continue
		}
		before := cputime.Now()
		fitted, rmse, err := s.fit(ctx, problem, held, settings)
		if err != nil {
			return cell, err
		}
		if s.OnGridded != nil {
			s.OnGridded(settings.Gamma, rmse, fitted.Summary.Selected, cputime.Now()-before)
		}
		if rmse < cell.Least {
			cell.Best, cell.Least = settings.Gamma, rmse
		}
	}
	return cell, nil
}

// fit fits and scores.
func (s *GammaSettings) fit(ctx context.Context, problem optcomplete.Problem, held *data.Matrix, settings optcomplete.Settings) (*optcomplete.Model, float64, error) {
	fitted, err := optcomplete.Fit(ctx, problem, settings)
	if err != nil {
		return nil, 0, err
	}
	defer fitted.Close()
	if err := ctx.Err(); err != nil {
		return nil, 0, err // what an interrupted search found is no result of the study
	}
	if held == nil {
		return fitted, fitted.Summary.Holdout.RMSE, nil
	}
	score, err := evaluate.Score(ctx, held, fitted, s.Threads)
	return fitted, score.RMSE, err
}

// stages is a reporter that keeps the processor time at which each stage of a fit
// began.
type stages struct {
	mutex sync.Mutex
	first time.Duration
	at    map[string]time.Duration
}

// preparing is the stage after the choice.
const preparing = "Preparing the search"

// prepared is the time until the search is prepared.
func (s *stages) prepared() time.Duration { return s.at[preparing] - s.first }

// Start begins a stage.
func (s *stages) Start(label string, _ int64, _ string) progress.Task {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := cputime.Now()
	if s.at == nil {
		s.at, s.first = map[string]time.Duration{}, now
	}
	if _, has := s.at[label]; !has {
		s.at[label] = now
	}
	return progress.None{}
}

// GammaTable is the cells as Markdown.
func GammaTable(cells []GammaCell) string {
	var out strings.Builder
	out.WriteString("| data | k | seed | γ chosen | test RMSE | best γ of the grid | its RMSE | ratio | choosing, processor s | fit with all given, processor s | ratio |\n")
	out.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range cells {
		fmt.Fprintf(&out, "| %s | %d | %d | %g | %.5f | %g | %.5f | %.5f | %.3f | %.3f | %.2f |\n", c.Set, c.K, c.Seed, c.Gamma, c.RMSE, c.Best, c.Least,
			c.RMSE/c.Least, c.Choose.Seconds(), c.Fit.Seconds(), c.Choose.Seconds()/c.Fit.Seconds())
	}
	return out.String()
}

// generatedSets are the rows of the paper's tables that γ is judged on: of its
// synthetic matrices with its model, of Netflix-shaped ratings with the full one.
var generatedSets = map[string]Shape{
	"paper-100":     {Rows: 100, Columns: 100, Features: 50, K: 5, Missing: 0.5},
	"paper-100-95":  {Rows: 100, Columns: 100, Features: 15, K: 5, Missing: 0.95},
	"paper-1000":    {Rows: 1000, Columns: 1000, Features: 50, K: 5, Missing: 0.95},
	"paper-10000":   {Rows: 10000, Columns: 1000, Features: 100, K: 5, Missing: 0.95},
	"netflix-3923":  {Netflix: true, Rows: 3923, Columns: 103, Features: 59},
	"netflix-18227": {Netflix: true, Rows: 18227, Columns: 323, Features: 59},
	"netflix-96601": {Netflix: true, Rows: 96601, Columns: 788, Features: 59},
}

// GammaSetNames lists the generated sets.
func GammaSetNames() []string {
	var names []string
	for name := range generatedSets {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// GeneratedSets are those of a name: of ratings one for each k, of the paper's
// matrices one with its own.
func GeneratedSets(name string, ks []int, threads int) ([]GammaSet, error) {
	shape, ok := generatedSets[name]
	if !ok {
		return nil, fmt.Errorf("%q is not a generated set: they are %s", name, strings.Join(GammaSetNames(), ", "))
	}
	kind := spec.Paper
	if shape.Netflix {
		kind = spec.Full
		for _, p := range Panels() {
			for _, r := range p.Rows {
				if r.Netflix && r.Rows == shape.Rows && r.Columns == shape.Columns {
					shape.Missing = r.Missing
				}
			}
		}
	} else {
		ks = []int{shape.K}
	}
	var sets []GammaSet
	for _, k := range ks {
		at := shape
		at.K = k
		sets = append(sets, GammaSet{Name: name, K: k, Kind: kind, Load: func(ctx context.Context, seed uint64) (optcomplete.Problem, *data.Matrix, error) {
			t, err := (&paperRun{PaperSettings: PaperSettings{Test: defaultTest, Threads: threads, Memory: math.MaxInt64}}).trial(at, seed)
			if err != nil {
				return optcomplete.Problem{}, nil, err
			}
			problem, err := t.asGiven(ctx)
			return problem, t.noisy, err
		}})
	}
	return sets, nil
}
