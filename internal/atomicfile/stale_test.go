package atomicfile

import (
	"os"
	"path/filepath"
	"testing"

	"optcomplete/internal/must"
)

func TestStaleFilesAreRemovedAndLiveOnesStay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.pack")
	put(t, path, "good")
	put(t, filepath.Join(dir, ".out.pack.tmp-00c0ffee"), "killed")
	put(t, filepath.Join(dir, ".out.pack.spill-0badcafe"), "killed")
	put(t, filepath.Join(dir, ".out.pack.tmp-zzzz"), "not our name")
	put(t, filepath.Join(dir, ".other.tmp-00c0ffee"), "another's")
	live := must.Get(Create(path))(t)
	live.File.Close()
	if err := live.named(); err != nil { // as where no file is without a name
		t.Fatal(err)
	}
	RemoveStale(path, "spill")
	holds(t, dir, ".other.tmp-00c0ffee", filepath.Base(live.Name()), ".out.pack.tmp-zzzz", "out.pack")
	if _, err := live.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	must.Do(t, live.Commit())
	if got := read(t, path); got != "new" {
		t.Errorf("content %q", got)
	}
}

func TestTempLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	file, named, err := Temp(filepath.Join(dir, "out"), "spill")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if !named {
		holds(t, dir)
	}
	file.Close()
	if named {
		os.Remove(file.Name())
	}
	holds(t, dir)
}
