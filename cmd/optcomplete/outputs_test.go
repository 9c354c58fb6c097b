package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"optcomplete/formulation"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/must"
)

// TestFullDiskIsAnErrorInEveryVerb sends what each verb prints to a device that
// takes nothing.
func TestFullDiskIsAnErrorInEveryVerb(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	command(t, exitDone, "synth", "--rows", "30", "--columns", "20", "--features", "5", "--k", "2", "--missing", "0.3", "-o", at("data"))
	ratings, features := at("data/ratings.csv"), at("data/features.csv")
	fit := []string{"fit", ratings, "--features", features, "-k", "2", "--gamma", "1"}
	command(t, exitDone, append(fit, "-o", at("m"))...)
	command(t, exitDone, append(fit, "--model", "paper", "--method", "cutplanes", "--save-cuts", at("cuts"))...)
	command(t, exitDone, "pack", ratings, "-o", at("r.pack"))
	for _, args := range [][]string{
		fit,
		append(fit, "--json"),
		append(fit, "--max-nodes", "1"),
		append(fit, "--print-config"),
		{"path", ratings, "--features", features, "--k-max", "2", "--gamma", "1"},
		{"path", ratings, "--features", features, "--k-max", "2", "--gamma", "1", "--json"},
		{"predict", at("m"), at("data/test.csv")},
		{"complete", at("m")},
		{"recommend", at("m"), "--all"},
		{"fold-in", at("m"), ratings},
		{"explain", at("m")},
		{"evaluate", at("m"), at("data/test.csv")},
		{"report", at("m")},
		{"compare", at("m"), at("m")},
		{"features", features},
		{"features", features, "--json"},
		{"features", features, "-o", "-"},
		{"regress", features, "--target", "f2", "-k", "1", "--skip", "column"},
		{"pack", ratings, "-o", at("again.pack")},
		{"pack", ratings, "-o", at("again.pack"), "--json"},
		{"synth", "--rows", "10", "--stream"},
		{"master", "--cuts", at("cuts")},
		{"solvers"},
		{"inspect", at("r.pack")},
		{"help"}, {"help", "gamma"}, {"fit", "--help"}, {"--version"}, {"completion", "bash"},
	} {
		var stderr bytes.Buffer
		if code := run(args, full, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s > /dev/full: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
		}
	}
}

