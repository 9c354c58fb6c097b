package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"optcomplete/internal/must"
)

// engineProgram is this test under the name of the program, in a folder of its own, which
// becomes the working folder.
func engineProgram(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	content := must.Get(os.ReadFile(os.Args[0]))(t)
	t.Chdir(t.TempDir())
	program, err := filepath.Abs("optcomplete")
	if err == nil {
		err = os.WriteFile(program, content, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestEngineThatDiesHalfway: a fit says so, and with a checkpoint goes on to the bits of
// one that nobody disturbed, wherever it goes on.
func TestEngineThatDiesHalfway(t *testing.T) {
	program := engineProgram(t)
	run := func(engine string, args string) (stderr string, code int) {
		t.Helper()
		cmd := exec.Command(program, strings.Fields(args)...)
		if engine != "" {
			cmd.Args = append(cmd.Args, "--engine", "exec:cd $OPTCOMPLETE_ENGINE_FOLDER && "+engine, "--engine-from", "1000", "--engine-tasks", "2")
		}
		var text bytes.Buffer
		cmd.Stderr = &text
		err := cmd.Run()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		return text.String(), cmd.ProcessState.ExitCode()
	}
	must := func(engine, args string) {
		t.Helper()
		if text, code := run(engine, args); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", args, code, text)
		}
	}
	must("", "synth --rows 1500 --columns 80 --features 24 --k 4 --missing 0.8 --noise 0.5 --ratings ratings.pack -o data --quiet")
	fit := "fit ratings.pack --features data/features.csv -k 4 --checkpoint run -o "
	must("", strings.Replace(fit, "--checkpoint run ", "", 1)+"want --quiet")
	// 32 lines ask who is there, and each reading has two.
	const dying = `i=0; while [ $i -lt 60 ] && IFS= read -r line; do printf '%s\n' "$line"; i=$((i+1)); done | $OPTCOMPLETE_ENGINE_PROGRAM worker --alone`
	text, code := run(dying, fit+"model")
	if code != 1 || !strings.Contains(text, "has ended") || !strings.Contains(text, "--checkpoint") || strings.Contains(text, "panic") {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	if isThere("model/model.json") {
		t.Error("half a model was saved")
	}
	must("exec $OPTCOMPLETE_ENGINE_PROGRAM worker --alone", fit+"model")
	sameFiles(t, "want/columns.parquet", "model/columns.parquet")
	for _, name := range []string{"want", "model"} {
		must("", "complete "+name+" --wide -o "+name+".csv")
	}
	sameFiles(t, "want.csv", "model.csv")
}

// TestInterruptEndsTheEngine: Ctrl-C ends a command that does not answer, and the program.
func TestInterruptEndsTheEngine(t *testing.T) {
	program := engineProgram(t)
	cmd := exec.Command(program, "engine", "exec:echo $$ > begun.part && mv begun.part "+filepath.Join(filepath.Dir(program), "begun")+" && exec sleep 600")
	var text bytes.Buffer
	cmd.Stderr = &text
	must.Do(t, cmd.Start())
	for !isThere("begun") {
		time.Sleep(5 * time.Millisecond)
	}
	must.Do(t, cmd.Process.Signal(syscall.SIGINT))
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d\n%s", code, text.String())
	}
	process := must.Get(os.ReadFile("begun"))(t)
	if isThere("/proc/self") && isThere("/proc/"+strings.TrimSpace(string(process))+"/cwd") {
		t.Error("the command goes on")
	}
}

// TestNoOrderOnAnEngine: what depends on the order of entries is refused before anything
// is done.
func TestNoOrderOnAnEngine(t *testing.T) {
	program := engineProgram(t)
	for _, how := range []string{"first", "last"} {
		out, err := exec.Command(program, "pack", "x.csv", "--engine", "sc://127.0.0.1:1", "--duplicates", how, "-o", "x.packs").CombinedOutput()
		var failed *exec.ExitError
		if !errors.As(err, &failed) || failed.ExitCode() != 2 || !strings.Contains(string(out), "in no order") {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
