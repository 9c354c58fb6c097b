package shards

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"optcomplete/internal/must"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// TestAttemptsDoNotDisturbEachOther: two of the same part, of which one counts.
func TestAttemptsDoNotDisturbEachOther(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(Create(filepath.Join(dir, "result")))(t)
	one := must.Get(f.Write("part-7", ".txt", text("content")))(t)
	two, err := f.Write("part-7", ".txt", text("content"))
	if err != nil || one.Name == two.Name || one.Checksum != two.Checksum || !strings.HasPrefix(one.Name, "part-7-") || !strings.HasSuffix(one.Name, ".txt") {
		t.Fatalf("%v %v %v", one, two, err)
	}
	for _, name := range []string{"first", "second"} {
		must.Do(t, f.Place(*two, filepath.Join(dir, name)))
		f.Placed()
	}
	a, _ := os.Stat(filepath.Join(dir, "first"))
	b, _ := os.Stat(filepath.Join(dir, "second"))
	if os.SameFile(a, b) {
		t.Error("two results share a file")
	}
	must.Do(t, os.WriteFile(f.At(one.Name), []byte("Content"), 0o666))
	if err := f.Place(*one, filepath.Join(dir, "third")); err == nil || !strings.Contains(err.Error(), one.Name) {
		t.Errorf("the error is %v", err)
	}
	f.Close()
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%v are left", left)
	}
	if late, err := f.Write("part-7", ".txt", text("late")); late != nil || err != nil {
		t.Errorf("an attempt that comes late gives %v, %v", late, err)
	}
}

// TestWhoDoesNotSeeTheFolderSaysSo: another folder of the same name on another machine.
func TestWhoDoesNotSeeTheFolderSaysSo(t *testing.T) {
	f := must.Get(Create(filepath.Join(t.TempDir(), "result")))(t)
	defer f.Close()
	other := f.Writer
	other.Token = "another"
	if file, err := other.Write("x", "", text("content")); file != nil || err != nil {
		t.Errorf("%v, %v", file, err)
	}
}

// TestFullDisk is an error that says so, and leaves nothing.
func TestFullDisk(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "result"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.Write("x", "", func(io.Writer) error { return syscall.ENOSPC })
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("the error is %v", err)
	}
	if left, _ := os.ReadDir(f.Writer.Folder); len(left) != 1 { // the token
		t.Errorf("%v are left", left)
	}
}
