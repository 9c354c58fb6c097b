package result

import (
	"encoding/json"
	"io"
)

// Explanation says what a model has found, in the units of the features' file.
type Explanation struct {
	Model    string            `json:"model"`
	Rows     int               `json:"rows"`               // with entries
	Mean     float64           `json:"mean"`               // of the values; 0 in paper
	Variance *Variance         `json:"variance,omitempty"` // of the training values, and who explains it
	Terms    []TermExplanation `json:"terms"`
	Selected []Importance      `json:"selected"`
	// Scale is what the numbers are of, where that is not the values: the log-odds of a
	// yes, or the logarithm of a rate; e to a number is then a ratio of odds or rates.
	Scale string `json:"scale,omitempty"`
	// Units tell how much rows differ on every feature, selected or not; nil: not known.
	Units *Units `json:"units,omitempty"`
}

// TermExplanation says what one term does.
type TermExplanation struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // what a coefficient is per
	// Population is how much a prediction for a column that had entries rises
	// with one unit of the feature, for a row of which nothing is known: the
	// coefficient that SumPart.PerUnit is for a row.
	Population float64 `json:"population"`
	// NewColumn is the same for a column without entries, whose effect is not
	// known: what column effects owe to the feature is added. Equal to Population
	// in models without column effects.
	NewColumn float64 `json:"new_column"`
	// PerSD and NewPerSD are Population and NewColumn for one standard deviation
	// of the feature over the columns: comparable between features.
	PerSD    float64 `json:"per_sd"`
	NewPerSD float64 `json:"new_per_sd"`
	Spread   Spread  `json:"spread"` // of Population's counterparts over the rows
	Share    float64 `json:"share"`  // of the variance of the training values; 0 if that is not known
	// Ratio is by which factor one unit multiplies the odds, or the rate, from the 5 %
	// quantile over rows to the 95 %; nil where predictions are sums.
	Ratio *Range `json:"ratio,omitempty"`
}

// Spread tells how a number varies over rows with entries.
type Spread struct {
	SD       float64 `json:"sd"`
	Q05      float64 `json:"q05"`
	Q25      float64 `json:"q25"`
	Median   float64 `json:"median"`
	Q75      float64 `json:"q75"`
	Q95      float64 `json:"q95"`
	Positive float64 `json:"positive"` // part of the rows above 0
}

// Importance says how much a selected feature, or group, is needed.
type Importance struct {
	Name string `json:"name"`
	// Removed is the cost without it, and Increase by what part that is more;
	// 0 if the model was saved without them.
	Removed  float64 `json:"removed"`
	Increase float64 `json:"increase"`
	// Instead is the best selection seen without it, if there is one.
	Instead *NearTie `json:"instead,omitempty"`
}

// RowExplanation says what sets a row apart, in the units of the features' file.
type RowExplanation struct {
	Row              string     `json:"row"`
	New              bool       `json:"new"` // nothing is known about it: the population is used
	Entries          int        `json:"entries"`
	Effect           float64    `json:"effect"`
	PopulationEffect float64    `json:"population_effect"`
	Terms            []RowTerm  `json:"terms"`           // what sets it apart most comes first
	Top              []ItemWhys `json:"top"`             // best first
	Scale            string     `json:"scale,omitempty"` // see Explanation
}

// RowTerm is a row's coefficient of a term against the population's.
type RowTerm struct {
	Name       string  `json:"name"`
	Unit       string  `json:"unit"`
	Row        float64 `json:"row"`        // SumPart.PerUnit: for columns that had entries
	Population float64 `json:"population"` // TermExplanation.Population
	NewColumn  float64 `json:"new_column"` // as TermExplanation.NewColumn, for this row
	// PerSD is Row less Population, for one standard deviation of the feature over
	// the columns.
	PerSD float64 `json:"per_sd"`
	// Interval is where PerSD lies with the probability RowInterval, by the
	// posterior of the row's coefficients; nil in a model that has none.
	Interval *Range `json:"interval,omitempty"`
	// Differs is what the entries of the row say: 1 if it is above the population
	// and 0 is not in the interval, −1 if it is below, 0 if they do not tell.
	Differs int `json:"differs"`
	// Ratio is by which factor one unit multiplies the row's odds, or rates; 0 where
	// predictions are sums.
	Ratio float64 `json:"ratio,omitempty"`
	// RatioInterval is where Ratio lies with the probability RowInterval.
	RatioInterval *Range `json:"ratio_interval,omitempty"`
}

// RowInterval is the probability of RowTerm.Interval and RowTerm.RatioInterval.
const RowInterval = 0.95

// ItemWhys is a column and why its prediction is high: what each part adds to
// that of a typical column, largest first.
type ItemWhys struct {
	Column     string  `json:"column"`
	Name       string  `json:"name,omitempty"` // if names were given
	Prediction float64 `json:"prediction"`
	Basis      Basis   `json:"basis"`
	Whys       []Why   `json:"whys"`
}

// ColumnEffect and RowEffect are the names of the parts of a prediction that are those effects.
const (
	ColumnEffect = "column effect"
	RowEffect    = "row effect"
)

// Why is a part of a prediction.
type Why struct {
	Name string  `json:"name"` // a term, ColumnEffect, "other features" or "unnamed remainder"
	Part float64 `json:"part"`
}

// SumExplanation is one prediction as a sum:
//
//	Mean + RowEffect + ColumnEffect + Σ Part + Other + Remainder = Sum, kept in range: Prediction
type SumExplanation struct {
	Row          string    `json:"row"`
	Column       string    `json:"column"`
	Basis        Basis     `json:"basis"`
	Mean         float64   `json:"mean"`
	RowEffect    float64   `json:"row_effect"`
	ColumnEffect float64   `json:"column_effect"`
	Parts        []SumPart `json:"parts"`
	// Other is what the features that are not selected add, OtherParts each of
	// them; nil in a model without a remainder.
	Other      *float64  `json:"other,omitempty"`
	OtherParts []SumPart `json:"other_parts,omitempty"`
	// Remainder is what no feature has a name for; nil in a model without one.
	Remainder  *float64 `json:"remainder,omitempty"`
	Sum        float64  `json:"sum"`
	Clip       *Range   `json:"clip,omitempty"` // nil: predictions may be anything
	Prediction float64  `json:"prediction"`
	Scale      string   `json:"scale,omitempty"` // of all but Clip and Prediction; see Explanation
}

// SumPart is what a term adds: Part = PerUnit · (Value − Centre).
type SumPart struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Value   float64 `json:"value"`  // of the column, in the unit of the file
	Centre  float64 `json:"centre"` // where the part is 0; the mean of the feature, or 0 if it is used as given
	PerUnit float64 `json:"per_unit"`
	Part    float64 `json:"part"`
	// Ratio is by which factor the part multiplies the odds, or the rate; 0 where
	// predictions are sums.
	Ratio float64 `json:"ratio,omitempty"`
}

// WriteJSON writes a value as indented JSON and a newline; names such as "R&B" stay readable.
func WriteJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}
