package pack

//go:generate sh -c "cd gen && go run . -out ../decode_amd64.s -stubs ../stubs_amd64.go -pkg pack"

// The loops that make rows of buffers. All slices of a call have one length.
// Those that vector instructions do faster have a generated version for
// processors with AVX2 (see gen), which does 16 at a time; the loops here are
// its specification, and do the rest. Looking up dictionaries is not among them:
// gathering is no faster than loading one by one.

func narrowColumns(to []int32, low []uint16) {
	at := narrowColumnsFast(to, low)
	to, low = to[at:], low[at:]
	to = to[:len(low)]
	for x, c := range low {
		to[x] = int32(c)
	}
}

func wideColumns(to []int32, low []uint16, high []uint8) {
	at := wideColumnsFast(to, low, high)
	to, low, high = to[at:], low[at:], high[at:]
	to, high = to[:len(low)], high[:len(low)]
	for x, c := range low {
		to[x] = int32(c) | int32(high[x])<<16
	}
}

func fromFloat32(to []float64, from []float32) {
	at := fromFloat32Fast(to, from)
	to, from = to[at:], from[at:]
	to = to[:len(from)]
	for x, v := range from {
		to[x] = float64(v)
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
