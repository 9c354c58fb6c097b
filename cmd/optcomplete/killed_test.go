package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"optcomplete/checkpoint"
	"optcomplete/internal/attack"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// TestKilledFitGoesOnToTheSameBits kills a fit with a checkpoint again and again,
// at random moments; each next run goes on, and in the end the model is the one
// of a run that nobody disturbed.
func TestKilledFitGoesOnToTheSameBits(t *testing.T) {
	t.Parallel()
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
			got := must.Get(os.ReadFile(filepath.Join(at("model"), name)))(t)
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
	for range attack.Rounds(kills) {
		cmd := fit("run", "model")
		must.Do(t, cmd.Start())
		time.Sleep(time.Duration(s.Float64() * 0.5 * float64(took)))
		_ = cmd.Process.Kill() // fails if it is done
		if cmd.Wait() == nil {
			finished++
			compare("after a kill")
			// Begin anew, so that every part of a run is hit.
			must.Do(t, os.RemoveAll(at("run")))
		} else {
			killed++
		}
	}
	if killed == 0 {
		t.Error("no run was killed")
	}
	if out, err := fit("run", "model").CombinedOutput(); err != nil {
		t.Fatalf("after the kills: %v\n%s", err, out)
	}
	compare("after all kills")
	if left, _ := filepath.Glob(at(".*")); len(left) > 0 {
		t.Errorf("the kills left %v, and the last run did not remove them", left)
	}
	attack.Report(t, "fits killed at random moments", killed+finished, 0, "%d killed and resumed, %d done before; the models are those of an undisturbed run, bit for bit", killed, finished)
}

// TestTwoRunsInOneCheckpointAreRefused has the folder open in this process, and
// runs the program as another.
func TestTwoRunsInOneCheckpointAreRefused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if out, err := exec.Command("optcomplete", "synth", "--rows", "30", "--quiet", "-o", at("data")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	fit := func() (string, error) {
		out, err := exec.Command("optcomplete", "fit", at("data/ratings.csv"), "--features", at("data/features.csv"), "-k", "2", "--gamma", "1",
			"--checkpoint", at("run"), "--quiet").CombinedOutput()
		return string(out), err
	}
	if out, err := fit(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	fingerprint := must.Get(os.ReadFile(at("run/run.txt")))(t)
	store := must.Get(checkpoint.Open(at("run"), string(fingerprint)))(t)
	out, err := fit()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitUsage || !strings.Contains(out, at("run")) {
		t.Errorf("a second run ends with %v and says %q", err, out)
	}
	must.Do(t, store.Close())
	if out, err := fit(); err != nil {
		t.Errorf("once the first has ended: %v\n%s", err, out)
	}
}

// timelessModel is a model.json without its times.
func timelessModel(t *testing.T, dir string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(dir, "model.json")))(t)
	var model map[string]any
	must.Do(t, json.Unmarshal(text, &model))
	delete(model, "seconds")
	delete(model, "checksum") // of the times too
	delete(model, "trace")
	delete(model, "settings") // the folder of the checkpoint is one
	out := must.Get(json.MarshalIndent(model, "", " "))(t)
	return string(out)
}
