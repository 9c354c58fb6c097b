package estimate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"optcomplete/data"
)

// TestLearnVariances: of generated rows, the variances that they were made with, and next to
// nothing of a feature that rows do not differ on.
func TestLearnVariances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const rows, columns, p = 3000, 60, 4
	design := make([]float64, columns*p)
	for x := range design {
		design[x] = r.NormFloat64()
	}
	want := []float64{0.5, 0.2, 0.05, 0}
	const level, noise = 0.4, 2.0
	start, at, values := []int{0}, []int32{}, []float64{}
	for range rows {
		base, u := math.Sqrt(level*noise)*r.NormFloat64(), make([]float64, p)
		for f := range u {
			u[f] = math.Sqrt(want[f]*noise) * r.NormFloat64()
		}
		for c := range columns {
			if r.Float64() < 0.3 {
				x := base + math.Sqrt(noise)*r.NormFloat64()
				for f := range u {
					x += u[f] * design[c*p+f]
				}
				at, values = append(at, int32(c)), append(values, x)
			}
		}
		start = append(start, len(at))
	}
	m, err := data.NewMatrixByRows(columns, start, at, values)
	if err != nil {
		t.Fatal(err)
	}
	v, ok, err := LearnVariances(context.Background(), m, design, p, 2)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	near := func(name string, got, want, within float64) {
		if math.Abs(got-want) > within {
			t.Errorf("%s is %.4f, not %.4f", name, got, want)
		}
	}
	near("noise", v.Noise, noise, 0.05)
	near("level", v.Level, level, 0.05)
	for f := range want {
		near("feature", v.Features[f], want[f], 0.1*want[f]+0.006)
	}
	again, _, err := LearnVariances(context.Background(), m, design, p, 1)
	if err != nil || again.Level != v.Level || again.Noise != v.Noise {
		t.Errorf("with one thread %v, not %v: %v", again, v, err)
	}
}
