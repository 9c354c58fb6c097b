package twosided

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"optcomplete/pass"
	"optcomplete/proof"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// about is what a proof of a fit is about, and what the model claims. It is a regression: a
// matrix of one row, whose columns are the entries less the effects that were learned
// without any product, and whose features are the products. Its cost is per entry.
func (f *formulation) about(ctx context.Context, train part, s *Summary) (*proof.Problem, error) {
	p, err := f.prepare(ctx, train)
	if err != nil {
		return nil, err
	}
	row, features := f.expand(p.offset)
	per := f.perEntry(train)
	out := &proof.Problem{
		Entries: row, Features: features, Model: spec.Paper.String(), K: s.K, Gamma: s.Gamma,
		Always: f.find.Always, Never: f.find.Never, Cost: s.Cost * per, Bound: s.Bound * per, Gap: s.Gap, Within: math.Inf(1),
	}
	switch s.Status {
	case result.Optimal:
		out.Within = search.Precision
	case result.GapReached:
		asked, _ := strconv.ParseFloat(s.Settings["gap"], 64) // of no number: 0
		out.Within = max(asked, search.Precision)
	}
	for _, family := range f.find.Families {
		out.Families = append(out.Families, proof.Family{Units: family.Members, Most: family.Most})
	}
	for u, name := range f.all {
		out.Units = append(out.Units, proof.Unit{Name: name, Features: f.members([]int{u})})
	}
	return out, nil
}

// perEntry makes a cost per cell one per entry.
func (f *formulation) perEntry(train part) float64 {
	n, m := train.entries.Dims()
	return float64(n) * float64(m) / float64(train.entries.Observed())
}

// record lets the search write a proof; what it returns ends the proof.
func (f *formulation) record(train part, run *selection.Run) (finish func(*selection.Found) error) {
	if f.settings.Proof == nil {
		return func(*selection.Found) error { return nil }
	}
	var to *proof.Writer
	run.Search = func(ctx context.Context, cost *selection.Cost) (found search.Result, at time.Duration, err error) {
		summary := &Summary{}
		summary.K, summary.Gamma = f.settings.K, f.chosen.Gamma
		about, err := f.about(context.WithoutCancel(ctx), train, summary)
		if err != nil {
			return found, 0, err
		}
		statement, err := about.Statement(ctx, f.settings.Threads)
		if err != nil {
			return found, 0, err
		}
		to = proof.NewWriter(f.settings.Proof, statement)
		find := cost.Find
		find.Recorder, find.OnEvent = to, selection.Stamp(find.OnEvent, &at)
		found, err = search.Minimize(ctx, cost.Oracle, find)
		return found, at, err
	}
	return func(found *selection.Found) error {
		per := f.perEntry(train)
		return to.Finish(found.Units, found.Certificate.Cost*per, found.Certificate.Bound*per)
	}
}

// recorded are the settings that Verify needs and no field of the summary has, by the names
// of their flags.
func (s *Settings) recorded() map[string]string {
	out := map[string]string{}
	for name, x := range map[string]float64{"gap": s.Gap, "holdout": s.Holdout, "holdout-rows": s.HoldoutRows, "holdout-columns": s.HoldoutColumns} {
		if x != 0 {
			out[name] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return out
}

// Verify checks the proof of a fitted model against the problem it was fitted to, by the
// arithmetic of package proof. What that is about is made anew of the problem: the entries
// that were fitted on, the effects learned from them without any product, and the products
// of the features. The verdict's costs are in the terms of the summary.
func Verify(ctx context.Context, problem Problem, s *Summary, p *proof.Proof, threads int) (*proof.Verdict, error) {
	settings := Settings{K: s.K, Choice: s.Choice, Constants: s.Constants}
	settings.Seed, settings.Threads, settings.Gamma = s.Seed, threads, s.Gamma
	var err error
	if settings.Effects, err = ParseEffects(s.Effects); err != nil {
		return nil, err
	}
	if s.Loss != settings.Loss || s.Heredity != NoHeredity.String() {
		return nil, spec.Errorf("a proof is not written of this model, but of squared errors without heredity")
	}
	for name, x := range map[string]*float64{"holdout": &settings.Holdout, "holdout-rows": &settings.HoldoutRows, "holdout-columns": &settings.HoldoutColumns} {
		text, given := s.Settings[name]
		if *x, err = strconv.ParseFloat(text, 64); given && (err != nil || !(*x >= 0 && *x < 1)) {
			return nil, spec.Errorf("the model says that the part %q was held out", text)
		}
	}
	if err := validate(&settings); err != nil {
		return nil, err
	}
	entries, err := pass.Collect(ctx, problem.Ratings.Source(), threads, "entries")
	if err != nil {
		return nil, err
	}
	train := divide(entries, settings).train
	f, err := newFormulation(ctx, problem, train, settings)
	if err != nil {
		return nil, err
	}
	if err := f.tooLarge("proof", train); err != nil {
		return nil, err
	}
	about, err := f.about(ctx, part{train, f.rows}, s)
	if err != nil {
		return nil, err
	}
	for _, name := range s.Selected {
		u := slices.Index(f.all, name)
		if u < 0 {
			return nil, spec.Errorf("the model selects %q, which the features do not make", name)
		}
		about.Selected = append(about.Selected, u)
	}
	slices.Sort(about.Selected)
	v, err := proof.Check(ctx, about, p, threads)
	if err != nil {
		return nil, err
	}
	per := f.perEntry(part{train, f.rows})
	v.Bound, v.Low, v.High = math.Nextafter(v.Bound/per, 0), math.Nextafter(v.Low/per, 0), math.Nextafter(v.High/per, math.Inf(1))
	if len(v.Faults) > 0 && per != 1 {
		v.Faults = append(v.Faults, fmt.Sprintf("costs in these lines are per entry, %.12g times those of the model", per))
	}
	return v, nil
}
