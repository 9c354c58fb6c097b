//go:build linux || darwin || freebsd

package memory

import (
	"math"
	"syscall"
)

// limited is how much memory the process may have, as ulimit -v limits its addresses:
// half of them, because those of pieces that were given back may be too small to be
// used again.
func limited() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || uint64(limit.Cur) > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur / 2)
}
