//go:build !unix

package cputime

import "time"

var began = time.Now()

// Now is the time on the wall where the system does not tell that of the processor.
func Now() time.Duration { return time.Since(began) }
