package selection

import (
	"context"
	"fmt"
	"math"
	"slices"

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

	OnGamma func(result.GammaPoint)                   // called for every γ tried on all data; may be nil
	OnEvent func(search.Event)                        // called for everything the searches on all data do; may be nil
	OnFound func(*Cost, search.Result, Choices) error // called for every k of the path, with what the search found; may be nil
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
	Model           string              `json:"model"`
	Gamma           float64             `json:"gamma"`
	Gamma0          float64             `json:"gamma0,omitempty"`
	RowShrinkage    float64             `json:"row_shrinkage,omitempty"`
	ColumnShrinkage float64             `json:"column_shrinkage,omitempty"`
	Folds           int                 `json:"folds"`                   // that were validated on
	ByTime          bool                `json:"split_by_time,omitempty"` // each fold is scored by what was fitted to the entries before it
	Best            int                 `json:"best"`                    // k of the least validation error; 0: not validated
	Chosen          int                 `json:"chosen"`                  // smallest k within one standard error of it
	Points          []PathPoint         `json:"path"`
	Stability       *Stability          `json:"stability,omitempty"`
	GammaPath       []result.GammaPoint `json:"-"`           // the γ tried on all data
	Interrupted     bool                `json:"interrupted"` // by the context: some of what was asked for is missing
}

// Validate checks the settings by themselves, and sets their defaults.
func (p *PathSettings) Validate() error {
	if p.Folds == 0 {
		p.Folds = 5
	}
	switch {
	case p.Folds < 2:
		return spec.Errorf("%d folds are too few: at least 2 are needed", p.Folds)
	case p.Repeats < 0 || p.Repeats == 1:
		return spec.Errorf("%d hold-outs are too few: at least 2 are needed", p.Repeats)
	case p.Bootstrap < 0:
		return spec.Errorf("%d resamples were asked for", p.Bootstrap)
	case p.K < 0 || p.K > p.KMax:
		return spec.Errorf("the stability of k = %d was asked for, but the path ends at %d", p.K, p.KMax)
	}
	return nil
}

// Path selects 1, 2, … KMax units, sharing every cut, and validates each k.
//
// The path is searched on all data at one γ, chosen by validation at half of KMax
// unless given. For validation the whole procedure, the choice of γ and shrinkage
// included, is repeated on the training part of every fold, with the search ended at
// its root, so that no choice sees the data it is scored on.
//
// When the context is cancelled, the result has what was done until then.
func Path[Data any](ctx context.Context, f Formulation[Data], all Data, path PathSettings) (*PathResult, error) {
	if err := path.Validate(); err != nil {
		return nil, err
	}
	c, err := f.Choose(ctx, all, middle(path.KMax), path.OnGamma)
	if err != nil {
		return nil, search.SettingsError(err)
	}
	if path.OnChoice != nil && ctx.Err() == nil {
		path.OnChoice(c.Gamma)
	}
	r := &PathResult{Gamma: c.Gamma, Gamma0: c.Gamma0, RowShrinkage: c.Row, ColumnShrinkage: c.Column, GammaPath: c.GammaPath}
	if err := walk(ctx, f, all, c, path, r); err != nil {
		return nil, search.SettingsError(err)
	}
	if err := validate(ctx, f, all, path, r); err != nil {
		return nil, err
	}
	r.choose()
	if path.Bootstrap > 0 && ctx.Err() == nil {
		if r.Stability, err = stability(ctx, f, all, c, path, r); err != nil {
			return nil, err
		}
	}
	r.Interrupted = ctx.Err() != nil
	return r, nil
}

// middle is half of the largest k, at which γ is chosen for a path.
func middle(most int) int { return max((most+1)/2, 1) }

// walk searches the path on all data and scores every k.
func walk[Data any](ctx context.Context, f Formulation[Data], all Data, c Choices, path PathSettings, r *PathResult) error {
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	cost, err := f.Cost(finish, all, path.KMax, c)
	if err != nil {
		return err
	}
	cost.Find.OnEvent = path.OnEvent
	results, err := search.Path(ctx, cost.Oracle, cost.Find)
	if err != nil {
		return err
	}
	names := f.Names()
	var before []string
	for _, found := range results {
		units := cost.Selected(found.Selection)
		if len(units) == 0 {
			continue // nothing but what is always selected
		}
		selected := Named(names, units)
		point := PathPoint{K: len(units), Selected: selected, Entering: without(selected, before), Leaving: without(before, selected)}
		if point.Certificate, err = cost.Certificate(finish, &found, names, cost.Find.Gap); err != nil {
			return err
		}
		if point.Train, err = f.Score(finish, all, all, units, c); err != nil {
			return err
		}
		if path.OnFound != nil {
			if err := path.OnFound(cost, found, c); err != nil {
				return err
			}
		}
		r.Points = append(r.Points, point)
		before = selected
		if path.OnPoint != nil {
			path.OnPoint(point)
		}
	}
	return nil
}

// validate scores every k on every fold. A fold that an interrupt cut short does
// not count.
func validate[Data any](ctx context.Context, f Formulation[Data], all Data, path PathSettings, r *PathResult) error {
	folds, part := path.Folds, func(x int) (train, held Data) { return f.Fold(all, x, path.Folds) }
	if path.Repeats > 0 {
		folds, part = path.Repeats, func(x int) (train, held Data) { return f.Repeat(all, x) }
	}
	for x := range folds {
		train, held := part(x)
		selections, c, err := Decide(ctx, f, train, path.KMax)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return search.SettingsError(err)
		}
		scores := make([]float64, len(r.Points))
		for i, point := range r.Points {
			at := slices.IndexFunc(selections, func(s []int) bool { return len(s) == point.K })
			if at < 0 {
				return fmt.Errorf("selection: fold %d has no selection of %d", x+1, point.K)
			}
			if scores[i], err = f.Score(ctx, train, held, selections[at], c); err != nil {
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
			path.OnFold(x+1, folds)
		}
	}
	return nil
}

// trialSteps is how many steps of learning a prior a trial takes.
const trialSteps = 6

// Decide is everything that Path decides, on some data: the choices and a selection
// for every k, the search ended at its root.
func Decide[Data any](ctx context.Context, f Formulation[Data], train Data, most int) (selections [][]int, c Choices, err error) {
	if c, err = f.Choose(ctx, train, middle(most), nil); err != nil {
		return nil, c, err
	}
	cost, err := f.Cost(ctx, train, most, c)
	if err != nil {
		return nil, c, err
	}
	cost.Limit(TrialPasses)
	results, err := search.Path(ctx, cost.Oracle, cost.Find)
	if err != nil {
		return nil, c, err
	}
	c.Steps = trialSteps
	for _, found := range results {
		selections = append(selections, cost.Selected(found.Selection))
	}
	return selections, c, ctx.Err()
}

// choose fills in means and standard errors and marks the two choices of k.
func (r *PathResult) choose() {
	least, within := math.Inf(1), 0.0
	for i := range r.Points {
		p := &r.Points[i]
		if len(p.Folds) == 0 {
			return
		}
		p.Validation, p.Error = MeanAndError(p.Folds)
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

// MeanAndError is the mean of some numbers and its standard error.
func MeanAndError(x []float64) (mean, deviation float64) {
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
