package optcomplete

import (
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// PathSettings say how far a path goes and how it is validated. All but KMax
// may be left at zero.
type PathSettings struct {
	KMax      int // the path has every k from 1 to this
	Folds     int // of cross-validation, at least 2; zero means 5
	Repeats   int // if positive: so many hold-outs of a fifth instead of folds
	Bootstrap int // resamples of the rows, to see how stable the selection is; zero: none
	K         int // the k whose stability is looked at; zero: the one-standard-error choice

	OnPoint    func(PathPoint)     // called for every k of the path on all entries, before its validation; may be nil
	OnFold     func(done, of int)  // called after every fold; may be nil
	OnResample func(done, of int)  // called after every resample; may be nil
	OnChoice   func(gamma float64) // called when γ is chosen; may be nil
}

// PathPoint is one k of a path.
type PathPoint struct {
	K        int      `json:"k"`
	Selected []string `json:"selected"`
	Entering []string `json:"entering"` // features that the k before does not have
	Leaving  []string `json:"leaving"`  // features of the k before that are gone

	result.Certificate

	Train      float64   `json:"train_rmse"`      // of the fit on all entries, on those
	Validation float64   `json:"validation_rmse"` // mean over folds; 0: not validated
	Error      float64   `json:"standard_error"`  // of that mean
	Folds      []float64 `json:"fold_rmse"`       // of each fold
}

// PathResult is a path over k.
type PathResult struct {
	Model           string      `json:"model"`
	Gamma           float64     `json:"gamma"`
	Gamma0          float64     `json:"gamma0,omitempty"`
	RowShrinkage    float64     `json:"row_shrinkage,omitempty"`
	ColumnShrinkage float64     `json:"column_shrinkage,omitempty"`
	Folds           int         `json:"folds"`  // that were validated on
	Best            int         `json:"best"`   // k of the least validation error; 0: not validated
	Chosen          int         `json:"chosen"` // smallest k within one standard error of it
	Points          []PathPoint `json:"path"`
	Stability       *Stability  `json:"stability,omitempty"`
	Interrupted     bool        `json:"interrupted"` // by the context: some of what was asked for is missing
}

// Path selects 1, 2, … KMax features, sharing every cut, and validates each k.
//
// The path is searched on all entries at one γ, chosen by validation at half of
// KMax unless given. The settings' limits apply to each k; K and Holdout are
// not used. For validation the whole procedure, the choice of γ and shrinkage
// included, is repeated on the training part of every fold, with the search
// ended at its root, so that no choice sees the entries it is scored on.
//
// When the context is cancelled, the result has what was done until then.
func Path(ctx context.Context, problem Problem, settings Settings, path PathSettings) (*PathResult, error) {
	settings.K = path.KMax
	if path.Folds == 0 {
		path.Folds = 5
	}
	switch {
	case path.Folds < 2:
		return nil, spec.Errorf("%d folds are too few: at least 2 are needed", path.Folds)
	case path.Repeats < 0 || path.Repeats == 1:
		return nil, spec.Errorf("%d hold-outs are too few: at least 2 are needed", path.Repeats)
	case path.Bootstrap < 0:
		return nil, spec.Errorf("%d resamples were asked for", path.Bootstrap)
	case path.K < 0 || path.K > path.KMax:
		return nil, spec.Errorf("the stability of k = %d was asked for, but the path ends at %d", path.K, path.KMax)
	}
	t, err := newTask(problem, &settings)
	if err != nil {
		return nil, err
	}
	train, err := data.Collect(problem.Ratings.Source(), nil)
	if err != nil {
		return nil, err
	}
	c, err := t.middle(settings.K).choose(ctx, train, &settings)
	if err != nil {
		return nil, search.SettingsError(err)
	}
	if path.OnChoice != nil && ctx.Err() == nil {
		path.OnChoice(c.gamma)
	}
	r := &PathResult{Model: t.kind.String(), Gamma: c.gamma}
	if t.kind == model.Pooled {
		r.Gamma0 = c.gamma0
	}
	if t.kind != model.Paper {
		r.RowShrinkage = c.row
	}
	if t.kind == model.Full {
		r.ColumnShrinkage = c.column
	}
	if err := t.walk(ctx, train, c, &settings, path.OnPoint, r); err != nil {
		return nil, search.SettingsError(err)
	}
	if err := t.validate(ctx, train, &settings, path, r); err != nil {
		return nil, err
	}
	r.choose()
	if path.Bootstrap > 0 && ctx.Err() == nil {
		if r.Stability, err = t.stability(ctx, train, c, settings.Seed, path, r); err != nil {
			return nil, err
		}
	}
	r.Interrupted = ctx.Err() != nil
	return r, nil
}

// middle is the task at half of the largest k, where γ is chosen for a path.
func (t *task) middle(most int) *task {
	half := *t
	half.find.K = max((most+1)/2, len(t.find.Always), 1)
	return &half
}

// walk searches the path on all entries and fits every k.
func (t *task) walk(ctx context.Context, train data.Source, c choices, settings *Settings, on func(PathPoint), r *PathResult) error {
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	values, err := t.values(finish, train, c)
	if err != nil {
		return err
	}
	s := t.selector(values, c)
	s.find.OnEvent = settings.OnEvent
	results, err := search.Path(ctx, s.oracle, s.find)
	if err != nil {
		return err
	}
	var before []string
	for _, result := range results {
		selection := s.units(t, result.Selection)
		if len(selection) == 0 {
			continue // nothing but the intercept
		}
		names := t.names(selection)
		point := PathPoint{
			K: len(selection), Selected: names, Entering: without(names, before), Leaving: without(before, names),
			Certificate: result.Certificate(true, func(selection []int) []string { return t.names(s.units(t, selection)) }),
		}
		rmse, err := t.refitted(finish, train, train, selection, c)
		if err != nil {
			return err
		}
		point.Train = rmse
		r.Points = append(r.Points, point)
		before = names
		if on != nil {
			on(point)
		}
	}
	return nil
}

// refitted is the error on some entries of a selection fitted on others.
func (t *task) refitted(ctx context.Context, train, on data.Source, selection []int, c choices) (float64, error) {
	parts, err := t.parts(ctx, train, selection, c)
	if err != nil {
		return 0, err
	}
	if t.kind != model.Paper && !t.noClip {
		parts.ClipToValues()
	}
	members := t.members(selection)
	predict := parts.Predictor(model.Chosen(t.features, members), len(members))
	score, err := evaluate.Score(on, predict, t.threads)
	return score.RMSE, err
}

// validate scores every k on every fold. A fold that an interrupt cut short
// does not count.
func (t *task) validate(ctx context.Context, m *data.Matrix, settings *Settings, path PathSettings, r *PathResult) error {
	folds := path.Folds
	if path.Repeats > 0 {
		folds = path.Repeats
	}
	for f := range folds {
		var train, held *data.Matrix
		if path.Repeats > 0 {
			train, held = evaluate.Repeat(m, f, settings.Seed)
		} else {
			train, held = evaluate.Fold(m, f, folds, settings.Seed)
		}
		trials, err := t.fold(ctx, train, settings)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return search.SettingsError(err)
		}
		scores := make([]float64, len(r.Points))
		for i, point := range r.Points {
			at := slices.IndexFunc(trials.selections, func(s []int) bool { return len(s) == point.K })
			if at < 0 {
				return fmt.Errorf("optcomplete: fold %d has no selection of %d features", f+1, point.K)
			}
			if scores[i], err = t.refitted(ctx, train, held, trials.selections[at], trials.choices); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
		}
		for i, rmse := range scores {
			r.Points[i].Folds = append(r.Points[i].Folds, rmse)
		}
		r.Folds++
		if path.OnFold != nil {
			path.OnFold(f+1, folds)
		}
	}
	return nil
}

