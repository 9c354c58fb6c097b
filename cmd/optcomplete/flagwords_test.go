package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLibraryNamesSettingsAndNotFlags: what the library says serves Go programs too.
// Where it names a setting, the command line has a flag for it.
func TestLibraryNamesSettingsAndNotFlags(t *testing.T) {
	const root = "../.."
	// The command line itself, pages that tell its users what to type, tools, and
	// other programs' flags.
	other := []string{"cmd", "report", "tools", "python", "scripts", "internal/settings",
		"internal/chart", "internal/textfile/open.go", "milp/adapters.go"}
	flag, found := regexp.MustCompile(`(^|[\s("])--[a-z]`), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		for _, o := range other {
			if name == o && d.IsDir() {
				return filepath.SkipDir
			} else if name == o {
				return nil
			}
		}
		if strings.HasPrefix(d.Name(), ".") && path != root && d.IsDir() {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, is := n.(*ast.BasicLit)
			if !is || text.Kind != token.STRING || !strings.Contains(text.Value, " ") {
				return true
			}
			if flag.MatchString(text.Value) {
				t.Errorf("%s names a flag: %s", name, text.Value)
			}
			for _, setting := range settingName.FindAllString(text.Value, -1) {
				found++
				if _, ok := flagNamed(setting); !ok {
					t.Errorf("%s names %s, for which there is no flag", name, setting)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d settings named, %v", found, err)
	}
}

// TestSettingsAreWrittenAsFlags: those of an engine too.
func TestSettingsAreWrittenAsFlags(t *testing.T) {
	for text, want := range map[string]string{
		"use Settings.DropUnknown":             "use --drop-unknown",
		"give engine.Settings.Program another": "give --engine-program another",
		"a fit with Settings.Checkpoint":       "a fit with --checkpoint",
		"Settings.Nothing":                     "Settings.Nothing",
	} {
		if got := asFlags(text); got != want {
			t.Errorf("%q is written as %q, not %q", text, got, want)
		}
	}
}
