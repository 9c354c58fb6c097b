// Package hugepage makes large arrays that are read in no order. Where the system
// has pages of 2 MB for them, a reader finds its places in far fewer entries of the
// processor's table of pages.
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
