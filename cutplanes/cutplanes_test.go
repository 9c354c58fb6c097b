package cutplanes_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"optcomplete/cutplanes"
	"optcomplete/data/synth"
	"optcomplete/feasible"
	"optcomplete/internal/must"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/milp"
	"optcomplete/objective"
	"optcomplete/search"
)

// optimum tries every selection by the dense formula and the best few in high
// precision; it is +Inf where no selection meets always and never.
func optimum(in testkit.Instance, always, never []int) float64 {
	_, p := in.Features.Dims()
	for _, j := range always {
		if slices.Contains(never, j) {
			return math.Inf(1)
		}
	}
	var all []search.Candidate
	testkit.Selections(p, in.K, always, never, func(selection []int) {
		cost, _ := in.Dense(weights(p, selection))
		all = append(all, search.Candidate{Selection: slices.Clone(selection), Cost: cost})
	})
	slices.SortFunc(all, func(a, b search.Candidate) int {
		if a.Cost < b.Cost {
			return -1
		}
		return 1
	})
	best := math.Inf(1)
	for _, c := range all[:min(len(all), 6)] {
		best = min(best, in.Precise(weights(p, c.Selection)))
	}
	return best
}

func weights(p int, selection []int) []float64 {
	s := make([]float64, p)
	for _, j := range selection {
		s[j] = 1
	}
	return s
}

// TestCutPlanesEqualsCertifiedAndBruteForce: three ways, one optimum, and no
// bound above it at any time.
func TestCutPlanesEqualsCertifiedAndBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, p := in.Features.Dims()
		feature := rapid.IntRange(0, p-1)
		find := search.Settings{
			K:      in.K,
			Always: rapid.SliceOfN(feature, 0, 2).Draw(t, "always"),
			Never:  rapid.SliceOfN(feature, 0, 2).Draw(t, "never"),
		}
		want := optimum(in, find.Always, find.Never)
		tolerance := 1e-9*want + 2e-15*in.Scale()
		oracle := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		certified, certifiedErr := search.Minimize(context.Background(), oracle, find)

		last := math.Inf(-1)
		find.OnEvent = func(e search.Event) {
			if e.Bound > want+tolerance || e.Bound < last {
				t.Fatalf("%v: bound %v after %v, optimum %v", e.Kind, e.Bound, last, want)
			}
			last = e.Bound
		}
		got, err := cutplanes.CutPlanes(context.Background(), oracle, cutplanes.Settings{Search: find})
		if math.IsInf(want, 1) {
			if !errors.Is(err, search.ErrInfeasible) || !errors.Is(certifiedErr, search.ErrInfeasible) {
				t.Fatalf("no selection is allowed, got %v and %v", err, certifiedErr)
			}
			return
		}
		if err != nil || certifiedErr != nil {
			t.Fatal(err, certifiedErr)
		}
		own := in.Precise(weights(p, got.Selection))
		switch {
		case got.Status != search.Optimal:
			t.Fatalf("status %v", got.Status)
		case math.Abs(own-got.Cost) > tolerance || own > want+tolerance:
			t.Fatalf("cost %v, in high precision %v, optimum %v", got.Cost, own, want)
		case math.Abs(got.Cost-certified.Cost) > tolerance:
			t.Fatalf("cost %v, certified engine %v", got.Cost, certified.Cost)
		case got.Bound > want+tolerance:
			t.Fatalf("bound %v above the optimum %v", got.Bound, want)
		case got.Solver != "embedded" || got.SolverVersion == "" || got.Passes < got.Cuts/2:
			t.Fatalf("odd record: %+v", got)
		}
	})
}

// TestFamiliesEqualCertified: masters that may have at most so many of a family lead to the
// optimum of the certified search, and samples to a selection that counts.
func TestFamiliesEqualCertified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, p := in.Features.Dims()
		find := search.Settings{K: in.K, Families: []feasible.Family{{Name: "A", Most: 1}, {Name: "B", Most: 2}}}
		for j := range p {
			if f := rapid.IntRange(0, 2).Draw(t, "family"); f < 2 {
				find.Families[f].Members = append(find.Families[f].Members, j)
			}
		}
		oracle := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		want, err := search.Minimize(context.Background(), oracle, find)
		got, cutErr := cutplanes.CutPlanes(context.Background(), oracle, cutplanes.Settings{Search: find})
		if errors.Is(err, search.ErrInfeasible) && errors.Is(cutErr, search.ErrInfeasible) {
			return
		}
		if err != nil || cutErr != nil {
			t.Fatal(err, cutErr)
		}
		tolerance := 1e-9*want.Cost + 2e-15*in.Scale()
		if math.Abs(got.Cost-want.Cost) > tolerance || got.Bound > want.Cost+tolerance || got.Status != search.Optimal {
			t.Fatalf("%v: cost %v, bound %v; want %v", got.Status, got.Cost, got.Bound, want.Cost)
		}
		n, m := in.Matrix.Dims()
		sampled := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1).Sampled(objective.SampleSize{Rows: max(1, n/2), Columns: m}, 1)
		answer, err := cutplanes.OptComplete(context.Background(), sampled, oracle, cutplanes.Settings{Search: find})
		if err != nil {
			t.Fatal(err)
		}
		rules, err := feasible.New(find.Set(p))
		if err != nil || !rules.Meets(answer.Selection) || !rules.Meets(got.Selection) {
			t.Fatalf("%v or %v breaks %v", answer.Selection, got.Selection, find.Families)
		}
	})
}

