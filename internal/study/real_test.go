package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete"
	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/spec"
)

// cellsOf runs a study of data that three of eight features made.
func cellsOf(t *testing.T, ctx context.Context, s *study, methods string, k ...int) (cells []cell, err error) {
	t.Helper()
	made := must.Get(synth.Generate(synth.Config{Rows: 50, Columns: 40, Features: 8, K: 3, Missing: 0.5, Noise: 0.1, Seed: 2}))(t)
	s.first, s.methods = 1, must.Get(methodsOf(methods))(t)
	before := s.onCell
	s.onCell = func(c cell, have bool) {
		cells = append(cells, c)
		if before != nil {
			before(c, have)
		}
	}
	r := real{ratings: "made.csv", holdout: 0.2, k: k}
	err = r.run(ctx, s, func(spec.Kind) (optcomplete.Problem, error) {
		return optcomplete.Problem{Ratings: made.Ratings, Features: made.Features}, nil
	})
	return cells, err
}

// TestStudyResumes: an interrupted study, gone on with, is the study in one go;
// what was done is not done again, and half a line is.
func TestStudyResumes(t *testing.T) {
	const methods = "full,pooled,paper"
	want, err := cellsOf(t, t.Context(), &study{seeds: 2, folder: t.TempDir()}, methods, 2, 3)
	if err != nil || len(want) != 2*(1+2*3) {
		t.Fatalf("%d cells, %v", len(want), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	folder, done := t.TempDir(), 0
	cells, err := cellsOf(t, ctx, &study{seeds: 2, folder: folder, onCell: func(cell, bool) {
		if done++; done == 5 {
			cancel()
		}
	}}, methods, 2, 3)
	if !errors.Is(err, context.Canceled) || len(cells) != 5 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	path := filepath.Join(folder, cellsFile)
	text := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, text[:len(text)-20], 0o666))
	again := 0
	s := &study{seeds: 2, folder: folder, onCell: func(_ cell, have bool) {
		if !have {
			again++
		}
	}}
	got := must.Get(cellsOf(t, t.Context(), s, methods, 2, 3))(t)
	if again != len(want)-4 {
		t.Errorf("%d of %d cells were computed again", again, len(want))
	}
	if d := cmp.Diff(want, got, timeless); d != "" {
		t.Error(d)
	}
	for _, name := range []string{"real.md", "gap.svg"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || len(text) == 0 || strings.Contains(string(text), "NaN") {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		for _, part := range []string{"| method | seeds | 50 % | width | 80 % | width | 95 % | width |", "| effects alone | 2 |", "| full, k = 3 | 2 |", "- paper, k = 2: "} {
			if name == "real.md" && !strings.Contains(string(text), part) {
				t.Errorf("%q is not in\n%s", part, text)
			}
		}
	}
	for x := range got { // a time limit leaves no time for coverage
		if got[x].Seed == 1 {
			got[x].Coverage = nil
		}
	}
	if table := new(real).tables(realKey{}, s, got); !strings.Contains(table, "| full, k = 2 | 1 |") {
		t.Errorf("coverage of one seed:\n%s", table)
	}
	other := optcomplete.Problem{Ratings: must.Get(synth.Generate(synth.Config{Rows: 50, Columns: 40, Features: 8, K: 3, Seed: 3}))(t).Ratings}
	other.Features = must.Get(synth.Generate(synth.Config{Rows: 50, Columns: 40, Features: 8, K: 3, Seed: 3}))(t).Features
	r := real{ratings: "made.csv", holdout: 0.2, k: []int{2}}
	if err := r.run(t.Context(), &study{folder: folder}, func(spec.Kind) (optcomplete.Problem, error) { return other, nil }); err == nil || !strings.Contains(err.Error(), "use another folder") {
		t.Errorf("other data in the same folder: %v", err)
	}
}

// TestTruthIsFoundAndPays on data that three features made.
func TestTruthIsFoundAndPays(t *testing.T) {
	cells := must.Get(cellsOf(t, t.Context(), &study{seeds: 2, folder: t.TempDir()}, "full", 3))(t)
	for _, c := range cells {
		if c.Method == "full" && (c.Ratio > 0.8 || c.Status != "optimal" || len(c.Selected) != 3 || len(c.Trace) == 0) {
			t.Errorf("%+v", c)
		}
	}
}

// TestFilesAreReadForEachModel: with columns left out that a feature is missing of,
// all models see the same entries, and the paper's the features as they are.
func TestFilesAreReadForEachModel(t *testing.T) {
	folder := t.TempDir()
	r := real{ratings: filepath.Join(folder, "r.csv"), features: filepath.Join(folder, "f.csv"), complete: true}
	must.Do(t, os.WriteFile(r.ratings, []byte("u,i,v\na,x,1\na,y,2\nb,z,3\nb,x,4\n"), 0o666))
	must.Do(t, os.WriteFile(r.features, []byte("i,one,two\nx,1,10\ny,2,\nz,3,40\nw,5,7\nv,2,9\n"), 0o666))
	read := r.read(t.Context())
	full, paper := must.Get(read(spec.Full))(t), must.Get(read(spec.Paper))(t)
	if full.Ratings.Observed() != 3 || paper.Ratings.Observed() != 3 || paper.Features.Row(1)[0] != 5 || full.Features.Row(1)[0] == 5 {
		t.Errorf("%d and %d entries; features %v, %v", full.Ratings.Observed(), paper.Ratings.Observed(), full.Features.Row(1), paper.Features.Row(1))
	}
}
