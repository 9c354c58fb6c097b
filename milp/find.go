package milp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Names returns the solvers that [New] knows, the default first.
func Names() []string {
	names := []string{"embedded"}
	for _, a := range adapters {
		names = append(names, a.name)
	}
	return names
}

// New returns the solver of a name; "" means embedded. Whether an external
// program is installed shows when it is first used.
func New(name string) (Solver, error) {
	if name == "" || name == "embedded" {
		return &Embedded{}, nil
	}
	for _, a := range adapters {
		if a.name == name {
			return &External{adapter: a}, nil
		}
	}
	return nil, fmt.Errorf("milp: unknown solver %q (want one of %s)", name, strings.Join(Names(), ", "))
}

// Found is a solver that can be used.
type Found struct {
	Name    string
	Path    string // empty for embedded
	Version string // "unknown" if the program does not say
}

// Find lists the solvers that can be used on this machine, embedded first.
func Find(ctx context.Context) []Found {
	found := []Found{{Name: "embedded", Version: "1"}}
	for _, a := range adapters {
		e := &External{adapter: a}
		path, err := e.locate()
		if err != nil {
			continue
		}
		version, err := e.Version(ctx)
		if err != nil {
			version = "unknown"
		}
		found = append(found, Found{Name: a.name, Path: path, Version: version})
	}
	return found
}

// SolversVariable names the environment variable that holds a folder of
// solvers, the one scripts/install-solvers.sh installs into. Its bin
// subfolder is searched before PATH.
const SolversVariable = "OPTCOMPLETE_SOLVERS"

// folders returns where programs are looked for before PATH: bin under
// $OPTCOMPLETE_SOLVERS; then, for a checkout, .tools/bin in the working
// directory or the nearest of its parents that holds go.mod; then
// optcomplete/solvers/bin in the user's cache folder.
func folders() []string {
	var list []string
	if dir := os.Getenv(SolversVariable); dir != "" {
		list = append(list, filepath.Join(dir, "bin"))
	}
	if dir, err := os.Getwd(); err == nil {
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				list = append(list, filepath.Join(dir, ".tools", "bin"))
				break
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	if dir, err := os.UserCacheDir(); err == nil {
		list = append(list, filepath.Join(dir, "optcomplete", "solvers", "bin"))
	}
	return list
}

func (e *External) locate() (string, error) {
	program := e.adapter.program
	if e.Path != "" {
		if _, err := os.Stat(e.Path); err != nil {
			return "", &NotFoundError{Solver: e.adapter.name, Program: e.Path}
		}
		return filepath.Abs(e.Path)
	}
	looked := folders()
	for _, dir := range looked {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return filepath.Abs(path)
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", &NotFoundError{Solver: e.adapter.name, Program: program, Looked: looked}
	}
	return filepath.Abs(path)
}

func sorted(selection []int) []int {
	s := slices.Clone(selection)
	slices.Sort(s)
	return s
}
