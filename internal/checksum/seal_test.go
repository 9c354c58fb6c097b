package checksum

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestEveryFlippedBitIsSeen in the sealed object and in the file beside it.
func TestEveryFlippedBitIsSeen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rows.txt")
	content := []byte("what the rows are")
	must.Do(t, os.WriteFile(file, content, 0o666))
	text := must.Get(Seal([]byte("{\n  \"mean\": 3.5\n}\n"), dir, []string{"rows.txt"}))(t)
	sums, err := Unseal("model.json", text)
	if err != nil || sums == nil {
		t.Fatal(sums, err)
	}
	if err := sums.Check(file); err != nil {
		t.Error(err)
	}
	for bit := range 8 * len(text) {
		damaged := append([]byte{}, text...)
		damaged[bit/8] ^= 1 << (bit % 8)
		// A damaged name of the member leaves an object without a seal, which the
		// caller knows by its version.
		if sums, err := Unseal("model.json", damaged); err == nil && sums != nil {
			t.Errorf("bit %d: not seen in %s", bit, damaged)
		} else if sums == nil && err == nil && strings.Contains(string(damaged), sumMember) {
			t.Errorf("bit %d: no seal found in %s", bit, damaged)
		}
	}
	for bit := range 8 * len(content) {
		damaged := append([]byte{}, content...)
		damaged[bit/8] ^= 1 << (bit % 8)
		must.Do(t, os.WriteFile(file, damaged, 0o666))
		if err := sums.Check(file); err == nil || !strings.Contains(err.Error(), "rows.txt: it was changed or damaged") {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
	if sums, err := Unseal("model.json", []byte("{}")); sums != nil || err != nil {
		t.Errorf("an object without a seal: %v %v", sums, err)
	}
}
