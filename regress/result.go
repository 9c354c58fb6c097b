package regress

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
)

// Result is a fitted regression and what is proven of its selection.
type Result struct {
	Rows     int     `json:"rows"`     // n
	Features int     `json:"features"` // p
	K        int     `json:"k"`
	Gamma    float64 `json:"gamma"`

	Selected     []string  `json:"selected"`
	Coefficients []float64 `json:"coefficients"` // of the selected features, in their units
	Intercept    float64   `json:"intercept"`    // 0 without one

	result.Certificate // cost is (‖residual‖² + ‖w‖²/γ)/n, w of the standardised features

	RMSE     float64 `json:"rmse"`      // on the table, with the coefficients above
	RSquared float64 `json:"r_squared"` // part of the values' squares (around their mean) that is explained

	Seconds float64 `json:"seconds"`

	Refit spec.Refit `json:"refit"`

	Selection []int `json:"-"` // indices of the selected features, increasing

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
	Interrupted bool                 `json:"interrupted"`
}

// Predict explains a row of p features.
func (r *Result) Predict(row []float64) float64 {
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
	sum := 0.0
	for i, y := range f.problem.Y {
		e := y - r.Predict(f.problem.X[i*p:][:p])
		sum += e * e
	}
	r.RMSE = math.Sqrt(sum / float64(n))
	if f.whole.squares > 0 {
		r.RSquared = 1 - sum/f.whole.squares
	}
	return r, nil
}

func named(names []string, selection []int) []string {
	out := make([]string, len(selection))
	for x, j := range selection {
		out[x] = names[j]
	}
	return out
}
