package formulation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/encode"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/result"
	"optcomplete/spec"
)

// TestUnitsDoNotMatter: features times any numbers, and plus any, give the same selection,
// certificate and predictions, in every model but paper.
func TestUnitsDoNotMatter(t *testing.T) {
	for name, c := range map[string]struct {
		problem Problem
		s       Settings
	}{
		"full":     {lossInstance(t, loss.Squared, 80, 40, 8, 1), Settings{K: 3}},
		"pooled":   {lossInstance(t, loss.Squared, 80, 40, 8, 2), Settings{K: 3, Model: spec.Pooled}},
		"logistic": {lossInstance(t, loss.Logistic, 80, 40, 6, 3), Settings{K: 2, Loss: loss.Logistic}},
		"poisson":  {lossInstance(t, loss.Poisson, 80, 40, 6, 4), Settings{K: 2, Loss: loss.Poisson}},
		"huber":    {lossInstance(t, loss.Huber, 80, 40, 6, 5), Settings{K: 2, Loss: loss.Huber}},
		"one γ":    {lossInstance(t, loss.Squared, 80, 40, 8, 6), Settings{K: 3, Statistics: spec.Statistics{Gamma: 0.3}}},
	} {
		want := fit(t, c.problem, c.s)
		other := c.problem
		p := len(c.problem.Features.Names)
		values := slices.Clone(c.problem.Features.Values)
		for x := range values {
			f := x % p
			by := math.Pow(10, float64(12*(f%3)-12)/2) // 1e-6, 1, 1e6
			values[x] = by * (values[x] + float64(f%4))
		}
		other.Features = data.NewFeatures(c.problem.Features.IDs, c.problem.Features.Names, values)
		got := fit(t, other, c.s)
		if !slices.Equal(got.Selected, want.Selected) || math.Abs(got.Cost/want.Cost-1) > 1e-8 || math.Abs(got.Bound/want.Bound-1) > 1e-6 || got.Status != want.Status {
			t.Errorf("%s: %v costs %v, bound %v, %v; in other units %v, %v, %v, %v", name, want.Selected, want.Cost, want.Bound, want.Status, got.Selected, got.Cost, got.Bound, got.Status)
		}
		for f, u := range want.Summary.Units.Features {
			if v := got.Summary.Units.Features[f]; math.Abs(v.Gamma-u.Gamma) > 1e-6*u.Gamma || v.Measurable != u.Measurable {
				t.Errorf("%s: feature %s has %+v, in other units %+v", name, u.Name, u, v)
			}
		}
		for i := range 80 {
			for j := range 40 {
				if a, b := want.AnswerAt(i, j).Value, got.AnswerAt(i, j).Value; math.Abs(a-b) > 1e-6*(1+math.Abs(a)) {
					t.Fatalf("%s: entry %d, %d is predicted %v, in other units %v", name, i, j, a, b)
				}
			}
		}
	}
}

// TestCopiesOfAFeature: a copy, or nearly one, of a feature that is selected leaves the
// feature or its copy selected, though both share a variance when they are learned together.
func TestCopiesOfAFeature(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 400, Columns: 80, Features: 20, K: 4, Missing: 0.7, Noise: 1, Seed: 3}))(t)
	problem := Problem{Ratings: in.Ratings, Features: in.Features}
	settings := Settings{K: 4}
	base := fit(t, problem, settings)
	r := random.New(4, 2)
	p := len(in.Features.Names)
	for _, correlation := range []float64{1, 0.99, 0.95} {
		for _, copies := range []int{1, 3} {
			for _, name := range base.Selected {
				f := slices.Index(in.Features.Names, name)
				u := base.Summary.Units.Features[f]
				names := slices.Clone(in.Features.Names)
				for x := range copies {
					names = append(names, name+" copy "+string(rune('a'+x)))
				}
				var values []float64
				for j := range in.Features.IDs {
					row := in.Features.Row(j)
					values = append(values, row...)
					for range copies {
						values = append(values, row[f]+u.Deviation*math.Sqrt(1/(correlation*correlation)-1)*random.NormalOf(r.Uint64()))
					}
				}
				with := fit(t, Problem{Ratings: in.Ratings, Features: data.NewFeatures(in.Features.IDs, names, values)}, settings)
				if !slices.ContainsFunc(with.Selected, func(s string) bool { return strings.HasPrefix(s, name) }) {
					t.Errorf("correlation %v, %d copies: %s is gone from %v (of %d features, γ %v)", correlation, copies, name, with.Selected, p, with.Summary.Units)
				}
			}
		}
	}
}

