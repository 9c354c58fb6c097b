package formulation

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
	"optcomplete/spec"
)

// streamAll streams the rows of every fit that has a folder, until the test ends.
func streamAll(t *testing.T) {
	before := streamFrom
	streamFrom = 0
	t.Cleanup(func() { streamFrom = before })
}

// files are the files of a saved model.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{"model.json", "rows.parquet", "columns.parquet", "seen.parquet"} {
		content := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		out[name] = content
	}
	return out
}

// sameStreamed fits in memory and with the rows streamed, saves both, and wants
// the same bytes in every file.
func sameStreamed(t *testing.T, problem Problem, settings Settings, threads ...int) {
	t.Helper()
	dir := t.TempDir()
	inMemory := timeless(fit(t, problem, settings))
	must.Do(t, store.Save(inMemory, filepath.Join(dir, "memory")))
	want := files(t, filepath.Join(dir, "memory"))
	for _, threads := range threads {
		settings.Threads, settings.Folder = threads, filepath.Join(dir, "streamed")
		streamed := timeless(fit(t, problem, settings))
		if _, ok := streamed.Coefficients.(*store.RowFile); !ok {
			t.Fatalf("the coefficients are a %T", streamed.Coefficients)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 2 {
			t.Fatalf("before it is saved the folder holds %v (%v)", entries, err)
		}
		// The second model must not share a file with the first.
		for _, name := range []string{"streamed", "again"} {
			must.Do(t, store.Save(streamed, filepath.Join(dir, name)))
			for file, got := range files(t, filepath.Join(dir, name)) {
				if !bytes.Equal(got, want[file]) {
					t.Errorf("%s/%s has %d bytes that differ from those of the fit in memory (%d)", name, file, len(got), len(want[file]))
				}
			}
		}
		a, errA := os.Stat(filepath.Join(dir, "streamed", "rows.parquet"))
		b, errB := os.Stat(filepath.Join(dir, "again", "rows.parquet"))
		if errA != nil || errB != nil || os.SameFile(a, b) {
			t.Errorf("two models share rows.parquet (%v, %v)", errA, errB)
		}
		for i := range inMemory.RowIDs[:min(len(inMemory.RowIDs), 300)] {
			for j := range inMemory.ColumnIDs {
				if got, want := streamed.AnswerAt(i, j), inMemory.AnswerAt(i, j); got != want {
					t.Fatalf("row %d, column %d: %v, in memory %v", i, j, got, want)
				}
			}
		}
		must.Do(t, streamed.Close())
		must.Do(t, os.RemoveAll(filepath.Join(dir, "again")))
	}
	loaded := must.Get(store.Load(filepath.Join(dir, "streamed")))(t)
	if !reflect.DeepEqual(loaded.Coefficients, inMemory.Coefficients) || !slices.Equal(loaded.RowEffects, inMemory.RowEffects) {
		t.Error("the coefficients that were streamed are others than those in memory")
	}
}

func TestStreamedModelIsTheSame(t *testing.T) {
	streamAll(t)
	problem, _ := instance(t, synth.Config{Rows: 600, Columns: 30, Features: 8, K: 3, Missing: 0.9, Noise: 0.3, Seed: 5}) // some rows are empty
	for _, kind := range kinds {
		refits := []spec.Refit{spec.LeastSquares, spec.Ridge, spec.LearnedPrior}
		if !kind.AsGiven() {
			refits = []spec.Refit{spec.AutoRefit}
		}
		for _, refit := range refits {
			t.Run(kind.String()+" "+refit.String(), func(t *testing.T) {
				settings := meant(Settings{K: 3, Model: kind, Statistics: spec.Statistics{Refit: refit, Gamma: 0.5, Gamma0: 1, ColumnShrinkage: 3}})
				if refit == spec.LearnedPrior {
					settings.Holdout = 0.2
				}
				sameStreamed(t, problem, settings, 1, 3)
				if refit == spec.LearnedPrior { // with little memory less is kept, to the same end
					want := timeless(fit(t, problem, settings))
					settings.Memory = 2
					same(t, "with little memory", want, timeless(fit(t, problem, settings)))
				}
			})
		}
	}
}

// TestManyRowGroupsAreStreamed has rows in two groups of rows.parquet, the last
// not full.
func TestManyRowGroupsAreStreamed(t *testing.T) {
	if testing.Short() {
		t.Skip("70000 rows")
	}
	streamAll(t)
	problem, _ := instance(t, synth.Config{Rows: 70_000, Columns: 6, Features: 3, K: 2, Missing: 0.5, Noise: 0.1, Seed: 6})
	sameStreamed(t, problem, Settings{K: 2, Model: spec.Paper, Statistics: spec.Statistics{Gamma: 1}, Limits: spec.Limits{NearTies: -1}}, 2)
}

// TestRemainderKeepsRowsInMemory holds what Settings.Folder says.
func TestRemainderKeepsRowsInMemory(t *testing.T) {
	streamAll(t)
	problem, _ := instance(t, small)
	settings := Settings{K: 2, Statistics: spec.Statistics{Gamma: 1, ColumnShrinkage: 3}, ResidualRank: 2, Folder: filepath.Join(t.TempDir(), "model")}
	fitted := fit(t, problem, settings)
	if _, ok := fitted.Coefficients.(*estimate.RowMatrix); !ok {
		t.Error("the rows were streamed, and would be read over and over")
	}
	must.Do(t, store.Save(fitted, settings.Folder))
}

// TestStreamingFailsBeforeAnythingIsReplaced gives a folder that cannot be made.
func TestStreamingFailsBeforeAnythingIsReplaced(t *testing.T) {
	streamAll(t)
	problem, _ := instance(t, small)
	dir := t.TempDir()
	settings := Settings{K: 2, Statistics: spec.Statistics{Gamma: 1}, Model: spec.Paper, Folder: filepath.Join(dir, "missing", "model")}
	if _, err := Fit(context.Background(), problem, settings); err == nil {
		t.Error("no error for a folder whose parent does not exist")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v (%v)", entries, err)
	}
}
