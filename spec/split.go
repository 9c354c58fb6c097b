package spec

import (
	"encoding"
	"fmt"
)

// Split says which entries are kept aside to score on.
type Split int

const (
	// RandomSplit keeps random ones aside.
	RandomSplit Split = iota
	// TimeSplit keeps the latest aside: what is fitted to the past is scored on the
	// future.
	TimeSplit
)

var splitNames = [...]string{RandomSplit: "random", TimeSplit: "time"}

var (
	_ fmt.Stringer             = Split(0)
	_ encoding.TextMarshaler   = Split(0)
	_ encoding.TextUnmarshaler = (*Split)(nil)
)

// ParseSplit is the inverse of String.
func ParseSplit(name string) (Split, error) {
	for s, known := range splitNames {
		if name == known {
			return Split(s), nil
		}
	}
	return 0, fmt.Errorf("no split is called %q (use random or time)", name)
}

// String returns the name by which flags and files call the split.
func (s Split) String() string {
	if s < 0 || int(s) >= len(splitNames) {
		return fmt.Sprintf("Split(%d)", int(s))
	}
	return splitNames[s]
}

// MarshalText makes a Split its name in JSON.
func (s Split) MarshalText() ([]byte, error) {
	if _, err := ParseSplit(s.String()); err != nil {
		return nil, err
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *Split) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSplit(string(text))
	return err
}
