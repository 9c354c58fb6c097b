//go:build !amd64 || purego

package random

func middles(bits []uint64, out []float64) { middleGo(bits, out) }
