package evaluate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/result"
)

// DriftLevel is the probability of finding a drift where there is none, for all tests together.
const DriftLevel = 0.01

// Drift tells whether new entries are as those that a model was fitted to.
type Drift struct {
	Moved   bool        `json:"drift"`
	Level   float64     `json:"level"`   // the probability of a false alarm, of all tests together
	Entries int         `json:"entries"` // that were compared: of rows and columns that had entries
	Rows    int         `json:"rows"`
	Columns int         `json:"columns"`
	New     int         `json:"new_entries"`    // of rows or columns that had none: left out
	Fitted  int         `json:"fitted_entries"` // that the model was fitted to: left out
	Tests   []DriftTest `json:"tests"`
}

// DriftTest compares one number with what it was at the fit.
type DriftTest struct {
	What    string  `json:"what"`              // rmse, level, effect, mean, sd, spread, unselected, selection
	Feature string  `json:"feature,omitempty"` // that it is about; of selection, those that came for others
	Fit     float64 `json:"fit"`
	Now     float64 `json:"now"`
	T       float64 `json:"t"` // difference in standard errors
	P       float64 `json:"p"` // two-sided
	Moved   bool    `json:"moved"`
}

// ErrTooFewForDrift says that nothing can be told.
var ErrTooFewForDrift = errors.New("fewer than 3 rows or 3 columns that the model knows have new entries: too few to tell a drift from chance")

// FindDrift compares entries with those a model was fitted to: the squared errors with those of
// the hold-out, if there was one; their mean; for each selected feature whether its effect has
// moved, which shows as errors that depend on it, and whether its mean or its standard deviation over
// the entries has; and for other features, whose values may be nil, whether errors depend on
// them, which shows that another selection would explain more, and whether such a selection is found. Of the
// rows it tells whether they differ from each other as much as at the fit, in their level and on
// each selected feature.
//
// Entries share the row's and the column's deviations, so variances are clustered by both
// (Cameron, Gelbach and Miller 2011), and differences are compared with Student's t, of as many
// degrees of freedom as the fewer of the two has groups less one. The level is divided by the number of tests
// (Bonferroni). Weights of entries are not used.
func FindDrift(m *model.Model, entries *data.Ratings, others *data.Features) (*Drift, error) {
	c, out, err := compared(m, entries)
	if err != nil {
		return nil, err
	}
	if out.Rows, out.Columns = distinct(c.row), distinct(c.column); min(out.Rows, out.Columns) < 3 {
		return nil, ErrTooFewForDrift
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(min(out.Rows, out.Columns) - 1)}
	add := func(what, feature string, fit, now, variance float64) {
		test := DriftTest{What: what, Feature: feature, Fit: fit, Now: now, P: 1}
		if d := now - fit; variance > 0 && !math.IsInf(d, 0) {
			test.T = d / math.Sqrt(variance)
			test.P = 2 * t.Survival(math.Abs(test.T))
		}
		out.Tests = append(out.Tests, test)
	}
	n := float64(out.Entries)
	if h := m.Summary.Holdout; h != nil && h.RMSE > 0 && h.Entries > 0 {
		square, variance := c.mean(func(e int) float64 { return c.error[e] * c.error[e] })
		add("rmse", "", h.RMSE, math.Sqrt(square), 0)
		last := &out.Tests[len(out.Tests)-1]
		if variance *= 1 + n/float64(h.Entries); variance > 0 {
			last.T = (square - h.RMSE*h.RMSE) / math.Sqrt(variance)
			last.P = 2 * t.Survival(math.Abs(last.T))
		}
	}
	level, variance := c.mean(func(e int) float64 { return c.error[e] })
	add("level", "", 0, level, variance)
	k := m.K()
	for f, name := range m.Summary.Terms {
		at := func(e int) float64 { return m.Features[int(c.column[e])*k+f] }
		slope, variance := c.slope(at)
		add("effect", name, 0, slope, variance)
		mean, sd := spreadAtFit(m, f)
		now, variance := c.mean(at)
		add("mean", name, mean, now, variance*(1+n/float64(m.Summary.Observed)))
		square, variance := c.mean(func(e int) float64 { return (at(e) - mean) * (at(e) - mean) })
		add("sd", name, sd, math.Sqrt(square), 0)
		if last := &out.Tests[len(out.Tests)-1]; variance > 0 {
			last.T = (square - sd*sd) / math.Sqrt(variance*(1+n/float64(m.Summary.Observed)))
			last.P = 2 * t.Survival(math.Abs(last.T))
		}
	}
	rows, wider := c.byRow(m), 1+n/float64(m.Summary.Observed)
	spread(m, rows, wider, func(test DriftTest) { out.Tests = append(out.Tests, test) })
	if others != nil {
		line, err := c.unselected(m, others, add)
		if err != nil {
			return nil, err
		}
		if r := newReselection(m, others, line, rows); r != nil {
			out.Tests = append(out.Tests, r.test(m.Summary.Terms, wider))
		}
	}
	for x := range out.Tests {
		test := &out.Tests[x]
		test.Moved = test.P < DriftLevel/float64(len(out.Tests))
		out.Moved = out.Moved || test.Moved
	}
	return out, nil
}

