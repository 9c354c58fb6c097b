//go:build !unix

package engine

import "time"

var began = time.Now()

// processorTime is the time on the wall where the system does not tell that of the processor.
func processorTime() time.Duration { return time.Since(began) }
