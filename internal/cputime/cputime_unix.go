//go:build unix

// Package cputime tells the processor time of the process, which other work on the machine changes
// far less than the time on the wall.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now is the time that all threads of the process have run, in the program and
// in the system for it. Other work on the machine changes it far less than the time on
// the wall.
func Now() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
