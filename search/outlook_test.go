package search_test

import (
	"context"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/objective"
	"optcomplete/search"
)

// TestOutlookIsNearTheTree: dives estimate the nodes of the search that follows.
func TestOutlookIsNearTheTree(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 40, Columns: 60, Features: 24, K: 8, Missing: 0.5, Noise: 2, Seed: 2}))(t)
	ctx := context.Background()
	for _, gamma := range []float64{0.003, 0.1} {
		oracle := objective.NewExact(in.Ratings.Matrix(), in.Features, gamma, 1)
		found := must.Get(search.Minimize(ctx, oracle, search.Settings{K: 8}))(t)
		ahead := must.Get(search.Outlook(ctx, oracle, search.Settings{K: 8, Start: [][]int{found.Selection}}, 16, 1))(t)
		t.Logf("γ %v: %d nodes, %d passes; estimated %+v", gamma, found.Nodes, found.Passes, ahead)
		if n := float64(found.Nodes); ahead.Nodes > 3*n+1 || ahead.Nodes < n/3-1 {
			t.Errorf("γ %v: %d nodes, estimated %v", gamma, found.Nodes, ahead.Nodes)
		}
	}
}

// counting counts evaluations.
type counting struct {
	search.Oracle
	count int
}

func (c *counting) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	c.count++
	return c.Oracle.Eval(ctx, weights)
}

// TestOutlookKeepsItsLimit: a tree too deep for the passes allowed is large.
func TestOutlookKeepsItsLimit(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 30, Columns: 60, Features: 40, K: 15, Missing: 0.5, Noise: 2, Seed: 2}))(t)
	oracle := &counting{Oracle: objective.NewExact(in.Ratings.Matrix(), in.Features, 30, 1)}
	ahead, err := search.Outlook(context.Background(), oracle, search.Settings{K: 15, MaxPasses: 150}, 1000, 1)
	if err != nil || oracle.count > 150 || ahead.Nodes < 20 {
		t.Errorf("%+v after %d evaluations, %v", ahead, oracle.count, err)
	}
}
