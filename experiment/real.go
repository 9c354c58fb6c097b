package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"optcomplete"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// RealSettings say which cells a study of real data has.
type RealSettings struct {
	Models  []string // of ModelNames: compared with each other and with effects alone
	K       []int    // how many features, each
	Seeds   int      // how many, each with its own hold-out
	First   uint64   // the first of them; zero means 1
	Holdout float64  // part of the entries; zero means 0.2
	Folder  string   // where results are kept

	optcomplete.Limits // of each fit

	OnCell func(Cell, bool) // called for every cell, and whether it was there already; may be nil
}

// Models of a study beside those of package model.
const (
	Effects    = "effects"        // mean, row and column effects: in every study
	SoftImpute = "softimpute"     // effects and a matrix of low rank
	IMC        = "imc"            // effects and inductive matrix completion, with all features
	Remainder  = "full+remainder" // full, with the other features and unnamed traits
)

// ModelNames are what a study can compare.
var ModelNames = []string{spec.Full.String(), Remainder, spec.Pooled.String(), spec.Paper.String(), SoftImpute, IMC}

// baselines need no k.
var baselines = map[string]optcomplete.Method{SoftImpute: optcomplete.SoftImpute{}, IMC: optcomplete.IMC{}}

// Cell is one line of the study.
type Cell struct {
	Model    string         `json:"model"` // one of ModelNames, or effects
	K        int            `json:"k"`     // 0 for a baseline
	Seed     uint64         `json:"seed"`
	Holdout  result.Metrics `json:"holdout"`
	Train    result.Metrics `json:"train"`
	Ratio    float64        `json:"ratio"` // RMSE on the hold-out ÷ that of effects alone
	Gamma    float64        `json:"gamma,omitempty"`
	Row      float64        `json:"row_shrinkage,omitempty"`
	Column   float64        `json:"column_shrinkage,omitempty"`
	Gap      float64        `json:"gap"`
	Status   string         `json:"status,omitempty"`
	Selected []string       `json:"selected,omitempty"`
	Rank     int            `json:"rank,omitempty"`  // of the part without names
	Share    float64        `json:"share,omitempty"` // of the training values' variance that the part without names carries
	// Coverage tells how many held-out entries lie in their intervals, where there are any.
	Coverage []result.Coverage `json:"coverage,omitempty"`
	Seconds  CellSeconds       `json:"seconds"`
	Trace    []TracePoint      `json:"trace,omitempty"`
}

// CellSeconds is where the wall time of a cell went.
type CellSeconds struct {
	Choose float64 `json:"choose"` // γ and shrinkage, by validation
	Search float64 `json:"search"` // selection and proof
	Refit  float64 `json:"refit"`  // coefficients of all rows, and scoring
}

// TracePoint is a moment of a search.
type TracePoint struct {
	Seconds float64 `json:"seconds"`
	Cost    float64 `json:"cost"`
	Bound   float64 `json:"bound"`
	Gap     float64 `json:"gap"`
}

// Problems gives the data as a model wants them: the paper's takes features as
// they are given. All must have the same rows, columns and entries.
type Problems func(kind spec.Kind) (optcomplete.Problem, error)

// Real runs the study, and writes its table after every seed. It returns the
// cells that are done; if the context is cancelled, with its error.
func Real(ctx context.Context, problems Problems, s RealSettings) ([]Cell, error) {
	if s.Holdout == 0 {
		s.Holdout = 0.2
	}
	problem, err := problems(spec.Full)
	if err != nil {
		return nil, err
	}
	store, err := openStore[Cell](s.Folder, headOf(problem, s))
	if err != nil {
		return nil, err
	}
	defer store.close()
	var cells []Cell
	first := max(s.First, 1)
	for seed := first; seed < first+uint64(s.Seeds); seed++ {
		base := 0.0
		for _, plan := range s.plan(seed) {
			cell, have := find(store.cells, plan)
			if !have {
				if cell, err = s.run(ctx, problems, plan); err != nil {
					return cells, err
				}
				if plan.Model != Effects && base > 0 {
					cell.Ratio = cell.Holdout.RMSE / base
				}
				if err := store.add(cell); err != nil {
					return cells, err
				}
			}
			if plan.Model == Effects {
				base = cell.Holdout.RMSE
			}
			cells = append(cells, cell)
			if s.OnCell != nil {
				s.OnCell(cell, have)
			}
		}
		if err := write(s.Folder, store.head, cells); err != nil {
			return cells, err
		}
	}
	return cells, nil
}

// plan lists the cells of a seed: effects first, which the others are measured
// against.
func (s *RealSettings) plan(seed uint64) []Cell {
	cells := []Cell{{Model: Effects, Seed: seed}}
	for _, name := range s.Models {
		if _, is := baselines[name]; is {
			cells = append(cells, Cell{Model: name, Seed: seed})
		}
	}
	for _, k := range s.K {
		for _, name := range s.Models {
			if _, is := baselines[name]; !is {
				cells = append(cells, Cell{Model: name, K: k, Seed: seed})
			}
		}
	}
	return cells
}

