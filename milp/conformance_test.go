package milp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
)

// trial is one master of the conformance suite.
type trial struct {
	name   string
	master *Master
	want   float64 // the optimum; NaN where only Embedded can say
	// wild masters have entries from 1e-9 to 1e9 side by side, more than the
	// tolerances of an external solver can hold: it may refuse, in a typed
	// error, but not be wrong.
	wild bool
}

// Conformance is the suite that every solver runs. tolerance is how far from
// the optimum its objective may be; nil means 1e-9 relative.
func Conformance(t *testing.T, solver Solver, tolerance func(*Master) float64) {
	ctx := context.Background()
	for _, tr := range trials() {
		t.Run(tr.name, func(t *testing.T) {
			want := tr.want
			if math.IsNaN(want) {
				reference := must.Get(new(Embedded).Solve(ctx, tr.master, Options{}))(t)
				want = reference.Objective
			}
			allowed := 1e-9 * math.Abs(want)
			if tolerance != nil {
				allowed += tolerance(tr.master)
			}
			got, err := solver.Solve(ctx, tr.master, Options{TimeLimit: 2 * time.Minute, Seed: 3})
			var wrong *AnswerError
			if tr.wild && tolerance != nil && errors.As(err, &wrong) {
				t.Logf("refused: %v", err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			must.Do(t, tr.master.feasible(got.Selection))
			if v := tr.master.Value(got.Selection); v != got.Objective {
				t.Errorf("objective %v, but the selection has %v", got.Objective, v)
			}
			if got.Objective > want+allowed || got.Objective < want-1e-9*math.Abs(want) {
				t.Errorf("objective %v, want %v (allowed %v)", got.Objective, want, allowed)
			}
			rounding := 1e-13 * (1 + math.Abs(want)) / FileScale(tr.master)
			if got.Bound > want || got.Bound < want-2*allowed-rounding {
				t.Errorf("bound %v does not bound the optimum %v closely (allowed %v)", got.Bound, want, allowed)
			}
		})
	}
}

// externalTolerance is the tolerance of an external solver: it may leave cuts
// violated by the tolerance claims are checked with, at the selection it takes
// and at the better one it misses.
func externalTolerance(m *Master) float64 {
	best, err := new(Embedded).Solve(context.Background(), m, Options{})
	if err != nil {
		panic(err)
	}
	a := answer{weights: make([]float64, m.P), eta: best.Objective * FileScale(m), rounding: 1e-7}
	return 2 * claimTolerance(m, a) / FileScale(m)
}

type entries func(r *rand.Rand) float64

func gauss(r *rand.Rand) float64   { return r.NormFloat64() }
func ternary(r *rand.Rand) float64 { return float64(r.IntN(3) - 1) }
func wild(r *rand.Rand) float64 {
	return r.NormFloat64() * math.Pow(10, float64(r.IntN(19)-9))
}

func randomMaster(r *rand.Rand, p, k, cuts int, entry entries) *Master {
	m := &Master{P: p, K: k, Floor: -1e3}
	for range cuts {
		c := Cut{Constant: entry(r), Gradient: make([]float64, p)}
		for j := range c.Gradient {
			c.Gradient[j] = entry(r)
		}
		m.Cuts = append(m.Cuts, c)
	}
	return m
}

func trials() []trial {
	var list []trial
	add := func(name string, m *Master) {
		list = append(list, trial{name: name, master: m, want: bruteForce(m)})
	}
	for i, s := range []struct{ p, k, cuts int }{
		{1, 1, 3}, {6, 3, 5}, {10, 4, 20}, {14, 7, 60}, {20, 3, 300}, {60, 2, 100}, {60, 3, 40}, {60, 58, 300},
	} {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		add(fmt.Sprintf("gauss p=%d k=%d cuts=%d", s.p, s.k, s.cuts), randomMaster(r, s.p, s.k, s.cuts, gauss))
		add(fmt.Sprintf("ties p=%d k=%d cuts=%d", s.p, s.k, s.cuts), randomMaster(r, s.p, s.k, s.cuts, ternary))
	}
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 4 {
		add(fmt.Sprintf("wild %d", i), randomMaster(r, 12, 5, 15, wild))
		list[len(list)-1].wild = true
	}
	in := newInstance(r, 16, 5, 20, 20, 0.3, 0.3)
	add("paper random cuts", in.randomCuts(r, 60))
	tiny := in.randomCuts(r, 30)
	huge := &Master{P: 16, K: 5}
	for c := range tiny.Cuts {
		scaled := Cut{Constant: tiny.Cuts[c].Constant * 1e9}
		tiny.Cuts[c].Constant *= 1e-9
		for j, g := range tiny.Cuts[c].Gradient {
			scaled.Gradient = append(scaled.Gradient, g*1e9)
			tiny.Cuts[c].Gradient[j] = g * 1e-9
		}
		huge.Cuts = append(huge.Cuts, scaled)
	}
	add("every coefficient about 1e-9", tiny)
	add("every coefficient about 1e9", huge)
	list = append(list, trial{
		name: "paper p=60 k=8", master: newInstance(r, 60, 8, 30, 30, 0.1, 0.3).randomCuts(r, 200), want: math.NaN(),
	})
	return append(list, degenerate(r)...)
}

// degenerate masters have known shapes that trip solvers.
func degenerate(r *rand.Rand) []trial {
	base := randomMaster(r, 9, 4, 6, gauss)
	equal := &Master{P: 9, K: 4, Floor: -1e3}
	for range 20 {
		equal.Cuts = append(equal.Cuts, base.Cuts[0])
	}
	flat := &Master{P: 12, K: 6, Cuts: []Cut{{Constant: 2, Gradient: make([]float64, 12)}}}
	same := &Master{P: 20, K: 10, Floor: -1e3}
	for c := range 8 {
		cut := Cut{Constant: float64(c), Gradient: make([]float64, 20)}
		for j := range cut.Gradient {
			cut.Gradient[j] = -0.1 * float64(c+1)
		}
		same.Cuts = append(same.Cuts, cut)
	}
	with := func(change func(m *Master)) *Master {
		m := *base
		change(&m)
		return &m
	}
	masters := []struct {
		name string
		m    *Master
	}{
		{"equal cuts", equal},
		{"zero gradient", flat},
		{"every selection ties", same},
		{"no cuts", &Master{P: 7, K: 3, Floor: 0.25}},
		{"single cut", with(func(m *Master) { m.Cuts = m.Cuts[:1] })},
		{"k = p", with(func(m *Master) { m.K = 9 })},
		{"k = 0", with(func(m *Master) { m.K = 0 })},
		{"floor is reached", with(func(m *Master) { m.Floor = 1e3 })},
		{"floor is nearly reached", with(func(m *Master) { m.Floor = bruteForce(m) - 1e-3 })},
		{"always and never", with(func(m *Master) { m.Always, m.Never = []int{0, 8}, []int{3, 4} })},
		{"always is everything", with(func(m *Master) { m.Always = []int{1, 2, 5, 7} })},
		{"never leaves k", with(func(m *Master) { m.Never = []int{1, 2, 5, 7, 8} })},
	}
	var list []trial
	for _, x := range masters {
		list = append(list, trial{name: x.name, master: x.m, want: bruteForce(x.m)})
	}
	return list
}

func TestEmbeddedConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: left out by -short")
	}
	Conformance(t, &Embedded{}, nil)
}

func TestExternalSolversConform(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: left out by -short")
	}
	for _, name := range Names()[1:] {
		t.Run(name, func(t *testing.T) {
			solver := installed(t, name)
			Conformance(t, solver, externalTolerance)
		})
	}
}

// installed returns an external solver, or skips the test.
func installed(t testing.TB, name string) Solver {
	t.Helper()
	testkit.UseSolvers(t)
	solver := must.Get(New(name, ""))(t)
	version, err := solver.Version(context.Background())
	if errors.Is(err, ErrNotFound) {
		t.Skipf("%s is not installed; scripts/install-solvers.sh installs highs, cbc and glpk", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s", name, version)
	return solver
}
