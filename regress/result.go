package regress

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/search"
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

	Cost   float64 `json:"cost"`   // (‖residual‖² + ‖w‖²/γ)/n, w of the standardised features
	Bound  float64 `json:"bound"`  // no selection of k features costs less
	Gap    float64 `json:"gap"`    // (cost − bound)/cost, a fraction
	Status string  `json:"status"` // optimal, gap, time_limit, node_limit, interrupted, numerical_limit

	RMSE     float64 `json:"rmse"`      // on the table, with the coefficients above
	RSquared float64 `json:"r_squared"` // part of the values' squares (around their mean) that is explained

	Cuts     int             `json:"cuts"`
	Nodes    int             `json:"nodes"`
	Passes   int             `json:"passes"`
	Seconds  float64         `json:"seconds"`
	NearTies []model.NearTie `json:"near_ties"` // best first

	GammaPath []model.GammaPoint `json:"gamma_path,omitempty"` // the γ tried, when it was chosen by validation
	Refit     model.Refit        `json:"refit"`

	Selection []int `json:"-"` // indices of the selected features, increasing
}

// Early tells whether the search was stopped before what it was asked to prove.
func (r *Result) Early() bool {
	return r.Status != search.Optimal.String() && r.Status != search.GapReached.String()
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
		Cuts: found.Cuts, Nodes: found.Nodes, Passes: found.Passes,
		NearTies: []model.NearTie{}, Refit: settings.Refit,
	}
	w, err := oracle.Coefficients(ctx, found.Selection)
	if err != nil {
		return nil, err
	}
	found.Certify(whole.table.Cost(found.Selection, w, r.Gamma)/float64(n), settings.Gap)
	r.Cost, r.Bound, r.Gap, r.Status = found.Cost, found.Bound, found.Gap, found.Status.String()
	for _, tie := range found.NearTies {
		r.NearTies = append(r.NearTies, model.NearTie{Selected: named(problem.Names, tie.Selection), Cost: tie.Cost})
	}
	if settings.Refit == model.LeastSquares {
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
