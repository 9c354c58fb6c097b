package proof_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/exact"
	"optcomplete/internal/must"
	"optcomplete/objective"
	"optcomplete/proof"
	"optcomplete/search"
)

// modelsOnly hides the enumeration, so that models end what relaxations do not.
type modelsOnly struct {
	search.Curved
	modeler search.Modeler
}

func (o modelsOnly) Model(ctx context.Context, weights []float64, at search.Cut, features []int) (search.Model, bool, error) {
	return o.modeler.Model(ctx, weights, at, features)
}

func (o modelsOnly) Costs(ctx context.Context, selections [][]int) ([]float64, float64, error) {
	return o.modeler.Costs(ctx, selections)
}

// TestModelsAreVerified: proofs with models show what was claimed, and nothing above the
// least cost in 700 bits; entries of every second instance have weights from 1e-2 to 1e2.
func TestModelsAreVerified(t *testing.T) {
	proofs, few, tangents := 0, 0, 0
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 7))
		in := &exact.Instance{Rows: 3 + rng.IntN(3), Columns: 14 + rng.IntN(10), P: 8, K: 3, Gamma: math.Pow(10, 2*rng.Float64()-1.5)}
		for range in.Columns {
			row := make([]float64, in.P)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			in.Features = append(in.Features, row)
		}
		for i := range in.Rows {
			for c, b := range in.Features {
				weight := 1.0
				if seed%2 == 1 {
					weight = math.Pow(10, 4*rng.Float64()-2)
				}
				if value := b[0] - b[1]*float64(i%3) + b[2]*rng.NormFloat64() + 2*rng.NormFloat64(); rng.Float64() < 0.9 {
					in.Entries = append(in.Entries, exact.Entry{Row: i, Column: c, Value: value, Weight: weight})
				}
			}
		}
		p, matrix, heaviest := ofExact(in)
		o := objective.NewWeighted(matrix, p.Features, p.Gamma, heaviest, 1)
		text, result := proven(t, p, modelsOnly{o, o}, search.Settings{K: in.K})
		verdict := verify(t, p, text)
		if verdict.Modelled > 0 {
			if strings.Contains(text, `"point":[`) && strings.Contains(text, `"diagonal":[`) && strings.Contains(text, `,"point":`) {
				tangents++
			}
			proofs++
			if verdict.Enumerated < 28 { // of 56
				few++
			}
		}
		if above := exact.Above(verdict.Bound, exact.Best(in.P, in.K, nil, in.Cost)); above > 1e-15 {
			t.Errorf("seed %d: the bound is %g above the least cost", seed, above)
		}
		if len(verdict.Faults) > 0 || verdict.Bound < result.Bound*(1-1e-9) {
			t.Errorf("seed %d: bound %v, claimed %v: %v", seed, verdict.Bound, result.Bound, verdict.Faults)
		}
	}
	if t.Logf("%d proofs with models, of which %d rule out most selections", proofs, few); proofs < 6 || few < 3 || tangents < 3 {
		t.Error("hardly any proof rests on models")
	}
}

// asModels is a proof in which every region is closed by a model.
func asModels(text string) string {
	lines := body(text)
	for x, l := range lines {
		if strings.HasPrefix(l, `{"node":`) && !strings.Contains(l, `"fix"`) {
			l = strings.Replace(l, `"enumerated":true`, `"cut":0`, 1)
			lines[x] = strings.Replace(l, `,"cut":`, `,"model":true,"cut":`, 1)
		}
	}
	return sealed(lines)
}

// byModel is a problem with a proof that rests on models, and the least cost.
func byModel(t testing.TB) (*proof.Problem, string, float64) {
	in := instance(5, 24, 8, 3, 3)
	in.Gamma = 0.5
	p := problemOf(in)
	o := objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
	text, _ := proven(t, p, modelsOnly{o, o}, search.Settings{K: in.K})
	if !strings.Contains(text, `"model":true`) {
		t.Fatalf("there is no model: %s", text)
	}
	return p, text, least(in, nil, nil)
}

// TestModelsFromAnywhere: at any weights and in any part, a model proves the true bound, as
// it leaves more to be evaluated where it is poor, and none above, whatever is claimed.
func TestModelsFromAnywhere(t *testing.T) {
	p, text, want := byModel(t)
	lines := body(text)
	found := lines[len(lines)-1]
	rng := rand.New(rand.NewPCG(3, 4))
	evaluated := 0
	for range 200 {
		units := rng.Perm(8)[:1+rng.IntN(8)]
		slices.Sort(units)
		weights := make([]float64, len(units))
		for x := range weights {
			weights[x] = math.Pow(rng.Float64(), 3) * math.Pow(10, float64(rng.IntN(3)))
		}
		point := string(must.Get(json.Marshal(map[string]any{"point": units, "weights": weights}))(t))
		changed := []string{lines[0], point, `{"node":0,"cut":0,"model":true}`, found}
		if rng.IntN(2) == 0 { // a part may lack units of positive weight: then it is not modelled
			changed = []string{lines[0], point, `{"node":0,"split":3,"inside":1,"outside":2}`, `{"node":1,"cut":0,"model":true}`, `{"node":2,"enumerated":true}`, found}
		}
		q := *p
		q.Bound = want * rng.Float64() * 1.2
		verdict := verify(t, &q, sealed(changed))
		if verdict.Bound > want*(1+1e-15) {
			t.Fatalf("bound %v, but a selection costs %v:\n%s", verdict.Bound, want, strings.Join(changed, "\n"))
		}
		if verdict.Bound < min(q.Bound, want)*(1-1e-9) {
			t.Fatalf("bound %v, claimed %v, true %v:\n%s", verdict.Bound, q.Bound, want, strings.Join(changed, "\n"))
		}
		evaluated += verdict.Enumerated
	}
	if t.Logf("%d selections evaluated", evaluated); evaluated == 0 || evaluated > 200*56*3/4 {
		t.Errorf("%d selections were evaluated: the models rule out all, or next to nothing", evaluated)
	}
}
