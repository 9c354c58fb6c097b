package optcomplete

import (
	"context"
	"maps"
	"runtime"
	"strconv"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model/diagnose"
	"optcomplete/spec"
)

// baselineEntries is how many entries the shrinkage of the baselines is chosen on.
const baselineEntries = 200_000

// describe adds to a fitted model what people want to look at: simpler
// predictions to compare with, and diagnostics. held and its errors
// are nil without a hold-out.
func (t *task) describe(ctx context.Context, fitted *Model, train, held data.Source, errors *evaluate.Errors, s *Settings) error {
	on := train
	if held != nil {
		on = held
	}
	part, err := (&evaluate.GammaSettings{Entries: baselineEntries, Seed: s.Seed, Threads: t.threads}).Validation(ctx, train)
	if err != nil {
		return err
	}
	if fitted.Summary.Baselines, err = evaluate.Baselines(ctx, train, on, errors, part, t.threads); err != nil {
		return err
	}
	fitted.Summary.Diagnostics, err = diagnose.Of(ctx, fitted, train, held, t.threads)
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
	if s.Split != spec.RandomSplit {
		out["split"] = s.Split.String()
	}
	if s.ResidualRank == AutoRank {
		out["residual-rank"] = "auto"
	} else {
		put("residual-rank", float64(s.ResidualRank))
	}
	put("gap", s.Gap)
	put("max-nodes", float64(s.MaxNodes))
	if s.TimeLimit > 0 {
		out["time-limit"] = s.TimeLimit.String()
	}
	if s.NoClip {
		out["clip"] = "none"
	}
	if m, is := s.Method.(selecting); is {
		maps.Copy(out, m.recorded())
	}
	return out
}

// platform is what the numbers were computed on.
func platform() string {
	return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}
