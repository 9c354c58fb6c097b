package formulation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
	"optcomplete/spec"
)

// TestOutlookNamesAGammaInSight: of a search at a large γ it is told, once and only when
// the search has worked for a while, that no proof is in sight, and at which γ one is.
func TestOutlookNamesAGammaInSight(t *testing.T) {
	ctx := context.Background()
	source := must.Get(synth.Netflix(150, 50, 5, 0.75, 1))(t)
	made := must.Get(source.Collect())(t)
	settings := Settings{K: 8, Model: spec.Full, Statistics: spec.Statistics{Seed: 1}}
	form := must.Get(newFormulation(ctx, Problem{Ratings: made.Ratings, Features: source.Features}, &settings))(t)
	c := selection.Learned{Gamma: 1, Row: 4, Column: 4, Factor: 1, Units: &result.Variances{Level: 0.25, Features: slices.Repeat([]float64{3}, 59), Noise: 1}}
	values, c, err := form.values(ctx, made.Ratings.Source(), c)
	if err != nil {
		t.Fatal(err)
	}
	s := form.costOf(values, c)
	find := s.Find
	find.MaxNodes = 1
	found := must.Get(search.Minimize(ctx, s.Oracle, find))(t)
	var told []result.Outlook
	o := &outlook{formulation: form, from: s, learned: c, near: 200 * float64(values.Observed()), tell: func(r result.Outlook) { told = append(told, r) }}
	e := search.Event{Kind: search.EventNode, Nodes: 2, Gap: 0.5, Passes: 3, Selection: found.Selection}
	o.event(ctx, e)
	if told != nil {
		t.Fatalf("told after three passes: %+v", told)
	}
	e.Passes = outlookFrom
	o.event(ctx, e)
	o.event(ctx, e)
	if len(told) != 1 {
		t.Fatalf("told %d times", len(told))
	}
	at := told[0]
	t.Log(at.Words())
	if at.InSight || at.Nodes < 10 || at.Evaluations <= 200 || !(at.Largest > 0 && at.Largest < c.Factor) || !strings.Contains(at.Words(), fmt.Sprintf("With Settings.GammaFactor %.2g a proof takes about", at.Largest)) {
		t.Errorf("%+v: %s", at, at.Words())
	}
	c.Factor = at.Largest
	easier := &outlook{formulation: form, from: s, learned: c, near: o.near}
	easier.event(ctx, e)
	if got := easier.known; got == nil || !got.InSight || got.Largest != 0 || !strings.HasPrefix(got.Words(), "a proof takes") {
		t.Errorf("at %v: %+v", c.Factor, got)
	}
}
