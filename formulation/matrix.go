package formulation

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
)

// matrix is the models of a matrix as a formulation.
type matrix struct {
	*task
	moments *evaluate.Moments // of a split by time; nil: folds are random
	cuts    []float64         // the moments between its folds

	// Of a fit: the cost as its method searches it, and the choices with what is
	// predicted beside it.
	selector *selector
	c        choices
}

var (
	_ selection.Formulation[data.Source] = (*matrix)(nil)
	_ selection.Compared[data.Source]    = (*matrix)(nil)
)

func (f *matrix) Names() []string { return f.unitNames() }

func (f *matrix) Choose(ctx context.Context, train data.Source, k int, _ func(result.GammaPoint)) (choices, error) {
	return f.at(max(k, len(f.find.Always))).choose(ctx, train)
}

// at is the task for another k.
func (t *task) at(k int) *task {
	other := *t
	other.find.K = k
	return &other
}

func (f *matrix) Cost(ctx context.Context, train data.Source, k int, c choices) (*selection.Cost, error) {
	values, c, err := f.values(ctx, train, c)
	if err != nil {
		return nil, err
	}
	f.selector, f.c = f.at(k).newSelector(values, c), c
	return f.selector.cost(f.task), nil
}

// search lets the method search the cost, and write its proof. What is to be looked
// at beside is read with the first evaluation.
func (f *matrix) search(ctx context.Context, cost *selection.Cost, train data.Source, summary *model.Summary, beside func(context.Context) error) (found search.Result, at time.Duration, err error) {
	f.selector.oracle, f.selector.find = cost.Oracle, cost.Find
	proven, err := f.record(context.WithoutCancel(ctx), f.selector, f.Proof, train, summary)
	if err != nil {
		return search.Result{}, 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	refused := pass.Together(ctx, func(ctx context.Context) error {
		found, at, err = f.method.search(ctx, f.task, f.selector, f.c, summary)
		return nil
	}, func(ctx context.Context) error {
		err := beside(context.WithoutCancel(ctx))
		if err != nil {
			stop()
		}
		return err
	})
	if err = cmp.Or(refused, err); err != nil {
		return found, at, err
	}
	cost.Unproven = !summary.Certified
	return found, at, proven(found)
}

// Score refits: how well a selection, fitted on some entries, predicts others.
func (f *matrix) Score(ctx context.Context, train, on data.Source, units []int, c choices) (float64, error) {
	parts, err := f.parts(ctx, train, units, c)
	if err != nil {
		return 0, err
	}
	if f.Model.Effects().Rows && !f.NoClip {
		parts.ClipToValues()
	}
	members := f.members(units)
	predict := parts.Predictor(estimate.Chosen(f.features, members), len(members))
	score, err := evaluate.Score(ctx, on, predict, f.Threads)
	return score.Score(), err
}

// Alone is the error of row and column effects, which k = 0 of the model full is.
func (f *matrix) Alone(ctx context.Context, train, on data.Source) (float64, error) {
	if e := f.Model.Effects(); e.Rows && e.Columns {
		return math.NaN(), nil
	}
	row, column, err := evaluate.ChooseShrinkage(ctx, train, f.Threads)
	if err != nil {
		return 0, err
	}
	effects, err := estimate.FitEffects(ctx, train, row, column, f.Threads)
	if err != nil {
		return 0, err
	}
	score, err := evaluate.Score(ctx, on, effects, f.Threads)
	return score.Score(), err
}

// The data of a path are in memory.

func (f *matrix) Fold(all data.Source, x, folds int) (train, held data.Source) {
	if f.moments != nil {
		return f.moments.Parts(all.(*data.Matrix), f.cuts[x], f.cuts[x+1])
	}
	return evaluate.Fold(all.(*data.Matrix), x, folds, f.Seed)
}

func (f *matrix) Repeat(all data.Source, number int) (train, held data.Source) {
	return evaluate.Repeat(all.(*data.Matrix), number, f.Seed)
}

func (f *matrix) Resample(all data.Source, number int) (data.Source, error) {
	return resample(all.(*data.Matrix), f.Seed, number)
}

const bootstrapStream = 0x626f6f74 // "boot"

// resample draws as many rows as there are, with replacement, by a hash of the
// seed and the number of the resample.
func resample(m *data.Matrix, seed uint64, number int) (*data.Matrix, error) {
	n, _ := m.Dims()
	times := make([]int, n)
	for i := range n {
		u := random.Unit(random.Hash(seed, bootstrapStream, uint64(number), uint64(i)))
		times[min(int(u*float64(n)), n-1)]++
	}
	rows := []int{}
	for i, t := range times {
		rows = append(rows, slices.Repeat([]int{i}, t)...)
	}
	return data.Collect(m.WithKeys(nil), rows)
}
