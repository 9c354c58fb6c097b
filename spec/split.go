package spec

import "optcomplete/internal/names"

// Split says which entries are kept aside to score on.
type Split int

const (
	// RandomSplit keeps random ones aside.
	RandomSplit Split = iota
	// TimeSplit keeps the latest aside: what is fitted to the past is scored on the
	// future.
	TimeSplit
)

var splits = names.Of[Split]{What: "split", Are: []string{RandomSplit: "random", TimeSplit: "time"}}

// ParseSplit is the inverse of String.
func ParseSplit(name string) (Split, error) { return splits.Parse(name) }

// String returns the name by which flags and files call the split.
func (s Split) String() string { return splits.String(s) }
