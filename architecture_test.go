package optcomplete

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// needs lists all packages that a package of this module needs.
func needs(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", path).Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	return strings.Fields(string(out))
}

// TestPackagesNeedNoMore: who reads a result, states settings or regresses on a
// plain table does not pay for files of matrices.
func TestPackagesNeedNoMore(t *testing.T) {
	for path, without := range map[string][]string{
		"./result":  {"optcomplete/", "github.com/"},
		"./spec":    {"optcomplete/", "github.com/"},
		"./search":  {"optcomplete/data", "optcomplete/objective", "github.com/"},
		"./regress": {"arrow", "optcomplete/model", "parquet"},
		// It finds methods by name when it runs, so that the linker keeps all there are: the program was 7 MB larger.
		"./report":          {"text/template"},
		"./cmd/optcomplete": {"html/template"},
	} {
		for _, needed := range needs(t, path) {
			for _, word := range without {
				if strings.Contains(needed, word) && needed != "optcomplete/"+strings.TrimPrefix(path, "./") {
					t.Errorf("%s needs %s", path, needed)
				}
			}
		}
	}
}

// TestModuleNeedsNoBrowser: what drives a browser, for tests and pictures, is in
// a module of its own (tools/browser), not in everybody's go.mod.
func TestModuleNeedsNoBrowser(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "chromedp") {
		t.Error("go.mod names chromedp")
	}
}
