package selection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// PathSettings say how far a path goes and how it is validated. All but KMax
// may be left at zero.
type PathSettings struct {
	KMax      int // the path has every k from 1 to this
	Folds     int // of cross-validation, at least 2; zero means 5
	Repeats   int // if positive: this many hold-outs of a fifth instead of folds
	Bootstrap int // resamples of the rows, to see how stable the selection is; zero: none
	K         int // the k whose stability is looked at; zero: the one-standard-error choice

	// OneChoice lets every fold use the choices made on all data instead of choosing γ
	// and the like anew: for data so large that an entry more or less does not matter.
	OneChoice bool
	// Passes is how many evaluations the proof of one k may take beyond the first
	// curve; zero or less: any number.
	Passes int
	// Limits are set by what makes the path: the time limit is for all of it, and the search
	// time for all proofs together.
	Limits spec.Limits

	OnPoint    func(PathPoint)                        // called for every k of the first curve, before its validation; may be nil
	OnFold     func(done, of int, points []PathPoint) // called after every fold, with the curve so far; may be nil
	OnResample func(done, of int)                     // called after every resample; may be nil
	OnProof    func(PathPoint)                        // called for every k when its proof ends; may be nil
	OnChoice   func(Learned)                          // called when γ is chosen; may be nil
	OnDivided  func(PathDivision)                     // called after that with how the time limit is divided; may be nil

	Watch   Watch                                     // set by what makes the path, of all data
	OnFound func(*Cost, search.Result, Learned) error // called for every k of the path, with what the search found; may be nil
}

// PathPoint is one k of a path.
type PathPoint struct {
	K        int      `json:"k"`
	Selected []string `json:"selected"`
	Moves
	result.Certificate
	Validated
}

// Moves are what changes from one k to the next.
type Moves struct {
	Entering []string `json:"entering"` // features that the k before does not have
	Leaving  []string `json:"leaving"`  // features of the k before that are gone
	// Settled tells that this selection and the one before are proven optimal. Otherwise
	// what enters and leaves may be an artefact of where a search was stopped.
	Settled bool `json:"moves_proven"`
}

// Validated is how well a k predicts, in the Measure of the path.
type Validated struct {
	Train      float64   `json:"train_rmse"`      // of the fit on all entries, on those
	Validation float64   `json:"validation_rmse"` // mean over folds; 0: not validated
	Error      float64   `json:"standard_error"`  // of that mean
	Folds      []float64 `json:"fold_rmse"`       // of each fold
}

