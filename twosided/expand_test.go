package twosided

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/loss"
	"optcomplete/proof"
	"optcomplete/result"
	"optcomplete/spec"
)

// asYesNo are values above their middle, and asCounts are counts that grow with them.
func asYesNo(v float64) float64  { return map[bool]float64{true: 1}[v > 0] }
func asCounts(v float64) float64 { return math.Floor(math.Exp(v / 3)) }

// changed is a problem with other values, which are taken around their mean.
func changed(p Problem, by func(v float64) float64) Problem {
	m := p.Ratings.Matrix()
	mean := 0.0
	eachEntry(m, func(_ int, _ int32, a, _ float64) { mean += a / float64(m.Observed()) })
	p.Ratings = data.NewRatings(m.Map(func(_ int, _ int32, v float64) float64 { return by(v - mean) }), p.Ratings.RowIDs, p.Ratings.ColumnIDs)
	return p
}

// TestLossesEqualBruteForce: under any loss, the cost is the least of all selections, each
// minimised by small steps down the slope with the effects as offsets, and no bound is above.
func TestLossesEqualBruteForce(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 20, Columns: 20, K: 2, Missing: 0.2, Noise: 0.5, Seed: 3})
	problem.Rows, problem.RowEncoding = choose(problem.Rows, []int{0, 1, 3}), nil
	problem.Columns, problem.ColumnEncoding = choose(problem.Columns, []int{0, 1, 2}), nil
	for l, by := range map[loss.Loss]func(float64) float64{loss.Logistic: asYesNo, loss.Poisson: asCounts, loss.Huber: func(v float64) float64 { return v }} {
		p := changed(problem, by)
		settings := Settings{K: 2, Loss: l, Statistics: spec.Statistics{Gamma: 0.05}}
		m := must.Get(Fit(context.Background(), p, settings))(t)
		of := loss.Scaled{Loss: l, Unit: m.Summary.Delta}
		entries := p.Ratings.Matrix()
		s := must.Get(align(context.Background(), p, entries, false, ShrunkEffects))(t)
		offsets := learnLevels(entries, of).sums(entries, nil)
		n, cols := entries.Dims()
		cost := func(selection []int) float64 {
			x, u := s.productsOf(part{entries, s.rows}, selection), make([]float64, len(selection))
			at := func(u []float64) (value float64, slope []float64) {
				slope = make([]float64, len(u))
				for a, v := range u {
					value += v * v / settings.Gamma
					slope[a] = 2 * v / settings.Gamma
				}
				e := 0
				eachEntry(entries, func(_ int, _ int32, a, _ float64) {
					sum := offsets[e]
					for c, v := range u {
						sum += v * x[e*len(u)+c]
					}
					v, d, _ := of.At(a, sum)
					value += v
					for c := range u {
						slope[c] += d * x[e*len(u)+c]
					}
					e++
				})
				return value, slope
			}
			value, slope := at(u)
			for step := 1e-2; step > 1e-13; {
				next := slices.Clone(u)
				for c := range u {
					next[c] -= step * slope[c]
				}
				if v, d := at(next); v < value {
					u, value, slope = next, v, d
					step *= 1.5
				} else {
					step /= 2
				}
			}
			return value / float64(n*cols)
		}
		best := math.Inf(1)
		var selected []int
		testkit.Selections(len(s.known.Names)*len(s.columns.Names), 2, nil, nil, func(selection []int) {
			if c := cost(selection); c < best {
				best, selected = c, slices.Clone(selection)
			}
		})
		if !(math.Abs(m.Summary.Cost-best) < 1e-6*best) || m.Summary.Bound > best*(1+1e-9) || !slices.Equal(m.Summary.Selected, s.names(selected)) {
			t.Errorf("%v: %v costs %v, bound %v; the best is %v, %v", l, m.Summary.Selected, m.Summary.Cost, m.Summary.Bound, s.names(selected), best)
		}
	}
}

