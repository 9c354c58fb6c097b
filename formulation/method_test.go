package formulation

import (
	"context"
	"errors"
	"optcomplete/internal/must"
	"optcomplete/spec"
	"strings"
	"testing"

	"optcomplete/cutplanes"
	"optcomplete/data/synth"
)

// TestMethodsGiveSameBitsWithAnyThreads: whole models, samples included.
func TestMethodsGiveSameBitsWithAnyThreads(t *testing.T) {
	problem, _ := instance(t, synth.Config{Rows: 200, Columns: 50, Features: 20, K: 4, Missing: 0.4, Noise: 0.1, Seed: 3})
	for _, method := range []Method{CutPlanes{}, OptComplete{SampleRows: 50, Certify: true}} {
		settings := Settings{Model: spec.Paper, K: 4, Statistics: spec.Statistics{Gamma: 0.1}, Method: method, Limits: spec.Limits{Threads: 1}}
		want := timeless(fit(t, problem, settings))
		settings.Threads = 5
		same(t, method.String(), want, timeless(fit(t, problem, settings)))
		certified := fit(t, problem, Settings{Model: spec.Paper, K: 4, Statistics: spec.Statistics{Gamma: 0.1}})
		if want.Summary.Cost != certified.Summary.Cost || !want.Summary.Certified {
			t.Errorf("%v: cost %v, certified %v; the certified method has %v", method, want.Summary.Cost, want.Summary.Certified, certified.Summary.Cost)
		}
	}
}

// TestEveryCutIsReported to whoever asks, with what its master needs.
func TestEveryCutIsReported(t *testing.T) {
	problem, _ := instance(t, small)
	var steps cutplanes.Steps
	fitted := fit(t, problem, Settings{
		Model:      spec.Paper,
		K:          4,
		Statistics: spec.Statistics{Gamma: 0.5},
		Choice:     spec.Choice{Never: []string{"f03"}},
		Method: CutPlanes{
			OnCuts: func(h cutplanes.Header) { steps.Header = h },
			OnStep: func(s cutplanes.Step) { steps.Steps = append(steps.Steps, s) },
		},
	})
	master := must.Get(steps.Master(0))(t)
	if len(steps.Steps) != fitted.Summary.Cuts || master.K != 4 || len(master.Never) != 1 || steps.Method != "cutplanes" {
		t.Fatalf("%d steps of %d cuts, header %+v", len(steps.Steps), fitted.Summary.Cuts, steps.Header)
	}
}

// TestMethodSettingsAreChecked before anything is done.
func TestMethodSettingsAreChecked(t *testing.T) {
	problem, _ := instance(t, small)
	for _, method := range []Method{CutPlanes{Solver: "cplex"}, OptComplete{Solver: "cplex"}, OptComplete{SampleRows: -1}, OptComplete{SampleConstant: -1}, Certified{Sampling: 7}} {
		_, err := Fit(context.Background(), problem, Settings{Model: spec.Paper, K: 4, Statistics: spec.Statistics{Gamma: 1}, Method: method})
		var bad *spec.Error
		if !errors.As(err, &bad) {
			t.Errorf("%+v: error %v", method, err)
		}
	}
	// A limit that cannot be kept is refused, whether the program is there or not.
	for _, method := range []Method{CutPlanes{Solver: "cbc"}, OptComplete{Solver: "highs", Certify: true}} {
		_, err := Fit(context.Background(), problem, Settings{Model: spec.Paper, K: 4, Statistics: spec.Statistics{Gamma: 1}, Limits: spec.Limits{MaxNodes: 5}, Method: method})
		var bad *spec.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "a limit of nodes cannot be kept") {
			t.Errorf("%+v: error %v", method, err)
		}
	}
}