// TestNothingToLearn: where rows say little or nothing about how much they differ, or
// numbers are extreme, there is an answer in finite numbers.
func TestNothingToLearn(t *testing.T) {
	features := func(columns, p int) *data.Features {
		r := random.New(uint64(columns), uint64(p))
		f := &data.Features{}
		var ids, names []string
		for j := range columns {
			ids = append(ids, "c"+string(rune('a'+j/26))+string(rune('a'+j%26)))
		}
		for j := range p {
			names = append(names, "f"+string(rune('a'+j/26))+string(rune('a'+j%26)))
		}
		values := make([]float64, columns*p)
		for x := range values {
			values[x] = random.NormalOf(r.Uint64())
		}
		f = data.NewFeatures(ids, names, values)
		return f
	}
	problem := func(rows, columns, p int, seen func(i, j int) bool, value func(i, j int) float64) Problem {
		var entries []data.Entry
		var ids []string
		for i := range rows {
			ids = append(ids, "r"+string(rune('a'+i/26))+string(rune('a'+i%26)))
			for j := range columns {
				if seen(i, j) {
					entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: value(i, j)})
				}
			}
		}
		f := features(columns, p)
		return Problem{Ratings: data.NewRatings(must.Get(data.NewMatrix(rows, columns, entries))(t), ids, f.IDs), Features: f}
	}
	all := func(int, int) bool { return true }
	draw := func(i, j int) float64 { return float64((i*7+j*13)%5) + random.Unit(random.Hash(uint64(i), uint64(j))) }
	copied := problem(30, 20, 6, all, draw)
	for j := range 20 {
		row := copied.Features.Row(j)
		row[1], row[2], row[3] = row[0], 3-2*row[0], 7
	}
	grouped := problem(30, 20, 6, all, draw)
	grouped.Encoding = encode.Plain(grouped.Features.Names, grouped.Features.Values)
	grouped.Encoding.Groups = []encode.Group{{Name: "two", Features: []int{0, 1}}, {Name: "one", Features: []int{2}}, {Name: "three", Features: []int{3, 4, 5}}}
	for name, c := range map[string]struct {
		problem Problem
		k       int
		always  []string
	}{
		"no row with two entries":      {problem(20, 20, 5, func(i, j int) bool { return i == j }, draw), 2, nil},
		"all values equal":             {problem(20, 10, 5, all, func(int, int) float64 { return 3 }), 2, nil},
		"one row":                      {problem(1, 20, 5, all, draw), 2, nil},
		"one column":                   {problem(20, 1, 5, all, draw), 2, nil},
		"one entry":                    {problem(1, 1, 3, all, draw), 1, nil},
		"nothing but levels":           {problem(40, 20, 8, all, func(i, j int) float64 { return float64(i) }), 6, nil},
		"an always-selected constant":  {copied, 3, []string{"fad"}},
		"copies":                       {copied, 4, nil},
		"more features than entries":   {problem(40, 30, 60, func(i, j int) bool { return (i+j)%7 == 0 }, draw), 3, nil},
		"huge values":                  {problem(20, 15, 5, all, func(i, j int) float64 { return 1e80 * draw(i, j) }), 2, nil},
		"tiny values":                  {problem(20, 15, 5, all, func(i, j int) float64 { return 1e-80 * draw(i, j) }), 2, nil},
		"values of many sizes":         {problem(20, 15, 5, all, func(i, j int) float64 { return math.Pow(10, float64(i*8-80)) * draw(i, j) }), 2, nil},
		"groups":                       {grouped, 2, nil},
		"huge features beside tiny":    {scaledFeatures(problem(20, 15, 5, all, draw), 1e80, 1e-80), 2, nil},
		"a feature that is not looked": {problem(20, 15, 3, func(i, j int) bool { return j < 2 }, draw), 3, nil},
	} {
		for _, kind := range []spec.Kind{spec.Full, spec.Pooled, spec.Paper} {
			if kind == spec.Paper && strings.HasPrefix(name, "huge features") {
				continue // as given, they are what they are
			}
			m, err := Fit(context.Background(), c.problem, Settings{K: c.k, Model: kind, Choice: spec.Choice{Always: c.always}, Limits: spec.Limits{Threads: 2}})
			if err != nil {
				t.Errorf("%s, %v: %v", name, kind, err)
				continue
			}
			rows, columns := c.problem.Ratings.Dims()
			for i := range rows {
				for j := range columns {
					if v := m.AnswerAt(i, j).Value; math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%s, %v: entry %d, %d is predicted %v", name, kind, i, j, v)
					}
				}
			}
			if len(m.Selected) != c.k || math.IsNaN(m.Cost) || !(m.Bound <= m.Cost) {
				t.Errorf("%s, %v: %v, cost %v, bound %v", name, kind, m.Selected, m.Cost, m.Bound)
			}
			if kind != spec.Paper {
				u := m.Summary.Units
				for _, f := range append(slices.Clone(u.Features), result.FeatureUnit{Gamma: u.Level}) {
					if !(f.Gamma >= 0 && f.Gamma < 1e300) || math.IsNaN(f.Spread) {
						t.Errorf("%s, %v: %+v", name, kind, f)
					}
				}
			}
		}
	}
}

// scaledFeatures multiplies every other feature by one number, and the others by another.
func scaledFeatures(p Problem, a, b float64) Problem {
	values := slices.Clone(p.Features.Values)
	for x := range values {
		values[x] *= []float64{a, b}[x%len(p.Features.Names)%2]
	}
	p.Features = data.NewFeatures(p.Features.IDs, p.Features.Names, values)
	return p
}