// TestYesNoAndCountsArePredicted: the true products are found in what is left of the values,
// predictions are better than those of effects alone, new rows and columns included, and are
// the same once saved, taken apart, and as a model of a matrix.
func TestYesNoAndCountsArePredicted(t *testing.T) {
	for l, by := range map[loss.Loss]func(float64) float64{loss.Logistic: asYesNo, loss.Poisson: asCounts} {
		problem, in := cells(t, synth.Config{Rows: 120, Columns: 60, K: 3, Missing: 0.3, Noise: 0.5, Seed: 1})
		problem = changed(problem, by)
		settings := Settings{K: 3, Loss: loss.Auto, HoldoutRows: 0.1, HoldoutColumns: 0.1}
		settings.Holdout = 0.2
		if settings.Loss = SuitableLoss(problem, settings); l == loss.Logistic != (settings.Loss == l) {
			t.Errorf("the loss of %v is %v", l, settings.Loss)
		}
		settings.Loss = l
		m := must.Get(Fit(context.Background(), problem, settings))(t)
		s := &m.Summary
		found := 0
		for _, p := range in.True {
			if slices.Contains(s.Selected, p.Name()) {
				found++
			}
		}
		if found < 3 {
			t.Errorf("%v: found %d of %v: %v", l, found, in.True, s.Selected)
		}
		if a := s.Against; a == nil || a.RMSE >= a.Effects || a.Measure != l.Measure() || s.Holdout.Score() != a.RMSE {
			t.Errorf("%v: %+v, hold-out %+v", l, s.Against, s.Holdout)
		}
		t.Logf("%v: γ %v, gap %v, %+v, new %v %v", l, s.Gamma, s.Gap, *s.Against, s.HoldoutNew.Rows.Score(), s.HoldoutNew.Columns.Score())
		dir := t.TempDir() + "/model"
		must.Do(t, m.Save(dir))
		loaded := must.Get(Load(dir))(t)
		matrix := must.Get(loaded.Matrix())(t)
		sure := must.Get(matrix.Intervals())(t)
		for _, row := range m.Rows.IDs[:10] {
			for _, column := range m.Columns.IDs[:10] {
				want := must.Get(m.Predict(row, column))(t)
				if !(want > 0) || l == loss.Logistic && want >= 1 {
					t.Fatalf("%v: %v", l, want)
				}
				sum := must.Get(loaded.Explain(row, column))(t)
				total := sum.Mean + sum.RowEffect + sum.ColumnEffect
				for _, p := range sum.Parts {
					total += p.Value
				}
				x := must.Get(sure.Answer(row, column, 0.9))(t)
				if sum.Prediction != want || math.Abs(total-sum.Total) > 1e-9 || math.Abs(l.Mean(total)-want) > 1e-9*want || math.Abs(x.Value-want) > 1e-9*want || !(x.Low < want && want < x.High) {
					t.Fatalf("%v: %v; taken apart %+v; as a matrix %+v", l, want, sum, x)
				}
			}
		}
	}
}

