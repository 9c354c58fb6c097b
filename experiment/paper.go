package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"optcomplete"
	"optcomplete/internal/memory"
)

// PaperSettings say which of the paper's experiments to run, and how.
type PaperSettings struct {
	Panels    []Panel
	Methods   []string // names of MethodNames; the oracle runs in any case
	Seeds     int      // 1..Seeds, each with data of its own; the paper has 10
	Gamma     float64  // zero: tuned on a fifth of the training entries, as in the paper
	TimeLimit time.Duration
	// Memory is how many bytes a row may take; zero: half of what is free.
	Memory  int64
	Solver  string // of the paper's masters; empty: embedded
	Test    int    // missing entries to score on, at most; zero means 100,000
	Threads int
	Folder  string // where results are kept

	OnCell func(PaperCell, bool) // called for every cell, and whether it was there already; may be nil
}

// PaperHead says what must be equal for results to stand in one folder.
type PaperHead struct {
	Study   string  `json:"study"`
	Gamma   float64 `json:"gamma"` // 0: tuned
	Test    int     `json:"test"`
	Solver  string  `json:"solver"`
	Threads int     `json:"threads"`
	Version string  `json:"version"`
}

// PaperCell is what a method did on the data of one seed.
type PaperCell struct {
	Shape
	Method   string  `json:"method"`
	Seed     uint64  `json:"seed"`
	Limit    float64 `json:"limit"`             // seconds it had; 0: any
	Skipped  string  `json:"skipped,omitempty"` // why there is no result
	Observed int     `json:"observed"`          // training entries
	// Generated: they were made anew at every reading, not kept in memory.
	Generated bool `json:"generated,omitempty"`

	MAPE       float64 `json:"mape"`        // against the noisy values, a fraction
	CleanMAPE  float64 `json:"clean_mape"`  // against those without noise
	Ratio      float64 `json:"ratio"`       // of MAPE to the oracle's on the same data
	CleanRatio float64 `json:"clean_ratio"` // of CleanMAPE

	Selects  bool     `json:"selects"` // it selects features; else the next are empty
	Found    int      `json:"found"`   // true features among the selected
	Selected []string `json:"selected,omitempty"`
	Gamma    float64  `json:"gamma,omitempty"`
	Bounded  bool     `json:"bounded"` // it proves a gap
	Gap      float64  `json:"gap"`
	Cuts     int      `json:"cuts"`
	Nodes    int      `json:"nodes"`
	Passes   int      `json:"passes"`
	Status   string   `json:"status,omitempty"`

	Memory  int64        `json:"memory"` // bytes at the peak, the data included
	Seconds PaperSeconds `json:"seconds"`
}

// PaperSeconds is the wall time of a cell.
type PaperSeconds struct {
	Choose float64 `json:"choose"` // γ or other parameters, by validation
	Search float64 `json:"search"` // selection and proof, or the fit of a method without one
	Total  float64 `json:"total"`  // with the coefficients of all rows
}

// defaultTest is how many missing entries a method is scored on.
const defaultTest = 100_000

