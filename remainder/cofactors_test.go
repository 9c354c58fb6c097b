package remainder

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// gathered is data whose rows have entries of what they like: a column's hidden trait
// decides how much, and decides about the entries too as far as telling is above 0.
func gathered(t *testing.T, telling float64) (p Problem, start Start, held *data.Matrix, hidden []float64) {
	t.Helper()
	const n, m, known = 400, 96, 3
	rng := random.New(4)
	p = Problem{Mean: 3, Known: known, Levels: true}
	for range m {
		p.Design = append(p.Design, 1, rng.Normal(), rng.Normal())
		hidden = append(hidden, rng.Normal())
	}
	var train, rest []data.Entry
	for i := range n {
		a, u, v, w := 0.3*rng.Normal(), 0.3*rng.Normal(), 0.3*rng.Normal(), rng.Normal()
		for j := range m {
			b := p.Design[j*known:]
			part := 0.3 / (1 + math.Exp(-3*telling*w*hidden[j]))
			e := data.Entry{Row: int32(i), Column: int32(j), Value: 3 + a + u*b[1] + v*b[2] + 0.5*w*hidden[j] + 0.6*rng.Normal()}
			switch draw := rng.Float64(); {
			case draw < part:
				train = append(train, e)
			case draw < 1.5*part:
				rest = append(rest, e)
			}
		}
	}
	matrix, err := data.NewMatrix(n, m, train)
	if err != nil {
		t.Fatal(err)
	}
	if held, err = data.NewMatrix(n, m, rest); err != nil {
		t.Fatal(err)
	}
	p.Values = matrix
	start = Start{Mean: make([]float64, known), Spread: make([]float64, known*known), Noise: 0.5}
	for x := range known {
		start.Spread[x*known+x] = 0.1
	}
	return p, start, held, hidden
}

func TestCoFactorsAreFoundWhereThePatternTells(t *testing.T) {
	p, start, held, hidden := gathered(t, 1)
	find := func(threads int) *CoFactors {
		c, err := FindCoFactors(context.Background(), p, Settings{Rank: 8, Seed: 1, Threads: threads, Start: start})
		if err != nil || c == nil {
			t.Fatal(c, err)
		}
		return c
	}
	c := find(1)
	if diff := cmp.Diff(c, find(3)); diff != "" {
		t.Error("threads change it:", diff)
	}
	m := len(hidden)
	first := make([]float64, m)
	for j := range m {
		first[j] = c.Traits[j*c.Rank]
	}
	if r := math.Abs(dense.Dot(first, hidden)) / math.Sqrt(dense.Dot(first, first)*dense.Dot(hidden, hidden)); r < 0.8 {
		t.Errorf("the first trait has a correlation of %.2f with the hidden one", r)
	}
	for x := range p.Known {
		sum, size := 0.0, 0.0
		for j := range m {
			sum += first[j] * p.Design[j*p.Known+x]
			size += math.Abs(first[j] * p.Design[j*p.Known+x])
		}
		if math.Abs(sum) > 1e-6*size {
			t.Errorf("feature %d is in the first trait", x)
		}
	}

	// It predicts better with it, and says how much less sure it is of a column without.
	without := must.Get(Learn(context.Background(), p, Settings{Start: start, Threads: 1}))(t)
	with := p
	with.Known, with.CoFactors, with.Design = p.Known+c.Rank, c.Rank, nil
	for j := range m {
		with.Design = append(append(with.Design, p.Design[j*p.Known:][:p.Known]...), c.Traits[j*c.Rank:][:c.Rank]...)
	}
	fit := must.Get(Learn(context.Background(), with, Settings{Start: c.Start, Threads: 1}))(t)
	if a, b := heldError(p, held, without), heldError(p, held, fit); !(b < 0.99*a) {
		t.Errorf("error %.4f with co-occurrence factors, %.4f without", b, a)
	}
	of := NewPredictor(fit)
	columns, values := p.Values.(*data.Matrix).Row(0)
	of.Row(columns, values, nil)
	_, sure := of.Column(0)
	clear(fit.Design[p.Known:fit.Known])
	of = NewPredictor(fit)
	of.Row(columns, values, nil)
	if _, unsure := of.Column(0); !(unsure > sure) {
		t.Errorf("variance %v of a column without co-occurrence factors, %v with", unsure, sure)
	}
}

// heldError is the root mean square error on other entries.
func heldError(p Problem, held *data.Matrix, f *Fit) float64 {
	of := NewPredictor(f)
	sum := 0.0
	n, _ := held.Dims()
	for i := range n {
		at, known := p.Values.(*data.Matrix).Row(i)
		of.Row(at, known, nil)
		columns, values := held.Row(i)
		for x, c := range columns {
			mean, _ := of.Column(int(c))
			sum += (mean - values[x]) * (mean - values[x])
		}
	}
	return math.Sqrt(sum / float64(held.Observed()))
}

func TestNoCoFactorsWhereThePatternTellsNothing(t *testing.T) {
	p, start, _, _ := gathered(t, 0)
	c, err := FindCoFactors(context.Background(), p, Settings{Rank: 8, Seed: 1, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	if c != nil {
		t.Errorf("%d traits", c.Rank)
	}
	// Nor where every row has every column.
	var all []data.Entry
	for i := range 30 {
		for j := range 96 {
			all = append(all, data.Entry{Row: int32(i), Column: int32(j), Value: float64((i*j)%5) + 1})
		}
	}
	if p.Values, err = data.NewMatrix(30, 96, all); err != nil {
		t.Fatal(err)
	}
	c, err = FindCoFactors(context.Background(), p, Settings{Rank: 8, Seed: 1, Start: start})
	if err != nil || c != nil {
		t.Errorf("a full matrix: %d traits", c.Rank)
	}
}
