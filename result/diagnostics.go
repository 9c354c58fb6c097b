package result

// Diagnostics describe the data and how the predictions miss it, for people to
// look at. Its size does not depend on the number of rows. A residual is the
// observed value minus the prediction.
type Diagnostics struct {
	// On tells which entries the residuals are of: "holdout", or "train" if
	// nothing was held out.
	On string `json:"on"`

	// Fingerprint is the same for the same entries, held out or not; that of
	// the held-out ones alone is empty if there are none.
	Fingerprint        string `json:"fingerprint"`
	HoldoutFingerprint string `json:"holdout_fingerprint,omitempty"`

	Density       float64 `json:"density"`        // training entries per cell
	Values        []Bar   `json:"values"`         // of the training entries
	RowEntries    []Bar   `json:"row_entries"`    // rows by their number of training entries
	ColumnEntries []Bar   `json:"column_entries"` // columns by theirs

	Terms []TermDiagnostics `json:"terms"` // in the order of the summary's terms

	Residuals   Counts             `json:"residuals"`  // those beyond the interval count at its ends
	ByTerm      []TermBins         `json:"by_term"`    // by the value of a term
	ByEntries   []Bin              `json:"by_entries"` // by the number of training entries of the row
	Calibration []CalibrationGroup `json:"calibration"`

	Examples []Example `json:"examples"`

	// Sample is the rows that residuals, groups of them and examples are of; nil: all.
	Sample *Sample `json:"sample,omitempty"`
}

// Sample is a sample of rows, drawn by their ids.
type Sample struct {
	Rows    int `json:"rows"`
	Entries int `json:"entries"`
}

// Bar counts what lies between two numbers, both included for whole numbers;
// Low = High is one value.
type Bar struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Count int     `json:"count"`
}

// Bin is the residuals of the entries whose something lies between two numbers.
type Bin struct {
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Entries int     `json:"entries"`
	Mean    float64 `json:"mean"`
	RMSE    float64 `json:"rmse"`
}

// TermBins is the residuals by the value of a term, in the unit of the file.
type TermBins struct {
	Name string `json:"name"`
	Bins []Bin  `json:"bins"`
}

// CalibrationGroup is entries of similar prediction.
type CalibrationGroup struct {
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Entries   int     `json:"entries"`
	Predicted float64 `json:"predicted"`          // mean
	Observed  float64 `json:"observed"`           // mean
	Error     float64 `json:"error"`              // standard error of the mean observed
	Interval  *Range  `json:"interval,omitempty"` // of the mean observed, 95 %; nil in models of earlier programs
}

// TermDiagnostics is what a term does, and how that differs between rows.
type TermDiagnostics struct {
	TermExplanation
	// Step is the change of the feature that PerStep and StepSpread are for:
	// one standard deviation over the columns, so that features compare; of a
	// feature that is the same everywhere, its value.
	Step       float64 `json:"step"`
	PerStep    float64 `json:"per_step"`     // of the population, for columns that had entries
	NewPerStep float64 `json:"new_per_step"` // the same for columns without entries
	StepSpread Spread  `json:"step_spread"`
	Histogram  Counts  `json:"histogram"` // of rows by their effect of a step; without 1 % at either end
}

// Counts counts numbers in equal parts of an interval; none if it is empty.
type Counts struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Counts []int   `json:"counts"`
}

// Example is a row explained, and some of its entries.
type Example struct {
	Why         string          `json:"why"` // typical, many entries, few entries
	Explanation *RowExplanation `json:"explanation"`
	Cases       []Case          `json:"cases"`
}

// Case is an observed entry, and its prediction as a sum.
type Case struct {
	Observed float64         `json:"observed"`
	Held     bool            `json:"held"` // it was held out
	Sum      *SumExplanation `json:"sum"`
}

// Baseline is a simpler prediction, scored on the same entries as the
// residuals of the diagnostics.
type Baseline struct {
	Name string `json:"name"`
	Metrics
	// Gain is where 1 − RMSE of the model / RMSE of the baseline lies with 95 %
	// confidence, over draws of rows; nil if nothing was held out or there are too
	// few rows.
	Gain *Range `json:"gain,omitempty"`
	// Error is the standard error of the RMSE where it is of a sample of rows
	// (Diagnostics.Sample); 0: it is of all.
	Error float64 `json:"rmse_error,omitempty"`
}

// Words names the simpler prediction in the words of the data.
func (b *Baseline) Words(n *Nouns) string {
	switch b.Name {
	case "mean of the row":
		return "the mean of each " + n.Each()
	case "mean of the column":
		return "the mean of each " + n.Item()
	case "row and column effects":
		return "averages of " + n.Rows() + " and " + n.Columns()
	case "mean of all values":
		return "the mean of all " + n.Entries()
	}
	return b.Name
}

// Seconds is the wall time of each part of a fit.
type Seconds struct {
	Load     float64 `json:"load"`
	Choose   float64 `json:"choose"` // the part of Select that went into γ and shrinkage
	Select   float64 `json:"select"`
	Certify  float64 `json:"certify"`
	Complete float64 `json:"complete"`
	Total    float64 `json:"total"`
}

// TracePoint is the state of the search at some moment.
type TracePoint struct {
	Seconds float64  `json:"seconds"`         // since the search began
	Cost    float64  `json:"cost"`            // of the incumbent
	Bound   *float64 `json:"bound,omitempty"` // nil: nothing proven yet
	Sampled bool     `json:"sampled,omitempty"`
	Nodes   int      `json:"nodes"`
	Cuts    int      `json:"cuts"`
	Passes  int      `json:"passes"`
	Source  string   `json:"source,omitempty"` // what found the incumbent, if it is new
}

// Variance is how the variance of the training values a is divided among the parts of
// their predictions. A part's share is
//
//	(2 cov(part, a) − cov(part, prediction)) / var(a):
//
// by how much it lowers the variance of the residuals, on average over all orders in
// which the parts can be added (its Shapley value). So Rest is the variance of the
// residuals, before predictions are kept in a range, and the shares add up to 1. A share
// is negative where a part makes predictions worse.
type Variance struct {
	Rows    float64   `json:"rows"`    // row effects
	Columns float64   `json:"columns"` // column effects
	Terms   []float64 `json:"terms"`   // in the order of the summary's terms
	// Other is the share of the features that are not selected, Remainder that of
	// the unnamed traits; 0 without a remainder.
	Other     float64 `json:"other,omitempty"`
	Remainder float64 `json:"remainder,omitempty"`
	Rest      float64 `json:"rest"`
}
