package optcomplete

import (
	"context"
	"slices"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/spec"
)

// TestRowShrinkageIsValidated: on these entries ten times the estimate selects features that
// predict better. One that is given stays, and so does the estimate where it decides how
// rows are fitted.
func TestRowShrinkageIsValidated(t *testing.T) {
	source := must.Get(synth.Netflix(400, 60, 3, 0.85, 12))(t)
	made := must.Get(source.Collect())(t)
	problem := Problem{Ratings: made.Ratings, Features: source.Features}
	choose := func(given Statistics, threads int) choices {
		given.Seed = 1
		settings := Settings{K: 3, Statistics: given, Limits: Limits{Threads: threads}}
		task := must.Get(newTask(context.Background(), problem, &settings))(t)
		return must.Get(task.form.choose(context.Background(), task, made.Ratings.Source()))(t)
	}
	auto := choose(Statistics{}, 1)
	if auto.Estimated == 0 || auto.Row != 10*auto.Estimated {
		t.Errorf("row shrinkage %v, estimated %v", auto.Row, auto.Estimated)
	}
	for name, again := range map[string]choices{
		"three threads": choose(Statistics{}, 3),
		"given γ":       choose(Statistics{Gamma: auto.Gamma}, 1),
	} {
		if again.Row != auto.Row || again.Gamma != auto.Gamma || !slices.Equal(again.Start[0], auto.Start[0]) {
			t.Errorf("%s: row shrinkage %v at γ %v from %v, want %v at %v from %v", name, again.Row, again.Gamma, again.Start, auto.Row, auto.Gamma, auto.Start)
		}
	}
	if given := choose(Statistics{RowShrinkage: auto.Estimated}, 1); given.Row != auto.Estimated || given.Estimated != 0 {
		t.Errorf("given %v: %v, estimated %v", auto.Estimated, given.Row, given.Estimated)
	}
	if ridge := choose(Statistics{Refit: spec.Ridge}, 1); ridge.Row != auto.Estimated || ridge.Estimated != 0 {
		t.Errorf("ridge: row shrinkage %v, estimated %v", ridge.Row, ridge.Estimated)
	}
}
