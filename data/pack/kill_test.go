//go:build linux

package pack

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

	"optcomplete/data"
	"optcomplete/internal/attack"
	"optcomplete/internal/must"
)

// As a child of the tests below, the test program writes packs until it is
// killed or the disk is full.
func TestChildWrites(t *testing.T) {
	path := os.Getenv("PACK_CHILD_WRITES")
	if path == "" {
		t.Skip("only as a child")
	}
	m := random(t, 3000, 500, 0.5, double)
	for range 100 {
		writeTo(t, path, m, WriterOptions{Rows: 32, Observed: 32 * 250})
	}
}

func child(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChildWrites$")
	cmd.Env = append(os.Environ(), "PACK_CHILD_WRITES="+path)
	return cmd
}

// Whenever a writer is killed, a whole pack stands at its path: the old one or
// a new one.
func TestKilledWriterLeavesAWholePack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	writeTo(t, path, random(t, 10, 10, 0.5, stars), WriterOptions{})
	kills := 6
	if testing.Short() {
		kills = 3
	}
	killed := 0
	for x := range attack.Rounds(kills) {
		killed++
		cmd := child(t, path)
		must.Do(t, cmd.Start())
		time.Sleep(time.Duration(20+77*x%701) * time.Millisecond)
		must.Do(t, cmd.Process.Kill())
		_ = cmd.Wait()
		whole(t, path)
		// Between getting a name and the path's name there is an instant; what a
		// kill leaves just then is whole too.
		left := must.Get(filepath.Glob(filepath.Join(filepath.Dir(path), ".*")))(t)
		for _, other := range left {
			whole(t, other)
			os.Remove(other)
		}
	}
	alone(t, path)
	attack.Report(t, "writers of packs killed", killed, 0, "a whole pack stands there each time")
}

func whole(t *testing.T, path string) {
	t.Helper()
	f := must.Get(Open(path))(t)
	must.Do(t, errors.Join(f.Verify(t.Context(), nil), f.Close()))
}

// On a disk that is really full, the error says so and the old pack stands.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("no small file system to be had: ", err)
	}
	defer syscall.Unmount(dir, 0)
	path := filepath.Join(dir, "x.pack")
	writeTo(t, path, random(t, 10, 10, 0.5, stars), WriterOptions{})
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := must.Get(Create(path, ids("c", 500), WriterOptions{}))(t)
	defer w.Abort()
	m := random(t, 9000, 500, 0.5, double)
	err = data.ForEach(m, func(i int, columns []int32, values []float64) error { return w.Append("a", columns, values) })
	if err == nil {
		err = w.Close()
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("error %v", err)
	}
	w.Abort()
	alone(t, path)
	if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
		t.Error("the old pack is gone")
	}
}
