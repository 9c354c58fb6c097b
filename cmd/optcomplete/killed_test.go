package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/random"
)

// TestKilledFitGoesOnToTheSameBits kills a fit with a checkpoint again and again,
// at random moments; each next run goes on, and in the end the model is the one
// of a run that nobody disturbed.
func TestKilledFitGoesOnToTheSameBits(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 10
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) *exec.Cmd { return exec.Command("optcomplete", append(args, "--quiet")...) }
	if out, err := run("synth", "--rows", "1500", "--columns", "80", "--features", "24", "--k", "4", "--missing", "0.8", "--noise", "0.5",
		"--ratings", at("ratings.pack"), "-o", at("data")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	fit := func(folder, model string) *exec.Cmd {
		return run("fit", at("ratings.pack"), "--features", at("data/features.csv"), "-k", "4", "--sampling", "always", "--checkpoint", at(folder), "-o", at(model))
	}
	start := time.Now()
	if out, err := fit("calm", "want").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(start)
	compare := func(what string) {
		t.Helper()
		for _, name := range []string{"rows.parquet", "columns.parquet", "seen.parquet"} {
			got, err := os.ReadFile(filepath.Join(at("model"), name))
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := os.ReadFile(filepath.Join(at("want"), name)); !bytes.Equal(got, want) {
				t.Fatalf("%s: %s differs", what, name)
			}
		}
		if got, want := timelessModel(t, at("model")), timelessModel(t, at("want")); got != want {
			t.Fatalf("%s: model.json differs:\n%s", what, cmp.Diff(want, got))
		}
	}
	s := random.New(7)
	killed, finished := 0, 0
	for range kills {
		cmd := fit("run", "model")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(s.Float64() * 0.5 * float64(took)))
		_ = cmd.Process.Kill() // fails if it is done
		if cmd.Wait() == nil {
			finished++
			compare("after a kill")
			// Begin anew, so that every part of a run is hit.
			if err := os.RemoveAll(at("run")); err != nil {
				t.Fatal(err)
			}
		} else {
			killed++
		}
	}
	t.Logf("%d killed, %d finished", killed, finished)
	if killed == 0 {
		t.Error("no run was killed")
	}
	if out, err := fit("run", "model").CombinedOutput(); err != nil {
		t.Fatalf("after the kills: %v\n%s", err, out)
	}
	compare("after all kills")
}

// timelessModel is a model.json without its times.
func timelessModel(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	var model map[string]any
	if err := json.Unmarshal(text, &model); err != nil {
		t.Fatal(err)
	}
	delete(model, "seconds")
	delete(model, "trace")
	delete(model, "settings") // the folder of the checkpoint is one
	out, err := json.MarshalIndent(model, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
