package model

import "fmt"

// Basis says what a prediction rests on.
type Basis int

const (
	Known           Basis = iota // the row and the column both had training entries
	NewRow                       // the row had none: the population stands for it
	NewColumn                    // the column had none: its features alone speak for it
	NewRowAndColumn              // both
)

var basisNames = [...]string{Known: "known", NewRow: "new row", NewColumn: "new column", NewRowAndColumn: "new row and column"}

// String returns the name that files show.
func (b Basis) String() string {
	if b < 0 || int(b) >= len(basisNames) {
		return fmt.Sprintf("Basis(%d)", int(b))
	}
	return basisNames[b]
}

// MarshalText makes a Basis its name in JSON.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads the name back.
func (b *Basis) UnmarshalText(text []byte) error {
	for known, name := range basisNames {
		if string(text) == name {
			*b = Basis(known)
			return nil
		}
	}
	return fmt.Errorf("model: %q is no basis of a prediction", text)
}

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
}

// Answer predicts for any row and column. A row that the model does not have, or
// that had no entries, gets the population's coefficients. A column that it does
// not have gets the typical features, and like one that had no entries the
// effect that the features predict; WithColumns gives it features of its own.
func (m *Model) Answer(row, column string) Answer {
	i, ok := m.Row(row)
	if !ok {
		i = -1
	}
	j, ok := m.Column(column)
	if !ok {
		j = -1
	}
	return m.AnswerAt(i, j)
}

// AnswerAt is Answer for indices; −1 stands for a row or column that the model
// does not have.
func (m *Model) AnswerAt(row, column int) Answer {
	effect, u, newRow := m.rowParts(row)
	columnEffect, b, newColumn := m.columnParts(column)
	x := m.unclipped(effect, columnEffect, u, b)
	if newRow {
		row = -1
	}
	x += m.remainder(row, column)
	return Answer{Value: m.clip(x), Unclipped: x, Basis: BasisOf(newRow, newColumn)}
}

// rowParts is the effect and the coefficients of a row, or of the population if
// i is −1 or the row had no entries.
func (m *Model) rowParts(i int) (effect float64, u []float64, isNew bool) {
	if i < 0 || m.Entries[i] == 0 {
		return m.Population[0], m.Population[1:], true
	}
	return m.rowEffect(i), m.coefficients(i, m.K()), false
}

// columnParts is the effect and the features of a column; of a typical one if j
// is −1.
func (m *Model) columnParts(j int) (effect float64, b []float64, isNew bool) {
	if j < 0 {
		return m.newColumnEffect(m.Typical), m.Typical, true
	}
	return m.columnEffect(j), m.columnFeatures(j), m.ColumnEntries[j] == 0
}
