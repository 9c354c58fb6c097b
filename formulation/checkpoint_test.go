package formulation

import (
	"context"
	"errors"
	"optcomplete/internal/progress"
	"optcomplete/loss"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"optcomplete/checkpoint"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/internal/attack"
	"optcomplete/internal/must"
	"optcomplete/search"
	"optcomplete/spec"
)

func checkpointProblem(t *testing.T) Problem {
	t.Helper()
	in := must.Get(synth.Generate(synth.Config{Rows: 400, Columns: 60, Features: 18, K: 4, Missing: 0.7, Noise: 0.8, Seed: 4}))(t)
	return Problem{Ratings: in.Ratings, Features: in.Features}
}

// TestInterruptedRunGoesOnToTheSameBits interrupts a fit after more and more
// evaluations; each time the next run goes on, and in the end all is as without.
func TestInterruptedRunGoesOnToTheSameBits(t *testing.T) {
	problem := checkpointProblem(t)
	settings := Settings{K: 4, Model: spec.Full, Statistics: spec.Statistics{Holdout: 0.1, Seed: 3}, Limits: spec.Limits{Threads: 2}, Method: Certified{Sampling: AlwaysSampling}}
	want := must.Get(Fit(context.Background(), problem, settings))(t)
	settings.Checkpoint = filepath.Join(t.TempDir(), "run")
	for after := 3; ; after *= 3 {
		ctx, stop := context.WithCancel(context.Background())
		events := 0
		settings.OnEvent = func(search.Event) {
			if events++; events == after {
				stop()
			}
		}
		got, err := Fit(ctx, problem, settings)
		interrupted := ctx.Err() != nil
		stop()
		if err != nil && !(interrupted && errors.Is(err, context.Canceled)) {
			t.Fatal(err)
		}
		if !interrupted {
			same(t, "after interrupts", timeless(got), timeless(want))
			break
		}
	}
	// What is remembered is not computed again.
	settings.OnEvent = nil
	again := must.Get(Fit(context.Background(), problem, settings))(t)
	same(t, "once more", timeless(again), timeless(want))
	store := must.Get(checkpoint.Open(settings.Checkpoint, mustRead(t, filepath.Join(settings.Checkpoint, "run.txt"))))(t)
	store.Close()

	settings.K = 3
	if _, err := Fit(context.Background(), problem, settings); !errors.As(err, new(*checkpoint.MismatchError)) {
		t.Errorf("the checkpoint of another k gives the error %v", err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

func TestStartIsTriedFirst(t *testing.T) {
	problem := checkpointProblem(t)
	settings := Settings{K: 4, Model: spec.Paper, Statistics: spec.Statistics{Gamma: 0.05}}
	want := must.Get(Fit(context.Background(), problem, settings))(t)
	settings.Start, settings.MaxNodes = want.Summary.Selected, 1
	source := ""
	settings.OnEvent = func(e search.Event) {
		if e.Kind == search.EventIncumbent && source == "" {
			source = e.Source
		}
	}
	got := must.Get(Fit(context.Background(), problem, settings))(t)
	if source != "start" || got.Summary.Cost != want.Summary.Cost {
		t.Errorf("the first incumbent comes from %q, of cost %v, want %v", source, got.Summary.Cost, want.Summary.Cost)
	}
	settings.Start = []string{"nothing of the kind"}
	if _, err := Fit(context.Background(), problem, settings); !errors.As(err, new(*spec.Error)) {
		t.Errorf("an unknown name to start from gives the error %v", err)
	}
}

// TestFingerprintHasEveryField changes every field of the problem and the settings,
// one at a time: the fingerprint changes, or the field is on the list of those that
// change no answer.
func TestFingerprintHasEveryField(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 8, Columns: 6, Features: 3, K: 2, Missing: 0.3, Seed: 4}))(t)
	problem, settings := Problem{Ratings: in.Ratings, Features: in.Features, Encoding: &encode.Encoding{}}, Settings{}
	text := func() string {
		return must.Get(fingerprint(context.Background(), problem, &settings))(t)
	}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if checkpoint.LeavesOut(path, v.Kind()) && path != "Problem.Ratings" {
			return
		}
		before := text()
		switch v.Kind() {
		case reflect.Struct:
			for f := range v.NumField() {
				if field := path + "." + v.Type().Field(f).Name; field != "Problem.Ratings.entries" && field != "Problem.Ratings.file" { // see Problem.Ratings
					walk(field, v.Field(f))
				}
			}
			return
		case reflect.Pointer:
			if path == "Problem.Ratings" { // its entries have no exported field
				old := problem.Ratings
				problem.Ratings = old.With(old.Matrix().Map(func(_ int, _ int32, v float64) float64 { return v + 1 }))
				if text() == before {
					t.Errorf("other entries have the same fingerprint")
				}
				problem.Ratings = old
			}
			walk(path, v.Elem())
			return
		case reflect.Interface:
			for _, method := range methods { // any of them is told apart, and so are its own fields
				own := reflect.New(reflect.TypeOf(method))
				v.Set(own)
				if text() == before {
					t.Errorf("%s: the method %v has the same fingerprint", path, method)
				}
				walk(path, own.Elem())
			}
			v.SetZero()
			return
		}
		old := reflect.ValueOf(v.Interface())
		v.Set(anotherValue(t, path, v))
		if text() == before {
			t.Errorf("%s is neither in the fingerprint nor on the list of what changes no answer", path)
		}
		v.Set(old)
	}
	walk("Problem", reflect.ValueOf(&problem).Elem())
	walk("Settings", reflect.ValueOf(&settings).Elem())
}

