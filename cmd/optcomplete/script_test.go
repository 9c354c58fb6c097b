package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"optcomplete/data/pack"
)

func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "optcomplete-") { // as a cluster calls the program that it was sent
		main()
		return
	}
	if filepath.Base(os.Args[0]) != "optcomplete" { // thousands of small runs in one process: a third of their time was collecting garbage
		debug.SetGCPercent(800)
	}
	testscript.Main(m, map[string]func(){"optcomplete": main})
}

// TestScripts runs the command as a user would, files and exit codes included.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			root, err := filepath.Abs("../..")
			e.Setenv("ROOT", root)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"jsonhas":   jsonHas,
			"interrupt": interrupt,
			"longline":  longLine,
			"bytes":     writeBytes,
			"same":      sameButFor,
			"packed":    packFile,
			"flip":      flipByte,
		},
	})
}

// exits CODE ARGS...: runs optcomplete and wants the exit code; stdout and
// stderr go to files of these names.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := runHere(ts, args[1:])
	if code != want {
		text, _ := os.ReadFile(ts.MkAbs("stderr"))
		ts.Fatalf("exit code %d, want %d\n%s", code, want, text)
	}
}

func runHere(ts *testscript.TestScript, args []string) int {
	cmd := exec.Command("optcomplete", args...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME")}
	cmd.Path = lookPath(ts)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	save(ts, &stdout, &stderr)
	if err == nil {
		return 0
	}
	exit, ok := err.(*exec.ExitError)
	if !ok {
		ts.Fatalf("%v", err)
	}
	return exit.ExitCode()
}

func save(ts *testscript.TestScript, stdout, stderr *bytes.Buffer) {
	ts.Check(os.WriteFile(ts.MkAbs("stdout"), stdout.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("stderr"), stderr.Bytes(), 0o666))
}

func lookPath(ts *testscript.TestScript) string {
	for _, dir := range strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if path := dir + "/optcomplete"; isFile(path) {
			return path
		}
	}
	ts.Fatalf("optcomplete is not on the PATH")
	return ""
}

// jsonHas FILE KEY [VALUE]: wants a key (a.b for nested ones) in a JSON object,
// and its value as printed by %v.
func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	var object any
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(json.Unmarshal(text, &object))
	for _, key := range strings.Split(args[1], ".") {
		m, ok := object.(map[string]any)
		if !ok {
			ts.Fatalf("%s: no object at %s", args[0], key)
		}
		if object, ok = m[key]; !ok {
			if neg {
				return
			}
			ts.Fatalf("%s: no %s", args[0], args[1])
		}
	}
	if neg {
		ts.Fatalf("%s has %s", args[0], args[1])
	}
	if len(args) > 2 && fmt.Sprint(object) != args[2] {
		ts.Fatalf("%s: %s is %v, want %s", args[0], args[1], object, args[2])
	}
}

// interrupt ARGS...: runs optcomplete, sends an interrupt once the search has
// printed its first line, and wants exit code 3.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command(lookPath(ts), args...)
	cmd.Dir = ts.Getenv("WORK")
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	sent := false
	buffer := make([]byte, 4096)
	for {
		n, err := pipe.Read(buffer)
		stderr.Write(buffer[:n])
		if !sent && strings.Contains(stderr.String(), "Incumbent") {
			time.Sleep(200 * time.Millisecond)
			ts.Check(cmd.Process.Signal(os.Interrupt))
			sent = true
		}
		if err == io.EOF {
			break
		}
		ts.Check(err)
	}
	err = cmd.Wait()
	save(ts, &stdout, &stderr)
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitEarly {
		ts.Fatalf("%v, want exit code %d\n%s", err, exitEarly, stderr.String())
	}
}

// longLine FILE BYTES: writes a file with one line of that length.
func longLine(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = f.WriteString("row,column,value\na,c1,1")
	ts.Check(err)
	// A hole in the file reads as NULs; only the disk is spared.
	ts.Check(f.Truncate(size))
	ts.Check(f.Close())
}

// bytes FILE TEXT: writes text with Go escapes such as \xff.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// same A B [OLD NEW]: wants two files to be the same, once OLD is replaced by NEW
// in the first. Unlike cmp it takes stdout for the file that exits wrote.
func sameButFor(ts *testscript.TestScript, neg bool, args []string) {
	a, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(args) > 2 {
		a = bytes.ReplaceAll(a, []byte(args[2]), []byte(args[3]))
	}
	if bytes.Equal(a, b) == neg {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], a, args[1], b)
	}
}

// packed FILE: writes a pack of four rows.
func packFile(ts *testscript.TestScript, neg bool, args []string) {
	w, err := pack.Create(ts.MkAbs(args[0]), []string{"Alien", "Heat", "Up"}, pack.WriterOptions{Metadata: map[string]string{"source": "a test"}})
	ts.Check(err)
	defer w.Abort()
	ts.Check(w.Append("ann", []int32{0, 1}, []float64{4.5, 3}))
	ts.Check(w.Append("bob", []int32{1}, []float64{3}))
	ts.Check(w.Append("cat", []int32{0, 1, 2}, []float64{4.5, 1, 5}))
	ts.Check(w.Append("dan", []int32{2}, []float64{3}))
	ts.Check(w.Close())
}

// flip FILE OFFSET: changes a byte of a file.
func flipByte(ts *testscript.TestScript, neg bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	b[at] ^= 0x10
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}
