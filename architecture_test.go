package optcomplete

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/must"
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
		".":         {"arrow", "parquet"}, // they are for who imports files
		// It finds methods by name when it runs, so that the linker keeps all there are: the program was 7 MB larger.
		"./report":          {"text/template"},
		"./cmd/optcomplete": {"html/template", "go-json/internal", "google.golang.org/protobuf"},
	} {
		for _, needed := range needs(t, path) {
			for _, word := range without {
				if needed == "optcomplete/internal/names" {
					continue // it needs nothing of this module itself
				}
				if strings.Contains(needed, word) && needed != "optcomplete/"+strings.TrimPrefix(path, "./") {
					t.Errorf("%s needs %s", path, needed)
				}
			}
		}
	}
}

// TestPackagesStandInOrder: the table of docs/architecture.md names every package, and each
// imports only those above it, or beside it, and the tools of internal.
func TestPackagesStandInOrder(t *testing.T) {
	lines := map[string]int{} // by the path of a package, or with a slash at its end of a folder of them
	page := must.Get(os.ReadFile("docs/architecture.md"))(t)
	table, _, _ := strings.Cut(string(page), "\n## ")
	for i, line := range strings.Split(table, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for j, name := range strings.Split(strings.Split(line, "|")[1], "`") {
			if j%2 == 1 {
				lines[strings.TrimSuffix(name, "...")] = i
			}
		}
	}
	met := map[string]bool{"tools/browser": true, "tools/gojson": true}
	lineOf := func(folder string) int {
		for name := range lines {
			if name == folder || strings.HasSuffix(name, "/") && strings.HasPrefix(folder+"/", name) {
				met[name] = true
				return lines[name]
			}
		}
		t.Fatalf("docs/architecture.md has no line for %s", folder)
		return 0
	}
	otherModule := func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		return err == nil
	}
	eachFile(t, otherModule, func(path string, file *ast.File) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if folder == "." {
			folder = "optcomplete"
		}
		own := lineOf(folder)
		if strings.HasPrefix(folder, "internal/") {
			return
		}
		for _, spec := range file.Imports {
			needed := strings.Trim(spec.Path.Value, `"`)
			inside, is := strings.CutPrefix(needed+"/", "optcomplete/")
			if !is || strings.HasPrefix(inside, "internal/") {
				continue
			}
			if inside = strings.TrimSuffix(inside, "/"); inside == "" {
				inside = "optcomplete"
			}
			if lineOf(inside) > own {
				t.Errorf("%s imports %s, which stands below it in docs/architecture.md", path, needed)
			}
		}
	})
	for name := range lines {
		if !met[name] {
			t.Errorf("docs/architecture.md has a line for %s, which is not there", name)
		}
	}
}

// TestModuleNeedsNoBrowser: what drives a browser, for tests and pictures, is in
// a module of its own (tools/browser), not in everybody's go.mod.
func TestModuleNeedsNoBrowser(t *testing.T) {
	text := must.Get(os.ReadFile("go.mod"))(t)
	if strings.Contains(string(text), "chromedp") {
		t.Error("go.mod names chromedp")
	}
}

// holdSettings are the structs that hold two or more of k, γ, always, never, seed and
// threads, and why they do not embed those of package spec.
var holdSettings = map[string]string{
	"spec.Choice":     "defines them",
	"spec.Statistics": "defines them",

	"..Settings": "is flat, so that its documentation shows all; TestSettingsAreThoseOfTheFormulation compares",

	// Results, and what is written to files and read from them.
	"service.ModelInfo":         "is an answer about a model",
	"model.Summary":             "records what a model was fitted with",
	"regress.Result":            "records what a regression was fitted with",
	"cutplanes.Header":          "records a run",
	"proof.Statement":           "states what is proven",
	"proof.Problem":             "reads the statement, and shares nothing with what is checked",
	"data/synth.Truth":          "records how data were made",
	"internal/events.Event":     "a line of the progress of a server",
	"internal/exact.Instance":   "an instance of a test",
	"internal/testkit.Instance": "an instance of a test",

	// Costs at work: γ and threads are what they compute with.
	"feasible.Set":      "what the settings mean to a search, by numbers",
	"objective.Exact":   "a cost",
	"objective.Sampled": "a cost of samples",
	"proof.cost":        "a cost, of the checker",

	// Numbers of columns, where those of spec are names.
	"search.Settings": "what is searched",
	"milp.Master":     "what is solved",

	// Settings of one thing, in which those of spec have no meaning.
	"model/estimate.Recipe":     "how rows are fitted once everything is chosen",
	"remainder.Settings":        "how a remainder is learned",
	"baseline/effects.Settings": "of all baselines",
	"evaluate.MeasureSettings":  "of resamples",
	"data/synth.Config":         "of data that are made",
	"cmd/optcomplete.common":    "flags of all verbs, also of those without a fit",

	// One field of a table, or one feature: not the lists.
	"encode.Group":        "whether this one is to be selected",
	"encode.FieldOptions": "whether this one is to be selected",
}

// TestSettingsAreDefinedOnce: who needs settings embeds those of package spec.
func TestSettingsAreDefinedOnce(t *testing.T) {
	settings := []string{"k", "gamma", "always", "never", "seed", "threads"}
	found := map[string]bool{}
	eachFile(t, func(string) bool { return false }, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			if s, is := spec.Type.(*ast.StructType); is {
				held := 0
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						if slices.Contains(settings, strings.ToLower(name.Name)) {
							held++
						}
					}
				}
				if held >= 2 {
					found[filepath.ToSlash(filepath.Dir(path))+"."+spec.Name.Name] = true
				}
			}
			return true
		})
	})
	for name := range found {
		if holdSettings[name] == "" {
			t.Errorf("%s holds settings of its own: embed spec.Choice, spec.Limits or spec.Statistics, or say in holdSettings why not", name)
		}
	}
	for name := range holdSettings {
		if !found[name] {
			t.Errorf("%s is listed and holds none", name)
		}
	}
}

// TestLossesAreNamedInOnePlace: others ask what a loss is like (loss/properties.go), so
// that another one is a matter of package loss.
func TestLossesAreNamedInOnePlace(t *testing.T) {
	named := map[string]string{
		"formulation/loss.go":              "of yes and no it is the one that suits",
		"cmd/optcomplete/regress_table.go": "of yes and no it is the one that suits",
		"evaluate/losses.go":               "probabilities are ranked by log-odds",
	}
	eachFile(t, func(folder string) bool { return folder == "loss" || folder == "internal/exact" }, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			if from, is := s.X.(*ast.Ident); is && from.Name == "loss" && slices.Contains([]string{"Logistic", "Poisson", "Huber"}, s.Sel.Name) && named[path] == "" {
				t.Errorf("%s names loss.%s: ask for what it is like, see loss/properties.go", path, s.Sel.Name)
			}
			return true
		})
	})
}

// eachFile parses every Go file of this module that is no test, but for the folders that
// skip names.
func eachFile(t *testing.T, skip func(folder string) bool, do func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		switch {
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || path == "tools" || skip(path)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			do(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
