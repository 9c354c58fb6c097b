package proof_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"optcomplete/feasible"
	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/objective"
	"optcomplete/proof"
	"optcomplete/search"
)

// TestCheckerSharesNothing: what checks a bound must not be what computed it.
func TestCheckerSharesNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		for _, other := range []string{"search", "objective", "internal/kernel", "cutplanes", "milp", "model", "evaluate"} {
			if name == "optcomplete/"+other {
				t.Errorf("the checker depends on %s", name)
			}
		}
	}
}

// problemOf is the problem of an instance, with the paper's cost.
func problemOf(in testkit.Instance) *proof.Problem {
	p := &proof.Problem{Entries: in.Matrix, Features: in.Features, Model: "paper", K: in.K, Gamma: in.Gamma}
	for j, name := range in.Features.Names {
		p.Units = append(p.Units, proof.Unit{Name: name, Features: []int{j}})
	}
	return p
}

type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// proven searches, writes the proof and fills in the problem's claims.
func proven(t fataler, p *proof.Problem, oracle search.Oracle, settings search.Settings) (string, search.Result) {
	t.Helper()
	statement := must.Get(p.Statement(context.Background(), 1))(t)
	var text bytes.Buffer
	w := proof.NewWriter(&text, statement)
	settings.Recorder = w
	result := must.Get(search.Minimize(context.Background(), oracle, settings))(t)
	must.Do(t, w.Finish(result.Selection, result.Cost, result.Bound))
	p.Selected = slices.DeleteFunc(slices.Clone(result.Selection), func(u int) bool { return u >= len(p.Units) })
	p.Cost, p.Bound = result.Cost, max(result.Bound, 0)
	return text.String(), result
}

// verify reads and checks a proof.
func verify(t fataler, p *proof.Problem, text string) *proof.Verdict {
	t.Helper()
	read := must.Get(proof.Read(strings.NewReader(text), "proof"))(t)
	verdict := must.Get(proof.Check(context.Background(), p, read, 2))(t)
	return verdict
}

func indicator(p int, selection []int) []float64 {
	s := make([]float64, p)
	for _, j := range selection {
		s[j] = 1
	}
	return s
}

// within tells whether a selection has no more of each family than it may.
func within(families []proof.Family, selection []int) bool {
	return !slices.ContainsFunc(families, func(f proof.Family) bool {
		return len(selection)-len(lists.Without(selection, f.Units)) > f.Most
	})
}

// least is the least cost of all selections, in 200 bits.
func least(in testkit.Instance, always, never []int, families ...proof.Family) float64 {
	_, p := in.Features.Dims()
	best := math.Inf(1)
	testkit.Selections(p, in.K, always, never, func(selection []int) {
		if within(families, selection) {
			best = min(best, in.Precise(indicator(p, selection)))
		}
	})
	return best
}

type curvedOnly struct{ search.Curved }

// TestVerifiedBoundsAreTrue: whatever ended the search, its proof is accepted, the
// checker's own bound is the search's up to rounding, and never above the truth.
func TestVerifiedBoundsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 9)
		_, dim := in.Features.Dims()
		p := problemOf(in)
		var oracle search.Oracle = objective.NewExact(in.Matrix, in.Features, in.Gamma, 1)
		if rapid.Bool().Draw(t, "without enumeration") {
			oracle = curvedOnly{oracle.(search.Curved)}
		}
		units := rapid.SliceOfNDistinct(rapid.IntRange(0, dim-1), 0, dim, rapid.ID[int]).Draw(t, "units")
		at := min(len(units), in.K, rapid.IntRange(0, 2).Draw(t, "always"))
		p.Always, p.Never = units[:at], units[at:min(len(units), at+dim-in.K, at+2)]
		settings := search.Settings{
			K: in.K, Always: p.Always, Never: p.Never,
			MaxNodes: rapid.IntRange(0, 3).Draw(t, "nodes"), MaxPasses: rapid.IntRange(0, 20).Draw(t, "passes"),
		}
		if rapid.Bool().Draw(t, "families") {
			family := rapid.SliceOfN(rapid.IntRange(0, 2), dim, dim).Draw(t, "family")
			for f := range 2 {
				members, most := []int{}, rapid.IntRange(0, 2).Draw(t, "most")
				for u, of := range family {
					if of == f {
						members = append(members, u)
					}
				}
				settings.Families = append(settings.Families, feasible.Family{Members: members, Most: most})
				p.Families = append(p.Families, proof.Family{Units: members, Most: most})
			}
			if settings.Validate(dim) != nil {
				return
			}
		}
		text, result := proven(t, p, oracle, settings)
		verdict := verify(t, p, text)
		want := least(in, p.Always, p.Never, p.Families...)
		if verdict.Bound > want*(1+1e-15) {
			t.Fatalf("bound %v, but a selection costs %v", verdict.Bound, want)
		}
		own := in.Precise(indicator(dim, result.Selection))
		if own < verdict.Low*(1-1e-15) || own > verdict.High*(1+1e-15) {
			t.Fatalf("the selection costs %v, not %v to %v", own, verdict.Low, verdict.High)
		}
		slack := 1e-9*own + 1e-13*in.Scale() + 1e-280
		if verdict.High-verdict.Low > slack || verdict.Bound < result.Bound-slack {
			t.Fatalf("cost %v to %v, bound %v, claimed %v", verdict.Low, verdict.High, verdict.Bound, result.Bound)
		}
	})
}

