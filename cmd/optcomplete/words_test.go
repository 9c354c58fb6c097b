package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// translated are turns of phrase that read as if they were translated. CONTRIBUTING
// and the manual ask for plain English.
var translated = regexp.MustCompile(`(?i)believed by half|looked at, one and all|is the one that is told|\breckon|\bit is said\b|\bas ever\b|\bin the mean\b|\bgoes on from here\b|\b(known|understood) of (a|the|it|them|each)\b`)

// TestPlainWords: the manual, and what the program and its comments say, keep clear of
// them.
func TestPlainWords(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go") || d.Name() == "CHANGELOG.md" || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".md":
			return nil
		}
		for x, line := range strings.Split(readText(t, path), "\n") {
			if found := translated.FindString(line); found != "" {
				t.Errorf("%s:%d: %q: say it plainly", path, x+1, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
