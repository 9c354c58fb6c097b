package steadyseed

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEverywhere finds packages that draw random instances without this one.
func TestEverywhere(t *testing.T) {
	draws, steady := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		folder := filepath.Dir(path)
		draws[folder] = draws[folder] || strings.Contains(string(text), "\"pgregory.net/rapid\"")
		steady[folder] = steady[folder] || strings.Contains(string(text), "_ \"optcomplete/internal/steadyseed\"")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range draws {
		if draws[folder] && !steady[folder] && filepath.Base(folder) != "steadyseed" {
			t.Errorf("%s draws random instances and does not import optcomplete/internal/steadyseed", folder)
		}
	}
}
