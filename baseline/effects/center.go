package effects

import (
	"context"
	"math"

	"optcomplete/data"
)

// Center says which effects a low-rank fit takes away first and adds to its
// predictions.
type Center int

const (
	AutoCenter   Center = iota // what predicts a validation part best: NoCenter or BothCenters
	NoCenter                   // the values as they are
	RowCenter                  // mean and row effects
	ColumnCenter               // mean and column effects
	BothCenters                // mean, row and column effects
)

func (c Center) String() string {
	return [...]string{"auto", "none", "rows", "columns", "both"}[c]
}

// Candidates are the ways to centre that validation is to compare.
func (c Center) Candidates() []Center {
	if c == AutoCenter {
		return []Center{NoCenter, BothCenters}
	}
	return []Center{c}
}

// For is the settings of the effects that a way to centre takes away: of a fit whose
// predictions are clipped in the end, if they are to be.
func (s Settings) For(c Center) Settings {
	s.Clip = false
	switch c {
	case RowCenter:
		s.ColumnShrinkage = math.Inf(1)
	case ColumnCenter:
		s.RowShrinkage = math.Inf(1)
	}
	return s
}

// Remove fits the effects that a centring takes away, with the settings for it,
// and gives what they leave; without centring, none and everything.
func Remove(ctx context.Context, source data.Source, center Center, s Settings) (*Model, data.Source, error) {
	if center == NoCenter {
		return nil, source, nil
	}
	m, err := Fit(ctx, source, s)
	if err != nil {
		return nil, nil, err
	}
	left, err := m.Residuals(ctx, source, s.Threads)
	return m, left, err
}