// TestProofsOfLearnedUnits: the same where every feature has γ of its own, some 0, and a level
// is always selected; against brute force in exact arithmetic.
func TestProofsOfLearnedUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 7)
		_, dim := in.Features.Dims()
		columns, _ := in.Features.Dims()
		p := problemOf(in)
		p.Model, p.Gamma, p.RowShrinkage, p.ColumnShrinkage = "full", 1, 1, math.MaxFloat64 // no effects of columns
		values := make([]float64, 0, columns*(dim+1))
		for range dim + 1 {
			p.Gammas = append(p.Gammas, in.Gamma*rapid.SampledFrom([]float64{0, 1e-3, 0.3, 1, 7, 100}).Draw(t, "gamma of a feature"))
		}
		for j := range columns {
			for f, b := range in.Features.Row(j) {
				values = append(values, b*math.Sqrt(p.Gammas[f]))
			}
			values = append(values, math.Sqrt(p.Gammas[dim]))
		}
		mean, count := 0.0, 0.0
		rows, _ := in.Matrix.Dims()
		for i := range rows {
			_, x := in.Matrix.Row(i)
			mean, count = mean+floats.Sum(x), count+float64(len(x))
		}
		if count == 0 {
			return
		}
		made := in
		made.Matrix = in.Matrix.Map(func(_ int, _ int32, v float64) float64 { return v - mean/count })
		made.Features, made.Gamma = testkit.Features(columns, dim+1, values), 1
		oracle := objective.NewExact(made.Matrix, made.Features, 1, 1)
		text, result := proven(t, p, oracle, search.Settings{K: in.K + 1, Always: []int{dim}})
		verdict := verify(t, p, text)
		want := math.Inf(1)
		testkit.Selections(dim+1, in.K+1, []int{dim}, nil, func(selection []int) {
			want = min(want, made.Precise(indicator(dim+1, selection)))
		})
		slack := 1e-9*want + 1e-12*in.Scale() + 1e-280
		if verdict.Bound > want+slack || verdict.Bound < result.Bound-slack || math.Abs(verdict.High-result.Cost) > slack {
			t.Fatalf("bound %v, claimed %v, least %v; cost %v, claimed %v", verdict.Bound, result.Bound, want, verdict.High, result.Cost)
		}
		other := *p
		other.Gammas = slices.Clone(p.Gammas)
		other.Gammas[0]++
		if _, err := proof.Check(context.Background(), &other, must.Get(proof.Read(strings.NewReader(text), "proof"))(t), 1); err == nil {
			t.Fatal("a proof of other units is accepted")
		}
	})
}

