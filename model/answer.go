package model

import (
	"optcomplete/result"
)

// Answer predicts for any row and column. A row that the model does not have, or
// that had no entries, gets the population's coefficients. A column that it does
// not have gets the typical features, and like one that had no entries the
// effect that the features predict; WithColumns gives it features of its own.
func (m *Model) Answer(row, column string) result.Answer {
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
func (m *Model) AnswerAt(row, column int) result.Answer {
	effect, u, newRow := m.rowParts(row)
	columnEffect, b, newColumn := m.columnParts(column)
	x := m.Sum(effect, columnEffect, u, b)
	if newRow {
		row = -1
	}
	x += m.RemainderOf(row, column)
	return result.Answer{Value: m.Clipped(x), Unclipped: x, Basis: result.BasisOf(newRow, newColumn)}
}

// rowParts is the effect and the coefficients of a row, or of the population if
// i is −1 or the row had no entries.
func (m *Model) rowParts(i int) (effect float64, u []float64, isNew bool) {
	if i < 0 || m.Entries[i] == 0 {
		return m.Population[0], m.Population[1:], true
	}
	return m.RowEffect(i), m.Coefficients.Row(i), false
}

// columnParts is the effect and the features of a column; of a typical one if j
// is −1.
func (m *Model) columnParts(j int) (effect float64, b []float64, isNew bool) {
	if j < 0 {
		return m.NewColumnEffect(m.Typical), m.Typical, true
	}
	return m.ColumnEffect(j), m.ColumnFeatures(j), m.ColumnEntries[j] == 0
}