// PathResult is a path over k.
type PathResult struct {
	Model           string      `json:"model"`
	Gamma           float64     `json:"gamma"`
	Learned         bool        `json:"gamma_learned,omitempty"` // every feature has its own, learned, times Gamma
	Gamma0          float64     `json:"gamma0,omitempty"`
	RowShrinkage    float64     `json:"row_shrinkage,omitempty"`
	ColumnShrinkage float64     `json:"column_shrinkage,omitempty"`
	Folds           int         `json:"folds"`                   // that were validated on
	Measure         string      `json:"measure,omitempty"`       // what the errors are; empty: RMSE
	Weighted        bool        `json:"weighted,omitempty"`      // entries count by their weights
	ByTime          bool        `json:"split_by_time,omitempty"` // each fold is scored by what was fitted to the entries before it
	Best            int         `json:"best"`                    // k of the least validation error; 0: not validated
	Chosen          int         `json:"chosen"`                  // smallest k within one standard error of it
	Points          []PathPoint `json:"path"`
	// Without is how well k = 0 predicts: the effects alone, or the mean, where there are none.
	Without *Validated `json:"without_features,omitempty"`
	// Alone is how well row and column effects alone predict the folds; nil: k = 0 is that, or
	// what Beside names.
	Alone       *Validated          `json:"effects_alone,omitempty"`
	Beside      string              `json:"-"` // see result.Comparison.Alone
	Stability   *Stability          `json:"stability,omitempty"`
	GammaPath   []result.GammaPoint `json:"-"`                         // the γ tried on all data
	ChosenAt    int                 `json:"gamma_chosen_at,omitempty"` // the k that γ was chosen for; 0: it was given
	TimeLimit   bool                `json:"time_limit_reached"`        // some of what was asked for is missing or unproven for want of time
	Interrupted bool                `json:"interrupted"`               // by the context: some of what was asked for is missing
	// Readings is how often the data were read, by what for. Those of folds, resamples,
	// trials and samples have a label before a colon.
	Readings map[string]int `json:"readings,omitempty"`
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

// PathDivision is how the time limit of a path is divided: what choosing γ took, and
// what the rest has at most. Time that a part leaves goes to those after it.
type PathDivision struct {
	Limit, Choice, Curve, Folds, Bootstrap, Proof time.Duration
}

// Of what is left after the choice of γ the first curve has at most so much, and so
// on; the proofs have the rest.
const (
	curveShare     = 0.35
	foldsShare     = 0.4
	bootstrapShare = 0.15
)

// Path selects 1, 2, … KMax units and validates each k.
//
// γ is chosen once, by validation at half of KMax unless given, so that the costs of
// all k can be compared. First every k is searched on all data to the root of its
// tree, sharing every cut: the first curve. Then the procedure is repeated on the
// training part of every fold (the choice of γ and shrinkage included, unless
// OneChoice), so that no selection sees the data it is scored on. Last, the selections on
// all data are proven, the chosen k before the others, within the limits.
//
// When the context is cancelled, the result has what was done until then.
func Path[Data any](ctx context.Context, f Formulation[Data], all Data, path PathSettings) (*PathResult, error) {
	if err := path.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	clock := NewClock(path.Limits.TimeLimit, path.Limits.Began)
	choosing, cancel := clock.Choice(ctx)
	c, err := f.Learn(choosing, all, middle(path.KMax), nil, path.Watch.OnGamma)
	cancel()
	if err != nil {
		return nil, search.SettingsError(err)
	}
	if path.OnChoice != nil && ctx.Err() == nil {
		path.OnChoice(c)
	}
	r := &PathResult{Gamma: c.Gamma, Gamma0: c.Gamma0, RowShrinkage: c.Row, ColumnShrinkage: c.Column, GammaPath: c.GammaPath}
	if c.Units != nil {
		r.Gamma, r.Learned = c.Factor, !c.Given
		if c.Given && len(c.Units.Features) > 0 {
			r.Gamma = c.Units.Features[0]
		}
	}
	if len(c.GammaPath) > 0 {
		r.ChosenAt = middle(path.KMax)
	}
	d := path.divide(clock, time.Since(began))
	w := &walk[Data]{f: f, all: all, c: c, path: path, r: r, clock: clock}
	if err := w.curve(ctx, d.Folds+d.Bootstrap+d.Proof); err != nil {
		return nil, search.SettingsError(err)
	}
	if err := w.within(ctx, d.Bootstrap+d.Proof, func(ctx context.Context) error { return validate(pass.WithLabel(ctx, "folds"), f, all, c, path, r) }); err != nil {
		return nil, err
	}
	r.choose()
	if path.Bootstrap > 0 && ctx.Err() == nil {
		err := w.within(ctx, d.Proof, func(ctx context.Context) (err error) {
			r.Stability, err = stability(pass.WithLabel(ctx, "resamples"), f, all, c, path, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		r.TimeLimit = r.TimeLimit || r.Stability == nil || r.Stability.Resamples < path.Bootstrap
	}
	if err := w.prove(ctx); err != nil {
		return nil, err
	}
	r.Interrupted = ctx.Err() != nil
	r.TimeLimit = r.TimeLimit && !r.Interrupted
	return r, nil
}

// divide says how long each part may take, and tells.
func (p *PathSettings) divide(clock *Clock, choice time.Duration) (d PathDivision) {
	if clock == nil {
		return d
	}
	left := float64(clock.Left())
	d = PathDivision{Limit: p.Limits.TimeLimit, Choice: choice, Curve: time.Duration(curveShare * left), Folds: time.Duration(foldsShare * left)}
	if p.Bootstrap > 0 {
		d.Bootstrap = time.Duration(bootstrapShare * left)
	}
	d.Proof = time.Duration(left) - d.Curve - d.Folds - d.Bootstrap
	if p.OnDivided != nil {
		p.OnDivided(d)
	}
	return d
}

// middle is half of the largest k, at which γ is chosen for a path.
func middle(most int) int { return max((most+1)/2, 1) }

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
	for _, w := range []*Validated{r.Without, r.Alone} {
		if w != nil && len(w.Folds) > 0 {
			w.Validation, w.Error = MeanAndError(w.Folds)
		}
	}
	for _, p := range r.Points {
		if p.Validation <= least+within {
			r.Chosen = p.K
			return
		}
	}
}

// Needless tells whether k = 0 predicts as well as the best k, within one standard error
// of that.
func (r *PathResult) Needless() bool {
	for _, p := range r.Points {
		if w := r.Without; p.K == r.Best && w != nil && len(w.Folds) > 1 {
			return w.Validation <= p.Validation+p.Error
		}
	}
	return false
}

// Warning says that no k predicts as well as row and column effects alone, or as what Beside
// names; "" if one does, or nothing was validated.
func (r *PathResult) Warning() string {
	alone := cmp.Or(r.Alone, r.Without)
	for _, p := range r.Points {
		if p.K == r.Best && alone != nil && len(alone.Folds) > 0 && p.Validation > alone.Validation {
			return fmt.Sprintf("every k predicts worse than %s alone: %s %.4g at best, against %.4g over %d folds (take other features, or a model with effects)",
				cmp.Or(r.Beside, "row and column effects"), cmp.Or(r.Measure, "RMSE"), p.Validation, alone.Validation, r.Folds)
		}
	}
	return ""
}

// AtEnd tells whether the least error is that of the largest k tried, so that more of
// so many units may predict better.
func (r *PathResult) AtEnd(units int) bool {
	return r.Best > 0 && r.Best < units && r.Best == r.Points[len(r.Points)-1].K
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