// anotherValue is another value of a field's type.
func anotherValue(t *testing.T, path string, v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch {
	case v.Kind() == reflect.Bool:
		out.SetBool(!v.Bool())
	case v.CanInt():
		out.SetInt(v.Int() + 1)
	case v.CanUint():
		out.SetUint(v.Uint() + 1)
	case v.CanFloat():
		out.SetFloat(v.Float() + 1)
	case v.Kind() == reflect.String:
		out.SetString(v.String() + "x")
	case v.Kind() == reflect.Slice && v.Len() > 0:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		reflect.Copy(out, v)
		last := out.Index(v.Len() - 1)
		last.Set(anotherValue(t, path, last))
	case v.Kind() == reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), 1, 1))
	default:
		t.Fatalf("%s is a %v: say here how to change it", path, v.Type())
	}
	return out
}

// countdown is a context that is cancelled when it is asked for the nth time
// whether it is.
type countdown struct {
	context.Context
	left   atomic.Int64
	cancel func()
}

func (c *countdown) Err() error {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestInterruptWhileResuming ends a run that continues from a checkpoint at many
// moments: it gives the best so far, or says that it was interrupted.
func TestInterruptWhileResuming(t *testing.T) {
	problem := checkpointProblem(t)
	settings := Settings{K: 4, Model: spec.Paper, Statistics: spec.Statistics{Holdout: 0.1, Seed: 3}, Limits: spec.Limits{Threads: 1}, Method: Certified{Sampling: AlwaysSampling}, Checkpoint: filepath.Join(t.TempDir(), "run")}
	if _, err := Fit(context.Background(), problem, settings); err != nil {
		t.Fatal(err)
	}
	results, tried := 0, 0
	for n := int64(1); ; n += 1 + n/128*8 {
		tried++
		ctx, stop := context.WithCancel(context.Background())
		moment := &countdown{Context: ctx, cancel: stop}
		moment.left.Store(n)
		fitted, err := Fit(moment, problem, settings)
		interrupted := ctx.Err() != nil
		stop()
		switch {
		case err == nil && len(fitted.Summary.Selected) != 4:
			t.Fatalf("after %d questions: selected %v", n, fitted.Summary.Selected)
		case err == nil:
			results++
		case !errors.Is(err, context.Canceled):
			t.Fatalf("after %d questions: %v", n, err)
		}
		if !interrupted {
			break
		}
	}
	if results < 2 {
		t.Error("no interrupted run had a result")
	}
	attack.Report(t, "resumed fits interrupted", tried, 0, "%d gave the best so far, the others said that they were interrupted", results)
}

// TestOtherMethodIsCalledByItsName in the error for a checkpoint of another run.
func TestOtherMethodIsCalledByItsName(t *testing.T) {
	settings := Settings{K: 2, Method: CutPlanes{}}
	if text := must.Get(fingerprint(t.Context(), checkpointProblem(t), &settings))(t); !strings.Contains(text, "\nmethod cutplanes\n") {
		t.Error(text)
	}
}

// TestInterruptAfterTheProofKeepsAll interrupts a fit at each of its events. Where the
// selection is proven nonetheless, near-ties and the costs of removals are those of a run
// that nobody interrupts; where it is not, the summary says that costs are missing.
func TestInterruptAfterTheProofKeepsAll(t *testing.T) {
	problem, _ := instance(t, small)
	settings := Settings{Model: spec.Full, K: 4, Statistics: spec.Statistics{Gamma: 5, ColumnShrinkage: 2}}
	want := fit(t, problem, settings).Summary
	proven, early := 0, 0
	for after := 1; ; after++ {
		ctx, stop := context.WithCancel(context.Background())
		events := 0
		settings.OnEvent = func(search.Event) {
			if events++; events == after {
				stop()
			}
		}
		fitted, err := Fit(ctx, problem, settings)
		stop()
		if err != nil {
			if errors.Is(err, context.Canceled) {
				continue // before there was a selection
			}
			t.Fatal(err)
		}
		if events < after {
			break
		}
		got := fitted.Summary
		if got.Status.Early() {
			early++
			if len(got.Removal) == 0 && !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, "the run was interrupted") }) {
				t.Errorf("interrupted at event %d: removals are missing, and only %q is said", after, got.Warnings)
			}
			continue
		}
		proven++
		if !reflect.DeepEqual(got.NearTies, want.NearTies) || !reflect.DeepEqual(got.Removal, want.Removal) {
			t.Errorf("interrupted at event %d, after the proof: near-ties %v and removals %v, want %v and %v", after, got.NearTies, got.Removal, want.NearTies, want.Removal)
		}
	}
	if proven == 0 || early == 0 {
		t.Errorf("%d interrupts came after the proof, %d before", proven, early)
	}
}

