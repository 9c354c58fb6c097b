package result

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
)

// Measures tell how good predictions are in the terms of a loss other than squared
// errors.
type Measures struct {
	LogLoss     float64  `json:"log_loss,omitempty"`     // logistic: mean of −log of the probability given to what happened
	Brier       float64  `json:"brier,omitempty"`        // logistic: mean squared error of the probabilities
	AUC         *float64 `json:"auc,omitempty"`          // logistic: how often a yes has the larger probability than a no; nil without both
	AUCInterval *Range   `json:"auc_interval,omitempty"` // where it lies with 95 % confidence, if entries are independent; nil without AUC
	Deviance    float64  `json:"deviance,omitempty"`     // poisson: mean of twice the loss
	Huber       float64  `json:"huber_loss,omitempty"`   // huber: mean of the loss
	// ROC is, from the largest probability down, which part of the noes and which part of
	// the yeses has at least that: logistic, of the model's own scores.
	ROC []ROCPoint `json:"roc,omitempty"`
	// Explained is the part of the loss that the mean of the entries leaves and the
	// predictions do not: logistic and poisson.
	Explained float64 `json:"deviance_explained,omitempty"`
}

// Set sets the mean of a loss, by the key that its package gives it.
func (m *Measures) Set(key string, mean float64) {
	switch key {
	case "log_loss":
		m.LogLoss = mean
	case "deviance":
		m.Deviance = mean
	case "huber_loss":
		m.Huber = mean
	default:
		panic("result: no measure is called " + key)
	}
}

// mostMAPE is the largest relative error that is shown: above it values are near zero,
// and it says nothing.
const mostMAPE = 0.5

// TellsMAPE tells whether a relative error says something: it does not where values
// are 0, or close to it, and there is none for yes and no or counts.
func TellsMAPE(mape Relative, skipped int) bool {
	return skipped == 0 && mape.Known && mape.Value <= mostMAPE
}

// Relative is a relative error, or none: files have the number, of which 0 is one, or
// leave it out.
type Relative struct {
	Value float64
	Known bool
}

// RelativeOf is a number that is known.
func RelativeOf(x float64) Relative { return Relative{x, true} }

// IsZero tells that there is none.
func (r Relative) IsZero() bool { return !r.Known }

// MarshalJSON gives the number.
func (r Relative) MarshalJSON() ([]byte, error) { return json.Marshal(r.Value) }

// UnmarshalJSON reads the number.
func (r *Relative) UnmarshalJSON(text []byte) error {
	r.Known = true
	return json.Unmarshal(text, &r.Value)
}

// ROCPoint is a point of a ROC curve.
type ROCPoint struct {
	No  float64 `json:"no"`  // part of the noes
	Yes float64 `json:"yes"` // part of the yeses
}

// Score is the number that predictions are compared by: the mean of the loss
// they were made by (of counts twice that, the deviance), or else the RMSE.
func (m *Metrics) Score() float64 {
	if m.Measures == nil {
		return m.RMSE
	}
	return m.LogLoss + m.Deviance + m.Huber // of which it has one
}

// AUCOf is the share of pairs of a yes and a no in which the yes has the larger
// probability, equal ones counting half, and its 95 % interval, of how many (or how
// heavy) yeses and noes there are at each probability, increasing; nil without both.
// The interval takes entries as independent of each other (DeLong, DeLong and
// Clarke-Pearson, "Comparing the areas under two or more correlated receiver operating
// characteristic curves", 1988). That of evaluate.Measure goes by rows.
//
// squares are the sums of the squares of the weights, of the yeses and of the noes: an
// entry of weight 2 is one draw that moves the area twice as far, not two draws. Nil if
// all weigh 1.
func AUCOf(yeses, noes []float64, squares *[2][]float64) (*float64, *Range) {
	if squares == nil {
		squares = &[2][]float64{yeses, noes}
	}
	no, yes := 0.0, 0.0
	for x := range yeses {
		no += noes[x]
		yes += yeses[x]
	}
	if no == 0 || yes == 0 {
		return nil, nil
	}
	// For a yes, the part of the noes below it; for a no, of the yeses above it. Both
	// have the area as their mean.
	lower, higher := make([]float64, len(yeses)), make([]float64, len(yeses))
	area, below, above := 0.0, 0.0, yes
	for x := range yeses {
		above -= yeses[x]
		lower[x], higher[x] = (below+noes[x]/2)/no, (above+yeses[x]/2)/yes
		area += yeses[x] / yes * lower[x]
		below += noes[x]
	}
	area = min(area, 1) // but for rounding
	by := 1.96 * math.Sqrt(varianceOfMean(lower, area, squares[0], yes)+varianceOfMean(higher, area, squares[1], no))
	return &area, &Range{Low: max(area-by, 0), High: min(area+by, 1)}
}

// varianceOfMean estimates the variance of the mean of independent numbers with weights,
// of the sums of the weights' squares at each number and of all weights.
func varianceOfMean(numbers []float64, mean float64, squares []float64, total float64) float64 {
	sum, all := 0.0, 0.0
	for x, s := range squares {
		d := numbers[x] - mean
		sum += s * d * d
		all += s
	}
	as := total * total / all // this many numbers of equal weight tell as much
	return sum / (total * total) * as / max(as-1, 1)
}

// Comparison is the error of a fit on validation entries beside that of row and column
// effects alone, shrunk, on the same entries; or, of a table, of its mean.
type Comparison struct {
	Alone   string  `json:"alone,omitempty"`   // what stands for the effects; empty: they do
	Measure string  `json:"measure,omitempty"` // what the errors are; empty: RMSE
	Entries int     `json:"entries"`
	RMSE    float64 `json:"rmse"`
	Effects float64 `json:"effects_rmse"`
}

// TheMean is what stands without any feature of a table.
const TheMean = "the mean"

// Warning says that the fit predicts worse than row and column effects; "" if it does
// not, or if nothing was compared.
func (c *Comparison) Warning(remedy string) string {
	if c == nil || !(c.RMSE > c.Effects) {
		return ""
	}
	things := "entries"
	if c.Alone == TheMean {
		things = "rows"
	}
	return fmt.Sprintf("this predicts worse than %s alone: %s %.4g against %.4g on %d validation %s (%s)", cmp.Or(c.Alone, "row and column effects"), cmp.Or(c.Measure, "RMSE"), c.RMSE, c.Effects, c.Entries, things, remedy)
}
