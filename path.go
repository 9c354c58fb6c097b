package optcomplete

import (
	"context"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
)

// A path over k; see package selection.
type (
	PathSettings = selection.PathSettings
	PathPoint    = selection.PathPoint
	PathResult   = selection.PathResult
	Stability    = selection.Stability
)

// Path selects 1, 2, … KMax features, sharing every cut, and validates each k; see
// selection.Path. MaxNodes is for each k, the time limit for all of the path; K and
// Holdout are not used.
func Path(ctx context.Context, problem Problem, settings Settings, path PathSettings) (*PathResult, error) {
	settings.K = path.KMax
	if err := path.Validate(); err != nil {
		return nil, err
	}
	t, err := newTask(ctx, problem, &settings)
	if err != nil {
		return nil, err
	}
	train, err := data.Collect(problem.Ratings.Source(), nil)
	if err != nil {
		return nil, err
	}
	path.OnGamma, path.OnEvent = settings.OnGamma, settings.OnEvent
	path.TimeLimit, path.Began = settings.TimeLimit, settings.Began
	path.OneChoice = train.Observed() >= oneChoiceFrom
	if path.Passes == 0 && settings.TimeLimit == 0 && settings.MaxNodes == 0 {
		path.Passes = max(leastPasses, pathWork/max(train.Observed(), 1))
	}
	f := &matrixPath{task: t, settings: &settings}
	if settings.Split == spec.TimeSplit {
		if path.Repeats > 0 {
			return nil, spec.Errorf("repeated hold-outs are drawn at random: leave them out, or the split by time")
		}
		if f.moments, err = evaluate.NewMoments(ctx, problem.Ratings, problem.Times, settings.Threads); err != nil {
			return nil, err
		}
		if f.cuts, err = f.moments.Folds(path.Folds); err != nil {
			return nil, err
		}
	}
	r, err := selection.Path(ctx, f, train, path)
	if err != nil {
		return nil, err
	}
	r.Model, r.ByTime = t.kind.String(), f.moments != nil
	if settings.Loss != loss.Squared {
		r.Measure = settings.Loss.Measure()
	}
	own := t.form.own(choices{Gamma0: r.Gamma0, Row: r.RowShrinkage, Column: r.ColumnShrinkage})
	r.Gamma0, r.RowShrinkage, r.ColumnShrinkage = own.Gamma0, own.Row, own.Column
	return r, nil
}

const (
	// oneChoiceFrom is the number of entries from which folds use the choices made on
	// all entries: those that a fold holds out are a fifth of the data at most, and what
	// a few numbers learn of them is nothing then.
	oneChoiceFrom = 200_000

	// Unless a limit is given, the proof of one k ends after pathWork entries were
	// evaluated, by leastPasses passes at least: a path is there to choose k, and a fit to
	// prove it. It counts passes and not time, so that the same path comes out always.
	pathWork    = 40_000_000
	leastPasses = 40
)

// matrixPath is the models of a matrix as a formulation.
type matrixPath struct {
	*task
	settings *Settings
	moments  *evaluate.Moments // of a split by time; nil: folds are random
	cuts     []float64         // the moments between its folds
}

var _ selection.Formulation[*data.Matrix] = (*matrixPath)(nil)

func (f *matrixPath) Names() []string { return f.unitNames() }

func (f *matrixPath) Choose(ctx context.Context, train *data.Matrix, k int, on func(result.GammaPoint)) (choices, error) {
	settings := *f.settings
	settings.OnGamma = on
	return f.form.choose(ctx, f.at(max(k, len(f.find.Always))), train, &settings)
}

// at is the task for another k.
func (t *task) at(k int) *task {
	other := *t
	other.find.K = k
	return &other
}

func (f *matrixPath) Cost(ctx context.Context, train *data.Matrix, k int, c choices) (*selection.Cost, error) {
	values, c, err := f.values(ctx, train, c)
	if err != nil {
		return nil, err
	}
	return f.at(k).selector(values, c).cost(f.task), nil
}

// Score refits: how well a selection, fitted on some entries, predicts others.
func (f *matrixPath) Score(ctx context.Context, train, on *data.Matrix, units []int, c choices) (float64, error) {
	parts, err := f.parts(ctx, train, units, c)
	if err != nil {
		return 0, err
	}
	if f.kind.Effects().Rows && !f.noClip {
		parts.ClipToValues()
	}
	members := f.members(units)
	predict := parts.Predictor(estimate.Chosen(f.features, members), len(members))
	score, err := evaluate.Score(ctx, on, predict, f.threads)
	return score.Score(), err
}

func (f *matrixPath) Fold(all *data.Matrix, x, folds int) (train, held *data.Matrix) {
	if f.moments != nil {
		return f.moments.Parts(all, f.cuts[x], f.cuts[x+1])
	}
	return evaluate.Fold(all, x, folds, f.seed)
}

func (f *matrixPath) Repeat(all *data.Matrix, number int) (train, held *data.Matrix) {
	return evaluate.Repeat(all, number, f.seed)
}

func (f *matrixPath) Resample(all *data.Matrix, number int) (*data.Matrix, error) {
	return resample(all, f.seed, number)
}

const bootstrapStream = 0x626f6f74 // "boot"

// resample draws as many rows as there are, with replacement, by a hash of the
// seed and the number of the resample.
func resample(m *data.Matrix, seed uint64, number int) (*data.Matrix, error) {
	n, columns := m.Dims()
	times := make([]int, n)
	for i := range n {
		u := random.Unit(random.Hash(seed, bootstrapStream, uint64(number), uint64(i)))
		times[min(int(u*float64(n)), n-1)]++
	}
	start := make([]int, 1, n+1)
	var column []int32
	var value []float64
	for i, t := range times {
		at, values := m.Row(i)
		for range t {
			column = append(column, at...)
			value = append(value, values...)
			start = append(start, len(column))
		}
	}
	return data.NewMatrixByRows(columns, start, column, value)
}
