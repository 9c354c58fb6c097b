//go:build !purego

package pack

import "golang.org/x/sys/cpu"

var accelerated = cpu.X86.HasAVX2

// Each does as many of the numbers as it can, and says how many.

func narrowColumnsFast(to []int32, low []uint16) int {
	if !accelerated {
		return 0
	}
	n := len(low) / 16
	narrowColumnsAVX(to[:16*n], low, n)
	return 16 * n
}

func wideColumnsFast(to []int32, low []uint16, high []uint8) int {
	if !accelerated {
		return 0
	}
	n := len(low) / 16
	wideColumnsAVX(to[:16*n], low, high[:16*n], n)
	return 16 * n
}

func fromFloat32Fast(to []float64, from []float32) int {
	if !accelerated {
		return 0
	}
	n := len(from) / 16
	fromFloat32AVX(to[:16*n], from, n)
	return 16 * n
}
