package model

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// unseal makes a saved model one of a version that had no checksums.
func unseal(t *testing.T, dir string, version int) {
	t.Helper()
	path := filepath.Join(dir, summaryFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), ",\n  \"files\": {")
	head = regexp.MustCompile(`"format_version": \d+`).ReplaceAllString(head, `"format_version": `+strconv.Itoa(version))
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(head, "\n}\n")+"\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestChangedModelIsRefused: one bit of model.json or of a file beside it, and
// the files of another model.
func TestChangedModelIsRefused(t *testing.T) {
	dir := save(t, fitted(t))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for bit := 0; bit < 8*len(whole); bit += 131 {
			damaged := append([]byte{}, whole...)
			damaged[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(path, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), e.Name()) {
				t.Fatalf("bit %d of %s: %v", bit, e.Name(), err)
			}
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir); err != nil {
		t.Fatal(err)
	}
	other := fitted(t)
	other.Features[0]++
	columns, err := os.ReadFile(filepath.Join(save(t, other), columnsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, columnsFile), columns, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "of another model") {
		t.Errorf("the columns of another model: %v", err)
	}
}