// TestCutLearningLeavesNoFalseCosts: a run whose learning was cut short by its limit has other
// units than the one that continues it without a limit, which must not take its costs.
func TestCutLearningLeavesNoFalseCosts(t *testing.T) {
	problem, _ := instance(t, synth.Config{Rows: 80, Columns: 40, Features: 12, K: 4, Missing: 0.5, Noise: 1, Seed: 5})
	for _, l := range []loss.Loss{loss.Squared, loss.Huber} {
		settings := Settings{K: 4, Loss: l}
		want := fit(t, problem, settings)
		settings.Checkpoint, settings.TimeLimit = filepath.Join(t.TempDir(), "run"), 3*time.Second
		late := progress.NewContext(context.Background(), slow{"Learning how much rows differ on each feature", settings.TimeLimit/3 + 100*time.Millisecond})
		cut := must.Get(Fit(late, problem, settings))(t)
		if cut.Summary.Units.Learned {
			t.Fatalf("%v: learning was not cut", l)
		}
		settings.TimeLimit = 0
		got := fit(t, problem, settings)
		if got.Cost != want.Cost || got.Bound != want.Bound || !slices.Equal(got.Selected, want.Selected) {
			t.Errorf("%v: continued, %v costs %v, bound %v; in one go %v, %v, %v", l, got.Selected, got.Cost, got.Bound, want.Selected, want.Cost, want.Bound)
		}
	}
}
