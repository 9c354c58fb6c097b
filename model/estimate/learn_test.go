package estimate

import (
	"context"
	"math"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/pass"
)

// TestLearnedPriorEqualsPlainSteps holds the steps that take eight rows side by
// side against the formulas of one row after the other, products kept or not.
func TestLearnedPriorEqualsPlainSteps(t *testing.T) {
	const d = 4
	m, f := testkit.Drawn(t, 700, 12, d, 0.5, 8)
	for _, keep := range []bool{true, false} {
		l := newLearner(m, f.Values, d, 2, 0)
		if !keep {
			l.kept = nil
		}
		got := must.Get(l.learn(context.Background(), m, begin(t, m, f.Values, d), 3, false))(t)
		want := plainPrior(t, m, f.Values, d, 3)
		if d := max(distance(got.Mean, want.Mean), distance(got.Covariance, want.Covariance), math.Abs(got.Noise/want.Noise-1)); d > 1e-10 {
			t.Errorf("products kept %v: off by %g", keep, d)
		}
	}
}

// TestLearningOnASampleFirst: near is what the rows of the sample alone teach; on
// all rows, from there, it is what learning on all from the start leads to.
func TestLearningOnASampleFirst(t *testing.T) {
	const d = 3
	ctx := context.Background()
	m, f := testkit.Drawn(t, 8*learnBlock, 12, d, 0.5, 8)
	learned := func(m *data.Matrix, start *priorState, every, steps int, near bool) *priorState {
		l := newLearner(m, f.Values, d, 2, 0)
		if l.every != 1 {
			t.Fatalf("one block of %d is a sample of %d rows", l.every, 8*learnBlock)
		}
		l.every = every
		p := must.Get(l.learn(ctx, m, start, steps, near))(t)
		return p
	}
	apart := func(a, b *priorState) float64 {
		return max(distance(a.Mean, b.Mean), distance(a.Covariance, b.Covariance), math.Abs(a.Noise/b.Noise-1))
	}
	sample := m.Filter(func(row int, _ int32) bool { return row/learnBlock%2 == 0 })
	near := learned(m, begin(t, m, f.Values, d), 2, 5, true)
	if want := learned(sample, begin(t, m, f.Values, d), 1, 5, false); apart(near, want) > 1e-12 {
		t.Errorf("on a sample: off by %g", apart(near, want))
	}
	all := learned(m, begin(t, m, f.Values, d), 1, 400, false)
	got := learned(m, begin(t, m, f.Values, d), 2, 400, false)
	if apart(got, all) > 0.1*apart(near, all) { // both end where steps are small, not at one point
		t.Errorf("on all after a sample: off by %g, after a few steps on the sample by %g", apart(got, all), apart(near, all))
	}
}

// begin is the prior that learning starts from.
func begin(t *testing.T, m *data.Matrix, design []float64, d int) *priorState {
	t.Helper()
	survey := must.Get(pass.Survey(context.Background(), m, 2))(t)
	p := must.Get(startPrior(context.Background(), m, survey, design, d, 2))(t)
	return p
}

// plainPrior takes steps of expectation-maximisation by the textbook.
func plainPrior(t *testing.T, m *data.Matrix, design []float64, d, steps int) *priorState {
	t.Helper()
	p := begin(t, m, design, d)
	n, _ := m.Dims()
	for range steps {
		must.Do(t, p.invert())
		mean, second, rows, wrong := make([]float64, d), make([]float64, d*d), 0.0, 0.0
		s, u, spread := newPosterior(d), make([]float64, d), make([]float64, d*d)
		for i := range n {
			at, a := m.Row(i)
			if len(at) == 0 {
				continue
			}
			rows++
			s.solve(p, design, at, a, u)
			invertFrom(s.factor, spread, d)
			for x := range d {
				mean[x] += u[x]
				for y := range d {
					second[x*d+y] += spread[x*d+y] + u[x]*u[y]
				}
			}
			for e, c := range at {
				b := design[int(c)*d:][:d]
				r := a[e] - dense.Dot(b, u)
				wrong += r * r
				for x := range d {
					wrong += b[x] * dense.Dot(spread[x*d:(x+1)*d], b)
				}
			}
		}
		for x := range d {
			p.Mean[x] = mean[x] / rows
		}
		for x := range d {
			for y := range d {
				p.Covariance[x*d+y] = second[x*d+y]/rows - p.Mean[x]*p.Mean[y]
			}
		}
		p.Noise = wrong / float64(m.Observed())
	}
	return p
}
