package hugepage

import (
	"testing"
	"unsafe"
)

// TestMakeIsAnArrayOfZeros: of the length asked for, and of whole pages if it is large.
func TestMakeIsAnArrayOfZeros(t *testing.T) {
	for _, n := range []int{0, 1, least/8 - 1, least / 8, page / 8, page/8 + 1} {
		x := Make(n)
		if len(x) != n || cap(x) > n && n > 0 && 8*n >= least {
			t.Fatalf("%d numbers with room for %d, wanted %d", len(x), cap(x), n)
		}
		for i := range x {
			if x[i] != 0 {
				t.Fatalf("number %d of %d is %v", i, n, x[i])
			}
			x[i] = 1
		}
		if 8*n >= least && uintptr(unsafe.Pointer(&x[0]))%page != 0 {
			t.Fatalf("%d numbers do not begin with a page", n)
		}
	}
}