// find looks up a cell that is done.
func find(cells []Cell, plan Cell) (Cell, bool) {
	for _, c := range cells {
		if c.Model == plan.Model && c.K == plan.K && c.Seed == plan.Seed {
			return c, true
		}
	}
	return plan, false
}

// run computes one cell.
func (s *RealSettings) run(ctx context.Context, problems Problems, plan Cell) (Cell, error) {
	if plan.Model == Effects {
		problem, err := problems(spec.Full)
		if err != nil {
			return plan, err
		}
		return s.effects(ctx, problem.Ratings.Source(), plan)
	}
	settings := optcomplete.Settings{
		K:          plan.K,
		Statistics: optcomplete.Statistics{Holdout: s.Holdout, Seed: plan.Seed},
		Limits:     s.Limits,
	}
	if method, is := baselines[plan.Model]; is {
		settings.Method, settings.TimeLimit = method, 0 // which they do not have
	} else {
		var err error
		settings.NearTies = -1
		if plan.Model == Remainder {
			settings.ResidualRank = optcomplete.AutoRank
		} else if settings.Model, err = spec.ParseKind(plan.Model); err != nil {
			return plan, err
		}
	}
	problem, err := problems(settings.Model)
	if err != nil {
		return plan, err
	}
	t := &tracer{}
	settings.OnEvent = t.event
	fitted, err := optcomplete.Fit(ctx, problem, settings)
	if err != nil {
		return plan, fmt.Errorf("%s with k = %d, seed %d: %w", plan.Model, plan.K, plan.Seed, err)
	}
	if err := ctx.Err(); err != nil {
		return plan, err // what an interrupted search found is no result of the study
	}
	sum := &fitted.Summary
	plan.Holdout, plan.Train = *sum.Holdout, sum.Train
	plan.Gamma, plan.Row, plan.Column = sum.Gamma, sum.RowShrinkage, sum.ColumnShrinkage
	plan.Gap, plan.Status, plan.Selected, plan.Trace = sum.Gap, sum.Status.String(), sum.Selected, t.points
	if fitted.Remainder != nil {
		plan.Rank = fitted.Remainder.Rank + fitted.Remainder.Company
	}
	plan.Coverage = sum.Coverage
	if sum.Variance != nil {
		plan.Share = sum.Variance.Remainder
	}
	plan.Seconds = CellSeconds{
		Choose: sum.Seconds.Choose, Search: sum.Seconds.Select + sum.Seconds.Certify - sum.Seconds.Choose, Refit: sum.Seconds.Complete,
	}
	return plan, nil
}

// effects fits mean, row and column effects alone, with the shrinkage that
// validation within the training entries likes best, and keeps predictions in
// the range of the training values, as the models do.
func (s *RealSettings) effects(ctx context.Context, entries data.Source, plan Cell) (Cell, error) {
	train, held, err := evaluate.Split(ctx, entries, s.Holdout, plan.Seed, s.Threads)
	if err != nil {
		return plan, err
	}
	start := time.Now()
	if plan.Row, plan.Column, err = evaluate.ChooseShrinkage(ctx, train, s.Threads); err != nil {
		return plan, err
	}
	plan.Seconds.Choose = time.Since(start).Seconds()
	start = time.Now()
	effects, err := estimate.FitEffects(ctx, train, plan.Row, plan.Column, s.Threads)
	if err != nil {
		return plan, err
	}
	survey, err := pass.Survey(ctx, train, s.Threads)
	if err != nil {
		return plan, err
	}
	by := evaluate.Clipped{By: effects, Low: survey.Low, High: survey.High}
	if plan.Holdout, err = evaluate.Score(ctx, held, by, s.Threads); err != nil {
		return plan, err
	}
	if plan.Train, err = evaluate.Score(ctx, train, by, s.Threads); err != nil {
		return plan, err
	}
	plan.Ratio = 1
	plan.Seconds.Refit = time.Since(start).Seconds()
	return plan, nil
}

// tracer keeps the moments at which a search got further.
type tracer struct{ points []TracePoint }

func (t *tracer) event(e search.Event) {
	if math.IsInf(e.Cost, 0) || math.IsInf(e.Bound, 0) || math.IsNaN(e.Gap) {
		return
	}
	if last := len(t.points) - 1; last >= 0 && e.Kind != search.EventDone {
		// A hundredth of the gap is all that a plot can show.
		if before := t.points[last].Gap; e.Gap > 0.99*before && e.Gap <= before {
			return
		}
	}
	t.points = append(t.points, TracePoint{e.Elapsed.Seconds(), e.Cost, e.Bound, e.Gap})
}
