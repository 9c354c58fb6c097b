package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"optcomplete/remainder"
	"optcomplete/result"
)

// posterior is what the model knows, and how well, as package remainder has it:
// of a fitted remainder, or of effects and coefficients under a learned prior. nil
// if the model has no such prior.
func (m *Model) posterior() *remainder.Fit {
	k, columns := m.K(), len(m.ColumnIDs)
	f := &remainder.Fit{Levels: m.ColumnEffects != nil, Mean: m.Mean}
	prior, others := m.Prior, 0
	if r := m.Remainder; r != nil {
		prior, others, f.Rank = r.Prior, len(r.Other), r.Rank
	}
	if prior == nil {
		return nil
	}
	first := 0
	if m.RowEffects != nil {
		first = 1
	}
	f.Known = first + k + others
	f.Prior, f.Spread, f.Noise = prior.Mean, prior.Covariance, prior.Noise
	all := others + f.Rank
	for j := range columns {
		if first == 1 {
			f.Design = append(f.Design, 1)
		}
		f.Design = append(append(f.Design, m.ColumnFeatures(j)...), m.ColumnRemainder[j*all:][:others]...)
		if f.Levels {
			f.Columns = append(f.Columns, m.ColumnEffects[j])
		}
		f.Columns = append(f.Columns, m.ColumnRemainder[j*all+others:][:f.Rank]...)
	}
	if m.Remainder != nil {
		f.Error, f.ColumnPrior, f.Habits = m.ColumnError, m.Remainder.ColumnPrior, m.Remainder.Habits
		return f
	}
	if !f.Levels {
		return f
	}
	// Column effects by themselves: the noise over entries and shrinkage.
	variance := func(entries int32) float64 { return prior.Noise / max(float64(entries)+m.ColumnShrinkage, 1e-3) }
	f.ColumnPrior = []float64{variance(0)}
	for j := range columns {
		f.Error = append(f.Error, variance(m.ColumnEntries[j]))
	}
	return f
}

// ErrNoIntervals says that a model has no prior to make intervals from.
var ErrNoIntervals = errors.New("the model has no learned prior, which intervals are made of (fit it with Settings.Refit prior, or Settings.ResidualRank auto)")

// noIntervals is ErrNoIntervals in other words.
type noIntervals string

func (e noIntervals) Error() string { return string(e) }

// Is ErrNoIntervals.
func (e noIntervals) Is(other error) bool { return other == ErrNoIntervals }

// ErrEntriesUnknown says that a model does not know which entries its rows had.
var ErrEntriesUnknown = errors.New("the model was saved without the entries of its rows, which intervals are made of")

// FittedColumns gives a function that tells which columns, increasing, a row was
// fitted on, valid until the next call; nil if the model does not know.
func (m *Model) FittedColumns() (func(row int) ([]int32, error), error) {
	_, fitted, err := m.SeenAndFitted()
	if err != nil || !fitted.Known() {
		return nil, err
	}
	return fitted.Reader(), nil
}

// Intervals tells how sure predictions are. It serves one goroutine.
type Intervals struct {
	m                    *Model
	of                   *remainder.Predictor
	row                  int // the one it has; −2: none
	at                   []float64
	read                 func(i int) ([]int32, error)
	rows, wider, freedom float64 // see Model.uncertain
}

// Intervals prepares to tell how sure predictions are: from the posterior of the
// row's and the column's parameters, and the noise of an entry.
func (m *Model) Intervals() (*Intervals, error) {
	if m.ByFeatures {
		return nil, noIntervals("the rows of the model are known by their features, and have no coefficients of their own whose posterior intervals could be made of")
	}
	if m.Link != nil {
		return nil, noIntervals(fmt.Sprintf("the model was fitted by the %v loss with coefficients held back by γ: it has no learned prior, which intervals are made of", m.Link.Scaled.Loss))
	}
	fit := m.posterior()
	if fit == nil {
		return nil, ErrNoIntervals
	}
	read, err := m.FittedColumns()
	if err != nil {
		return nil, err
	}
	if read == nil {
		return nil, ErrEntriesUnknown
	}
	x := &Intervals{m: m, of: remainder.NewPredictor(fit), row: -2, read: read}
	x.rows, x.wider, x.freedom = m.uncertain()
	return x, nil
}