// foldPath is what was chosen and selected on the training part of a fold.
type foldPath struct {
	choices    choices
	selections [][]int // of units, one for each k
}

// fold repeats everything that Path decides, on the training part of a fold.
func (t *task) fold(ctx context.Context, train data.Source, settings *Settings) (foldPath, error) {
	quiet := *settings
	quiet.OnGamma, quiet.OnEvent = nil, nil
	c, err := t.middle(t.find.K).choose(ctx, train, &quiet)
	if err != nil {
		return foldPath{}, err
	}
	values, err := t.values(ctx, train, c)
	if err != nil {
		return foldPath{}, err
	}
	s := t.selector(values, c)
	s.limit()
	results, err := search.Path(ctx, s.oracle, s.find)
	if err != nil {
		return foldPath{}, err
	}
	c.steps = trialSteps
	out := foldPath{choices: c}
	for _, result := range results {
		out.selections = append(out.selections, s.units(t, result.Selection))
	}
	return out, ctx.Err()
}

// choose fills in means and standard errors and marks the two choices of k.
func (r *PathResult) choose() {
	least, within := math.Inf(1), 0.0
	for i := range r.Points {
		p := &r.Points[i]
		if len(p.Folds) == 0 {
			return
		}
		p.Validation, p.Error = meanAndError(p.Folds)
		if p.Validation < least {
			least, within, r.Best = p.Validation, p.Error, p.K
		}
	}
	for _, p := range r.Points {
		if p.Validation <= least+within {
			r.Chosen = p.K
			return
		}
	}
}

// meanAndError is the mean of some numbers and its standard error.
func meanAndError(x []float64) (mean, deviation float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / (n - 1) / n)
}

// without lists the names of a that b does not have.
func without(a, b []string) []string {
	out := []string{}
	for _, name := range a {
		if !slices.Contains(b, name) {
			out = append(out, name)
		}
	}
	return out
}
