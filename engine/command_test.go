package engine

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/pass"
)

// TestCommandAsEngine: a command that hands lines to workers is an engine, with the bits
// of a thread; here it is two workers behind a shell, which need no cluster.
func TestCommandAsEngine(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	program := filepath.Join(t.TempDir(), "optcomplete")
	if out, err := exec.Command("go", "build", "-o", program, "./enginetest").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, source := packed(t)
	want := here(t, source)
	open := func(command string) *Spark {
		t.Helper()
		s, err := Open(context.Background(), Settings{Address: "exec:" + command, Program: program, Least: 1, Tasks: 5, Version: "test", Folder: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	s := open(`cd $OPTCOMPLETE_ENGINE_FOLDER && exec $OPTCOMPLETE_ENGINE_PROGRAM worker`)
	for range 2 {
		parts, err := runOn(s, source)
		if err != nil || !bytes.Equal(bits(t, parts), want) {
			t.Fatalf("the bits differ: %v", err)
		}
	}
	if s.Stats.Remote != 2 || s.Cluster.Executors != 1 || s.Stats.Received == 0 {
		t.Errorf("%+v %+v", s.Stats, s.Cluster)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := pass.Run(pass.WithRunner(stopped, s), source, 1, passes...); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	folder := s.command.folder
	s.Close()
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder is left behind")
	}
	for command, want := range map[string]string{"exit 3": "has ended", "echo hello": "answers"} {
		if _, err := Open(context.Background(), Settings{Address: "exec:" + command, Program: program, Version: "test"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", command, err)
		}
	}
}