// unselected tests whether errors depend on features that were not selected.
func (c *comparison) unselected(m *model.Model, others *data.Features, add func(what, feature string, fit, now, variance float64)) (line []int, err error) {
	line = make([]int, len(m.ColumnIDs)) // of the table
	at := map[string]int{}
	for j, id := range others.IDs {
		at[id] = j
	}
	for j, id := range m.ColumnIDs {
		var known bool
		if line[j], known = at[id]; !known {
			return nil, fmt.Errorf("column %s of the model has no features in the table", data.Quote(id))
		}
	}
	p := len(others.Names)
	for f, name := range others.Names {
		if slices.Contains(m.Summary.Terms, name) {
			continue
		}
		slope, variance := c.slope(func(e int) float64 { return others.Values[line[c.column[e]]*p+f] })
		add("unselected", name, 0, slope, variance)
	}
	return line, nil
}

// comparison is entries, and by how much their predictions are off.
type comparison struct {
	row, column  []int32 // of the model
	value, error []float64
}

// compared is the entries that can be compared with those of the fit.
func compared(m *model.Model, entries *data.Ratings) (*comparison, *Drift, error) {
	fitted, err := m.FittedColumns()
	if err != nil {
		return nil, nil, err
	}
	c, out := &comparison{}, &Drift{Level: DriftLevel, Tests: []DriftTest{}}
	columns := make([]int, len(entries.ColumnIDs))
	for j, id := range entries.ColumnIDs {
		var known bool
		if columns[j], known = m.Column(id); !known {
			columns[j] = -1
		}
	}
	for i, id := range entries.RowIDs {
		row, known := m.Row(id)
		here, values := entries.Matrix().Row(i)
		var before []int32
		if known && fitted != nil {
			if before, err = fitted(row); err != nil {
				return nil, nil, err
			}
		}
		for x, at := range here {
			j := columns[at]
			if !known || j < 0 {
				out.New++
				continue
			}
			if _, was := slices.BinarySearch(before, int32(j)); was {
				out.Fitted++
				continue
			}
			a := m.AnswerAt(row, j)
			if a.Basis != result.Known {
				out.New++
				continue
			}
			c.row, c.column = append(c.row, int32(row)), append(c.column, int32(j))
			c.value, c.error = append(c.value, values[x]), append(c.error, values[x]-a.Value)
		}
	}
	out.Entries = len(c.error)
	return c, out, nil
}

func distinct(of []int32) int {
	all := slices.Clone(of)
	slices.Sort(all)
	return len(slices.Compact(all))
}

// mean is the mean of a number of the entries, and the variance of that mean.
func (c *comparison) mean(of func(e int) float64) (mean, variance float64) {
	n := float64(len(c.error))
	for e := range c.error {
		mean += of(e) / n
	}
	return mean, c.clustered(func(e int) float64 { return of(e) - mean }) / (n * n)
}

// slope is by how much errors change with a number of the entries, and its variance.
func (c *comparison) slope(of func(e int) float64) (slope, variance float64) {
	n, centre, level := float64(len(c.error)), 0.0, 0.0
	for e := range c.error {
		centre, level = centre+of(e)/n, level+c.error[e]/n
	}
	square := 0.0
	for e := range c.error {
		x := of(e) - centre
		square += x * x
		slope += x * (c.error[e] - level)
	}
	if !(square > 1e-12*n*(1+centre*centre)) {
		return 0, 0 // it does not vary
	}
	slope /= square
	return slope, c.clustered(func(e int) float64 {
		x := of(e) - centre
		return x * (c.error[e] - level - slope*x)
	}) / (square * square)
}

// clustered is the variance of a sum over entries that share rows and columns: by rows, and by
// columns, less what both count. It is not below that by one of them.
func (c *comparison) clustered(of func(e int) float64) float64 {
	rows, columns := map[int32]float64{}, map[int32]float64{}
	each := 0.0
	for e := range c.error {
		s := of(e)
		rows[c.row[e]] += s
		columns[c.column[e]] += s
		each += s * s
	}
	// In the order of the entries, so that the bits are the same in each run.
	sum := func(sums map[int32]float64, key []int32) (total float64) {
		done := make(map[int32]bool, len(sums))
		for _, k := range key {
			if !done[k] {
				done[k] = true
				total += sums[k] * sums[k]
			}
		}
		g := float64(len(sums))
		return total * g / max(1, g-1)
	}
	byRow, byColumn := sum(rows, c.row), sum(columns, c.column)
	return max(byRow+byColumn-each, byRow, byColumn)
}

// spreadAtFit is mean and standard deviation of a term over the entries of the fit.
func spreadAtFit(m *model.Model, f int) (mean, sd float64) {
	k, n := m.K(), 0.0
	for j, entries := range m.ColumnEntries {
		mean += float64(entries) * m.Features[j*k+f]
		n += float64(entries)
	}
	mean /= max(n, 1)
	for j, entries := range m.ColumnEntries {
		d := m.Features[j*k+f] - mean
		sd += float64(entries) * d * d
	}
	return mean, math.Sqrt(sd / max(n, 1))
}
