package milp

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/must"
)

func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func adapterOf(t *testing.T, name string) *adapter {
	t.Helper()
	for _, a := range adapters {
		if a.name == name {
			return a
		}
	}
	t.Fatalf("no adapter %q", name)
	return nil
}

func TestRecordedAnswersAreRead(t *testing.T) {
	for _, c := range []struct {
		solver, name string
		want         Solution
		optimal      bool
	}{
		{"scip", "optimal", Solution{Selection: []int{0, 1}, Objective: 1, Bound: 1, Nodes: 1}, true},
		{"scip", "timelimit", Solution{Selection: []int{0, 2}, Objective: 1.5, Bound: 0.5, Nodes: 1, Seconds: 1}, false},
		{"gurobi", "optimal", Solution{Selection: []int{0, 1}, Objective: 1, Bound: 1}, true},
		{"gurobi", "timelimit", Solution{Selection: []int{0, 2}, Objective: 1.5, Bound: 0.5, Nodes: 12, Seconds: 10.01}, false},
		{"scip", "infeasible", Solution{}, false},
		{"scip", "nosolution", Solution{}, false},
		{"gurobi", "nosolution", Solution{}, false},
	} {
		t.Run(c.solver+" "+c.name, func(t *testing.T) {
			base := c.solver + "-" + c.name
			a := must.Get(adapterOf(t, c.solver).answer(recorded(t, base+".sol"), recorded(t, base+".log"), 4))(t)
			got, err := verify(c.solver, fourFeatures(), a, Options{})
			var early *NotOptimalError
			if c.optimal != (err == nil) || !c.optimal && !errors.As(err, &early) {
				t.Fatalf("error %v", err)
			}
			if math.Abs(got.Bound-c.want.Bound) < 1e-5 {
				got.Bound = c.want.Bound // lowered by the tolerance
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// fourFeatures is the master of the recorded answers.
func fourFeatures() *Master {
	return &Master{P: 4, K: 2, Cuts: []Cut{{Constant: 3, Gradient: []float64{-1, -1, -0.5, -0.25}}}}
}

func TestTruncatedAnswersAreGarbageOrWrong(t *testing.T) {
	for _, solver := range []string{"scip", "gurobi"} {
		text, log := recorded(t, solver+"-optimal.sol"), recorded(t, solver+"-optimal.log")
		for n := range len(text) - 1 {
			a, err := adapterOf(t, solver).answer(text[:n], log, 4)
			if err != nil {
				continue
			}
			// What a cut-off file still says may be all there is to say, but
			// then it must be the right answer.
			got, err := verify(solver, fourFeatures(), a, Options{})
			if err == nil && !cmp.Equal(got.Selection, []int{0, 1}) {
				t.Errorf("%s: the first %d bytes give %v", solver, n, got)
			}
		}
	}
}

func TestVersionsAreRecognised(t *testing.T) {
	for name, text := range map[string]string{
		"scip":   recorded(t, "scip-optimal.log"),
		"gurobi": recorded(t, "gurobi-optimal.log"),
	} {
		if adapterOf(t, name).version.FindStringSubmatch(text) == nil {
			t.Errorf("%s: no version in its own banner", name)
		}
	}
}

func TestFindListsWhatRuns(t *testing.T) {
	for _, f := range Find(context.Background(), "") {
		if f.Version == "" || f.Version == "unknown" || (f.Path == "") != (f.Name == "embedded") {
			t.Errorf("%+v", f)
		}
		if solver, err := New(f.Name, ""); err != nil || solver.Name() != f.Name {
			t.Errorf("New(%q) = %v, %v", f.Name, solver, err)
		}
	}
	if _, err := New("cplex", ""); err == nil {
		t.Error("an unknown name is accepted")
	}
}

func TestOptionsReachThePrograms(t *testing.T) {
	want := map[string][]string{
		"cbc":    {"-ratioGap", "0.01", "-seconds", "2.5", "-randomCbcSeed", "7"},
		"glpk":   {"--mipgap", "0.01", "--tmlim", "3", "--seed", "7"},
		"scip":   {"set limits gap 0.01", "set limits time 2.5", "set randomization randomseedshift 7"},
		"gurobi": {"MIPGap=0.01", "TimeLimit=2.5", "Seed=7"},
	}
	options := Options{TimeLimit: 2500 * time.Millisecond, Gap: 0.01, Seed: 7}
	for name, wanted := range want {
		args := must.Get(adapterOf(t, name).prepare(t.TempDir(), options))(t)
		for _, w := range wanted {
			if !slices.Contains(args, w) {
				t.Errorf("%s: %q is not in %q", name, w, args)
			}
		}
	}
	dir := t.TempDir()
	if _, err := adapterOf(t, "highs").prepare(dir, options); err != nil {
		t.Fatal(err)
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, optionsFile)))(t)
	for _, w := range []string{"mip_rel_gap = 0.01\n", "time_limit = 2.5\n", "random_seed = 7\n"} {
		if !strings.Contains(string(text), w) {
			t.Errorf("highs: %q is not in %q", w, text)
		}
	}
}