// uncertain is the number R of rows with entries, by how much variances are to be multiplied, and the degrees of
// freedom of Student's distribution that takes the place of the normal, because
// noise and prior are estimates too. N entries of R rows gave the noise, the d
// means and d(d+1)/2 covariances of the prior, and the column effects, each a
// fraction n/(n + shrinkage) of a number. With h of these in all, an estimate of
// maximum likelihood is too small by about (N − h)/N, and the covariances of R rows
// by (R − d)/R. (d is without what a remainder adds: its prior is shrunk.) With thousands of rows the difference cannot be seen.
func (m *Model) uncertain() (rows, wider, freedom float64) {
	d, entries := m.K(), 0.0
	if m.RowEffects != nil {
		d++
	}
	for _, n := range m.Entries {
		if n > 0 {
			entries, rows = entries+float64(n), rows+1
		}
	}
	h := float64(1 + d + d*(d+1)/2)
	if m.ColumnEffects != nil {
		for _, n := range m.ColumnEntries {
			h += float64(n) / max(float64(n)+m.ColumnShrinkage, 1)
		}
	}
	byEntries, byRows := max(1, entries-h), max(1, rows-float64(d))
	return rows, max(1, entries/byEntries, rows/byRows), min(byEntries, byRows)
}

// factor is how many standard deviations of the posterior an interval of this
// probability reaches to each side.
func (x *Intervals) factor(probability float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: x.freedom}
	return math.Sqrt(x.wider) * t.Quantile((1+probability)/2)
}

// Variance is the variance of an entry around its prediction, noise included; −1
// stands for a row or column that the model does not have.
func (x *Intervals) Variance(row, column int) (float64, error) {
	if err := x.take(row); err != nil {
		return 0, err
	}
	_, variance := x.of.Column(column)
	return variance + x.of.Noise, nil
}

// take makes row the one that x.of has.
func (x *Intervals) take(row int) error {
	m := x.m
	if row >= 0 && m.Entries[row] == 0 {
		row = -1
	}
	if row == x.row {
		return nil
	}
	if row < 0 {
		x.of.Row(nil, nil)
	} else {
		columns, err := x.read(row)
		if err != nil {
			return err
		}
		x.at = x.at[:0]
		if m.RowEffects != nil {
			x.at = append(x.at, m.RowEffects[row])
		}
		f := m.Factors()
		x.at = append(append(x.at, m.Coefficients.Row(row)...), m.RowRemainder[row*f:][:f]...)
		x.of.KnownRow(columns, x.at)
	}
	x.row = row
	return nil
}

// rowMargins is how far the interval of the difference between each of a row's
// coefficients and the average row's reaches to each side; nil if the model cannot tell. −1 is a row of which nothing is known:
// the prior's.
func (m *Model) rowMargins(row int, probability float64) ([]float64, error) {
	x, err := m.Intervals()
	if errors.Is(err, ErrNoIntervals) || errors.Is(err, ErrEntriesUnknown) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := x.take(row); err != nil {
		return nil, err
	}
	first := 0
	if m.RowEffects != nil {
		first = 1
	}
	out := make([]float64, m.K())
	for f := range out {
		at := first + f
		average := x.of.Spread[at*len(x.of.Prior)+at] / max(1, x.rows)
		out[f] = x.factor(probability) * math.Sqrt(x.of.RowVariance(at)+average)
	}
	return out, nil
}

// Answer is the model's answer with its interval.
func (x *Intervals) Answer(row, column string, probability float64) (result.Answer, error) {
	i, ok := x.m.Row(row)
	if !ok {
		i = -1
	}
	j, ok := x.m.Column(column)
	if !ok {
		j = -1
	}
	a := x.m.AnswerAt(i, j)
	var err error
	a.Low, a.High, err = x.Of(a, i, j, probability)
	return a, err
}

// Of is the interval around an answer that has the entry with the given
// probability, within the model's range.
func (x *Intervals) Of(a result.Answer, row, column int, probability float64) (low, high float64, err error) {
	variance, err := x.Variance(row, column)
	by := x.factor(probability) * math.Sqrt(variance)
	return x.m.Clipped(a.Unclipped - by), x.m.Clipped(a.Unclipped + by), err
}
