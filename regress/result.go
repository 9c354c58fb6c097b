package regress

import (
	"context"
	"math"
	"strconv"

	"optcomplete/internal/lists"
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
	Spread       []float64 `json:"sd,omitempty"` // their standard deviations in the table
	Intercept    float64   `json:"intercept"`    // 0 without one
	NoIntercept  bool      `json:"no_intercept,omitempty"`

	result.Certificate // cost is (Σ loss + ‖w‖²/γ)/n, w of the standardised features

	Loss        loss.Loss `json:"loss,omitempty"`  // squared if left out
	Delta       float64   `json:"delta,omitempty"` // of the Huber loss; cost and bound are then in its square
	Nonnegative []string  `json:"nonnegative,omitempty"`
	*Measures             // of losses other than squared errors

	RMSE     float64 `json:"rmse"`      // on the table, with the coefficients above
	MAE      float64 `json:"mae"`       // mean absolute error
	RSquared float64 `json:"r_squared"` // part of the values' squares (around their mean) that is explained

	Weighted bool `json:"weighted,omitempty"` // rows have weights, by which all of these count

	Seconds float64 `json:"seconds"`

	Refit spec.Refit `json:"refit"`

	Selection []int `json:"-"` // indices of the selected features, increasing

	Holdout *Score `json:"holdout,omitempty"` // on rows that were kept aside; nil: none were

	Against *result.Comparison `json:"against_mean,omitempty"` // the mean alone, on the same held-out or validation rows

	Removal []result.Removal    `json:"removal,omitempty"` // what the selection would cost without each of its features
	Trace   []result.TracePoint `json:"trace,omitempty"`   // of the search, thinned
}

// PathResult is a regression for every number of features, and their validation.
type PathResult struct {
	*selection.PathResult
	Points []*PathPoint `json:"path"` // in the place of the path's own
}

// PathPoint is one k of a path.
type PathPoint struct {
	*Result
	selection.Moves
	selection.Validated
}

// Warning says that the mean alone predicts better; "" if it does not, or was not compared.
func (r *Result) Warning() string {
	return r.Against.Warning("take fewer than " + strconv.Itoa(r.K) + " features, or others: a path shows how many pay")
}

// compare takes the errors on rows that were held out.
func (f *formulation) compare(ctx context.Context, r *Result, held Problem) error {
	r.Holdout = r.On(held)
	_, mean, err := f.coefficients(ctx, nil, nil, selection.Learned{Gamma: r.Gamma})
	own, alone := f.settings.losses(), f.settings.losses()
	for i, y := range held.Y {
		own.add(held.weight(i), y, r.sum(held.X[i*len(held.Names):][:len(held.Names)]))
		alone.add(held.weight(i), y, mean)
	}
	r.Against = f.settings.against(len(held.Y), own.score(), alone.score())
	return err
}

// Predict explains a row of p features, in the units of the values: a probability
// or a rate where the loss is of such.
func (r *Result) Predict(row []float64) float64 { return r.Loss.Mean(r.sum(row)) }

// sum is Sum of a row of p features.
func (r *Result) sum(row []float64) float64 {
	return r.Sum(lists.Pick(row, r.Selection))
}

// Sum is what the values of the selected features alone, in their order, add up to: a
// prediction on the scale of the loss.
func (r *Result) Sum(values []float64) float64 {
	sum := r.Intercept
	for x, v := range values {
		sum += r.Coefficients[x] * v
	}
	return sum
}

// result fits the coefficients of a selection.
func (f *formulation) result(ctx context.Context, units []int, certificate result.Certificate, c selection.Learned) (*Result, error) {
	n, p := len(f.problem.Y), len(f.problem.Names)
	r := &Result{
		Rows: n, Features: p, K: len(units), Gamma: c.Gamma, Selection: units, Selected: lists.Pick(f.problem.Names, units),
		Refit: f.settings.Refit, Certificate: certificate,
	}
	r.Against = c.Against
	r.GammaPath, r.Alike = c.GammaPath, result.AlikeOf(c.GammaPath, r.Selected)
	if r.Alike != nil && f.settings.Loss != loss.Squared {
		r.Alike.Measure = f.settings.Loss.Measure()
	}
	var err error
	if r.Coefficients, r.Intercept, err = f.coefficients(ctx, nil, units, c); err != nil {
		return nil, err
	}
	r.Loss, r.Nonnegative = f.settings.Loss, f.settings.Nonnegative
	if r.Loss.HasUnit() {
		r.Delta = f.settings.Delta
	}
	r.NoIntercept, r.Spread = f.settings.NoIntercept, spreads(f.problem, units)
	r.Weighted = f.problem.Weights != nil
	on := r.On(f.problem)
	r.RMSE, r.MAE, r.RSquared, r.Measures = on.RMSE, on.MAE, on.RSquared, on.Measures
	return r, nil
}

// spreads are the standard deviations of some features.
func spreads(problem Problem, units []int) []float64 {
	total, p := problem.mass(nil), len(problem.Names)
	out := make([]float64, len(units))
	for x, j := range units {
		var mean, squares float64
		for i := range problem.Y {
			mean += problem.X[i*p+j] * problem.weight(i) / total
		}
		for i := range problem.Y {
			d := problem.X[i*p+j] - mean
			squares += d * d * problem.weight(i) / total
		}
		out[x] = math.Sqrt(squares)
	}
	return out
}

// Score is how well a regression explains rows.
type Score struct {
	Rows     int     `json:"rows"`
	RMSE     float64 `json:"rmse"`
	MAE      float64 `json:"mae"`       // mean absolute error
	RSquared float64 `json:"r_squared"` // part of the values' squares (around their mean) that is explained
	*Measures
	Weighted bool `json:"weighted,omitempty"` // rows count by weights
}

// On compares predictions with the values of a table that has the same features.
func (r *Result) On(problem Problem) *Score {
	p := len(problem.Names)
	x := make([]float64, len(problem.Y))
	for i := range x {
		x[i] = r.sum(problem.X[i*p:][:p])
	}
	return r.Score(problem.Y, problem.Weights, x)
}

// Score compares sums of selected features (see Sum) with values; nil weights are 1.
func (r *Result) Score(y, weights, x []float64) *Score {
	problem := Problem{Y: y, Weights: weights}
	out := &Score{Rows: len(y), Weighted: weights != nil}
	var sum, total, mean, around float64
	for i := range y {
		total += problem.weight(i)
	}
	for i, y := range y {
		e := y - r.Loss.Mean(x[i])
		sum += problem.weight(i) * (e * e)
		out.MAE += problem.weight(i) * math.Abs(e) / total
		mean += problem.weight(i) * y / total
	}
	if r.NoIntercept && r.Loss == loss.Squared {
		mean = 0
	}
	for i, y := range y {
		around += problem.weight(i) * ((y - mean) * (y - mean))
	}
	out.RMSE = math.Sqrt(sum / total)
	if around > 0 {
		out.RSquared = 1 - sum/around
	}
	out.Measures = measure(loss.Scaled{Loss: r.Loss, Unit: r.Delta}, problem, x)
	return out
}
