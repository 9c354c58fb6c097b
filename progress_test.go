package optcomplete

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"optcomplete/data/synth"
	"optcomplete/internal/must"
	"optcomplete/internal/progress"
	"optcomplete/spec"
)

// reporter remembers the work it was told of, and counts what goes on.
type reporter struct {
	mu     sync.Mutex
	labels []string
	going  int
}

type reported struct {
	progress.None
	end func()
}

func (r reported) Done() { r.end() }

func (r *reporter) Start(label string, _ int64, _ string) progress.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.labels = append(r.labels, label)
	r.going++
	return reported{end: sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.going--
	})}
}

// TestLongWorkIsReported: everything before and after the search that may take
// long, by name, and each ends.
func TestLongWorkIsReported(t *testing.T) {
	made := must.Get(synth.Generate(synth.Config{Rows: 60, Columns: 50, Features: 20, K: 4, Missing: 0.4, Noise: 0.01, Seed: 3}))(t)
	problem := Problem{Ratings: made.Ratings, Features: made.Features}
	dir := t.TempDir()
	for name, text := range map[string]string{"ratings.csv": "row,column,value\na,x,1\nb,y,2\n", "features.csv": "id,f\nx,1\ny,2\n"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(s Settings) func(context.Context) error {
		return func(ctx context.Context) error { _, err := Fit(ctx, problem, s); return err }
	}
	for _, c := range []struct {
		work func(context.Context) error
		want []string
	}{
		{run(Settings{K: 4, Model: spec.Full}), []string{"Drawing rows to learn from", "Learning how much rows differ", "Preparing the search", "Fitting every row", "Comparing", "Selecting with smaller and larger"}},
		{run(Settings{K: 2, Gamma: 1, ResidualRank: 1}), []string{"Fitting every row", "Fitting the remainder", "Scoring the predictions"}},
		{func(ctx context.Context) error {
			_, err := Path(ctx, problem, Settings{Model: spec.Paper}, PathSettings{KMax: 3, Folds: 2})
			return err
		}, []string{"First curve", "Improving each k", "Validating", "Proving"}},
		{run(Settings{Method: SoftImpute{}}), []string{"Fitting softimpute", "Trying rank"}},
		{func(ctx context.Context) error {
			_, _, err := Read(ctx, filepath.Join(dir, "ratings.csv"), filepath.Join(dir, "features.csv"), ReadSettings{})
			return err
		}, []string{"Reading features.csv"}},
	} {
		r := &reporter{}
		must.Do(t, c.work(progress.NewContext(context.Background(), r)))
		for _, want := range c.want {
			if !slices.ContainsFunc(r.labels, func(label string) bool { return strings.HasPrefix(label, want) }) {
				t.Errorf("%q is not among %q", want, r.labels)
			}
		}
		if r.going != 0 {
			t.Errorf("%d of %q never ended", r.going, r.labels)
		}
	}
}
