package service

import (
	"encoding/json"

	"optcomplete/result"
)

// Problem is the answer to what cannot be done.
type Problem struct {
	Problem string `json:"problem"`
	Remedy  string `json:"remedy"`
}

// ModelList is the models that are served.
type ModelList struct {
	Models []ModelLine `json:"models"`
	Fit    bool        `json:"fit"` // a fit is shown
}

// ModelLine is one of them.
type ModelLine struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`  // matrix, two-sided or regression
	Model    string   `json:"model"` // full, pooled, paper, twosided, regress
	Rows     int      `json:"rows"`
	Columns  int      `json:"columns"`
	Selected []string `json:"selected"`
	Loaded   string   `json:"loaded"`            // when, in UTC
	Refused  string   `json:"refused,omitempty"` // why what the folder holds now was not loaded
}

// ModelInfo is what a model says about itself.
type ModelInfo struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Model    string   `json:"model"`
	Method   string   `json:"method"`
	Rows     int      `json:"rows"`
	Columns  int      `json:"columns"`
	Features int      `json:"features"` // that were chosen from
	Observed int      `json:"observed"`
	K        int      `json:"k"`
	Selected []string `json:"selected"`
	Gamma    float64  `json:"gamma"`
	Loss     string   `json:"loss"`
	Scale    string   `json:"scale,omitempty"` // of sums, if another than that of predictions
	Mean     float64  `json:"mean"`            // of the values, or the intercept

	Certificate *result.Certificate `json:"certificate"` // null: nothing was selected
	Holdout     *result.Metrics     `json:"holdout"`     // null: nothing was held out
	Train       result.Metrics      `json:"train"`
	Coverage    []result.Coverage   `json:"coverage"` // of intervals, on held-out entries
	Baselines   []result.Baseline   `json:"baselines"`
	Variance    *result.Variance    `json:"variance"` // of the training values; null: not known

	Effects    []result.TermDiagnostics `json:"effects"` // of the terms, in the order of the coefficients
	Importance []result.Importance      `json:"importance"`
	Fields     []Field                  `json:"fields"` // that a record of a new column needs
	Clip       *result.Range            `json:"clip"`   // of predictions; null: none

	Intervals bool          `json:"intervals"` // can be asked for
	FoldsIn   bool          `json:"folds_in"`  // rows can be given by their ratings
	Ratings   bool          `json:"ratings"`   // the service knows the ratings of the rows
	Nouns     *result.Nouns `json:"nouns"`     // what the data call rows, columns and entries
	Warnings  []string      `json:"warnings"`
	Version   string        `json:"version"`  // of the program that fitted it
	Loaded    string        `json:"loaded"`   // when, in UTC
	Checksum  string        `json:"checksum"` // of its model.json
}

// Field is a field of the records of columns.
type Field struct {
	Selected bool     `json:"selected"` // a selected feature is made of it
	Name     string   `json:"name"`
	Type     string   `json:"type"`   // numeric, indicator, text, list or date
	Levels   []string `json:"levels"` // of text and lists: those known
}

// Pair is a row and a column. Of a row that is given by its ratings, the id may be left out.
type Pair struct {
	Row    string `json:"row,omitempty"`
	Column string `json:"column"`
}

// Record is the fields of a column, or of a line of a table: texts, numbers, truths, or null.
type Record map[string]json.RawMessage

// Ratings are values by the ids of columns.
type Ratings map[string]*float64

// PredictRequest asks for predictions: of pairs, or of columns for the row that is given by its ratings.
type PredictRequest struct {
	Pairs      []Pair            `json:"pairs,omitempty"`
	Ratings    Ratings           `json:"ratings,omitempty"`     // of a row that the model does not know
	Columns    []string          `json:"columns,omitempty"`     // with ratings, in place of pairs; none: all
	NewColumns map[string]Record `json:"new_columns,omitempty"` // of which only the features are known, by their ids
	Interval   float64           `json:"interval,omitempty"`    // in percent, such as 90
	Records    []Record          `json:"records,omitempty"`     // lines of a table, for a regression
}

// PredictAnswer has the predictions in the order of what was asked.
type PredictAnswer struct {
	Predictions []Prediction `json:"predictions"`
}

// Prediction is a value, and what it rests on.
type Prediction struct {
	Row       string       `json:"row"`
	Column    string       `json:"column"`
	Value     float64      `json:"value"`
	Basis     result.Basis `json:"basis"`
	Low       *float64     `json:"low,omitempty"`
	High      *float64     `json:"high,omitempty"`
	CountLow  *float64     `json:"count_low,omitempty"` // of counts: low and high are of the rate
	CountHigh *float64     `json:"count_high,omitempty"`
}

// RecommendRequest asks for the best columns of a row.
type RecommendRequest struct {
	Row        string            `json:"row,omitempty"`
	Ratings    Ratings           `json:"ratings,omitempty"`
	N          *int              `json:"n,omitempty"` // 10 if left out
	Lowest     bool              `json:"lowest,omitempty"`
	Exclude    []string          `json:"exclude,omitempty"`
	KeepSeen   bool              `json:"keep_seen,omitempty"`
	Caution    *float64          `json:"caution,omitempty"` // standard deviations; 1 if left out
	Least      int               `json:"least_entries,omitempty"`
	NewColumns map[string]Record `json:"new_columns,omitempty"`
}

// RecommendAnswer is what recommend --json prints.
type RecommendAnswer struct {
	Row             string           `json:"row"`
	Recommendations []Recommendation `json:"recommendations"`
}

// Recommendation is a column and what is predicted for it.
type Recommendation struct {
	Rank       int          `json:"rank"`
	Column     string       `json:"column"`
	Name       string       `json:"name,omitempty"`
	Prediction float64      `json:"prediction"`
	Basis      result.Basis `json:"basis"`
}

// ExplainRequest asks for a prediction as a sum (row and column), a row, a feature, or with nothing the model.
type ExplainRequest struct {
	Row        string            `json:"row,omitempty"`
	Ratings    Ratings           `json:"ratings,omitempty"`
	Column     string            `json:"column,omitempty"`
	Feature    string            `json:"feature,omitempty"`
	Top        *int              `json:"top,omitempty"`    // recommended columns with reasons; 5 if left out
	Lowest     bool              `json:"lowest,omitempty"` // those with the least predictions
	NewColumns map[string]Record `json:"new_columns,omitempty"`
	Record     Record            `json:"record,omitempty"` // a line of a table, for a regression
}

// FeatureAnswer is one feature: what it does, and how much it is needed.
type FeatureAnswer struct {
	result.TermDiagnostics
	Importance *result.Importance `json:"importance"` // null: not one of its own, but of a group
}

// ColumnRequest asks who likes a column: one of the model, or a new one by its features.
type ColumnRequest struct {
	Column   string `json:"column,omitempty"`
	Features Record `json:"features,omitempty"`
	Top      *int   `json:"top,omitempty"` // rows to name; 5 if left out
}

// ColumnAnswer is a column: its features, and the predictions of all rows for it.
type ColumnAnswer struct {
	Column   string        `json:"column"`
	Name     string        `json:"name,omitempty"`
	Entries  int           `json:"entries"`
	Effect   float64       `json:"effect"`
	Features []Value       `json:"features"`
	Rows     int           `json:"rows"` // with entries, whose predictions these are
	Spread   result.Spread `json:"spread"`
	Counts   result.Counts `json:"counts"` // of rows by their predictions
	Highest  []RowOfColumn `json:"highest"`
	Lowest   []RowOfColumn `json:"lowest"`
	Warnings []string      `json:"warnings"`
	Scale    string        `json:"scale,omitempty"`
}

// Value is a feature of a column, in its unit.
type Value struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// RowOfColumn is a row, its prediction, and what lifts that above the average row's, largest first.
type RowOfColumn struct {
	Row        string       `json:"row"`
	Prediction float64      `json:"prediction"`
	Whys       []result.Why `json:"whys"`
}

// IDList is rows or columns whose ids or names have a text.
type IDList struct {
	Items []ID `json:"items"`
	Of    int  `json:"of"` // how many there are in all
}

// ID is a row or a column.
type ID struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Entries int    `json:"entries"`
}

// RowAnswer is what is known about the entries of a row.
type RowAnswer struct {
	ID      string   `json:"id"`
	Entries int      `json:"entries"`
	Seen    []ID     `json:"seen"`              // columns that it has entries for
	Ratings *Ratings `json:"ratings,omitempty"` // of those; left out: the service does not know them
}

// Health says that the service lives, or is ready.
type Health struct {
	Status string `json:"status"`
}
