package formulation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/spec"
)

// truth is a problem of which everything is known: sums of levels and two features of
// six, of which some entries are observed.
type truth struct {
	Problem
	sum   func(i, j int) float64
	value func(i, j int) float64 // a draw, observed or not
	row   func(i int) []float64  // the coefficients of the two features
}

func drawTruth(t *testing.T, l loss.Loss, n, m int, observed float64) truth {
	t.Helper()
	const p = 6
	s := random.New(7, uint64(l))
	normal := func() float64 { return random.NormalOf(s.Uint64()) }
	var ids, rows, names []string
	b, column, row := make([]float64, m*p), make([]float64, m), make([][3]float64, n)
	for x := range b {
		b[x] = normal()
	}
	for j := range m {
		ids, column[j] = append(ids, fmt.Sprintf("c%03d", j)), 0.5*normal()
	}
	for j := range p {
		names = append(names, fmt.Sprintf("f%d", j))
	}
	for i := range n {
		rows, row[i] = append(rows, fmt.Sprintf("r%03d", i)), [3]float64{0.5 * normal(), 0.7 * normal(), 0.7 * normal()}
	}
	out := truth{sum: func(i, j int) float64 {
		return 0.5 + row[i][0] + column[j] + row[i][1]*b[j*p] + row[i][2]*b[j*p+1]
	}, row: func(i int) []float64 { return row[i][1:] }}
	out.value = func(i, j int) float64 {
		s := random.New(11, uint64(i), uint64(j))
		x, u := out.sum(i, j), random.Unit(s.Uint64())
		switch l {
		case loss.Logistic:
			if u < l.Mean(x) {
				return 1
			}
			return 0
		case loss.Poisson:
			count, below := 0.0, math.Exp(-math.Exp(x))
			for term := below; below < u && count < 1000; below += term {
				count++
				term *= math.Exp(x) / count
			}
			return count
		}
		e := random.NormalOf(s.Uint64())
		if u < 0.1 {
			e *= 15
		}
		return x + e
	}
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if random.Unit(s.Uint64()) < observed {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: out.value(i, j)})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(t)
	out.Problem = Problem{Ratings: data.NewRatings(matrix, rows, ids), Features: data.NewFeatures(ids, names, b)}
	return out
}

// TestIntervalsOfLosses: 90 % intervals of probabilities and of rates hold the true
// ones, those of counts and of values the values, and those of coefficients the true
// coefficients, in about 90 % of cases; of a new row too.
func TestIntervalsOfLosses(t *testing.T) {
	const n, m = 150, 60
	for l, shrinkage := range map[loss.Loss]float64{loss.Logistic: 0, loss.Poisson: 1, loss.Huber: 0} {
		of := drawTruth(t, l, n, m, 0.4)
		settings := Settings{K: 2, Loss: l, NoClip: l != loss.Logistic, Limits: spec.Limits{Gap: 0.5},
			Statistics: spec.Statistics{Seed: 1, ColumnShrinkage: shrinkage}}
		fitted := fit(t, of.Problem, settings)
		x := must.Get(fitted.Intervals())(t)
		held := map[string]float64{}
		within := func(name string, x, low, high, of float64) {
			if x >= low && x <= high {
				held[name] += 1 / of
			}
		}
		for i := range n {
			for j := range m {
				a := must.Get(x.Of(fitted.AnswerAt(i, j), i, j, 0.9))(t)
				switch l {
				case loss.Poisson:
					within("counts", of.value(i, j), a.CountLow, a.CountHigh, n*m)
					fallthrough
				case loss.Logistic:
					within("expected", l.Mean(of.sum(i, j)), a.Low, a.High, n*m)
				default:
					within("values", of.value(i, j), a.Low, a.High, n*m)
				}
			}
			for j := range m { // as a row that nothing is known of
				a := must.Get(x.Of(fitted.AnswerAt(-1, j), -1, j, 0.9))(t)
				if l != loss.Huber {
					within("new row", l.Mean(of.sum(i, j)), a.Low, a.High, n*m)
				}
			}
			row := must.Get(fitted.ExplainRow(fitted.RowIDs[i], nil))(t)
			for _, term := range row.Terms { // 95 %
				truth := of.row(i)[strings.Index("f0f1", term.Name)/2]
				if l == loss.Huber {
					sd := fitted.Units().SD[slices.Index(fitted.Terms, term.Name)]
					within("coefficients", truth*sd, term.Interval.Low, term.Interval.High, 2*n)
				} else {
					within("coefficients", math.Exp(truth), term.RatioInterval.Low, term.RatioInterval.High, 2*n)
				}
			}
		}
		t.Logf("%v: %v", l, held)
		for name, part := range held {
			if part < 0.84 || part > 0.98 { // of yes and no from few entries, Laplace's approximation learns too small variances
				t.Errorf("%v: %s in %.1f %% of the intervals", l, name, 100*part)
			}
		}
	}
}

// TestIntervalsOfAllKinds: losses of values with signs have intervals too, a saved model
// has the same, and no number may be absurd where double precision is at its end.
func TestIntervalsOfAllKinds(t *testing.T) {
	for _, l := range []loss.Loss{loss.Squared, loss.Logistic, loss.Poisson, loss.Huber} {
		problem := lossInstance(t, l, 40, 30, 4, 5)
		fitted := fit(t, problem, Settings{K: 2, Loss: l, Nonnegative: []string{"all"}, Statistics: spec.Statistics{Gamma: 0.1, ColumnShrinkage: 2}})
		loaded := saved(t, fitted)
		one, err := fitted.Intervals()
		if err != nil {
			t.Fatal(l, err)
		}
		other, err := loaded.Intervals()
		if err != nil {
			t.Fatal(l, err)
		}
		for _, column := range []string{"c3", "nobody"} {
			for _, row := range []string{"r1", "nobody"} {
				a := must.Get(one.Answer(row, column, 0.8))(t)
				b, err := other.Answer(row, column, 0.8)
				if a != b || err != nil || !(a.Low < a.Value && a.Value < a.High) {
					t.Errorf("%v %s %s: %+v, of the saved model %+v (%v)", l, row, column, a, b, err)
				}
				if l == loss.Poisson && !(a.CountLow <= a.Value && a.Value <= a.CountHigh) {
					t.Errorf("%v %s %s: %+v", l, row, column, a)
				}
			}
		}
		row := must.Get(fitted.ExplainRow("r1", nil))(t)
		for _, term := range row.Terms {
			if term.Interval == nil || term.Interval.Low < 0 || (term.RatioInterval != nil) != (l == loss.Logistic || l == loss.Poisson) {
				t.Errorf("%v: %+v", l, term)
			}
		}
	}
}
