package optcomplete

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// readersOutsidePasses are the functions that go through rows by themselves, and why
// that is no reading of the data.
var readersOutsidePasses = map[string]string{
	// Copies of the data in memory that a pass collected, divided or drawn from.
	"formulation/formulation.go: Resample":          "a resample, drawn from the copy that a path works on",
	"formulation/sampler.go: narrow":                "a sample that a pass picked, without its empty columns",
	"evaluate/samples.go: Samples":                  "smaller samples of one that a pass collected",
	"evaluate/split.go: SplitMatrix":                "a sample, or the copy of a path, divided",
	"evaluate/timesplit.go: NewMoments":             "entries and times that passes collected, joined",
	"evaluate/timesplit.go: of":                     "the time of one entry, of those collected",
	"twosided/formulation.go: Resample":             "a resample, drawn from the copy that a path works on",
	"twosided/matrix.go: entriesOf":                 "the entries that a model keeps of those collected",
	"twosided/effects.go: eachEntry":                "the copy of the entries that a fit works on, which a pass collected",
	"twosided/effects.go: sweep":                    "the same, for effects",
	"remainder/grow.go: square":                     "a sample that a pass collected",
	"remainder/cofactors.go: leading":               "a sample that a pass collected, and its pattern of entries",
	"model/diagnose/coverage.go: entriesOf":         "held-out entries that a pass collected, to be sent",
	"model/diagnose/diagnose_examples.go: examples": "three rows that a pass picked",
	"evaluate/drift.go: compared":                   "the argument of a verb",
	"service/columns.go: of":                        "one row, that a request changes",

	// Arguments of a verb, which are read from their file into memory: not the data of a fit.
	"cmd/optcomplete/evaluate.go: allowed":       "test entries, before they are scored by a pass",
	"cmd/optcomplete/evaluate.go: fittedEntries": "test entries, compared with those of the model",
	"model/newrows.go: foldRows":                 "rows to fold in",
	"model/newrows.go: addSeen":                  "rows to fold in",
	"model/newrows.go: addFitted":                "rows to fold in",
	"cmd/optcomplete/synth.go: packSource":       "writes generated rows to a pack; there is no fit",

	// What a model knows of its entries, to be looked up, or copied into its folder.
	"model/seen.go: seenIn":              "keeps the lists of a matrix in memory, and reads nothing",
	"model/seen.go: Weighed":             "looks single rows of a model up",
	"model/seen.go: Seen":                "one row of a model in use",
	"model/seen.go: Reader":              "rows of a model in use, or to be saved",
	"model/interval.go: FittedColumns":   "one row of a model in use",
	"model/store/seenfile.go: writeSeen": "copies the entries of at most MaxSeen into the model's folder",

	// Where rows are read for the executors of a runner.
	"engine/source.go: spillTo": "writes data in memory to a file for executors",
}

// TestRowsAreReadByPasses: nothing but a pass goes through the rows of a source, so that
// every reading can run elsewhere and is counted. A function that asks for a reader, or
// takes columns and values of a row from anything but the chunk of a pass, must be in the
// list above, with the reason.
func TestRowsAreReadByPasses(t *testing.T) {
	found := map[string]bool{}
	eachFile(t, func(folder string) bool {
		return slices.Contains([]string{"pass", "data", "proof", "python", "scripts", "internal/testkit", "internal/exact"}, folder) ||
			strings.HasPrefix(folder, "internal/") && strings.HasSuffix(folder, "test")
	}, func(path string, file *ast.File) {
		for _, declared := range file.Decls {
			f, is := declared.(*ast.FuncDecl)
			if is && f.Body != nil && readsRows(f) {
				found[path+": "+f.Name.Name] = true
			}
		}
	})
	for at := range found {
		if readersOutsidePasses[at] == "" {
			t.Errorf("%s goes through rows outside a pass: make it a pass (see package pass), or say in readersOutsidePasses why it is no reading of the data", at)
		}
	}
	for at := range readersOutsidePasses {
		if !found[at] {
			t.Errorf("%s is listed and reads no rows", at)
		}
	}
}

// readsRows tells whether a function takes rows from a source: by a Reader, by ForEach
// or Collect of package data, or by a method Row that gives two lists.
func readsRows(f *ast.FuncDecl) bool {
	chunks := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool { // also of the functions in it
		p, is := n.(*ast.Field)
		if !is {
			return true
		}
		if star, is := p.Type.(*ast.StarExpr); is {
			if s, is := star.X.(*ast.SelectorExpr); is && s.Sel.Name == "Chunk" {
				for _, n := range p.Names {
					chunks[n.Name] = true
				}
			}
		}
		return true
	})
	reads := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, is := n.Fun.(*ast.SelectorExpr); is {
				from, _ := s.X.(*ast.Ident)
				if s.Sel.Name == "Reader" && len(n.Args) == 0 || from != nil && from.Name == "data" && slices.Contains([]string{"ForEach", "ForEachWeighed", "Collect", "NewRowReader"}, s.Sel.Name) {
					reads = true
				}
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != 2 || len(n.Rhs) != 1 {
				return true
			}
			call, is := n.Rhs[0].(*ast.CallExpr)
			if !is || len(call.Args) != 1 {
				return true
			}
			if s, is := call.Fun.(*ast.SelectorExpr); is && s.Sel.Name == "Row" {
				second, _ := n.Lhs[1].(*ast.Ident)
				from, _ := s.X.(*ast.Ident)
				if second != nil && !slices.Contains([]string{"ok", "known", "is", "knownRow", "knownColumn"}, second.Name) && (from == nil || !chunks[from.Name]) {
					reads = true
				}
			}
		}
		return true
	})
	return reads
}
