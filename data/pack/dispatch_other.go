//go:build !amd64 || purego

package pack

var accelerated = false

func narrowColumnsFast([]int32, []uint16) int        { return 0 }
func wideColumnsFast([]int32, []uint16, []uint8) int { return 0 }
func fromFloat32Fast([]float64, []float32) int       { return 0 }
