package objective

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise asks for large pages for x, which is whole ones. It is advice only, so that an
// error means nothing.
func advise(x []float64) {
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x)), unix.MADV_HUGEPAGE)
}
