package regress

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"optcomplete/objective"
	"optcomplete/result"
	"optcomplete/search"
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

// WriteJSON writes the results of a path as one indented JSON object.
func WriteJSON(w io.Writer, path []*Result) error {
	return writeJSON(w, struct {
		Path []*Result `json:"path"`
	}{path})
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// newResult fits the coefficients of what a search found. The cost is computed
// from residuals, and the gap and the status from it and the bound.
func newResult(ctx context.Context, problem Problem, settings Settings, whole *standard, oracle *objective.Quadratic, found search.Result) (*Result, error) {
	n := len(problem.Y)
	r := &Result{
		Rows: n, Features: len(problem.Names), K: len(found.Selection), Gamma: oracle.Gamma(),
		Selection: found.Selection, Selected: named(problem.Names, found.Selection),
		Refit: settings.Refit,
	}
	w, err := oracle.Coefficients(ctx, found.Selection)
	if err != nil {
		return nil, err
	}
	cost, hard, err := oracle.Cost(ctx, found.Selection)
	if err != nil {
		return nil, err
	}
	if !hard {
		cost = whole.table.Cost(found.Selection, w, r.Gamma) / float64(n)
	}
	found.Certify(cost, settings.Gap)
	r.Certificate = found.Certificate(true, func(selection []int) []string { return named(problem.Names, selection) })
	if settings.Refit == spec.LeastSquares {
		w = whole.leastSquares(found.Selection)
	}
	r.Coefficients, r.Intercept = whole.units(found.Selection, w)
	p := len(problem.Names)
	sum := 0.0
	for i, y := range problem.Y {
		e := y - r.Predict(problem.X[i*p:][:p])
		sum += e * e
	}
	r.RMSE = math.Sqrt(sum / float64(n))
	if whole.squares > 0 {
		r.RSquared = 1 - sum/whole.squares
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
