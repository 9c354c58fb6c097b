package model

import (
	"optcomplete/model/estimate"
	"optcomplete/pass"
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
	f := m.Fitted()
	return f.AnswerAt(row, column)
}

// AnswersTo answers for the rows of these ids, in a pass that may run in other
// processes. The columns are those of the model, and then others.
func (m *Model) AnswersTo(ids []string) estimate.Answers {
	rows := make([]int32, len(ids))
	for i, id := range ids {
		at, known := m.Row(id)
		if !known {
			at = -1
		}
		rows[i] = int32(at)
	}
	return estimate.Answers{Of: m.Predictor().Of, Rows: pass.Share(rows)}
}
