package kernel

import (
	"math"
	"testing"

	stream "optcomplete/internal/random"
)

// TestPanelProductsAddProducts compares with sums by the book.
func TestPanelProductsAddProducts(t *testing.T) {
	for _, rows := range []int{0, 1, 3, 64} {
		rng := stream.New(7, uint64(rows))
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.Normal()
			}
			return x
		}
		const stride = 11
		a, b := draw(rows*PanelWidth), draw(rows*PanelWidth)
		dst := draw(PanelWidth * stride)
		want := append([]float64{}, dst...)
		for x := range PanelWidth {
			for y := range PanelWidth {
				for r := range rows {
					want[x*stride+y] += a[r*PanelWidth+x] * b[r*PanelWidth+y]
				}
			}
		}
		PanelProducts(dst, stride, a, b, rows)
		for i := range dst {
			if math.Abs(dst[i]-want[i]) > 1e-12 {
				t.Fatalf("%d rows: element %d is %v, want %v", rows, i, dst[i], want[i])
			}
		}
	}
}
