//go:build unix

package formulation

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/selection"
)

// spent is the processor time of this process so far.
func spent(t *testing.T) time.Duration {
	var u unix.Rusage
	must.Do(t, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestPathIsWorthAFewFits: with every fold and 20 resamples, in processor time.
func TestPathIsWorthAFewFits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	problem, _ := instance(t, synth.Config{Rows: 2000, Columns: 100, Features: 60, K: 5, Missing: 0.7, Noise: 1, Seed: 1})
	began := spent(t)
	for range 3 {
		fit(t, problem, Settings{K: 5})
	}
	fits := (spent(t) - began) / 3
	began = spent(t)
	pathOf(t, problem, Settings{}, selection.PathSettings{KMax: 5, Bootstrap: 20})
	if path := spent(t) - began; path > 17*fits {
		t.Errorf("a path takes %v, and a fit %v: %.1f fits", path, fits, float64(path)/float64(fits))
	} else {
		t.Logf("%.1f fits", float64(path)/float64(fits))
	}
}
