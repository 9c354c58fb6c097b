package model_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/spec"
)

// A feature has one coefficient for a row, whoever is asked: the explanation of
// the row, that of a sum, and that of the population.
func TestOneCoefficientForOneThing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawn(t, rt)
		whole := m.Explain()
		for _, row := range append(m.RowIDs, "nobody") {
			e := must.Get(m.ExplainRow(row, nil))(rt)
			sum := m.ExplainSum(row, m.ColumnIDs[0])
			for _, term := range e.Terms {
				for f, part := range sum.Parts {
					if part.Name != term.Name {
						continue
					}
					if term.Row != part.PerUnit || term.Population != whole.Terms[f].Population {
						rt.Fatalf("%s of row %s: %+v, in the sum %+v, of the population %+v", term.Name, row, term, part, whole.Terms[f])
					}
					owed := whole.Terms[f].NewColumn - whole.Terms[f].Population
					if d := term.NewColumn - term.Row - owed; math.Abs(d) > 1e-9*(1+math.Abs(term.Row)+math.Abs(owed)) {
						rt.Fatalf("a new column adds %v to %v, for the population %v", term.NewColumn, term.Row, owed)
					}
				}
			}
		}
		// Two columns without entries differ by NewColumn, in a row and in the population.
		if b := m.Typical; len(b) > 0 {
			units, more := m.Units(), append([]float64{}, b...)
			more[0] += 1 / units.Scale[0]
			rise := m.NewColumnEffect(more) - m.NewColumnEffect(b) + m.Population[1]/units.Scale[0]
			if want := whole.Terms[0].NewColumn; math.Abs(rise-want) > 1e-6*(1+math.Abs(want)+math.Abs(m.NewColumnEffect(b))) {
				rt.Fatalf("one unit more raises a new column by %v, not %v", rise, want)
			}
		}
	})
}

// planted is rows that differ in the coefficient of one feature, which is known.
func planted(t *testing.T) (m *model.Model, truth []float64) {
	const rows, columns = 400, 60
	s := random.New(5)
	features := &data.Features{Names: []string{"x"}, Values: make([]float64, columns), IDs: make([]string, columns)}
	for j := range columns {
		features.Values[j], features.IDs[j] = s.Normal(), "c"+strconv.Itoa(j)
	}
	var entries []data.Entry
	for i := range rows {
		truth = append(truth, 0.5+s.Normal())
		for j := range columns {
			if s.Float64() < []float64{0.05, 0.6}[i%2] {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: 3 + truth[i]*features.Values[j] + s.Normal()})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(rows, columns, entries))(t)
	return modeltest.Built(t, matrix, features, spec.Pooled, spec.LearnedPrior), truth
}

// The interval of what sets a row apart has the truth as often as it says, and
// where it does not tell, nothing is said.
func TestRowIntervalsCover(t *testing.T) {
	m, truth := planted(t)
	sd := m.Units().SD[0]
	within, told := 0.0, [2]int{}
	for i, row := range m.RowIDs {
		e := must.Get(m.ExplainRow(row, nil))(t)
		term := e.Terms[0]
		if d := (truth[i] - m.Population[1]) * sd; d >= term.Interval.Low && d <= term.Interval.High {
			within++
		}
		if sign := 0; term.Interval.Low > 0 || term.Interval.High < 0 {
			sign = int(math.Copysign(1, term.PerSD))
			told[i%2]++
			if term.Differs != sign {
				t.Errorf("row %s: %+v", row, term)
			}
		} else if term.Differs != 0 {
			t.Errorf("row %s: %+v, with 0 in the interval", row, term)
		}
	}
	if part := within / float64(len(truth)); part < 0.92 || part > 0.98 {
		t.Errorf("95 %% intervals have the truth in %.1f %% of the rows", 100*part)
	}
	if !(told[0] < told[1]/2 && told[1] > 100) {
		t.Errorf("something is said of %d rows with few entries, of %d with many", told[0], told[1])
	}
	nobody, err := m.ExplainRow("nobody", nil)
	if err != nil || nobody.Terms[0].Differs != 0 || nobody.Terms[0].Interval.Low >= 0 {
		t.Errorf("%+v, %v of a row that is not known", nobody, err)
	}
	least := modeltest.Built(t, answersAsMatrix(t, m), &data.Features{Names: []string{"x"}, Values: m.Features, IDs: m.ColumnIDs}, spec.Pooled, spec.LeastSquares)
	e, err := least.ExplainRow(least.RowIDs[1], nil)
	if err != nil || e.Terms[0].Interval != nil || e.Terms[0].Differs != 0 {
		t.Errorf("%+v, %v without a prior", e, err)
	}
}

// answersAsMatrix is some entries where a model's rows had theirs.
func answersAsMatrix(t *testing.T, m *model.Model) *data.Matrix {
	var entries []data.Entry
	for i := range m.RowIDs {
		seen, _, _ := m.Seen(i)
		for _, j := range seen {
			entries = append(entries, data.Entry{Row: int32(i), Column: j, Value: m.AnswerAt(i, int(j)).Value})
		}
	}
	matrix := must.Get(data.NewMatrix(len(m.RowIDs), len(m.ColumnIDs), entries))(t)
	return matrix
}
