package proof_test

import (
	"slices"
	"strings"
	"testing"

	"optcomplete/feasible"
	"optcomplete/objective"
	"optcomplete/proof"
	"optcomplete/search"
)

// TestTangentsCloseLargeRegions: where models end regions of up to two million selections, the
// file carries the tangents, and the checker, which takes no others, shows the whole bound and
// evaluates few selections; with a family too. Without them it shows less.
func TestTangentsCloseLargeRegions(t *testing.T) {
	in := instance(6, 40, 30, 7, 5)
	in.Gamma = 0.2
	o := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
	for _, families := range [][]int{nil, {0, 1, 2, 3, 4, 5, 6, 7, 8}} {
		p := problemOf(in)
		settings := search.Settings{K: in.K}
		if families != nil {
			p.Families = []proof.Family{{Units: families, Most: 2}}
			settings.Families = []feasible.Family{{Members: families, Most: 2}}
		}
		text, _ := proven(t, p, modelsOnly{o, o}, settings)
		verdict := verify(t, p, text)
		tangent := func(line string) bool { return strings.Contains(line, `,"point":`) }
		if len(verdict.Faults) > 0 || verdict.Unproven > 0 || verdict.Modelled == 0 || !tangent(text) || verdict.Enumerated > 400_000 {
			t.Errorf("%d tangents, %+v", strings.Count(text, `,"point":`), verdict)
		}
		if ok, _, _ := accepted(t, p, sealed(slices.DeleteFunc(body(text), tangent))); ok {
			t.Error("accepted without tangents")
		}
	}
}
