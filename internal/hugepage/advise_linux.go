package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise asks for large pages for all of x that whole ones fit into. It is advice
// only, so that an error means nothing.
func advise(x []float64) {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	from, to := (first+page-1)&^(page-1), (first+uintptr(8*len(x)))&^(page-1)
	if from < to {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&x[(from-first)/8])), to-from), unix.MADV_HUGEPAGE)
	}
}
