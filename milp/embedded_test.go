package milp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "optcomplete/internal/steadyseed"

	"optcomplete/internal/must"
)

func TestEmbeddedEqualsBruteForce(t *testing.T) {
	kinds := []entries{gauss, ternary, wild}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := rapid.IntRange(1, 11).Draw(t, "p")
		k := rapid.IntRange(0, p).Draw(t, "k")
		m := randomMaster(r, p, k, rapid.IntRange(0, 25).Draw(t, "cuts"), kinds[rapid.IntRange(0, 2).Draw(t, "kind")])
		perm := r.Perm(p)
		m.Always = perm[:rapid.IntRange(0, k).Draw(t, "always")]
		m.Never = perm[p-rapid.IntRange(0, p-k).Draw(t, "never"):]
		if rapid.Bool().Draw(t, "duplicates") {
			m.Cuts = append(m.Cuts, m.Cuts...)
			m.Always = append(m.Always[:len(m.Always):len(m.Always)], m.Always...)
		}
		if rapid.Bool().Draw(t, "floor") {
			m.Floor = r.NormFloat64()
		}
		want := bruteForce(m)
		got := must.Get(new(Embedded).Solve(context.Background(), m, Options{}))(t)
		must.Do(t, m.feasible(got.Selection))
		if got.Objective != m.Value(got.Selection) || math.Abs(got.Objective-want) > 1e-9*math.Abs(want) {
			t.Fatalf("objective %v, want %v", got.Objective, want)
		}
		if got.Bound > want {
			t.Fatalf("bound %v exceeds the optimum %v", got.Bound, want)
		}
	})
}