// Paper runs the experiments, and writes their tables after every row. It
// returns the cells of the panels that are done; if the context is cancelled,
// with its error.
func Paper(ctx context.Context, s PaperSettings) ([]PaperCell, error) {
	if s.Test == 0 {
		s.Test = defaultTest
	}
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	if s.Memory == 0 {
		s.Memory = memory.Free() / 2
	}
	head := PaperHead{Study: "paper", Gamma: s.Gamma, Test: s.Test, Solver: s.Solver, Threads: s.Threads, Version: optcomplete.Version}
	store, err := openStore[PaperCell](s.Folder, head)
	if err != nil {
		return nil, err
	}
	defer store.close()
	run := &paperRun{PaperSettings: s, store: store}
	for _, name := range s.Methods {
		m, err := methodOf(name)
		if err != nil {
			return nil, err
		}
		run.methods = append(run.methods, m)
	}
	var all []PaperCell
	for _, panel := range s.Panels {
		var cells []PaperCell
		for _, row := range panel.Rows {
			done, err := run.row(ctx, row.Shape)
			cells, all = append(cells, done...), append(all, done...)
			if err := errors.Join(err, writePaper(s.Folder, head, panel, cells)); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// paperRun is a run of Paper.
type paperRun struct {
	PaperSettings
	methods []method
	store   *store[PaperHead, PaperCell]
}

// row runs all seeds and methods on a row.
func (r *paperRun) row(ctx context.Context, shape Shape) ([]PaperCell, error) {
	var cells []PaperCell
	report := func(cell PaperCell, have bool) {
		cells = append(cells, cell)
		if r.OnCell != nil {
			r.OnCell(cell, have)
		}
	}
	if why := r.misfit(shape); why != "" {
		report(PaperCell{Shape: shape, Method: oracleName, Seed: 1, Skipped: why}, false)
		return cells, nil
	}
	for seed := uint64(1); seed <= uint64(r.Seeds); seed++ {
		var t *trial // made when a method needs it
		var oracle PaperCell
		for _, m := range append([]method{oracleMethod}, r.methods...) {
			if m.name == oracleName && oracle.Method != "" {
				continue
			}
			plan := PaperCell{Shape: shape, Method: m.name, Seed: seed, Limit: r.TimeLimit.Seconds()}
			cell, have := r.find(plan)
			if !have {
				if plan.Skipped = r.spared(plan); plan.Skipped != "" {
					report(plan, false)
					continue
				}
				var err error
				if t == nil {
					if t, err = r.trial(shape, seed); err != nil {
						return cells, err
					}
				}
				if cell, err = r.cell(ctx, t, m, plan); err != nil {
					return cells, err
				}
				against := oracle
				if m.name == oracleName {
					against = cell
				}
				if cell.Skipped == "" && against.Skipped == "" {
					cell.Ratio, cell.CleanRatio = ratioOf(cell.MAPE, against.MAPE), ratioOf(cell.CleanMAPE, against.CleanMAPE)
				}
				if err := r.store.add(cell); err != nil {
					return cells, err
				}
			}
			if m.name == oracleName {
				oracle = cell
			}
			report(cell, have)
		}
	}
	return cells, nil
}

// ratioOf is a/b, and 1 where there is no error at all.
func ratioOf(a, b float64) float64 {
	if b == 0 && a == 0 {
		return 1
	}
	return a / max(b, 1e-300)
}

// find looks up a cell that is done. One that was not done in time is only as
// good as its limit.
func (r *paperRun) find(plan PaperCell) (PaperCell, bool) {
	for _, c := range slices.Backward(r.store.cells) {
		same := c.Shape == plan.Shape && c.Method == plan.Method && c.Seed == plan.Seed
		if same && (c.Limit == plan.Limit || !c.cutShort()) {
			return c, true
		}
	}
	return plan, false
}

// cutShort tells whether another limit would have given another result.
func (c *PaperCell) cutShort() bool { return c.Skipped != "" || c.Status == "time_limit" }

// hopeless is on how many seeds a search must meet its limit, and none end, for
// the others to be spared.
const hopeless = 3

// spared says why a method need not be tried on a seed; empty: it must be.
func (r *paperRun) spared(plan PaperCell) string {
	stopped, ended := 0, 0
	for _, c := range r.store.cells {
		switch {
		case c.Shape != plan.Shape || c.Method != plan.Method || c.Limit != plan.Limit:
		case c.Skipped != "":
			return "not tried on other seeds"
		case c.Status == "time_limit":
			stopped++
		default:
			ended++
		}
	}
	if stopped >= hopeless && ended == 0 {
		return fmt.Sprintf("not tried on other seeds: %d met the limit", stopped)
	}
	return ""
}

// cell runs a method and scores it.
func (r *paperRun) cell(ctx context.Context, t *trial, m method, cell PaperCell) (PaperCell, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	within := r.TimeLimit * time.Duration(m.limits)
	if within > 0 {
		limited, cancel = context.WithTimeout(ctx, within)
	}
	defer cancel()
	peak := watchMemory()
	start := time.Now()
	out, err := m.run(limited, t)
	took := time.Since(start)
	cell.Memory = peak()
	cell.Observed, cell.Generated = t.train().Observed(), r.generated(t.Shape)
	switch {
	case ctx.Err() != nil:
		return cell, ctx.Err() // what an interrupted method found is no result
	case errors.Is(err, context.DeadlineExceeded), err == nil && limited.Err() != nil:
		cell.Skipped = fmt.Sprintf("not done in %v", within)
		return cell, nil
	case err != nil:
		return cell, fmt.Errorf("%s, %s, seed %d: %w", cell.Shape, m.name, cell.Seed, err)
	}
	cell.Seconds = out.seconds
	if cell.Seconds.Total == 0 {
		cell.Seconds.Total = took.Seconds()
	}
	if cell.MAPE, cell.CleanMAPE, err = t.score(ctx, out.predict); err != nil {
		return cell, err
	}
	if out.selected != nil {
		cell.Selects = true
		cell.Selected = out.selected
		truth := t.source.SelectedNames()
		for _, name := range out.selected {
			if slices.Contains(truth, name) {
				cell.Found++
			}
		}
	}
	cell.Gamma, cell.Bounded, cell.Gap, cell.Status = out.gamma, out.bounded, out.gap, out.status
	cell.Cuts, cell.Nodes, cell.Passes = out.cuts, out.nodes, out.passes
	return cell, nil
}

// String names a row for people.
func (s Shape) String() string {
	kind := ""
	if s.Netflix {
		kind = "ratings "
	}
	return fmt.Sprintf("%s%d × %d, p = %d, k = %d, %.3g %% missing", kind, s.Rows, s.Columns, s.Features, s.K, 100*s.Missing)
}
