//go:build amd64 && !purego

package random

import "golang.org/x/sys/cpu"

// middleTable is what middleAVX reads: each number four times.
var middleTable = func() (table []float64) {
	four := func(x float64) { table = append(table, x, x, x, x) }
	four(0x1p52)
	four(0.5)
	four(0x1p-52)
	four(0.180625)
	for _, coefficients := range [][8]float64{centre.above, centre.below} {
		for i := 7; i >= 0; i-- {
			four(coefficients[i])
		}
	}
	return table
}()

func middles(bits []uint64, out []float64) {
	done := 0
	if cpu.X86.HasAVX2 {
		done = len(bits) &^ 7
		middleAVX(bits, out, middleTable, done/8)
	}
	middleGo(bits[done:], out[done:])
}