// TestPooledProofs: the same with a population, against brute force by the cost
// itself.
func TestPooledProofs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 7)
		_, dim := in.Features.Dims()
		p := problemOf(in)
		p.Model, p.Gamma0 = "pooled", in.Gamma*rapid.SampledFrom([]float64{0.1, 1, 30}).Draw(t, "gamma0 by")
		p.Gammas = slices.Repeat([]float64{1}, dim+1)
		mean, count := 0.0, 0
		rows, _ := in.Matrix.Dims()
		for i := range rows {
			_, values := in.Matrix.Row(i)
			for _, x := range values {
				mean, count = mean+x, count+1
			}
		}
		if count == 0 {
			return
		}
		mean /= float64(count)
		centred := in.Matrix.Map(func(_ int, _ int32, v float64) float64 { return v - mean })
		columns, _ := in.Features.Dims()
		values := make([]float64, 0, columns*(dim+1))
		for j := range columns {
			values = append(append(values, in.Features.Row(j)...), 1)
		}
		oracle := objective.NewPooled(objective.NewExact(centred, testkit.Features(columns, dim+1, values), p.Gamma, 1), p.Gamma0)
		text, result := proven(t, p, oracle, search.Settings{K: in.K + 1, Always: []int{dim}})
		verdict := verify(t, p, text)
		want := math.Inf(1)
		testkit.Selections(dim+1, in.K+1, []int{dim}, nil, func(selection []int) {
			cut := must.Get(oracle.Eval(context.Background(), indicator(dim+1, selection)))(t)
			want = min(want, cut.Cost)
		})
		slack := 1e-9*want + 1e-12*in.Scale() + 1e-280
		if verdict.Bound > want+slack || verdict.Bound < result.Bound-slack || math.Abs(verdict.High-result.Cost) > slack {
			t.Fatalf("bound %v (claimed %v), cost %v (claimed %v), optimum %v", verdict.Bound, result.Bound, verdict.High, result.Cost, want)
		}
	})
}

// TestGroupedProofs: units of several features.
func TestGroupedProofs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Draw(t, 10)
		_, dim := in.Features.Dims()
		if dim < 2 {
			return
		}
		var groups [][]int
		p := problemOf(in)
		p.Units = nil
		for j := 0; j < dim; j += 2 {
			members := []int{j}
			if j+1 < dim {
				members = append(members, j+1)
			}
			groups = append(groups, members)
			p.Units = append(p.Units, proof.Unit{Name: in.Features.Names[j], Features: members})
		}
		p.K = min(p.K, len(groups))
		oracle := objective.NewGrouped(objective.NewExact(in.Matrix, in.Features, in.Gamma, 1), groups)
		text, result := proven(t, p, oracle, search.Settings{K: p.K})
		verdict := verify(t, p, text)
		want := math.Inf(1)
		testkit.Selections(len(groups), p.K, nil, nil, func(selection []int) {
			want = min(want, in.Precise(indicator(dim, oracle.Members(selection))))
		})
		slack := 1e-9*want + 1e-13*in.Scale()
		if verdict.Bound > want*(1+1e-15) || verdict.Bound < result.Bound-slack {
			t.Fatalf("bound %v, claimed %v, optimum %v", verdict.Bound, result.Bound, want)
		}
	})
}

// TestThreadsGiveSameVerdict: to the bit.
func TestThreadsGiveSameVerdict(t *testing.T) {
	in := instance(300, 40, 14, 4, 7)
	p := problemOf(in)
	text, _ := proven(t, p, objective.NewExact(in.Matrix, in.Features, in.Gamma, 2), search.Settings{K: in.K})
	read := must.Get(proof.Read(strings.NewReader(text), "proof"))(t)
	var bounds []float64
	for _, threads := range []int{1, 2, 5} {
		verdict, err := proof.Check(t.Context(), p, read, threads)
		if err != nil || len(verdict.Faults) > 0 {
			t.Fatal(err, verdict)
		}
		bounds = append(bounds, verdict.Bound, verdict.High)
	}
	if bounds[0] != bounds[2] || bounds[0] != bounds[4] || bounds[1] != bounds[3] {
		t.Fatalf("%v", bounds)
	}
}

// TestWhatEndsReadingIsSaid, also where it ends in the middle of a line: that line is not
// what is wrong.
func TestWhatEndsReadingIsSaid(t *testing.T) {
	ended := &memory.OverError{Allowed: 1 << 30}
	text := `{"optcomplete_proof":2,"model":"paper"}` + "\n" + `{"point":[0],"wei`
	_, err := proof.Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(ended)), "p")
	if !errors.Is(err, ended) {
		t.Errorf("%v, want %v", err, ended)
	}
}
