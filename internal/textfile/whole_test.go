package textfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

func TestWholeEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	must.Do(t, os.WriteFile(path, []byte("abc"), 0o666))
	if text, err := Whole(path, 3); string(text) != "abc" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Whole(path, 2); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := Whole("/dev/zero", 1<<20); err == nil || !strings.Contains(err.Error(), "/dev/zero is longer than 1 MiB") {
			t.Error(err)
		}
	}
}
