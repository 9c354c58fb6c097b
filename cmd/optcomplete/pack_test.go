package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// TestPackSurvivesKills kills packing at random moments. What stood at the output
// still does, or the whole new pack; the next run gives the bytes of an
// undisturbed one, and removes what the killed ones left.
func TestPackSurvivesKills(t *testing.T) {
	t.Parallel()
	kills := 100
	if testing.Short() {
		kills = 8
	}
	dir := t.TempDir()
	s := random.New(5)
	var text strings.Builder
	for _, e := range s.Perm(200_000) {
		fmt.Fprintf(&text, "row%d,column%d,%d\n", e/100, e%100, s.Intn(5))
	}
	input, output := filepath.Join(dir, "r.csv"), filepath.Join(dir, "out.pack")
	write := func(path, content string) {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	write(input, text.String())
	pack := func(output string) *exec.Cmd {
		return exec.Command("optcomplete", "pack", input, "-o", output, "--memory", "1M", "--quiet")
	}
	start := time.Now()
	whole := filepath.Join(dir, "whole.pack")
	if out, err := pack(whole).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(start)
	want := must.Get(os.ReadFile(whole))(t)
	const old = "what was there"
	write(output, old)
	killed, finished := 0, 0
	for range kills {
		cmd := pack(output)
		must.Do(t, cmd.Start())
		// Up to a little longer than a whole run, so that the end is hit too.
		time.Sleep(time.Duration(s.Float64() * 1.1 * float64(took)))
		_ = cmd.Process.Kill() // fails if it is done
		if cmd.Wait() == nil {
			finished++
		} else {
			killed++
		}
		got, err := os.ReadFile(output)
		switch {
		case err != nil:
			t.Fatal(err)
		case bytes.Equal(got, want):
			write(output, old)
		case string(got) != old:
			t.Fatalf("half a pack: %d of %d bytes", len(got), len(want))
		}
	}
	t.Logf("%d killed, %d finished before", killed, finished)
	if killed == 0 {
		t.Error("no run was killed")
	}
	if out, err := pack(output).CombinedOutput(); err != nil {
		t.Fatalf("after the kills: %v\n%s", err, out)
	}
	if got, err := os.ReadFile(output); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after the kills the pack is another: %v", err)
	}
	entries := must.Get(os.ReadDir(dir))(t)
	if len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
}
