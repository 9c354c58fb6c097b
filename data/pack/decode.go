package pack

// The loops that make rows of buffers. All slices of a call have one length.

func narrowColumns(to []int32, low []uint16) {
	to = to[:len(low)]
	for x, c := range low {
		to[x] = int32(c)
	}
}

func widenColumns(to []int32, low []uint16, high []uint8) {
	to, high = to[:len(low)], high[:len(low)]
	for x, c := range low {
		to[x] = int32(c) | int32(high[x])<<16
	}
}

func lookUp8(to []float64, codes []uint8, dictionary *[1 << 8]float64) {
	to = to[:len(codes)]
	for x, c := range codes {
		to[x] = dictionary[c]
	}
}

func lookUp16(to []float64, codes []uint16, dictionary *[1 << 16]float64) {
	to = to[:len(codes)]
	for x, c := range codes {
		to[x] = dictionary[c]
	}
}

func fromFloat32(to []float64, from []float32) {
	to = to[:len(from)]
	for x, v := range from {
		to[x] = float64(v)
	}
}
