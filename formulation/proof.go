package formulation

import (
	"context"
	"io"
	"math"
	"slices"
	"strconv"

	"optcomplete/data"
	"optcomplete/feasible"
	"optcomplete/model"
	"optcomplete/proof"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// about is what a proof of the fit is about: the task, on its training entries,
// with the numbers of the summary.
func (t *formulation) about(train data.Source, summary *model.Summary) *proof.Problem {
	p := &proof.Problem{
		Entries: train, Features: t.features, Model: summary.Model,
		K: summary.K, Gamma: summary.Gamma, Gamma0: summary.Gamma0, Gammas: gammasOf(summary.Units),
		RowShrinkage: summary.RowShrinkage, ColumnShrinkage: summary.ColumnShrinkage,
		Always: t.find.Always, Never: t.find.Never, Families: families(t.find.Families),
		Cost: summary.Cost, Bound: summary.Bound, Gap: summary.Gap, Within: math.Inf(1),
	}
	if p.Gammas != nil {
		p.Gamma = 1
	}
	switch summary.Status {
	case result.Optimal:
		p.Within = search.Precision
	case result.GapReached:
		asked, _ := strconv.ParseFloat(summary.Settings["gap"], 64) // of no number: 0
		p.Within = max(asked, search.Precision)
	}
	for _, u := range t.units {
		p.Units = append(p.Units, proof.Unit{Name: u.name, Features: u.features})
	}
	return p
}

// families are those of the units, as a proof states them.
func families(of []feasible.Family) (out []proof.Family) {
	for _, f := range of {
		out = append(out, proof.Family{Units: f.Members, Most: f.Most})
	}
	return out
}

// gammasOf is γ of each feature in the cost, and last that of the level.
func gammasOf(u *result.Units) []float64 {
	if u == nil {
		return nil
	}
	var out []float64
	for _, f := range u.Features {
		out = append(out, u.Factor*f.Gamma)
	}
	return append(out, u.Level)
}

// record lets the search of a selector write its proof, if one is asked for. What
// it returns ends the proof.
func (t *formulation) record(ctx context.Context, s *cost, to io.Writer, train data.Source, summary *model.Summary) (func(search.Result) error, error) {
	if to == nil {
		return func(search.Result) error { return nil }, nil
	}
	statement, err := t.about(train, summary).Statement(ctx, t.Threads)
	if err != nil {
		return nil, err
	}
	w := proof.NewWriter(to, statement)
	s.Find.Recorder = w
	return func(r search.Result) error { return w.Finish(r.Selection, r.Cost, r.Bound) }, nil
}

// Verify checks the proof of a fitted model against the problem it was fitted to,
// by arithmetic of its own; see package proof. The summary says what is claimed.
func Verify(ctx context.Context, problem Problem, summary *model.Summary, p *proof.Proof, threads int) (*proof.Verdict, error) {
	kind, err := spec.ParseKind(summary.Model)
	if err != nil {
		return nil, spec.Errorf("%v", err)
	}
	if !summary.Certified {
		return nil, spec.Errorf("the model claims no bound: there is nothing to verify")
	}
	settings := Settings{Model: kind}
	settings.K, settings.Choice, settings.Threads = summary.K, summary.Choice, threads
	t, err := newChecked(ctx, &problem, &settings)
	if err != nil {
		return nil, err
	}
	train := problem.Ratings.Source()
	if text := summary.Settings["holdout"]; text != "" {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share >= 0 && share < 1) {
			return nil, spec.Errorf("the model says that the part %q of the entries was held out", text)
		}
		settings.Holdout, settings.Seed = share, summary.Seed
		if summary.Split != nil {
			settings.Split = spec.TimeSplit
		}
		if train, _, _, err = holdOut(ctx, problem, train, &settings); err != nil {
			return nil, err
		}
	}
	about := t.about(train, summary)
	for _, name := range summary.Selected {
		u := slices.IndexFunc(t.units, func(u unit) bool { return u.name == name })
		if u < 0 {
			return nil, spec.Errorf("the model selects %q, which the features do not have", name)
		}
		about.Selected = append(about.Selected, u)
	}
	slices.Sort(about.Selected)
	return proof.Check(ctx, about, p, settings.Threads)
}