// TestSecondWriterIsToldAtTheStart has an output reserved in this process, and
// runs the program as another.
func TestSecondWriterIsToldAtTheStart(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, verb := range [][]string{{"fit", "none.csv", "-k", "1", "-o"}, {"complete", "none", "-o"}, {"pack", "none.csv", "-o"}, {"demo", "-o"}} {
		path := at("out.csv")
		release := must.Get(atomicfile.Reserve(path))(t)
		_, stderr := command(t, exitUsage, append(verb, path)...)
		release()
		if want := "another run is writing " + path; !strings.Contains(stderr, want) {
			t.Errorf("%v: %q is not in\n%s", verb, want, stderr)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestInterruptWithoutResult: whoever interrupts while data are read gets the
// exit code 130 and no word of a result.
func TestInterruptWithoutResult(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	command(t, exitDone, "synth", "--rows", "30", "--columns", "20", "--features", "5", "--k", "2", "-o", at("data"))
	command(t, exitDone, "fit", at("data/ratings.csv"), "--features", at("data/features.csv"), "-k", "2", "--gamma", "1", "-o", at("model"))
	if out, err := exec.Command("mkfifo", at("pipe")).CombinedOutput(); err != nil {
		t.Skipf("no pipes here: %v %s", err, out)
	}
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // the program inherits that
		ends = append(ends, syscall.SIGHUP)
	}
	ratings, features, pipe := at("data/ratings.csv"), at("data/features.csv"), at("pipe")
	for x, args := range [][]string{
		{"fit", pipe, "--features", features, "-k", "2", "-o", at("out")},
		{"fit", ratings, "--features", pipe, "-k", "2", "-o", at("out")},
		{"fit", ratings, "--features", pipe, "--model", "paper", "-k", "2", "-o", at("out")},
		{"fit", ratings, "--features", features, "--row-features", pipe, "-k", "2", "-o", at("out")},
		{"path", pipe, "--features", features, "--k-max", "2"},
		{"path", ratings, "--features", pipe, "--k-max", "2"},
		{"features", pipe, "-o", at("out.csv")},
		{"pack", pipe, "-o", at("out.pack")},
		{"pack", ratings, "--features", pipe, "-o", at("out.pack")},
		{"predict", at("model"), pipe, "-o", at("out.csv")},
		{"predict", at("model"), at("data/test.csv"), "--features", pipe},
		{"fold-in", at("model"), pipe, "-o", at("out.csv")},
		{"evaluate", at("model"), pipe},
		{"regress", pipe, "--target", "x", "-k", "1"},
	} {
		cmd := exec.Command("optcomplete", args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		must.Do(t, cmd.Start())
		writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the program to open it
		if err != nil {
			t.Fatal(err)
		}
		writer.WriteString("row,column,value\n")
		time.Sleep(50 * time.Millisecond)
		cmd.Process.Signal(ends[x%len(ends)])
		over := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		over.Stop()
		writer.Close()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.HasSuffix(stderr.String(), "optcomplete: interrupted before there was a result\n") || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout.String(), stderr.String())
		}
		for _, name := range []string{"out", "out.csv", "out.pack"} {
			if _, err := os.Stat(at(name)); err == nil {
				t.Errorf("%s: wrote %s", strings.Join(args, " "), name)
				os.RemoveAll(at(name))
			}
		}
	}
}

// TestFullDiskLosesNoAnswer: where one output cannot be written, the result is
// printed, the others are written, and the exit code tells.
func TestFullDiskLosesNoAnswer(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	command(t, exitDone, "synth", "--rows", "30", "--columns", "20", "--features", "5", "--k", "2", "--missing", "0.3", "-o", at("data"))
	fit := []string{"fit", at("data/ratings.csv"), "--features", at("data/features.csv"), "-k", "2", "--gamma", "1", "-o", at("m")}
	for _, more := range [][]string{
		{"--report", "/dev/full"},
		{"--report", "/dev/full", "--proof", at("proof.zst")},
		{"--model", "paper", "--method", "cutplanes", "--save-cuts", "/dev/full"},
	} {
		os.RemoveAll(at("m"))
		stdout, stderr := command(t, exitFailed, append(fit, more...)...)
		if !strings.Contains(stdout, "proven optimal") || !strings.Contains(stdout, "not written") || !strings.Contains(stderr, "no space left") {
			t.Errorf("%v: %s\n%s", more, stdout, stderr)
		}
		if _, err := os.Stat(at("m/model.json")); err != nil {
			t.Errorf("%v: %v", more, err)
		}
	}
}

// TestProofThatCannotBeWritten does not stop the fit that writes it.
func TestProofThatCannotBeWritten(t *testing.T) {
	f := &proofFile{path: filepath.Join(t.TempDir(), "proof.zst")}
	var settings formulation.Settings
	must.Do(t, f.open(&settings))
	f.pending.Abort() // as good as a full disk
	if n, err := settings.Proof.Write(bytes.Repeat([]byte("x"), 1<<20)); n != 1<<20 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := f.commit(); err == nil || !strings.Contains(err.Error(), f.path) {
		t.Error(err)
	}
}

// TestPipeWithoutReaderEndsAtTheFirstSignal: while nobody reads the output, a signal ends
// the wait; a reader that comes gets all of it.
func TestPipeWithoutReaderEndsAtTheFirstSignal(t *testing.T) {
	dir := t.TempDir()
	table, pipe := filepath.Join(dir, "features.csv"), filepath.Join(dir, "pipe")
	must.Do(t, os.WriteFile(table, []byte("column,a\nx,1\ny,2\nz,4\n"), 0o666))
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Skipf("no pipes here: %v %s", err, out)
	}
	start := func() (*exec.Cmd, *bytes.Buffer) {
		cmd, stderr := exec.Command("optcomplete", "features", table, "-o", pipe), new(bytes.Buffer)
		cmd.Stderr = stderr
		must.Do(t, cmd.Start())
		return cmd, stderr
	}
	cmd, stderr := start()
	time.Sleep(300 * time.Millisecond) // it waits for a reader by now
	cmd.Process.Signal(syscall.SIGTERM)
	over := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	cmd.Wait()
	over.Stop()
	if code := cmd.ProcessState.ExitCode(); code < 0 || code == exitDone || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	cmd, stderr = start()
	if text := must.Get(os.ReadFile(pipe))(t); !strings.HasPrefix(string(text), "column,a\n") {
		t.Errorf("the reader got %q", text)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr.String())
	}
}
