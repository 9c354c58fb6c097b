package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/internal/must"
)

func TestReservedPathIsRefusedUntilReleased(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	release, err := Reserve(path)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	must.Do(t, os.Symlink(dir, link))
	for _, same := range []string{path, filepath.Join(link, "model"), dir + "/./model"} {
		if _, err := Reserve(same); !errors.Is(err, ErrBusy) {
			t.Errorf("%s is reserved, yet: %v", same, err)
		}
	}
	other := must.Get(Reserve(filepath.Join(dir, "other")))(t)
	other()
	release()
	holds(t, dir, "link")
	if release, err = Reserve(path); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := Reserve(filepath.Join(dir, "none", "model")); err == nil {
		t.Error("a place that does not exist is reserved")
	}
	put(t, filepath.Join(dir, ".model.lock"), "") // of a killed process
	if release, err = Reserve(path); err != nil {
		t.Fatal(err)
	}
	release()
	holds(t, dir, "link")
}

func TestReserveRemovesWhatKilledRunsLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	at := func(name string) string { return filepath.Join(dir, name) }
	put(t, at("model/model.json"), "good")
	put(t, at(".model.tmp-00c0ffee/rows.parquet"), "killed")
	put(t, at(".model.old-00c0ffee/model.json"), "replaced")
	put(t, at(".model.old-0badcafe/notes.txt"), "somebody's only copy")
	put(t, at(".model.tmp-zzzz/x"), "not our name")
	put(t, at(".other.tmp-00c0ffee/x"), "another's")
	live, err := mkdirLocked(at(".model.tmp-11111111"))
	if err != nil {
		t.Fatal(err)
	}
	release := must.Get(Reserve(path))(t)
	release()
	holds(t, dir, ".model.old-0badcafe", ".model.tmp-11111111", ".model.tmp-zzzz", ".other.tmp-00c0ffee", "model")
	live.Close()
	if release, err = Reserve(path); err != nil {
		t.Fatal(err)
	}
	release()
	holds(t, dir, ".model.old-0badcafe", ".model.tmp-zzzz", ".other.tmp-00c0ffee", "model")
	if got := read(t, at("model/model.json")); got != "good" {
		t.Errorf("content %q", got)
	}
}

func TestReservePutsBackWhatACrashSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	put(t, filepath.Join(dir, ".model.old-00c0ffee", "model.json"), "good")
	release := must.Get(Reserve(path))(t)
	release()
	holds(t, dir, "model")
	if got := read(t, filepath.Join(path, "model.json")); got != "good" {
		t.Errorf("content %q", got)
	}
}

func TestSetAsideGivesTheOldContent(t *testing.T) {
	dir := t.TempDir()
	target, temp := filepath.Join(dir, "model"), filepath.Join(dir, ".model.tmp-00000000")
	put(t, filepath.Join(target, "model.json"), "old")
	put(t, filepath.Join(temp, "model.json"), "new")
	aside := must.Get(setAside(target, temp))(t)
	if got := read(t, filepath.Join(target, "model.json")) + read(t, filepath.Join(aside, "model.json")); got != "newold" {
		t.Errorf("got %q", got)
	}
	holds(t, dir, filepath.Base(aside), "model")
}
