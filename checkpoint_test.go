package optcomplete

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/checkpoint"
	"optcomplete/data/synth"
	"optcomplete/model"
	"optcomplete/search"
)

func checkpointProblem(t *testing.T) Problem {
	t.Helper()
	in, err := synth.Generate(synth.Config{Rows: 400, Columns: 60, Features: 18, K: 4, Missing: 0.7, Noise: 0.8, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	return Problem{Ratings: in.Ratings, Features: in.Features}
}

// TestInterruptedRunGoesOnToTheSameBits interrupts a fit after more and more
// evaluations; each time the next run goes on, and in the end all is as without.
func TestInterruptedRunGoesOnToTheSameBits(t *testing.T) {
	problem := checkpointProblem(t)
	settings := Settings{K: 4, Model: model.Full, Holdout: 0.1, Seed: 3, Threads: 2, Sampling: AlwaysSampling}
	want, err := Fit(context.Background(), problem, settings)
	if err != nil {
		t.Fatal(err)
	}
	settings.Checkpoint = filepath.Join(t.TempDir(), "run")
	for after := 3; ; after *= 3 {
		ctx, stop := context.WithCancel(context.Background())
		events := 0
		settings.OnEvent = func(search.Event) {
			if events++; events == after {
				stop()
			}
		}
		settings.OnGamma = func(model.GammaPoint) {
			if events++; events == after {
				stop()
			}
		}
		got, err := Fit(ctx, problem, settings)
		interrupted := ctx.Err() != nil
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if !interrupted {
			same(t, "after interrupts", timeless(got), timeless(want))
			break
		}
	}
	// What is remembered is not computed again.
	settings.OnEvent, settings.OnGamma = nil, nil
	again, err := Fit(context.Background(), problem, settings)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "once more", timeless(again), timeless(want))
	store, err := checkpoint.Open(settings.Checkpoint, mustRead(t, filepath.Join(settings.Checkpoint, "run.txt")))
	if err != nil {
		t.Fatal(err)
	}
	store.Close()

	settings.K = 3
	if _, err := Fit(context.Background(), problem, settings); !errors.As(err, new(*checkpoint.MismatchError)) {
		t.Errorf("the checkpoint of another k gives the error %v", err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestStartIsTriedFirst(t *testing.T) {
	problem := checkpointProblem(t)
	settings := Settings{K: 4, Model: model.Paper, Gamma: 0.05}
	want, err := Fit(context.Background(), problem, settings)
	if err != nil {
		t.Fatal(err)
	}
	settings.Start, settings.MaxNodes = want.Summary.Selected, 1
	source := ""
	settings.OnEvent = func(e search.Event) {
		if e.Kind == search.EventIncumbent && source == "" {
			source = e.Source
		}
	}
	got, err := Fit(context.Background(), problem, settings)
	if err != nil {
		t.Fatal(err)
	}
	if source != "start" || got.Summary.Cost != want.Summary.Cost {
		t.Errorf("the first incumbent comes from %q, of cost %v, want %v", source, got.Summary.Cost, want.Summary.Cost)
	}
	settings.Start = []string{"nothing of the kind"}
	if _, err := Fit(context.Background(), problem, settings); !errors.As(err, new(*SettingsError)) {
		t.Errorf("an unknown name to start from gives the error %v", err)
	}
}
