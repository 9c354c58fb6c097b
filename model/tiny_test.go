package model_test

import (
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/spec"
)

// On a table that one can read at a glance, noise and prior are badly known. The
// intervals of explain and predict have the truth all the same as often as they say:
// without allowing for that they had it in 75 of 100 cases.
func TestIntervalsOfTinyTablesCover(t *testing.T) {
	const rows, columns, tables = 8, 6, 60
	for _, kind := range []spec.Kind{spec.Full, spec.Pooled} {
		s := random.New(77)
		var explained, predicted [2]float64 // with the truth, in all
		count := func(c *[2]float64, truth, low, high float64) {
			c[1]++
			if truth >= low && truth <= high {
				c[0]++
			}
		}
		for range tables {
			f := &data.Features{Names: []string{"x", "y"}, IDs: make([]string, columns)}
			for j := range columns {
				f.IDs[j] = "c" + strconv.Itoa(j)
				f.Values = append(f.Values, s.Normal(), s.Normal())
			}
			var entries, held []data.Entry
			var u [rows][2]float64
			mean := map[string]float64{}
			for i := range rows {
				u[i] = [2]float64{0.5 + s.Normal(), s.Normal()}
				mean["x"], mean["y"] = mean["x"]+u[i][0]/rows, mean["y"]+u[i][1]/rows
				level := 3 + 0.5*s.Normal()
				for j := range columns {
					e := data.Entry{Row: int32(i), Column: int32(j), Value: level + u[i][0]*f.Values[2*j] + u[i][1]*f.Values[2*j+1] + 0.7*s.Normal()}
					if s.Float64() < []float64{0.2, 0.7}[i%2] {
						entries = append(entries, e)
					} else {
						held = append(held, e)
					}
				}
			}
			matrix := must.Get(data.NewMatrix(rows, columns, entries))(t)
			m := modeltest.Built(t, matrix, f, kind, spec.LearnedPrior)
			x := must.Get(m.Intervals())(t)
			sd := map[string]float64{"x": m.Units().SD[0], "y": m.Units().SD[1]}
			for i, row := range m.RowIDs {
				e := must.Get(m.ExplainRow(row, nil))(t)
				for _, term := range e.Terms {
					truth := u[i][0]
					if term.Name == "y" {
						truth = u[i][1]
					}
					count(&explained, (truth-mean[term.Name])*sd[term.Name], term.Interval.Low, term.Interval.High)
				}
			}
			for _, e := range held {
				sure := must.Get(x.Of(m.AnswerAt(int(e.Row), int(e.Column)), int(e.Row), int(e.Column), 0.95))(t)
				count(&predicted, e.Value, sure.Low, sure.High)
			}
		}
		for name, c := range map[string][2]float64{"explain": explained, "predict": predicted} {
			if part := c[0] / c[1]; part < 0.91 || part > 0.99 {
				t.Errorf("%v: 95 %% intervals of %s have the truth in %.1f %%", kind, name, 100*part)
			}
		}
	}
}