// hard is a small instance that needs a good number of cuts.
func hard(t testing.TB) (*synth.Instance, float64) {
	t.Helper()
	in := must.Get(synth.Generate(synth.Config{Rows: 40, Columns: 30, Features: 16, K: 4, Missing: 0.4, Noise: 0.3, Seed: 5}))(t)
	return in, 1
}

// TestSolversAgree solves the same instances with every installed solver.
func TestSolversAgree(t *testing.T) {
	testkit.UseSolvers(t)
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma/2, 0) // programs start slowly: few cuts
	find := search.Settings{K: instance.K, Never: []int{instance.Selected[0]}}
	want := must.Get(search.Minimize(context.Background(), oracle, find))(t)
	for _, name := range milp.Names() {
		t.Run(name, func(t *testing.T) {
			solver := must.Get(milp.New(name, ""))(t)
			got, err := cutplanes.CutPlanes(context.Background(), oracle, cutplanes.Settings{Search: find, Solver: solver})
			if errors.Is(err, milp.ErrNotFound) {
				t.Skipf("%v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != search.Optimal || !slices.Equal(got.Selection, want.Selection) || got.Cost != want.Cost {
				t.Fatalf("%v %v of cost %v, want %v of cost %v", got.Status, got.Selection, got.Cost, want.Selection, want.Cost)
			}
			if got.Solver != name || got.SolverVersion == "unknown" || got.Masters < 2 || got.Cuts < 3 {
				t.Fatalf("odd record: %+v", got)
			}
		})
	}
}

// TestLimitsKeepATrueBound stops runs early in every way.
func TestLimitsKeepATrueBound(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	best := must.Get(search.Minimize(context.Background(), oracle, search.Settings{K: 4}))(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		limit  search.Settings
		status search.Status
	}{
		{"passes", context.Background(), search.Settings{MaxPasses: 8}, search.PassLimit},
		{"nodes", context.Background(), search.Settings{MaxNodes: 5}, search.NodeLimit},
		{"time", context.Background(), search.Settings{TimeLimit: time.Nanosecond}, search.TimeLimit},
		{"interrupt", cancelled, search.Settings{Start: [][]int{{0, 1, 2, 3}}}, search.Interrupted},
		{"gap", context.Background(), search.Settings{Gap: 0.1}, search.GapReached},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.limit.K = 4
			got := must.Get(cutplanes.CutPlanes(test.ctx, oracle, cutplanes.Settings{Search: test.limit}))(t)
			if got.Status != test.status || len(got.Selection) != 4 || got.Cost < best.Cost || got.Bound > best.Cost {
				t.Fatalf("%v, selection %v, cost %v, bound %v; optimum %v", got.Status, got.Selection, got.Cost, got.Bound, best.Cost)
			}
			// The same limits on samples: an answer, and nothing proven.
			sampled := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0).Sampled(objective.SampleSize{Rows: 10, Columns: 30}, 1)
			answer := must.Get(cutplanes.OptComplete(test.ctx, sampled, oracle, cutplanes.Settings{Search: test.limit}))(t)
			if len(answer.Selection) != 4 || answer.Cost < best.Cost || !math.IsInf(answer.Bound, -1) || answer.Status == search.Optimal {
				t.Fatalf("%v, selection %v, cost %v, bound %v", answer.Status, answer.Selection, answer.Cost, answer.Bound)
			}
		})
	}
}

// TestInterruptedAtOnce: without a start there is nothing to answer with.
func TestInterruptedAtOnce(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	settings := cutplanes.Settings{Search: search.Settings{K: 4}}
	if got, err := cutplanes.CutPlanes(ctx, oracle, settings); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", got.Selection, err)
	}
	sampled := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0).Sampled(objective.SampleSize{Rows: 10, Columns: 30}, 1)
	if got, err := cutplanes.OptComplete(ctx, sampled, oracle, settings); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", got.Selection, err)
	}
}

// broken is a solver that fails on its second master.
type broken struct {
	milp.Embedded
	solves int
}

var errBroken = errors.New("the solver broke")