// TestFaultyLossesAreRefused: what a loss cannot have, and products that would not fit.
func TestFaultyLossesAreRefused(t *testing.T) {
	problem, _ := cells(t, synth.Config{Rows: 30, Columns: 20, K: 1, Missing: 0.3, Noise: 0.5, Seed: 1})
	for want, settings := range map[string]Settings{
		"is logistic, for 0 (no), 1 (yes)":   {K: 1, Loss: loss.Logistic},
		"refit is least squares":             {K: 1, Loss: loss.Huber, Statistics: spec.Statistics{Refit: spec.LeastSquares}},
		"proof does not apply":               {K: 1, Loss: loss.Huber, Proof: new(bytes.Buffer)},
		"does not apply to a search with he": {K: 1, Proof: new(bytes.Buffer), Effects: NoEffects, Constants: true, Heredity: StrongHeredity},
	} {
		if _, err := Fit(context.Background(), problem, settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	many := &sides{known: &data.Features{Names: make([]string, 700)}, columns: &data.Features{Names: make([]string, 400)}}
	if err := many.tooLarge("loss", problem.Ratings.Matrix()); err == nil || !strings.Contains(err.Error(), "loss needs the products of every entry") {
		t.Error(err)
	}
}

// TestProofsAreVerified: of fits with and without effects, with weights, hold-outs, groups,
// and products always and never selected. A claim that was not shown is a fault, and a proof
// of something else is refused.
func TestProofsAreVerified(t *testing.T) {
	weighted := func(p Problem) Problem {
		m := p.Ratings.Matrix()
		var weights []float64
		eachEntry(m, func(i int, j int32, _, _ float64) { weights = append(weights, 0.5+float64((3*i+int(j))%4)) })
		p.Ratings = data.NewRatings(must.Get(m.WithWeights(weights))(t), p.Ratings.RowIDs, p.Ratings.ColumnIDs)
		return p
	}
	plain, _ := cells(t, synth.Config{Rows: 60, Columns: 30, K: 3, Missing: 0.4, Noise: 1, Seed: 2})
	for name, c := range map[string]struct {
		problem  Problem
		settings Settings
	}{
		"effects":               {plain, Settings{K: 3}},
		"γ that is hard":        {plain, Settings{K: 3, Statistics: spec.Statistics{Gamma: 10}}},
		"a gap":                 {plain, Settings{K: 3, Limits: spec.Limits{Gap: 0.05}}},
		"weights and hold-outs": {weighted(plain), Settings{K: 3, HoldoutRows: 0.1, HoldoutColumns: 0.1, Statistics: spec.Statistics{Holdout: 0.1, Seed: 4}}},
		"always and never":      {plain, Settings{K: 3, Choice: spec.Choice{Always: []string{"age × mass"}, Never: []string{"BRAF"}}}},
		"at most one":           {plain, Settings{K: 3, Choice: spec.Choice{AtMost: []string{"pathway=1"}}}},
		"no effects":            {plain, Settings{K: 2, Effects: NoEffects, Constants: true}},
		"groups":                {grouped(t), Settings{K: 2}},
	} {
		var file bytes.Buffer
		c.settings.Proof = &file
		m := must.Get(Fit(context.Background(), c.problem, c.settings))(t)
		p := must.Get(proof.Read(bytes.NewReader(file.Bytes()), "proof"))(t)
		v, err := Verify(context.Background(), c.problem, &m.Summary, p, 1)
		if err != nil || len(v.Faults) > 0 {
			t.Errorf("%s: %v, %+v", name, err, v)
			continue
		}
		if s := &m.Summary; math.Abs(v.High-s.Cost) > 1e-9*s.Cost || v.Bound < s.Bound*(1-1e-9) {
			t.Errorf("%s: %+v, the model has cost %v, bound %v", name, v, s.Cost, s.Bound)
		}
		wrong := m.Summary
		wrong.Bound, wrong.Gap = wrong.Cost*(1+1e-6), -1e-6
		if v, err := Verify(context.Background(), c.problem, &wrong, p, 1); err != nil || len(v.Faults) == 0 {
			t.Errorf("%s: a bound that was not shown: %v, %+v", name, err, v)
		}
		other := changed(c.problem, func(v float64) float64 { return v * 1.0000001 })
		if _, err := Verify(context.Background(), other, &m.Summary, p, 1); err == nil || !strings.Contains(err.Error(), "other entries") {
			t.Errorf("%s: of other values: %v", name, err)
		}
	}
}

// grouped has a field of either table as a group.
func grouped(t *testing.T) Problem {
	in := must.Get(synth.NewCells(synth.Config{Rows: 60, Columns: 30, K: 3, Missing: 0.4, Noise: 1, Seed: 2}, 0))(t)
	p := Problem{Ratings: must.Get(in.Ratings())(t)}
	for _, side := range []struct {
		table *data.RawTable
		field string
		e     **encode.Encoding
		f     **data.Features
	}{{in.CellTable, "tissue", &p.RowEncoding, &p.Rows}, {in.DrugTable, "pathway", &p.ColumnEncoding, &p.Columns}} {
		options := encode.Options{Scale: encode.AsIs, Keep: true}
		options.Group(side.field)
		var err error
		*side.e, *side.f, _, err = encode.Learn(context.Background(), side.table, options)
		must.Do(t, err)
	}
	return p
}

// TestGroupsCountAsOne: all products of two groups are selected together, as one of the k,
// found by the names of the fields, and the best of all units of which one is selected.
func TestGroupsCountAsOne(t *testing.T) {
	problem := grouped(t)
	fit := func(s Settings) *Summary { return &must.Get(Fit(context.Background(), problem, s))(t).Summary }
	settings := Settings{K: 1, Statistics: spec.Statistics{Gamma: 0.1}}
	best := fit(settings)
	s := must.Get(align(context.Background(), problem, problem.Ratings.Matrix(), false, ShrunkEffects))(t)
	least, name := math.Inf(1), ""
	for u := range s.count() {
		settings.Always = []string{s.unitName(u)}
		if c := fit(settings); c.Cost < least {
			least, name = c.Cost, c.Selected[0]
		}
	}
	if best.Cost != least || best.Selected[0] != name || best.Status != result.Optimal {
		t.Errorf("%v costs %v, the best is %v, %v", best.Selected, best.Cost, name, least)
	}
	settings.K, settings.Always, settings.Never = 2, []string{"tissue × pathway"}, []string{"rows:age"}
	both := fit(settings)
	of := 0
	for _, p := range both.Products {
		if p.Unit == "tissue × pathway" {
			of++
		}
		if p.Row == "age" {
			t.Errorf("%s was never to be selected", p.Name())
		}
	}
	levels := func(c scaling, name string) int {
		return len(c.units[slices.IndexFunc(c.units, func(u unit) bool { return u.name == name })].features)
	}
	if want := levels(s.ofRows, "tissue") * levels(s.ofColumns, "pathway"); of != want || want < 4 || both.K != 2 {
		t.Errorf("%d products of tissue × pathway, not %d, among %v", of, want, both.Selected)
	}
}

// TestWhatTablesSayIsNeverSelected: a field that either table's encoding says is never to be
// selected is in no product; that one always is cannot be said of one side.
func TestWhatTablesSayIsNeverSelected(t *testing.T) {
	problem := grouped(t)
	settings := Settings{K: 1, Statistics: spec.Statistics{Gamma: 0.1}}
	fit := func() (*Model, error) { return Fit(context.Background(), problem, settings) }
	first := must.Get(fit())(t).Summary.Products[0]
	for _, side := range []struct {
		e    *encode.Encoding
		name string
	}{{problem.RowEncoding, first.Row}, {problem.ColumnEncoding, first.Column}} {
		x := slices.IndexFunc(side.e.Groups, func(g encode.Group) bool {
			return slices.ContainsFunc(g.Features, func(f int) bool { return side.e.Features[f].Name == side.name })
		})
		side.e.Groups[x].Never = true
		for _, p := range must.Get(fit())(t).Summary.Products {
			if p.Row == side.name || p.Column == side.name {
				t.Errorf("%s was never to be selected", p.Name())
			}
		}
		settings.Always = []string{first.Unit}
		if first.Unit == "" {
			settings.Always = []string{first.Name()}
		}
		if _, err := fit(); err == nil || !strings.Contains(err.Error(), "both always and never") {
			t.Error(err)
		}
		settings.Always, side.e.Groups[x].Never, side.e.Groups[x].Always = nil, false, true
		if _, err := fit(); err == nil || !strings.Contains(err.Error(), "what is selected are products") {
			t.Error(err)
		}
		side.e.Groups[x].Always = false
	}
}

// TestGammaThatPredictsNoWorse: where the learned γ leaves a gap, a smaller one that was tried is
// taken if it selects the same or predicts no worse.
func TestGammaThatPredictsNoWorse(t *testing.T) {
	for _, c := range []struct{ rmse, want float64 }{{0.9, 0.08}, {1.1, 1}} { // of the selection below 0.5
		l := &learning{unit: 1000, learned: func() float64 { return 1 }, try: func(gamma float64) (result.GammaPoint, error) {
			gap := 1.0
			p := result.GammaPoint{Gamma: gamma, RMSE: 1, RootGap: &gap, Selected: []string{"a"}}
			if gamma < 0.5 {
				p.RMSE, p.Selected = c.rmse, []string{"b"}
			}
			if gamma < 0.02 {
				p.RMSE = 2
			}
			return p, nil
		}, gap: func(gamma float64) (gap, missed float64, err error) { return 1, gamma, nil }}
		gamma, path, err := l.run(context.Background())
		if err != nil || math.Abs(gamma/c.want-1) > 0.9 || (gamma < 0.5) != (c.rmse < 1) {
			t.Errorf("%v: γ %v, %+v, %v", c.rmse, gamma, path, err)
		}
	}
}
