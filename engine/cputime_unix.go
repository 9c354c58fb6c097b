//go:build unix

package engine

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is the time that all threads of the process have run, in the program and
// in the system for it. Other work on the machine changes it far less than the time on
// the wall.
func processorTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
