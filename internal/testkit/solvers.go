package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// UseSolvers lets a test find the programs that scripts/install-solvers.sh put
// into the checkout. The program itself never looks there: whoever makes a
// folder could make it run what is in it.
func UseSolvers(t testing.TB) {
	const variable = "OPTCOMPLETE_SOLVERS" // milp.SolversVariable, which the tests of milp may not import by way of here
	if os.Getenv(variable) != "" {
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(module), "module optcomplete\n") {
			t.Setenv(variable, filepath.Join(dir, ".tools"))
			return
		}
		dir = filepath.Dir(dir)
	}
}
