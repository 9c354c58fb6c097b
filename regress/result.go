package regress

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Result is a fitted regression and what is proven about its selection.
type Result struct {
	Rows     int     `json:"rows"`     // n
	Features int     `json:"features"` // p
	K        int     `json:"k"`
	Gamma    float64 `json:"gamma"`

	Selected     []string  `json:"selected"`
	Coefficients []float64 `json:"coefficients"` // of the selected features, in their units
	Intercept    float64   `json:"intercept"`    // 0 without one

	result.Certificate // cost is (Σ loss + ‖w‖²/γ)/n, w of the standardised features

	Loss        loss.Loss `json:"loss,omitempty"`  // squared if left out
	Delta       float64   `json:"delta,omitempty"` // of the Huber loss; cost and bound are then in its square
	Nonnegative []string  `json:"nonnegative,omitempty"`
	*Measures             // of logistic and poisson losses

	RMSE     float64 `json:"rmse"`      // on the table, with the coefficients above
	RSquared float64 `json:"r_squared"` // part of the values' squares (around their mean) that is explained

	Seconds float64 `json:"seconds"`

	Refit spec.Refit `json:"refit"`

	Selection []int `json:"-"` // indices of the selected features, increasing

	Holdout *Score `json:"holdout,omitempty"` // on rows that were kept aside; nil: none were

	Removal []result.Removal `json:"removal,omitempty"` // what the selection would cost without each of its features

	Validation float64 `json:"validation_rmse,omitempty"` // of a path: mean over folds
	Error      float64 `json:"standard_error,omitempty"`  // of that mean
}

// PathResult is a regression for every number of features.
type PathResult struct {
	Points      []*Result            `json:"path"`
	Folds       int                  `json:"folds"`  // that were validated on
	Best        int                  `json:"best"`   // k of the least validation error; 0: not validated
	Chosen      int                  `json:"chosen"` // smallest k within one standard error of it
	Stability   *selection.Stability `json:"stability,omitempty"`
	Gamma       float64              `json:"gamma"`                     // of every k
	ChosenAt    int                  `json:"gamma_chosen_at,omitempty"` // the k that it was chosen for; 0: it was given
	GammaPath   []result.GammaPoint  `json:"-"`                         // the γ tried
	TimeLimit   bool                 `json:"time_limit_reached"`        // some of what was asked for is missing or unproven for want of time
	Interrupted bool                 `json:"interrupted"`
}

// Predict explains a row of p features, in the units of the values: a probability
// or a rate where the loss is of such.
func (r *Result) Predict(row []float64) float64 { return r.Loss.Mean(r.predictor(row)) }

// predictor is what the selected features add up to.
func (r *Result) predictor(row []float64) float64 {
	sum := r.Intercept
	for x, j := range r.Selection {
		sum += r.Coefficients[x] * row[j]
	}
	return sum
}

// WriteJSON writes the result as one indented JSON object and a newline.
func (r *Result) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// WriteJSON writes the path as one indented JSON object and a newline.
func (r *PathResult) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// result fits the coefficients of a selection.
func (f *formulation) result(ctx context.Context, units []int, certificate result.Certificate, c selection.Choices) (*Result, error) {
	n, p := len(f.problem.Y), len(f.problem.Names)
	r := &Result{
		Rows: n, Features: p, K: len(units), Gamma: c.Gamma, Selection: units, Selected: named(f.problem.Names, units),
		Refit: f.settings.Refit, Certificate: certificate,
	}
	r.GammaPath, r.Alike = c.GammaPath, result.AlikeOf(c.GammaPath)
	var err error
	if r.Coefficients, r.Intercept, err = f.coefficients(ctx, nil, units, c); err != nil {
		return nil, err
	}
	r.Loss, r.Nonnegative = f.settings.Loss, f.settings.Nonnegative
	if r.Loss == loss.Huber {
		r.Delta = f.settings.Delta
	}
	on := f.score(f.problem, r)
	r.RMSE, r.RSquared, r.Measures = on.RMSE, on.RSquared, on.Measures
	return r, nil
}

// Score is how well a regression explains rows.
type Score struct {
	Rows     int     `json:"rows"`
	RMSE     float64 `json:"rmse"`
	RSquared float64 `json:"r_squared"` // part of the values' squares (around their mean) that is explained
	*Measures
}

// score compares predictions with the values of a table.
func (f *formulation) score(problem Problem, r *Result) *Score {
	n, p := len(problem.Y), len(problem.Names)
	out := &Score{Rows: n}
	var sum, total, mean, around float64
	x := make([]float64, n)
	for i := range problem.Y {
		total += problem.weight(i)
	}
	for i, y := range problem.Y {
		x[i] = r.predictor(problem.X[i*p:][:p])
		e := y - r.Loss.Mean(x[i])
		sum += problem.weight(i) * (e * e)
		mean += problem.weight(i) * y / total
	}
	if f.settings.NoIntercept && r.Loss == loss.Squared {
		mean = 0
	}
	for i, y := range problem.Y {
		around += problem.weight(i) * ((y - mean) * (y - mean))
	}
	out.RMSE = math.Sqrt(sum / total)
	if around > 0 {
		out.RSquared = 1 - sum/around
	}
	out.Measures = measure(r.Loss, problem, x)
	return out
}

func named(names []string, selection []int) []string {
	out := make([]string, len(selection))
	for x, j := range selection {
		out[x] = names[j]
	}
	return out
}