// The bound must hold at every node, not only at the end: every early stop
// shows one.
func TestBoundHoldsHoweverEarlyItStops(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	m := randomMaster(r, 24, 6, 120, gauss)
	best := must.Get(new(Embedded).Solve(context.Background(), m, Options{}))(t)
	early := 0
	for limit := 100 * time.Microsecond; limit < time.Second; limit += limit / 2 {
		got, err := new(Embedded).Solve(context.Background(), m, Options{TimeLimit: limit})
		var stopped *NotOptimalError
		if errors.As(err, &stopped) {
			early++
			if diff := cmp.Diff(stopped.Solution, got); diff != "" {
				t.Error(diff)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if got.Bound > best.Objective || got.Objective < best.Objective || m.feasible(got.Selection) != nil {
			t.Errorf("after %v: %+v, optimum %v", limit, got, best.Objective)
		}
	}
	if early == 0 {
		t.Error("no run stopped early, so nothing was tested")
	}
}

func TestCancelledEmbeddedReturnsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := randomMaster(rand.New(rand.NewPCG(3, 3)), 30, 8, 100, gauss)
	got, err := new(Embedded).Solve(ctx, m, Options{})
	if !errors.Is(err, context.Canceled) || m.feasible(got.Selection) != nil || got.Bound > got.Objective {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestGapStopsEarlierWithinTheGap(t *testing.T) {
	m := randomMaster(rand.New(rand.NewPCG(4, 4)), 40, 6, 80, gauss)
	m.Floor = 0
	for c := range m.Cuts {
		m.Cuts[c].Constant += 10
	}
	best := must.Get(new(Embedded).Solve(context.Background(), m, Options{}))(t)
	rough := must.Get(new(Embedded).Solve(context.Background(), m, Options{Gap: 0.05}))(t)
	if rough.Nodes >= best.Nodes {
		t.Errorf("%d nodes with a gap, %d without", rough.Nodes, best.Nodes)
	}
	if rough.Objective-rough.Bound > 0.05*rough.Objective*(1+1e-9) || rough.Bound > best.Objective {
		t.Errorf("%+v, optimum %v", rough, best.Objective)
	}
}

func TestWarmStartChangesNoObjective(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	in := newInstance(r, 30, 5, 20, 20, 0.2, 0.3)
	m := &Master{P: 30, K: 5}
	var warm Embedded
	at := r.Perm(30)[:5]
	for range 40 {
		_, c := in.cut(at)
		m.Cuts = append(m.Cuts, c)
		got := must.Get(warm.Solve(context.Background(), m, Options{Start: at}))(t)
		cold := must.Get(new(Embedded).Solve(context.Background(), m, Options{}))(t)
		if math.Abs(got.Objective-cold.Objective) > 1e-10*cold.Objective {
			t.Fatalf("%d cuts: warm %v, cold %v", len(m.Cuts), got.Objective, cold.Objective)
		}
		at = got.Selection
	}
	// A state from another master must not matter either.
	other := randomMaster(r, 30, 5, 10, wild)
	want, _ := new(Embedded).Solve(context.Background(), other, Options{})
	got, err := warm.Solve(context.Background(), other, Options{Start: []int{1, 1, 99}})
	if err != nil || math.Abs(got.Objective-want.Objective) > 1e-9*math.Abs(want.Objective) {
		t.Errorf("after another master: %v, want %v (%v)", got.Objective, want.Objective, err)
	}
}

func TestSameMasterSameSteps(t *testing.T) {
	m := randomMaster(rand.New(rand.NewPCG(7, 7)), 25, 7, 60, gauss)
	a, _ := new(Embedded).Solve(context.Background(), m, Options{})
	b, _ := new(Embedded).Solve(context.Background(), m, Options{Seed: 9})
	a.Seconds, b.Seconds = 0, 0
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
}

func TestBadMastersAreRefused(t *testing.T) {
	cut := Cut{Gradient: []float64{1, 2}}
	for name, c := range map[string]struct {
		m    Master
		want error
	}{
		"no features":       {Master{}, ErrMaster},
		"gradient too long": {Master{P: 1, K: 1, Cuts: []Cut{cut}}, ErrMaster},
		"NaN":               {Master{P: 2, K: 1, Cuts: []Cut{{math.NaN(), cut.Gradient}}}, ErrMaster},
		"infinite gradient": {Master{P: 2, K: 1, Cuts: []Cut{{0, []float64{0, math.Inf(-1)}}}}, ErrMaster},
		"infinite floor":    {Master{P: 2, K: 1, Floor: math.Inf(-1)}, ErrMaster},
		"unknown feature":   {Master{P: 2, K: 1, Always: []int{2}}, ErrMaster},
		"k too large":       {Master{P: 2, K: 3}, ErrInfeasible},
		"too many always":   {Master{P: 3, K: 1, Always: []int{0, 1}}, ErrInfeasible},
		"too many never":    {Master{P: 3, K: 2, Never: []int{0, 1}}, ErrInfeasible},
		"always and never":  {Master{P: 3, K: 2, Always: []int{0}, Never: []int{0}}, ErrInfeasible},
	} {
		if _, err := new(Embedded).Solve(context.Background(), &c.m, Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestValueSurvivesCancellation(t *testing.T) {
	m := &Master{P: 4, K: 4, Floor: -1e300, Cuts: []Cut{{Constant: 1e-9, Gradient: []float64{1e9, 0.1, -1e9, -0.1}}}}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 0, 2, 1}, {1, 3, 0, 2}} {
		if v := m.Value(order); math.Abs(v-1e-9) > 1e-23 {
			t.Errorf("order %v: %v, want 1e-9", order, v)
		}
	}
}

// Every update of the basis inverse must equal inverting the changed matrix.
func TestInverseUpdatesEqualInversion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		c, q := 12, 15
		m := randomMaster(r, q, 6, c, gauss)
		tr := &tree{m: m, scale: 1}
		tr.build(nil, upTo(q))
		l := tr.l
		l.load(nil)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if !l.choose() {
				break
			}
			l.aim()
			if !l.test() || !l.step() {
				break
			}
		}
		updated := l.inv
		updated.a = slices.Clone(l.inv.a)
		if !l.factor() {
			t.Fatal("the basis has become singular or dual infeasible")
		}
		for i := range updated.n {
			for n, v := range updated.row(i) {
				if w := l.inv.row(i)[n]; math.Abs(v-w) > 1e-6*(1+math.Abs(w)) {
					t.Fatalf("entry %d,%d of %d: %v updated, %v inverted", i, n, updated.n, v, w)
				}
			}
		}
	})
}

// TestNodeLimitIsKept: within one master, with a selection and a bound.
func TestNodeLimitIsKept(t *testing.T) {
	m := randomMaster(rand.New(rand.NewPCG(3, 3)), 40, 6, 80, gauss)
	free := must.Get(new(Embedded).Solve(context.Background(), m, Options{}))(t)
	if free.Nodes < 20 {
		t.Fatalf("only %d nodes", free.Nodes)
	}
	for _, limit := range []int{1, 2, 5, free.Nodes / 2} {
		_, err := new(Embedded).Solve(context.Background(), m, Options{MaxNodes: limit})
		var stopped *NotOptimalError
		if !errors.As(err, &stopped) {
			t.Fatalf("limit %d: %v", limit, err)
		}
		if s := stopped.Solution; s.Nodes > limit+1 || s.Bound > free.Objective || s.Objective < free.Bound || stopped.Reason != "node limit" {
			t.Errorf("limit %d: %+v, %s", limit, s, stopped.Reason)
		}
	}
}
