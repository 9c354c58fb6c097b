package optcomplete_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/formulation"
	"optcomplete/internal/kernel"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/regress"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
	"optcomplete/twosided"
)

var update = flag.Bool("update", false, "write testdata/pins.txt anew")

// pinned is a problem of 40 × 24, with a dozen features and values that suit a loss.
func pinned(l loss.Loss, weighted bool) formulation.Problem { return pinnedRows(40, l, weighted) }

func pinnedRows(n int, l loss.Loss, weighted bool) formulation.Problem {
	const m, p = 24, 12
	s := random.New(7, uint64(l))
	features := &data.Features{Values: make([]float64, m*p)}
	for x := range features.Values {
		features.Values[x] = s.Normal()
	}
	for f := range p {
		features.Names = append(features.Names, fmt.Sprintf("f%02d", f))
	}
	var rows []string
	for j := range m {
		features.IDs = append(features.IDs, fmt.Sprintf("c%02d", j))
	}
	var entries []data.Entry
	var weights []float64
	for i := range n {
		rows = append(rows, fmt.Sprintf("r%02d", i))
		level, own := s.Normal()/2, [3]float64{0.5 + s.Normal(), s.Normal(), s.Normal() / 2}
		for j := range m {
			if s.Float64() < 0.4 {
				continue
			}
			b := features.Row(j)
			x := 1 + level + own[0]*b[0] + own[1]*b[3] + own[2]*b[5]
			v := x + s.Normal()
			switch l {
			case loss.Logistic:
				v = 0
				if x > s.Normal() {
					v = 1
				}
			case loss.Poisson:
				v = math.Floor(4 * s.Float64() / (1 + math.Abs(x)) * (2 + math.Abs(x)))
			}
			entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
			weights = append(weights, 0.5+s.Float64())
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err == nil && weighted {
		matrix, err = matrix.WithWeights(weights)
	}
	if err != nil {
		panic(err)
	}
	return formulation.Problem{Ratings: data.NewRatings(matrix, rows, features.IDs), Features: features}
}

// grouped selects features 0 and 3 of a problem together, and 5 to 7.
func grouped(p formulation.Problem) formulation.Problem {
	p.Encoding = encode.Plain(p.Features.Names, p.Features.Values)
	p.Encoding.Groups = []encode.Group{{Name: "pair", Features: []int{0, 3}}, {Name: "three", Features: []int{5, 6, 7}}}
	for _, f := range []int{1, 2, 4, 8, 9, 10, 11} {
		p.Encoding.Groups = append(p.Encoding.Groups, encode.Group{Name: p.Features.Names[f], Features: []int{f}})
	}
	return p
}

// pinnedSides is a problem with features of rows too.
func pinnedSides(weighted bool) twosided.Problem {
	p := pinned(loss.Squared, weighted)
	s := random.New(8)
	rows := data.NewFeatures(p.Ratings.RowIDs, []string{"x0", "x1", "x2"}, make([]float64, 3*len(p.Ratings.RowIDs)))
	for x := range rows.Values {
		rows.Values[x] = s.Normal()
	}
	columns := &data.Features{IDs: p.Features.IDs, Names: p.Features.Names[:4]}
	for j := range columns.IDs {
		columns.Values = append(columns.Values, p.Features.Row(j)[:4]...)
	}
	matrix := p.Ratings.Source().(*data.Matrix)
	var entries []data.Entry
	for i := range rows.IDs {
		at, values := matrix.Row(i)
		for x, j := range at {
			v := values[x] + 2*rows.Row(i)[0]*columns.Row(int(j))[1] - rows.Row(i)[2]*columns.Row(int(j))[2]
			entries = append(entries, data.Entry{Row: int32(i), Column: j, Value: v})
		}
	}
	n, m := matrix.Dims()
	changed, err := data.NewMatrix(n, m, entries)
	if err == nil {
		changed, err = changed.WithWeights(matrix.Weights())
	}
	if err != nil {
		panic(err)
	}
	return twosided.Problem{Ratings: data.NewRatings(changed, rows.IDs, columns.IDs), Columns: columns, Rows: rows}
}

// pinnedTable is 60 rows of eight features.
func pinnedTable(l loss.Loss, weighted bool) regress.Problem {
	s := random.New(9, uint64(l))
	var p regress.Problem
	for f := range 8 {
		p.Names = append(p.Names, fmt.Sprintf("f%d", f))
	}
	for range 60 {
		row := make([]float64, 8)
		for f := range row {
			row[f] = s.Normal() + float64(f)
		}
		x := 1 + row[1] - 1.5*row[4] + row[6]/2
		y := x + s.Normal()
		switch l {
		case loss.Logistic:
			y = 0
			if x > s.Normal() {
				y = 1
			}
		case loss.Poisson:
			y = math.Floor(3 * s.Float64() * math.Exp(x/4))
		}
		p.X, p.Y = append(p.X, row...), append(p.Y, y)
		if weighted {
			p.Weights = append(p.Weights, 0.5+s.Float64())
		}
	}
	return p
}

// TestPins compares small fits of every kind with testdata/pins.txt: the bits of γ, cost and
// bound, what the search did, and the selection; errors to ten digits. A change that moves some on
// purpose says which and why, and writes the file anew by `go test -run TestPins . -update`.
func TestPins(t *testing.T) {
	if runtime.GOARCH != "amd64" || !kernel.Accelerated() {
		t.Skip("the numbers are those of amd64 with vectors")
	}
	var out strings.Builder
	bits := func(x float64) string { return fmt.Sprintf("%.6g:%016x", x, math.Float64bits(x)) }
	certified := func(name string, gamma float64, c *result.Certificate, selected []string, errors string) {
		fmt.Fprintf(&out, "%s\n  gamma %s cost %s bound %s status %v cuts %d passes %d nodes %d\n  selected %s errors %s\n",
			name, bits(gamma), bits(c.Cost), bits(c.Bound), c.Status, c.Cuts, c.Passes, c.Nodes, strings.Join(selected, " "), errors)
		for _, tie := range c.NearTies {
			fmt.Fprintf(&out, "  near %s %s\n", bits(tie.Cost), strings.Join(tie.Selected, " "))
		}
	}
	type settings = formulation.Settings
	type statistics = spec.Statistics
	const seed = 3
	matrix := func(name string, problem formulation.Problem, s settings) {
		if s.Seed, s.Threads = seed, 2; !formulation.Baseline(s.Method) {
			s.K = 3
		}
		m := must.Get(formulation.Fit(context.Background(), problem, s))(t)
		errors := fmt.Sprintf("%.10g", m.Summary.Train.Score())
		if m.Summary.Holdout != nil {
			errors += fmt.Sprintf(" %.10g", m.Summary.Holdout.Score())
		}
		if u := m.Summary.Units; u != nil {
			errors += fmt.Sprintf(" level %s noise %s first %s", bits(u.Level), bits(u.Noise), bits(u.Features[0].Gamma))
		}
		certified(name, m.Summary.Gamma, &m.Certificate, m.Summary.Selected, errors)
	}
	points := func(name string, r *selection.PathResult) {
		fmt.Fprintf(&out, "%s: best %d chosen %d\n", name, r.Best, r.Chosen)
		for _, p := range r.Points {
			certified(fmt.Sprintf("%s %d", name, p.K), r.Gamma, &p.Certificate, p.Selected, fmt.Sprintf("%.10g %.10g", p.Train, p.Validation))
		}
		if s := r.Stability; s != nil {
			fmt.Fprintf(&out, "  stability %d of %d %v %v\n", s.Same, s.Resamples, s.Features, s.Replacements)
		}
	}
	squared := pinned(loss.Squared, false)
	weighted := pinned(loss.Squared, true)
	paper := func(s settings) settings { s.Model = spec.Paper; return s }
	choice := spec.Choice{Always: []string{"f07"}, Never: []string{"f03"}}

	matrix("paper", squared, paper(settings{}))
	matrix("paper, gamma given", squared, paper(settings{Statistics: statistics{Gamma: 0.5}}))
	matrix("paper, always and never", squared, paper(settings{Choice: choice}))
	matrix("paper, weights", weighted, paper(settings{}))
	matrix("paper, groups", grouped(squared), paper(settings{}))
	matrix("paper, hold-out", squared, paper(settings{Statistics: statistics{Holdout: 0.2}}))
	matrix("paper, cutplanes", squared, paper(settings{Method: formulation.CutPlanes{}}))
	matrix("paper, optcomplete", squared, paper(settings{Method: formulation.OptComplete{SampleRows: 20}}))
	matrix("paper, optcomplete, certified", squared, paper(settings{Method: formulation.OptComplete{SampleRows: 20, Certify: true}}))
	matrix("paper, samples", squared, paper(settings{Method: formulation.Certified{Sampling: formulation.AlwaysSampling}}))
	matrix("paper, learned refit", squared, paper(settings{Statistics: statistics{Refit: spec.LearnedPrior}}))

	matrix("full", squared, settings{})
	matrix("full, gamma given", squared, settings{Statistics: statistics{Gamma: 0.5}})
	matrix("full, factor", squared, settings{Statistics: statistics{GammaFactor: 0.3}})
	matrix("full, always and never", squared, settings{Choice: choice})
	matrix("full, groups", grouped(squared), settings{})
	matrix("full, weights", weighted, settings{})
	matrix("full, hold-out", squared, settings{Statistics: statistics{Holdout: 0.2, ColumnShrinkage: 4}})
	matrix("full, cutplanes", squared, settings{Method: formulation.CutPlanes{}})
	matrix("full, samples", squared, settings{Method: formulation.Certified{Sampling: formulation.AlwaysSampling}})
	matrix("full, remainder refused by its trial", squared, settings{ResidualRank: 2})
	matrix("full, remainder", pinnedRows(200, loss.Squared, false), settings{ResidualRank: 2})
	matrix("full, remainder, weights", pinnedRows(200, loss.Squared, true), settings{ResidualRank: formulation.AutoRank})

	pooled := settings{Model: spec.Pooled}
	matrix("pooled", squared, pooled)
	matrix("pooled, weights", weighted, pooled)
	pooled.Gamma0, pooled.Choice = 3, choice
	matrix("pooled, gamma0, always and never", squared, pooled)

	for _, l := range []loss.Loss{loss.Logistic, loss.Poisson, loss.Huber} {
		matrix(l.String(), pinned(l, false), settings{Loss: l})
	}
	matrix("logistic, weights, hold-out", pinned(loss.Logistic, true), settings{Loss: loss.Logistic, Statistics: statistics{Holdout: 0.2}})
	matrix("huber, delta, always and never", pinned(loss.Huber, false), settings{Loss: loss.Huber, Delta: 1.5, Choice: choice})
	matrix("nonnegative", squared, settings{Nonnegative: []string{"all"}})
	matrix("nonnegative, groups, gamma given", grouped(squared), settings{Nonnegative: []string{"pair"}, Statistics: statistics{Gamma: 0.5}})

	matrix("effects", squared, settings{Method: formulation.EffectsOnly{}})
	matrix("softimpute", squared, settings{Method: formulation.SoftImpute{Rank: 2}})
	matrix("imc", squared, settings{Method: formulation.IMC{Rank: 2}})

	for _, s := range []settings{{}, paper(settings{}), {Model: spec.Pooled}} {
		s.Seed = seed
		r := must.Get(formulation.Path(context.Background(), squared, s, selection.PathSettings{KMax: 3, Folds: 2, Bootstrap: 2}))(t)
		points("path "+s.Model.String(), r)
	}

	products := func(name string, problem twosided.Problem, s twosided.Settings) {
		s.K, s.Seed = 3, seed
		m := must.Get(twosided.Fit(context.Background(), problem, s))(t)
		errors := fmt.Sprintf("%.10g", m.Summary.Train.RMSE)
		if m.Summary.Holdout != nil {
			errors += fmt.Sprintf(" %.10g", m.Summary.Holdout.RMSE)
		}
		certified(name, m.Summary.Gamma, &m.Summary.Certificate, m.Summary.Selected, errors)
	}
	sides := pinnedSides(false)
	products("products", sides, twosided.Settings{})
	products("products, weights, hold-outs", pinnedSides(true), twosided.Settings{HoldoutRows: 0.1, Statistics: statistics{Holdout: 0.2}})
	products("products, always and never", sides, twosided.Settings{Choice: spec.Choice{Always: []string{"x1 × f00"}, Never: []string{"x0 × f01"}}})
	plain := twosided.Settings{Effects: twosided.NoEffects, Constants: true}
	products("products without effects", sides, plain)
	plain.Heredity = twosided.StrongHeredity
	products("products, strong heredity", sides, plain)
	plain.Heredity = twosided.WeakHeredity
	products("products, weak heredity", sides, plain)
	points("path of products", must.Get(twosided.Path(context.Background(), sides, twosided.Settings{Statistics: statistics{Seed: seed}}, selection.PathSettings{KMax: 3, Folds: 2, Bootstrap: 2}))(t))

	regression := func(name string, problem regress.Problem, s regress.Settings) {
		s.K, s.Seed = 3, seed
		r := must.Get(regress.Fit(context.Background(), problem, s))(t)
		errors := fmt.Sprintf("%.10g", r.RMSE)
		if r.Holdout != nil {
			errors += fmt.Sprintf(" %.10g", r.Holdout.RMSE)
		}
		certified(name, r.Gamma, &r.Certificate, r.Selected, errors)
	}
	table := pinnedTable(loss.Squared, false)
	regression("table", table, regress.Settings{})
	regression("table, ridge, weights, hold-out", pinnedTable(loss.Squared, true), regress.Settings{Statistics: statistics{Refit: spec.Ridge, Holdout: 0.2}})
	regression("table, no intercept, always and never", table, regress.Settings{NoIntercept: true, Choice: spec.Choice{Always: []string{"f2"}, Never: []string{"f4"}}})
	regression("table, nonnegative", table, regress.Settings{Nonnegative: []string{"f1", "f4"}})
	for _, l := range []loss.Loss{loss.Logistic, loss.Poisson, loss.Huber} {
		regression("table, "+l.String(), pinnedTable(l, l == loss.Poisson), regress.Settings{Loss: l})
	}
	r := must.Get(regress.Path(context.Background(), table, regress.Settings{Statistics: statistics{Seed: seed}}, selection.PathSettings{KMax: 3, Folds: 3, Bootstrap: 2}))(t)
	points("path of a table", r.PathResult)

	golden := filepath.Join("testdata", "pins.txt")
	if *update {
		must.Do(t, os.WriteFile(golden, []byte(out.String()), 0o644))
	}
	want := strings.Split(string(must.Get(os.ReadFile(golden))(t)), "\n")
	name := ""
	for x, line := range strings.Split(out.String(), "\n") {
		if !strings.HasPrefix(line, "  ") {
			name = line
		}
		if x >= len(want) || line != want[x] {
			old := ""
			if x < len(want) {
				old = want[x]
			}
			t.Errorf("%s: line %d of %s is\n%s\nand was\n%s", name, x+1, golden, line, old)
		}
	}
}
