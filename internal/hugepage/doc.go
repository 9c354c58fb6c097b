// Package hugepage allocates large arrays that are read in no particular order.
// Where the system offers 2 MB pages for them, a reader needs far fewer entries
// of the processor's page table.
package hugepage

// page is the size of a large page.
const page = 2 << 20

// Make makes an array of zeros.
func Make(n int) []float64 {
	x := make([]float64, n)
	if 8*n >= 2*page {
		advise(x)
	}
	return x
}
