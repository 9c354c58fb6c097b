package pass_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
	"optcomplete/internal/sourcetest"
	"optcomplete/pass"
)

type oneThread struct{ threads int }

func (o oneThread) Run(ctx context.Context, r pass.Reading) error {
	r.Threads = o.threads
	tasks := r.Tasks
	return pass.RunTasks(pass.WithRunner(ctx, pass.ThreadRunner), r.Source, r.Threads, tasks...)
}

func TestRunnersGiveTheSameBits(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7} {
		passtest.Run(t, oneThread{threads})
	}
	apart := pass.NewApart(2)
	t.Run("apart", func(t *testing.T) { passtest.Run(t, apart) })
}

func TestViewIsTheTransformedMatrix(t *testing.T) {
	ctx := context.Background()
	base := passtest.Source(500, 30)
	transforms := []pass.Transform{passtest.Odd{}, passtest.Shift{By: pass.Share([]float64{1, 2, 3})}}
	inMemory := must.Get(pass.Transformed(ctx, base, 2, "view", transforms...))(t)
	for _, first := range [][]pass.Transform{transforms, transforms[:1]} { // at once, and one after the other
		view, err := pass.Transformed(ctx, struct{ data.Source }{base}, 2, "view", first...)
		if err == nil && len(first) < len(transforms) {
			view, err = pass.Transformed(ctx, view, 2, "view", transforms[len(first):]...)
		}
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.Run(t, view, inMemory.(*data.Matrix))
	}
}

func TestReadingsAreCounted(t *testing.T) {
	ctx, all := pass.WithCounts(context.Background())
	s := passtest.Source(100, 10)
	inner, some := pass.WithCounts(ctx)
	if _, err := pass.Run(pass.WithLabel(inner, "sample"), s, 1, pass.Surveying{}); err != nil {
		t.Fatal(err)
	}
	if _, err := pass.Run(ctx, s, 1, pass.Surveying{}, passtest.Summing{}); err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"sample: survey": 1}; !maps.Equal(some.Of(), want) {
		t.Errorf("counted %v, want %v", some.Of(), want)
	}
	if want := map[string]int{"sample: survey": 1, "sum, survey": 1}; !maps.Equal(all.Of(), want) {
		t.Errorf("counted %v, want %v", all.Of(), want)
	}
}

func TestManyPartsDoNotPileUp(t *testing.T) {
	// Chunks of large data are many; a pass whose parts are costly gets few of them.
	s := passtest.Source(3000, 90)
	parts := 0
	err := pass.Stream(context.Background(), s, 2, passtest.Summing{Price: s.Observed() / 3}, func(*passtest.Sum) error { parts++; return nil })
	if err != nil || parts > 4 {
		t.Errorf("%d parts, %v", parts, err)
	}
}

// TestViewsAreDividedAsMemory: the entries that a split leaves have the same chunks
// on disk and in memory, so that a fit has the same bits.
func TestViewsAreDividedAsMemory(t *testing.T) {
	stored := struct{ data.Source }{passtest.Source(3000, 90)}
	view := must.Get(pass.Transformed(context.Background(), stored, 1, "odd", passtest.Odd{}))(t)
	matrix := must.Get(pass.Collect(context.Background(), view, 1, "copy"))(t)
	if got, want := data.Chunks(view), data.Chunks(matrix); !slices.Equal(got, want) {
		t.Errorf("%d chunks on disk, %d in memory", len(got)-1, len(want)-1)
	}
}

// vast says that it has far more entries than it has.
type vast struct{ data.Source }

func (vast) Observed() int { return 1 << 50 }

// TestASampleTakesTheMemoryOfWhatItKeeps: of data on disk, room is made for the entries
// kept, not for all of them. (The entries that vast claims would need a petabyte.)
func TestASampleTakesTheMemoryOfWhatItKeeps(t *testing.T) {
	small := passtest.Source(300, 9)
	want := must.Get(pass.Collect(context.Background(), struct{ data.Source }{small}, 1, "copy", passtest.Odd{}))(t)
	got := must.Get(pass.Collect(context.Background(), vast{small}, 1, "copy", passtest.Odd{}))(t)
	if got.Observed() != want.Observed() {
		t.Errorf("%d entries, want %d", got.Observed(), want.Observed())
	}
}

// TestRunsOfItemsMergeAsTheTree: parts of aligned runs of items give the bits of the
// items one by one.
func TestRunsOfItemsMergeAsTheTree(t *testing.T) {
	source := passtest.Source(3000, 90)
	passes := []pass.Pass{passtest.Summing{Price: 1}}
	want := must.Get(pass.Run(context.Background(), source, 1, passes...))(t)
	plan := pass.NewPlan(source, passes, nil)
	for level := range 8 {
		executor := must.Get(plan.NewExecutor([]bool{false}))(t)
		task := &pass.Task{Pass: passes[0]}
		results := plan.NewResults([]*pass.Task{task})
		for run := plan.Runs(level) - 1; run >= 0; run-- {
			parts, err := executor.Run(context.Background(), level, run)
			if err == nil {
				err = results.PutRun(level, run, parts)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		results.Finish()
		got, _ := pass.EncodeParts([][]pass.Part{{task.Result}})
		if want, _ := pass.EncodeParts([][]pass.Part{want}); !bytes.Equal(got, want) {
			t.Errorf("runs of 2^%d items of %d give other bits", level, plan.Items())
		}
	}
}
