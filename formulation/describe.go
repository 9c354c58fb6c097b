package formulation

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/diagnose"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// baselineEntries is how many entries the shrinkage of the baselines is chosen on.
const baselineEntries = 200_000

// reportEntries is about how many training entries simpler predictions and residuals
// are looked at: of larger data a sample of the rows, with standard errors.
var reportEntries = 1 << 20

// describe adds to a fitted model what people want to look at: simpler
// predictions to compare with, and diagnostics. Their readings are of at most
// reportEntries. held and its errors are nil without a hold-out.
func (t *formulation) describe(ctx context.Context, fitted *model.Model, train, held data.Source, looked diagnose.Looked, errors *evaluate.Errors) (err error) {
	ctx = pass.WithLabel(ctx, "report")
	rows := evaluate.ReportRows(train, reportEntries, t.Seed)
	if rows != nil {
		if train, err = pass.Pick(ctx, train, t.Threads, "rows of the report", rows); err != nil {
			return err
		}
	}
	on := train
	if held != nil {
		if on = held; rows != nil {
			if on, err = pass.Pick(ctx, held, t.Threads, "rows of the report", rows); err != nil {
				return err
			}
			if errors, err = evaluate.ScoreErrors(ctx, on, evaluate.Picked{By: fitted.Predictor(), Rows: rows}, t.Threads); err != nil {
				return err
			}
		}
	}
	if held != nil {
		if fitted.Summary.Coverage, err = diagnose.Coverage(ctx, fitted, train, on, rows, t.Threads); err != nil {
			return err
		}
	}
	sample, err := evaluate.SampleRows(ctx, train, baselineEntries, t.Seed, t.Threads)
	if err != nil {
		return err
	}
	if fitted.Summary.Baselines, err = evaluate.Baselines(ctx, train, on, errors, sample, fitted.LossOf(), rows != nil, t.Threads); err != nil {
		return err
	}
	if held != nil {
		warnOfWorse(fitted, &errors.Metrics)
	}
	looked.On, looked.Rows = on, rows
	fitted.Summary.Diagnostics, err = diagnose.Of(ctx, fitted, looked, t.Threads)
	return err
}

// warnOfWorse puts first what matters most: that row and column effects alone predict
// the held-out entries better than the fit.
func warnOfWorse(fitted *model.Model, own *result.Metrics) {
	s := &fitted.Summary
	if s.Method == "effects" {
		return
	}
	for i := range s.Baselines {
		if b := &s.Baselines[i]; b.Name == evaluate.EffectsAlone {
			against := result.Comparison{Entries: b.Entries, RMSE: own.Score(), Effects: b.Score()}
			if l := fitted.LossOf().Loss; l.Linked() || l.HasUnit() {
				against.Measure = l.Measure()
			}
			remedy := "take fewer or other features: the verb path shows how many pay"
			if s.Model == spec.Paper.String() || s.Model == spec.Pooled.String() {
				remedy = "the model full has effects of rows and columns beside the features"
			}
			if len(s.Selected) == 0 {
				remedy = "use the method effects, or other settings of this one"
			}
			if w := against.Warning(remedy); w != "" {
				s.Warnings = slices.Insert(s.Warnings, 0, w)
			}
		}
	}
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
	put("gamma-factor", s.GammaFactor)
	put("column-shrinkage", s.ColumnShrinkage)
	put("holdout", s.Holdout)
	if s.Split != spec.RandomSplit {
		out["split"] = s.Split.String()
	}
	if s.Loss != loss.Squared {
		out["loss"] = s.Loss.String()
	}
	put("delta", s.Delta)
	if len(s.Nonnegative) > 0 {
		out["nonnegative"] = strings.Join(s.Nonnegative, ",")
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
