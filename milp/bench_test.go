package milp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"optcomplete/internal/testkit"
)

// benchmarkMasters are masters of the paper's sizes with 200 cuts: at random
// selections, and as outer approximation meets them.
var benchmarkMasters = []struct {
	p, k  int
	gamma float64
	path  bool // cuts along outer approximation
}{
	{15, 5, 0.05, false}, {15, 5, 0.3, true},
	{50, 10, 0.03, false}, {50, 5, 0.1, true}, {50, 10, 0.1, true}, {50, 30, 0.1, false},
	{200, 10, 0.02, false}, {200, 5, 0.02, true},
	{1000, 10, 0.01, false}, {1000, 5, 0.01, true},
}

// BenchmarkMaster times Embedded, cold, against HiGHS on the same masters. The
// metric embedded/highs is the ratio of their times. HiGHS's is the one it
// reports itself, so its process start and file reading are left out, and the
// better of two runs, with presolve and without: on dense masters its default,
// with, can be ten times slower, and the ratio is not to rest on that.
func BenchmarkMaster(b *testing.B) {
	testkit.UseSolvers(b)
	highs, _ := New("highs", "")
	_, missing := highs.Version(context.Background())
	for _, size := range benchmarkMasters {
		kind := "random"
		if size.path {
			kind = "path"
		}
		b.Run(fmt.Sprintf("p=%d/k=%d/%s", size.p, size.k, kind), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(size.p)))
			in := newInstance(r, size.p, size.k, 30, 30, size.gamma, 0.3)
			var m *Master
			if size.path {
				m = in.trajectory(b, r, 200)
			} else {
				m = in.randomCuts(r, 200)
			}
			var own Solution
			var err error
			for b.Loop() {
				if own, err = new(Embedded).Solve(context.Background(), m, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			mine := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(float64(own.Nodes), "nodes")
			if errors.Is(missing, ErrNotFound) {
				b.Log("highs is not installed, so there is no ratio; see scripts/install-solvers.sh")
				return
			}
			best := math.Inf(1)
			for _, solver := range []Solver{highs, presolving()} {
				theirs, err := solver.Solve(context.Background(), m, Options{TimeLimit: time.Minute})
				var early *NotOptimalError
				if err != nil && !errors.As(err, &early) {
					b.Fatal(err)
				}
				if early == nil && math.Abs(theirs.Objective-own.Objective) > externalTolerance(m) {
					b.Errorf("embedded %v, highs %v", own.Objective, theirs.Objective)
				}
				best = min(best, theirs.Seconds) // a run that met the limit would have taken longer
			}
			b.ReportMetric(best, "highs-s")
			b.ReportMetric(mine/max(best, 0.005), "embedded/highs") // it prints hundredths
		})
	}
}

// presolving is HiGHS with its own default for presolve.
func presolving() *External {
	a := *adapters[0]
	a.prepare = func(dir string, o Options) ([]string, error) {
		args, err := adapters[0].prepare(dir, o)
		return append([]string{"--presolve", "on"}, args...), err
	}
	return &External{adapter: &a}
}

// BenchmarkSequence times the masters of a run of outer approximation one after
// the other, with one Embedded that remembers and with a new one each time.
func BenchmarkSequence(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 50))
	full := newInstance(r, 50, 5, 30, 30, 0.1, 0.3).trajectory(b, r, 120)
	for _, warm := range []bool{true, false} {
		b.Run(fmt.Sprintf("warm=%v", warm), func(b *testing.B) {
			for b.Loop() {
				solver := &Embedded{}
				for n := 1; n <= len(full.Cuts); n++ {
					if !warm {
						solver = &Embedded{}
					}
					m := &Master{P: full.P, K: full.K, Cuts: full.Cuts[:n]}
					if _, err := solver.Solve(context.Background(), m, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
