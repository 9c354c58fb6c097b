package milp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// New returns the solver of a name; "" means embedded. path is the program of
// an external one, or a folder that holds it; "" means where [Find] looks.
// Whether the program is there shows when it is first used.
func New(name, path string) (Solver, error) {
	if name == "" || name == "embedded" {
		if path != "" {
			return nil, fmt.Errorf("milp: the embedded solver runs no program, but %s is given as its path (name a solver too, one of %s)",
				path, strings.Join(Names()[1:], ", "))
		}
		return &Embedded{}, nil
	}
	for _, a := range adapters {
		if a.name == name {
			return &External{Path: path, adapter: a}, nil
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
// Programs are looked for in the folder path, or path is one; if it is empty,
// in bin under $OPTCOMPLETE_SOLVERS, then in PATH. They are run, to ask for
// their version, so they are taken from nowhere that the user did not name.
func Find(ctx context.Context, path string) []Found {
	found := []Found{{Name: "embedded", Version: "1"}}
	for _, a := range adapters {
		if path != "" && !isDirectory(path) && filepath.Base(path) != a.program {
			continue
		}
		e := &External{Path: path, adapter: a}
		program, err := e.locate()
		if err != nil {
			continue
		}
		version, err := e.Version(ctx)
		if err != nil {
			version = "unknown"
		}
		found = append(found, Found{Name: a.name, Path: program, Version: version})
	}
	return found
}

// SolversVariable names the environment variable that holds a folder of
// solvers, the one scripts/install-solvers.sh installs into. Its bin
// subfolder is searched before PATH.
const SolversVariable = "OPTCOMPLETE_SOLVERS"

func (e *External) locate() (string, error) {
	program := e.adapter.program
	if e.Path != "" {
		named := e.Path
		if isDirectory(named) {
			named = filepath.Join(named, program)
		}
		named, err := filepath.Abs(named) // a bare name would be looked for in PATH
		if err != nil {
			return "", err
		}
		if _, err := exec.LookPath(named); err != nil {
			return "", &NotFoundError{Solver: e.adapter.name, Program: program, Looked: []string{e.Path}}
		}
		return named, nil
	}
	looked := []string{"PATH"}
	if dir := os.Getenv(SolversVariable); dir != "" {
		dir = filepath.Join(dir, "bin")
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return filepath.Abs(path)
		}
		looked = append(looked, dir)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", &NotFoundError{Solver: e.adapter.name, Program: program, Looked: looked}
	}
	return filepath.Abs(path)
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
