package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"optcomplete"
	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/spec"
)

func tiny(t *testing.T) Problems {
	t.Helper()
	made := must.Get(synth.Generate(synth.Config{Rows: 50, Columns: 40, Features: 8, K: 3, Missing: 0.5, Noise: 0.1, Seed: 2}))(t)
	return func(spec.Kind) (optcomplete.Problem, error) {
		return optcomplete.Problem{Ratings: made.Ratings, Features: made.Features}, nil
	}
}

var kinds = []string{"full", "pooled", "paper"}

// timeless ignores what differs between two equal runs.
var timeless = cmpopts.IgnoreFields(Cell{}, "Seconds", "Trace")

// TestStudyResumes: an interrupted study, gone on with, is the study in one go;
// what was done is not done again, and half a line is.
func TestStudyResumes(t *testing.T) {
	problems := tiny(t)
	s := RealSettings{Models: kinds, K: []int{2, 3}, Seeds: 2, Folder: t.TempDir()}
	want, err := Real(context.Background(), problems, s)
	if err != nil || len(want) != 2*(1+2*3) {
		t.Fatalf("%d cells, %v", len(want), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.Folder = t.TempDir()
	done := 0
	s.OnCell = func(Cell, bool) {
		if done++; done == 5 {
			cancel()
		}
	}
	if cells, err := Real(ctx, problems, s); !errors.Is(err, context.Canceled) || len(cells) != 5 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	path := filepath.Join(s.Folder, cellsFile)
	text := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, text[:len(text)-20], 0o666))
	again := 0
	s.OnCell = func(_ Cell, have bool) {
		if !have {
			again++
		}
	}
	got := must.Get(Real(context.Background(), problems, s))(t)
	if again != len(want)-4 {
		t.Errorf("%d of %d cells were computed again", again, len(want))
	}
	if d := cmp.Diff(want, got, timeless); d != "" {
		t.Error(d)
	}
	for _, name := range []string{MarkdownFile, CSVFile, JSONFile, GapFile} {
		text, err := os.ReadFile(filepath.Join(s.Folder, name))
		if err != nil || len(text) == 0 || strings.Contains(string(text), "NaN") {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		if name == MarkdownFile && !strings.Contains(string(text), "| model | seeds | 50 % | width | 80 % | width | 95 % | width |") {
			t.Errorf("no coverage of intervals in\n%s", text)
		}
	}
	for x := range got { // a time limit leaves no time for coverage
		if got[x].Seed == 1 {
			got[x].Coverage = nil
		}
	}
	var table strings.Builder
	if err := Markdown(&table, Head{}, got); err != nil || !strings.Contains(table.String(), "| full, k = 2 | 1 |") {
		t.Errorf("coverage of one seed: %v\n%s", err, table.String())
	}
	s.Holdout = 0.5
	var other *OtherStudyError
	if _, err := Real(context.Background(), problems, s); !errors.As(err, &other) {
		t.Errorf("other settings in the same folder: %v", err)
	}
}

// TestTruthIsFoundAndPays on data that three features made.
func TestTruthIsFoundAndPays(t *testing.T) {
	s := RealSettings{Models: kinds[:1], K: []int{3}, Seeds: 2, Folder: t.TempDir()}
	cells := must.Get(Real(context.Background(), tiny(t), s))(t)
	for _, c := range cells {
		if c.Model == "full" && (c.Ratio > 0.8 || c.Status != "optimal" || len(c.Selected) != 3 || len(c.Trace) == 0) {
			t.Errorf("%+v", c)
		}
	}
}
