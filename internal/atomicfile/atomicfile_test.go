package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

var errBroken = errors.New("broken on purpose")

func read(t *testing.T, path string) string {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	return string(b)
}

func put(t *testing.T, path, content string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(content), 0o666))
}

// holds checks that dir has exactly these entries: no temporary name is left.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %v, want %v", filepath.Base(dir), got, want)
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// fill writes a directory with the marker and, if broken, then fails.
func fill(content string, err error) func(string) error {
	return func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "model.json"), []byte(content), 0o666), err)
	}
}

func TestFileReplacesAndKeepsPermissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	must.Do(t, File(path, text("first")))
	must.Do(t, os.Chmod(path, 0o640))
	must.Do(t, File(path, text("second")))
	if got := read(t, path); got != "second" {
		t.Errorf("content %q", got)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	holds(t, dir, "out.csv")
}

func TestFailedFileLeavesOldContentAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	put(t, path, "good")
	err := File(path, func(w io.Writer) error {
		// More than the buffer, so that half of it has reached the temporary file.
		_, _ = w.Write(make([]byte, 3*bufferSize))
		return errBroken
	})
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v: want it to wrap the cause and name %s", err, path)
	}
	if got := read(t, path); got != "good" {
		t.Errorf("old content became %d bytes", len(got))
	}
	holds(t, dir, "out.csv")

	func() {
		defer func() { _ = recover() }()
		_ = File(path, func(io.Writer) error { panic("in write") })
	}()
	holds(t, dir, "out.csv")
}

func TestFileFollowsLinkAndRefusesDirectory(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real"), "old")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Skip(err)
	}
	must.Do(t, File(link, text("new")))
	if got := read(t, filepath.Join(dir, "real")); got != "new" {
		t.Errorf("behind the link: %q", got)
	}
	holds(t, dir, "link", "real")
	if err := File(dir, text("x")); err == nil {
		t.Error("a directory was replaced by a file")
	}
	if err := File(filepath.Join(dir, "absent", "x"), text("x")); err == nil {
		t.Error("no error for a missing parent")
	}
}

func TestFileWritesDeviceDirectly(t *testing.T) {
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Skip("no null device")
	}
	must.Do(t, File(os.DevNull, text("gone")))
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatal("the null device was replaced by a file")
	}
}

func TestDirCreatesAndReplaces(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "m")
	for _, content := range []string{"first", "second"} {
		must.Do(t, Dir(path, "model.json", fill(content, nil)))
		if got := read(t, filepath.Join(path, "model.json")); got != content {
			t.Errorf("content %q, want %q", got, content)
		}
		holds(t, parent, "m")
		holds(t, path, "model.json")
	}
}

func TestDirKeepsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for range 2 {
		must.Do(t, Dir(path, "model.json", fill("x", nil)))
		must.Do(t, errors.Join(os.Chmod(path, 0o700), os.Chmod(filepath.Join(path, "model.json"), 0o600)))
	}
	must.Do(t, Dir(path, "model.json", fill("y", nil)))
	for name, want := range map[string]os.FileMode{path: 0o700, filepath.Join(path, "model.json"): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestDirReplacesEmptyDirectory(t *testing.T) {
	path := t.TempDir()
	must.Do(t, Dir(path+"/", "model.json", fill("x", nil)))
	holds(t, path, "model.json")
}

func TestFailedDirLeavesOldContentAndNothingElse(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "m")
	put(t, filepath.Join(path, "model.json"), "good")
	err := Dir(path, "model.json", fill("half", errBroken))
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v: want it to wrap the cause and name %s", err, path)
	}
	if err := Dir(path, "model.json", func(string) error { return nil }); err == nil {
		t.Error("a directory without its marker was accepted")
	}
	if got := read(t, filepath.Join(path, "model.json")); got != "good" {
		t.Errorf("old content became %q", got)
	}
	holds(t, parent, "m")
	if err := Dir(filepath.Join(parent, "new"), "model.json", fill("half", errBroken)); err == nil {
		t.Error("no error")
	}
	holds(t, parent, "m")
}

func TestDirNeverReplacesSomethingElse(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "thesis")
	put(t, filepath.Join(path, "chapter1.tex"), "years of work")
	err := Dir(path, "model.json", fill("x", nil))
	if !errors.Is(err, ErrNotOurs) {
		t.Errorf("error %v, want ErrNotOurs", err)
	}
	holds(t, path, "chapter1.tex")
	holds(t, parent, "thesis")

	file := filepath.Join(parent, "notes")
	put(t, file, "keep")
	if err := Dir(file, "model.json", fill("x", nil)); err == nil {
		t.Error("a file was replaced by a directory")
	}
	if read(t, file) != "keep" {
		t.Error("the file changed")
	}
	holds(t, parent, "notes", "thesis")
}

func TestDirCarriesOtherFilesOver(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "m")
	put(t, filepath.Join(path, "model.json"), "old")
	put(t, filepath.Join(path, "notes.txt"), "mine")
	put(t, filepath.Join(path, "plots", "a.svg"), "mine too")
	must.Do(t, Dir(path, "model.json", fill("new", nil)))
	if got := read(t, filepath.Join(path, "model.json")); got != "new" {
		t.Errorf("content %q", got)
	}
	if read(t, filepath.Join(path, "notes.txt")) != "mine" || read(t, filepath.Join(path, "plots", "a.svg")) != "mine too" {
		t.Error("a user's file was lost or changed")
	}
	holds(t, parent, "m")
}

func TestPendingFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.bin")
	put(t, path, "old")
	for _, way := range []string{"as it comes", "with a name", "copied"} {
		p := must.Get(Create(path))(t)
		if way == "with a name" && p.temp == "" {
			p.File.Close()
			must.Do(t, p.named())
		}
		if _, err := p.WriteString(way); err != nil {
			t.Fatal(err)
		}
		if way == "copied" && p.temp == "" {
			must.Do(t, p.copied())
		}
		if now := read(t, path); now == way {
			t.Errorf("%s: visible before Commit", way)
		}
		must.Do(t, p.Commit())
		p.Abort()
		if now := read(t, path); now != way {
			t.Errorf("content %q, want %q", now, way)
		}
		if err := p.Commit(); err == nil {
			t.Error("committed twice")
		}
		holds(t, dir, "out.bin")
	}
	p := must.Get(Create(path))(t)
	if _, err := p.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	p.Abort()
	if now := read(t, path); now != "copied" {
		t.Errorf("content %q after Abort", now)
	}
	holds(t, dir, "out.bin")
}
