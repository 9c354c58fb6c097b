package optcomplete

import (
	"context"
	"runtime"
	"strconv"

	"optcomplete/data"
	"optcomplete/evaluate"
)

// baselineEntries is how many entries the shrinkage of the baselines is chosen on.
const baselineEntries = 200_000

// describe adds to a fitted model what people want to look at: simpler
// predictions to compare with, and diagnostics. held is nil without a hold-out.
func (t *task) describe(ctx context.Context, fitted *Model, train, held *data.Matrix, s *Settings) error {
	on := train
	var source data.Source // not a nil *data.Matrix
	if held != nil {
		on, source = held, held
	}
	part := (&evaluate.GammaSettings{Entries: baselineEntries, Seed: s.Seed}).Validation(train)
	fitted.Summary.Baselines = evaluate.Baselines(train, on, part, t.threads)
	d, err := fitted.Diagnose(ctx, train, source, t.threads)
	fitted.Summary.Diagnostics = d
	return err
}

// settingsOf records the settings that the summary has no field for, by the
// names of their flags. Those at their defaults are left out.
func settingsOf(s *Settings) map[string]string {
	out := map[string]string{"gamma": "auto"}
	put := func(name string, x float64) {
		if x != 0 {
			out[name] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	put("gamma", s.Gamma)
	put("gamma0", s.Gamma0)
	put("row-shrinkage", s.RowShrinkage)
	put("column-shrinkage", s.ColumnShrinkage)
	put("holdout", s.Holdout)
	put("gap", s.Gap)
	put("max-nodes", float64(s.MaxNodes))
	if s.TimeLimit > 0 {
		out["time-limit"] = s.TimeLimit.String()
	}
	if s.NoClip {
		out["clip"] = "none"
	}
	if s.Method != Certified && s.Master.Solver != "" {
		out["solver"] = s.Master.Solver
	}
	if s.Master.Certify {
		out["certify"] = "true"
	}
	return out
}

// platform is what the numbers were computed on.
func platform() string {
	return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}

