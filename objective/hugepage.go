package objective

import "unsafe"

// Large arrays are read in no particular order. Where the system offers 2 MB pages for
// them, a reader needs far fewer entries of the processor's page table.
//
// hugePage is the size of a large page, and hugeLeast that of an array worth one: more than
// the processor keeps small pages for.
const (
	hugePage  = 2 << 20
	hugeLeast = 512 << 10
)

// hugeArray makes an array of zeros. A large one begins with a page and may fill the last.
func hugeArray(n int) []float64 {
	if 8*n < hugeLeast {
		return make([]float64, n)
	}
	whole := (8*n + hugePage - 1) &^ (hugePage - 1)
	x := make([]float64, (whole+hugePage)/8)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	x = x[((first+hugePage-1)&^(hugePage-1)-first)/8:]
	advise(x[:whole/8])
	return x[:n:n]
}
