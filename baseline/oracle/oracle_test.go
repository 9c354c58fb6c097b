package oracle_test

import (
	"context"
	"math"
	"testing"

	"optcomplete/baseline/oracle"
	"optcomplete/data/synth"
	"optcomplete/spec"
)

// Without noise the true features give back every value of a row that has as many
// entries as unknowns; wrong ones do not.
func TestTrueFeaturesGiveTheTruth(t *testing.T) {
	made, err := synth.Generate(synth.Config{Rows: 60, Columns: 50, Features: 12, K: 4, Missing: 0.5, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	worst := func(selected []int, threads int) float64 {
		m, err := oracle.Fit(context.Background(), made.Ratings.Matrix(), made.Features, selected, oracle.Settings{Kind: spec.Paper, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		out, most := make([]float64, 1), 0.0
		for _, e := range made.TestEntries(0) {
			m.PredictRow(int(e.Row), []int32{e.Column}, out)
			most = max(most, math.Abs(out[0]-e.NoiseFree))
		}
		return most
	}
	// Generated values are rounded to float32.
	if off := worst(made.Selected, 1); off > 1e-6 {
		t.Errorf("the truth is missed by %v", off)
	}
	if worst(made.Selected, 1) != worst(made.Selected, 4) {
		t.Error("threads change the result")
	}
	wrong := append([]int{}, made.Selected...)
	for wrong[0] = 0; contains(made.Selected, wrong[0]); wrong[0]++ {
	}
	if off := worst(wrong, 1); off < 1e-2 {
		t.Errorf("a wrong feature misses by only %v", off)
	}
}

func contains(list []int, x int) bool {
	for _, v := range list {
		if v == x {
			return true
		}
	}
	return false
}
