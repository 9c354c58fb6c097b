package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestPlatforms: the program compiles for the platforms of the Python wheels that
// CI does not build for. Types are checked, which is what differs between them,
// and nothing is generated: a tenth of the work of building. Only linux is run.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the source of every dependency")
	}
	for _, platform := range []string{"linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			system, machine, _ := strings.Cut(platform, "/")
			checkTypes(t, system, machine)
		})
	}
}

// listed is what go list says of a package.
type listed struct {
	Dir, ImportPath string
	Standard        bool
	GoFiles         []string
	ImportMap       map[string]string
	Error           *struct{ Err string }
}

// imported finds packages that were checked before; go list gives them in such an order.
type imported struct {
	packages map[string]*types.Package
	renamed  map[string]string
}

func (i imported) Import(path string) (*types.Package, error) {
	if to, ok := i.renamed[path]; ok {
		path = to
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i.packages[path]; p != nil {
		return p, nil
	}
	return nil, errors.New(path + " was not listed before it was used")
}

func checkTypes(t *testing.T, system, machine string) {
	list := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Standard,GoFiles,ImportMap,Error", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine)
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err == nil {
		err = list.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	files, packages := token.NewFileSet(), map[string]*types.Package{}
	for decoder := json.NewDecoder(out); ; {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Error != nil {
			t.Fatal(p.Error.Err)
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file := must.Get(parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution))(t)
			parsed = append(parsed, file)
		}
		ours := p.ImportPath == "optcomplete" || strings.HasPrefix(p.ImportPath, "optcomplete/")
		config := &types.Config{
			Importer:         imported{packages, p.ImportMap},
			Sizes:            types.SizesFor("gc", machine),
			IgnoreFuncBodies: !ours,
			FakeImportC:      true,
			Error: func(err error) {
				if ours {
					t.Error(err)
				}
			},
		}
		if packages[p.ImportPath], err = config.Check(p.ImportPath, files, parsed, nil); err != nil && !p.Standard {
			t.Error(p.ImportPath, err)
		}
	}
	must.Do(t, list.Wait())
	if packages["optcomplete/engine"] == nil {
		t.Error("the packages of the module were not checked")
	}
}
