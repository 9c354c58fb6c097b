// Package hugepage allocates large arrays that are read in no particular order.
// Where the system offers 2 MB pages for them, a reader needs far fewer entries
// of the processor's page table.
package hugepage

import "unsafe"

// page is the size of a large page, and least that of an array worth one: more than
// the processor keeps small pages for.
const (
	page  = 2 << 20
	least = 512 << 10
)

// Make makes an array of zeros. A large one begins with a page and may fill the last.
func Make(n int) []float64 {
	if 8*n < least {
		return make([]float64, n)
	}
	whole := (8*n + page - 1) &^ (page - 1)
	x := make([]float64, (whole+page)/8)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	x = x[((first+page-1)&^(page-1)-first)/8:]
	advise(x[:whole/8])
	return x[:n:n]
}
