package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"optcomplete"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/memory"
)

// paperKey is what must be equal for results to stand in one folder. All zero
// values mean what the flags of the study say.
type paperKey struct {
	Study   string  `json:"study"`
	Gamma   float64 `json:"gamma"`
	Factor  float64 `json:"factor"`
	Test    int     `json:"test"`
	Threads int     `json:"threads"`
	Version string  `json:"version"`
}

// paper is a run of the paper's experiments.
type paper struct {
	*study
	panels []Panel
	Gamma  float64 // of all; zero: learned
	Factor float64 // if set, multiplies the γ that is learned
	Test   int     // entries to score on, at most
	Memory int64   // what a row may take; zero: half of what the machine has, at most three quarters of what is free
}

// run fits every row of the panels, and writes their tables after each.
func (p *paper) run(ctx context.Context) error {
	if p.Threads <= 0 {
		p.Threads = runtime.GOMAXPROCS(0)
	}
	if p.Memory == 0 {
		p.Memory = memory.Default()
	}
	p.methods = append([]method{oracle}, p.methods...)
	p.error = func(c cell) float64 { return c.Holdout.MAPE.Value }
	if err := p.open(paperKey{"paper", p.Gamma, p.Factor, p.Test, p.Threads, optcomplete.Version}); err != nil {
		return err
	}
	defer p.file.Close()
	for _, panel := range p.panels {
		var cells []cell
		for _, row := range panel.Rows {
			done := []cell{{Data: row.String(), Method: oracle.name, K: row.K, Seed: 1, Skipped: p.misfit(row.Shape)}}
			var failed error
			if done[0].Skipped == "" {
				done, failed = p.on(ctx, row.String(), []int{row.K}, func(seed uint64) (*trial, error) { return p.trial(row.Shape, seed) })
			}
			cells = append(cells, done...)
			text := p.table(panel, cells)
			if err := os.WriteFile(filepath.Join(p.folder, panel.file("md")), []byte(text), 0o666); err != nil {
				return err
			}
			if panel.Along != nil {
				if err := atomicfile.File(filepath.Join(p.folder, panel.file("svg")), paperChart(panel, cells).SVG); err != nil {
					return err
				}
			}
			if failed != nil {
				return failed
			}
		}
		fmt.Println(p.table(panel, cells))
	}
	return nil
}

// file is the name of a panel's file of a kind.
func (p Panel) file(kind string) string { return "paper-" + p.Name + "." + kind }

// String names a row for people.
func (s Shape) String() string {
	kind := ""
	if s.Netflix {
		kind = "ratings "
	}
	return fmt.Sprintf("%s%d × %d, p = %d, k = %d, %.3g %% missing", kind, s.Rows, s.Columns, s.Features, s.K, 100*s.Missing)
}