func (b *broken) Solve(ctx context.Context, m *milp.Master, o milp.Options) (milp.Solution, error) {
	if b.solves++; b.solves > 1 {
		return milp.Solution{}, errBroken
	}
	return b.Embedded.Solve(ctx, m, o)
}

// TestSolverFailureIsAnError: never a result.
func TestSolverFailureIsAnError(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	_, err := cutplanes.CutPlanes(context.Background(), oracle, cutplanes.Settings{Search: search.Settings{K: 4}, Solver: &broken{}})
	if !errors.Is(err, errBroken) {
		t.Fatalf("error %v", err)
	}
}

// hurried is a program that fails because its time is over.
type hurried struct{ repeating }

func (h *hurried) Solve(ctx context.Context, m *milp.Master, o milp.Options) (milp.Solution, error) {
	time.Sleep(o.TimeLimit)
	return milp.Solution{}, &milp.CrashError{Solver: "hurried", Code: 255}
}

// TestProgramOutOfTimeIsALimit, not a failure; without a limit it is one.
func TestProgramOutOfTimeIsALimit(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	settings := cutplanes.Settings{Search: search.Settings{K: 4, TimeLimit: 50 * time.Millisecond}, Solver: &hurried{}}
	got, err := cutplanes.CutPlanes(context.Background(), oracle, settings)
	if err != nil || got.Status != search.TimeLimit || len(got.Selection) != 4 {
		t.Fatalf("%v, %v, selection %v", err, got.Status, got.Selection)
	}
	settings.Search.TimeLimit = 0
	if _, err := cutplanes.CutPlanes(context.Background(), oracle, settings); err == nil {
		t.Fatal("the solver failed, and that is no error")
	}
}

// repeating is a solver that is not embedded and whose bound is too low to meet
// any cost, as a program's is whose tolerances are coarse.
type repeating struct{ inner milp.Embedded }

func (r *repeating) Name() string                            { return "coarse" }
func (r *repeating) Version(context.Context) (string, error) { return "1", nil }
func (r *repeating) Solve(ctx context.Context, m *milp.Master, o milp.Options) (milp.Solution, error) {
	s, err := r.inner.Solve(ctx, m, o)
	s.Bound -= 1e-3
	return s, err
}

// TestCoarseSolverStillEndsInProof: where a program's tolerances keep bound and
// cost apart, the embedded solver closes the gap.
func TestCoarseSolverStillEndsInProof(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	got := must.Get(cutplanes.CutPlanes(context.Background(), oracle, cutplanes.Settings{Search: search.Settings{K: 4}, Solver: &repeating{}}))(t)
	if got.Status != search.Optimal || got.Gap > search.Precision || got.Solver != "coarse" {
		t.Fatalf("%v, gap %v, solver %q", got.Status, got.Gap, got.Solver)
	}
}

// rough lowers the constant of every cut, as an oracle that rounds badly would.
type rough struct{ search.Oracle }

func (r rough) Eval(ctx context.Context, w []float64) (search.Cut, error) {
	cut, err := r.Oracle.Eval(ctx, w)
	cut.Constant -= 1e-3 * cut.Cost
	return cut, err
}

// TestRoughCutsEndAtANumericalLimit: selections whose own cut does not reach their
// cost are excluded one by one until nothing is left; what is proven about them is
// the value of their cuts and no more.
func TestRoughCutsEndAtANumericalLimit(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	want := must.Get(search.Minimize(context.Background(), oracle, search.Settings{K: 4}))(t)
	excluded := 0
	got := must.Get(cutplanes.CutPlanes(context.Background(), rough{oracle}, cutplanes.Settings{
		Search: search.Settings{K: 4},
		OnStep: func(s cutplanes.Step) {
			if s.Excludes {
				excluded++
			}
		},
	}))(t)
	if got.Status != search.NumericalLimit || got.Cost != want.Cost || excluded == 0 {
		t.Fatalf("%v, cost %v, want %v, %d excluded", got.Status, got.Cost, want.Cost, excluded)
	}
	if got.Bound > want.Cost*(1-1e-3)*(1+1e-9) || got.Gap > 1.1e-3 || got.Gap < 0.9e-3 {
		t.Fatalf("bound %v, cost %v, gap %v: want the value of the cut", got.Bound, got.Cost, got.Gap)
	}
}

// TestOptCompleteEndsWithRoughCuts: a selection whose cuts stay below its cost
// comes back for ever, unless its own cuts are what counts.
func TestOptCompleteEndsWithRoughCuts(t *testing.T) {
	instance, gamma := hard(t)
	oracle := objective.NewExact(instance.Ratings.Matrix(), instance.Features, gamma, 0)
	got, err := cutplanes.OptComplete(context.Background(), rough{oracle}, oracle, cutplanes.Settings{Search: search.Settings{K: 4, MaxPasses: 10_000}})
	if err != nil || got.Status != search.Sampled {
		t.Fatalf("%v, %v", got.Status, err)
	}
}
