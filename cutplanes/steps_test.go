package cutplanes_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/cutplanes"
	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/milp"
	"optcomplete/objective"
	"optcomplete/search"
)

// TestStepsRebuildEveryMaster: the record, written and read, gives masters whose
// optimum is the η of the next step, to the bit.
func TestStepsRebuildEveryMaster(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	steps := &cutplanes.Steps{Header: cutplanes.Header{Method: "cutplanes", Features: instance.Features.Names, K: 4, Never: []int{2}, Gamma: gamma}}
	result := must.Get(cutplanes.CutPlanes(context.Background(), oracle, cutplanes.Settings{
		Search: search.Settings{K: 4, Never: []int{2}},
		OnStep: func(s cutplanes.Step) { steps.Steps = append(steps.Steps, s) },
	}))(t)
	var file bytes.Buffer
	must.Do(t, steps.Write(&file))
	read := must.Get(cutplanes.ReadSteps("cuts.jsonl", &file))(t)
	if d := cmp.Diff(steps, read); d != "" {
		t.Fatal(d)
	}
	if len(read.Steps) != result.Cuts || result.Cuts < 5 {
		t.Fatalf("%d steps, %d cuts", len(read.Steps), result.Cuts)
	}
	for i := 1; i < len(read.Steps); i++ {
		master := must.Get(read.Master(i))(t)
		solution := must.Get((&milp.Embedded{}).Solve(context.Background(), master, milp.Options{}))(t)
		if eta := read.Steps[i].Eta; solution.Objective != eta {
			t.Fatalf("iteration %d: optimum %v, recorded %v", i, solution.Objective, eta)
		}
	}
	if _, err := read.Master(len(read.Steps) + 1); err == nil {
		t.Fatal("a master after the last iteration")
	}
}

// TestReadStepsNamesTheLine for every way a file can be wrong.
func TestReadStepsNamesTheLine(t *testing.T) {
	header := `{"method":"cutplanes","features":["a","b"],"k":1,"gamma":1}` + "\n"
	for _, test := range []struct{ text, want string }{
		{"", "f: is empty"},
		{"hello\n", "f:1: is not the header"},
		{header + "{\n", "f:2: is not a cut"},
		{header + `{"iteration":1,"gradient":["1"]}` + "\n", "f:2: is not a cut: gradient cannot be a string"},
		{header + `{"iteration":1,"gradient":[1]}` + "\n", "f:2: is iteration 1 with a gradient of 1 numbers, want 1 with 2"},
		{header + `{"iteration":3,"gradient":[1,2]}`, "f:2: is iteration 3"},
	} {
		_, err := cutplanes.ReadSteps("f", strings.NewReader(test.text))
		var input *data.InputError
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %s…", test.text, err, test.want)
		}
	}
}
