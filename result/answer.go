package result

import "optcomplete/internal/names"

// Basis says what a prediction rests on.
type Basis int

const (
	Known           Basis = iota // the row and the column both had training entries
	NewRow                       // the row had none: the population is used
	NewColumn                    // the column had none: its features alone speak for it
	NewRowAndColumn              // both
)

var bases = names.Of[Basis]{What: "basis of a prediction", Are: []string{Known: "known", NewRow: "new row", NewColumn: "new column", NewRowAndColumn: "new row and column"}}

// String returns the name that files show.
func (b Basis) String() string { return bases.String(b) }

// MarshalText makes a Basis its name in JSON.
func (b Basis) MarshalText() ([]byte, error) { return bases.Marshal(b) }

// UnmarshalText reads the name back.
func (b *Basis) UnmarshalText(text []byte) error { return bases.Unmarshal(text, b) }

// BasisOf is the basis of a prediction for a row and a column that are new, or
// are not.
func BasisOf(newRow, newColumn bool) Basis {
	switch {
	case newRow && newColumn:
		return NewRowAndColumn
	case newRow:
		return NewRow
	case newColumn:
		return NewColumn
	}
	return Known
}

// Answer is a prediction and what it rests on.
type Answer struct {
	Value     float64 // finite, in the model's range
	Unclipped float64 // before it was kept in the range: rankings use it, because it has fewer ties
	Basis     Basis
	Low, High float64 // the interval of Intervals.Answer; 0 from others
	// CountLow and CountHigh are the interval of a count, where Low and High are that of
	// its rate.
	CountLow, CountHigh float64
}

// Coverage tells how many held-out entries lie in their intervals.
type Coverage struct {
	Probability float64 `json:"probability"` // what the intervals say
	Covered     float64 `json:"covered"`     // part of the entries that are in theirs
	Width       float64 `json:"width"`       // of the intervals, on average
}

// Recommendation is a column and what is predicted for it.
type Recommendation struct {
	Column int
	Answer
	Rank float64 // what it is ranked by: Unclipped, less what caution takes off
}

// Range is an interval of values.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
