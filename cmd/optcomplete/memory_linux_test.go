package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFitKeepsWithinItsMemory: ten million ratings are fitted where the system gives the process no more than --memory and
// what the runtime sets aside without using it.
func TestFitKeepsWithinItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("10 s of processor time")
	}
	program, dir := engineProgram(t), t.TempDir()
	pack, features := filepath.Join(dir, "ratings.pack"), filepath.Join(dir, "data", "features.csv")
	run := func(words string) {
		t.Helper()
		if out, err := exec.Command("sh", "-c", words).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", words, err, out[max(0, len(out)-2000):])
		}
	}
	run(strings.Join([]string{program, "synth --netflix 200000x1000 --missing 0.95 --test-entries 1 --ratings", pack, "-o", filepath.Join(dir, "data")}, " "))
	const aside = 160 << 10                  // KiB
	for _, memory := range []int{200, 400} { // MB: from the file, and in memory
		run(fmt.Sprintf("ulimit -d %d; %s fit %s --features %s -k 5 --memory %dM --quiet -o %s", memory<<10+aside, program, pack, features, memory, filepath.Join(dir, fmt.Sprint(memory))))
	}
}
