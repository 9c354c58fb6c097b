package formulation

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/pass"
	"optcomplete/spec"
)

// elsewhere is workers that pass for those of a cluster.
type elsewhere struct {
	*pass.Apart
	unseen string // where the folder of rows is to be, which workers do not see; empty: they do
}

func (elsewhere) Away(context.Context, pass.Reading) bool { return true }

func (e elsewhere) Run(ctx context.Context, r pass.Reading) error {
	tokens, err := filepath.Glob(filepath.Join(e.unseen, ".*", "token"))
	if err != nil || e.unseen == "" || len(tokens) != 1 {
		return e.Apart.Run(ctx, r)
	}
	// The folder's token is away while workers run.
	content, err := os.ReadFile(tokens[0])
	if err == nil {
		err = os.Remove(tokens[0])
	}
	if err != nil {
		return err
	}
	var parts []func() error
	for _, task := range r.Tasks {
		if sink := task.Sink; sink != nil {
			task.Sink = func(p pass.Part) error {
				parts = append(parts, func() error { return sink(p) })
				return nil
			}
		}
	}
	err = errors.Join(e.Apart.Run(ctx, r), os.WriteFile(tokens[0], content, 0o666))
	for _, give := range parts {
		err = errors.Join(err, give())
	}
	return err
}

// stored is a problem whose ratings are in a pack.
func stored(t *testing.T, problem Problem) Problem {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ratings.pack")
	w, err := pack.Create(path, problem.Ratings.ColumnIDs, pack.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = data.ForEach(problem.Ratings.Source(), func(i int, columns []int32, values []float64) error {
		return w.Append(problem.Ratings.RowIDs[i], columns, values)
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p := must.Get(pack.Open(path))(t)
	t.Cleanup(func() { p.Close() })
	problem.Ratings = data.NewRatings(p, p.RowIDs(), problem.Ratings.ColumnIDs)
	return problem
}

// TestRowsWrittenElsewhereAreTheSame: workers write the rows, or give them back if they
// cannot; the saved model is the same but for the files that its rows are in.
func TestRowsWrittenElsewhereAreTheSame(t *testing.T) {
	before := shardWork
	shardWork = 400
	t.Cleanup(func() { shardWork = before })
	problem, _ := instance(t, synth.Config{Rows: 600, Columns: 30, Features: 8, K: 3, Missing: 0.9, Noise: 0.3, Seed: 5}) // some rows are empty
	problem = stored(t, problem)
	for _, kind := range kinds {
		refits := []spec.Refit{spec.Ridge, spec.LearnedPrior}
		if !kind.AsGiven() {
			refits = []spec.Refit{spec.AutoRefit}
		}
		for _, refit := range refits {
			for _, unseen := range []bool{false, true} {
				if unseen && (kind != spec.Full || refit != spec.Ridge) {
					continue
				}
				t.Run(kind.String()+" "+refit.String()+map[bool]string{true: " unseen"}[unseen], func(t *testing.T) {
					settings := meant(Settings{K: 3, Model: kind, Statistics: spec.Statistics{Refit: refit, Gamma: 0.5, Gamma0: 1, ColumnShrinkage: 3}})
					want := timeless(fit(t, problem, settings))
					dir := t.TempDir()
					settings.Folder = filepath.Join(dir, "model")
					run := elsewhere{Apart: pass.NewApart(2)}
					if unseen {
						run.unseen = dir
					}
					got := must.Get(Fit(pass.WithRunner(context.Background(), run), problem, settings))(t)
					timeless(got)
					rows, ok := got.Coefficients.(*store.RowShards)
					if !ok {
						t.Fatalf("the coefficients are a %T", got.Coefficients)
					}
					if files, here := rows.Written(); files < 5 || unseen != (here == files) {
						t.Errorf("%d files, %d of them written here", files, here)
					}
					for _, name := range []string{"model", "again"} {
						must.Do(t, store.Save(got, filepath.Join(dir, name)))
						loaded := must.Get(store.Load(filepath.Join(dir, name)))(t)
						if !slices.Equal(loaded.RowIDs, want.RowIDs) || !slices.Equal(loaded.RowEffects, want.RowEffects) || !slices.Equal(loaded.Entries, want.Entries) {
							t.Errorf("%s: rows differ", name)
						}
						for i := range want.RowIDs {
							if !slices.Equal(loaded.Coefficients.Row(i), want.Coefficients.Row(i)) || !slices.Equal(got.Coefficients.Row(i), want.Coefficients.Row(i)) {
								t.Fatalf("%s: row %d is %v, %v, want %v", name, i, got.Coefficients.Row(i), loaded.Coefficients.Row(i), want.Coefficients.Row(i))
							}
						}
					}
					got.Close()
					if left, _ := os.ReadDir(dir); len(left) != 2 {
						t.Errorf("%v are left", left)
					}
					replaced(t, want, filepath.Join(dir, "model"))
				})
			}
		}
	}
}

// replaced saves a model of one file over one of several: no file of the old is left; and
// damage to a file of several is named.
func replaced(t *testing.T, one *model.Model, dir string) {
	t.Helper()
	shards, err := filepath.Glob(filepath.Join(dir, "rows-*.parquet"))
	if err != nil || len(shards) < 5 {
		t.Fatalf("%v, %v", shards, err)
	}
	whole := must.Get(os.ReadFile(shards[1]))(t)
	for _, damage := range []func() error{
		func() error {
			return os.WriteFile(shards[1], bytes.Replace(whole, []byte("PAR1"), []byte("PAR2"), 1), 0o666)
		},
		func() error { return os.Remove(shards[1]) },
	} {
		must.Do(t, damage())
		if _, err := store.Load(dir); err == nil || !strings.Contains(err.Error(), filepath.Base(shards[1])) {
			t.Errorf("the error is %v", err)
		}
	}
	must.Do(t, os.WriteFile(shards[1], whole, 0o666))
	must.Do(t, store.Save(one, dir))
	if left, _ := filepath.Glob(filepath.Join(dir, "rows*")); len(left) != 1 {
		t.Errorf("%v are left", left)
	}
	if _, err := store.Load(dir); err != nil {
		t.Error(err)
	}
}
