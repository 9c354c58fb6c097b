package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	equality "reflect"
	"testing"

	"optcomplete/data"
	"optcomplete/loss"
)

// made generates rows with variances of their own of the first features, and none of the
// others.
func made(t *testing.T, rows, columns, p int, part, level, noise float64, want []float64, l loss.Loss, weighted bool) *Learning {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	design := make([]float64, columns*p)
	for x := range design {
		design[x] = r.NormFloat64()
	}
	start, at, values, weights := []int{0}, []int32{}, []float64{}, []float64{}
	for range rows {
		base, u := math.Sqrt(level*noise)*r.NormFloat64(), make([]float64, len(want))
		for f := range u {
			u[f] = math.Sqrt(want[f]*noise) * r.NormFloat64()
		}
		for c := range columns {
			if r.Float64() < part {
				weight := 1.0
				if weighted {
					weight = []float64{0.25, 4}[r.IntN(2)]
				}
				x := base
				for f := range u {
					x += u[f] * design[c*p+f]
				}
				switch l {
				case loss.Logistic:
					if r.Float64() < 1/(1+math.Exp(-x)) {
						x = 1
					} else {
						x = 0
					}
				default:
					x += math.Sqrt(noise/weight) * r.NormFloat64()
				}
				at, values, weights = append(at, int32(c)), append(values, x), append(weights, weight)
			}
		}
		start = append(start, len(at))
	}
	m, err := data.NewMatrixByRows(columns, start, at, values)
	if err == nil && weighted {
		m, err = m.WithWeights(weights)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Learning{Rows: []*data.Matrix{m}, Design: design, P: p, Loss: loss.Scaled{Loss: l}, Threads: 2}
}

// TestLearnVariances: of generated rows, the variances that they were made with, and next to
// nothing of features that rows do not differ on, in the space of the coefficients and in
// that of the entries, with weights, and by the working response of a loss.
func TestLearnVariances(t *testing.T) {
	want := []float64{0.5, 0.2, 0.05, 0}
	for _, is := range []struct {
		name             string
		rows, columns, p int
		part             float64
		noise            float64
		loss             loss.Loss
		weighted         bool
		within           float64
	}{
		{"long rows", 3000, 60, 4, 0.3, 2, loss.Squared, false, 0.1},
		{"short rows", 3000, 60, 30, 0.15, 2, loss.Squared, false, 0.15},
		{"weights", 3000, 60, 4, 0.3, 2, loss.Squared, true, 0.1},
		{"many features", 1500, 400, 600, 0.08, 2, loss.Squared, false, 0.3},
		{"yes and no", 3000, 120, 4, 0.5, 1, loss.Logistic, false, 0.25},
		{"yes and no, short rows", 4000, 60, 44, 0.3, 1, loss.Logistic, false, 0.4},
	} {
		t.Run(is.name, func(t *testing.T) {
			l := made(t, is.rows, is.columns, is.p, is.part, 0.4, is.noise, want, is.loss, is.weighted)
			v, ok, err := l.LearnVariances(context.Background())
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			near := func(name string, got, want, within float64) {
				if !(math.Abs(got-want) <= within) {
					t.Errorf("%s is %.4f, not %.4f", name, got, want)
				}
			}
			near("noise", v.Noise, is.noise, 0.5*is.within*is.noise)
			near("level", v.Level, 0.4, 0.4*is.within+0.01)
			for f, got := range v.Features {
				should := 0.0
				if f < len(want) {
					should = want[f]
				}
				near(fmt.Sprint("feature ", f), got, should, is.within*should+0.015)
				if v.Sure[f] != (should > 0) && (should > 0 || got > 0.01) {
					t.Errorf("feature %d of variance %.4f: measurable %v", f, got, v.Sure[f])
				}
			}
			l.Threads = 1
			if again, _, err := l.LearnVariances(context.Background()); err != nil || !equality.DeepEqual(again, v) {
				t.Errorf("with one thread %v, not %v: %v", again, v, err)
			}
		})
	}
}
