package objective

import (
	"testing"
	"unsafe"
)

// TestHugeArraysAreArraysOfZeros: of the length asked for, and of whole pages if it is large.
func TestHugeArraysAreArraysOfZeros(t *testing.T) {
	for _, n := range []int{0, 1, hugeLeast/8 - 1, hugeLeast / 8, hugePage / 8, hugePage/8 + 1} {
		x := hugeArray(n)
		if len(x) != n || cap(x) > n && n > 0 && 8*n >= hugeLeast {
			t.Fatalf("%d numbers with room for %d, wanted %d", len(x), cap(x), n)
		}
		for i := range x {
			if x[i] != 0 {
				t.Fatalf("number %d of %d is %v", i, n, x[i])
			}
			x[i] = 1
		}
		if 8*n >= hugeLeast && uintptr(unsafe.Pointer(&x[0]))%hugePage != 0 {
			t.Fatalf("%d numbers do not begin with a page", n)
		}
	}
}
