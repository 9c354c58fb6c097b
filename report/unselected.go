package report

import "optcomplete/result"

// unselected is the models of methods that select nothing: softimpute, imc, effects.
// They have no selection, so no cost of one, nothing to prove and no k or γ.
type unselected struct{ ofMatrix }

func (unselected) sections(m *Model, _ *Path) []section {
	return []section{m.answer(nil), m.predictions(), m.data(), m.settings()}
}

func (unselected) missing() markup {
	return say("For methods that select nothing no diagnostics are kept.")
}

func (unselected) command(m *Model) (words, flags []string) {
	return []string{"optcomplete fit", m.inputs()}, []string{"--method " + m.s.Method}
}

// selects tells whether the model has a selection.
func (m *Model) selects() bool { return m.s.Status != result.Fitted }
