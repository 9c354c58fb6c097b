//go:build unix && !solaris && !aix

package checkpoint

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// holdFolder makes the test binary a process that opens this folder and waits.
const holdFolder = "OPTCOMPLETE_TEST_HOLD_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdFolder); dir != "" {
		if _, err := Open(dir, "run"); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("open\n")
		io.Copy(io.Discard, os.Stdin) // until it is killed, or the test ends
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hold starts a process that has the folder open.
func hold(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdFolder+"="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	said := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	return cmd, said
}

func TestFolderIsForOneProcess(t *testing.T) {
	dir := t.TempDir()
	first, said := hold(t, dir)
	if said != "open\n" {
		t.Fatalf("the first process says %q", said)
	}
	var busy *BusyError
	if _, err := Open(dir, "run"); !errors.As(err, &busy) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second process gets %v", err)
	}
	if _, err := Open(dir, "another run"); !errors.As(err, &busy) {
		t.Errorf("a second process with another run gets %v", err)
	}
	second, said := hold(t, dir)
	if !strings.Contains(said, dir) {
		t.Errorf("a third process says %q", said)
	}
	if second.Wait() == nil {
		t.Error("the third process went on")
	}
	if err := first.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	_ = first.Wait() // killed
	s, err := Open(dir, "run")
	if err != nil {
		t.Fatalf("once the first process was killed: %v", err)
	}
	must.Do(t, s.Close())
	if s, err = Open(dir, "run"); err != nil {
		t.Fatalf("once the store was closed: %v", err)
	}
	s.Close()
}
