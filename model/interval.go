package model

import (
	"errors"
	"math"

	"optcomplete/model/estimate"
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
		prior, others, f.CoFactors, f.Rank = r.Prior, len(r.Other)+r.CoFactors, r.CoFactors, r.Rank
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
		f.Error, f.ColumnPrior, f.Implicit, f.Loss = m.ColumnError, m.Remainder.ColumnPrior, m.Remainder.Implicit, m.LossOf()
		return f
	}
	if !f.Levels {
		return f
	}
	f.ColumnPrior = []float64{m.columnVariance(prior.Noise, 0)}
	for j := range columns {
		f.Error = append(f.Error, m.columnVariance(prior.Noise, m.columnCount(j)))
	}
	return f
}

// ErrNoIntervals says that a model has nothing to make intervals from.
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
	m    *Model
	of   certainty
	row  int // the one it has; −2: none
	last struct {
		column   int
		variance float64
		known    bool
	} // of the row: intervals of several probabilities share it
	read func(i int) ([]int32, []float64, error)
}

// certainty is how sure the parts of one row after the other are.
type certainty interface {
	// take takes a row by the columns it was fitted on and the weights of its entries,
	// nil if they have none; −1: one of which nothing is known.
	take(row int, columns []int32, weights []float64)
	// sum is the variance of the row's sum for a column, without the noise of an entry;
	// −1: one of which nothing is known.
	sum(column int) float64
	// noise is the variance of an entry around its sum, where that is a number.
	noise() float64
	// coefficient is the variance of the row's coefficient, and of the average row's.
	coefficient(f int) (own, average float64)
	// factor is how many standard deviations of a part an interval of this probability
	// reaches to each side.
	factor(probability float64) float64
	// interval is that of an answer whose sum has this variance, for an entry of this
	// weight.
	interval(a *result.Answer, variance, weight, probability float64)
}

// Intervals prepares to tell how sure predictions are: from the posterior of the
// row's and the column's parameters, and the noise of an entry. What an interval is
// of, [Intervals.Of] says.
func (m *Model) Intervals() (*Intervals, error) {
	_, fitted, err := m.SeenAndFitted() // with the weights, which it may depend on
	if err != nil {
		return nil, err
	}
	of, err := m.sure()
	if err != nil {
		return nil, err
	}
	if !fitted.Known() {
		return nil, ErrEntriesUnknown
	}
	return &Intervals{m: m, of: of, row: -2, read: fitted.Weighed()}, nil
}

// IntervalsOf is Intervals of what was fitted, with this shrinkage of column effects;
// fitted tells the columns that a row was fitted on, and the weights of its entries or
// nil. Model.HasIntervals must be true.
func IntervalsOf(f estimate.Fitted, shrinkage float64, fitted func(row int) ([]int32, []float64, error)) *Intervals {
	m := &Model{Parts: *f.Parts, Entries: f.Entries, ColumnEntries: f.ColumnEntries, ColumnWeights: f.ColumnWeights, ColumnIDs: make([]string, len(f.ColumnEntries)), Features: f.Chosen}
	m.Summary.Terms, m.Summary.ColumnShrinkage = make([]string, f.K), shrinkage
	return &Intervals{m: m, of: m.certainty(), row: -2, read: fitted}
}

// HasIntervals tells whether the model has what intervals are made of, but for the
// entries of its rows.
func (m *Model) HasIntervals() bool {
	_, err := m.sure()
	return err == nil
}

// sure is how sure the model is, or why nobody can tell.
func (m *Model) sure() (certainty, error) {
	if m.ByFeatures && m.Uncertain == nil {
		return nil, noIntervals("the model has products alone, without effects of rows and columns whose posterior intervals could be made of (fit it with effects)")
	}
	if m.ByFeatures {
		return &byFeatures{m: m, row: -1}, nil
	}
	if m.Summary.Weighted && m.ColumnWeights == nil {
		return nil, noIntervals("the model was fitted with weights of entries, but saved without them, and its intervals would be made of them (fit it again)")
	}
	of := m.certainty()
	if of == nil {
		return nil, ErrNoIntervals
	}
	return of, nil
}

// certainty is what the model has; nil: nothing.
func (m *Model) certainty() certainty {
	if m.Link != nil {
		return m.laplace()
	}
	of := m.known()
	if of == nil {
		return nil
	}
	x := &learned{m: m, of: of, factors: map[float64]float64{}}
	x.rows, x.wider, x.freedom = m.all().uncertain()
	return x
}

// known is the posterior, prepared once for all that ask: what it is made of takes as long as
// all columns. It serves one goroutine. nil if there is none.
func (m *Model) known() *remainder.Predictor {
	all := m.all()
	all.knowledge.once.Do(func() {
		if fit := all.posterior(); fit != nil {
			all.knowledge.is = remainder.NewPredictor(fit)
		}
	})
	if all.knowledge.is == nil {
		return nil
	}
	return all.knowledge.is.Another()
}

// Variance is the variance of an entry around its prediction, noise included; −1
// stands for a row or column that the model does not have. Of yes/no and counts it is
// that of the sum, which has no noise.
func (x *Intervals) Variance(row, column int) (float64, error) {
	variance, err := x.sum(row, column)
	return variance + x.of.noise(), err
}

// sum is Variance without the noise.
func (x *Intervals) sum(row, column int) (float64, error) {
	if err := x.take(row); err != nil {
		return 0, err
	}
	if last := &x.last; !last.known || last.column != column {
		last.column, last.variance, last.known = column, x.of.sum(column), true
	}
	return x.last.variance, nil
}

// take makes row the one that x.of has.
func (x *Intervals) take(row int) error {
	if row >= 0 && x.m.Entries[row] == 0 {
		row = -1
	}
	if row == x.row {
		return nil
	}
	var columns []int32
	var weights []float64
	if row >= 0 {
		var err error
		if columns, weights, err = x.read(row); err != nil {
			return err
		}
	}
	x.of.take(row, columns, weights)
	x.row, x.last.known = row, false
	return nil
}

// margins are how far intervals of a row's coefficients reach to each side: of the
// coefficients themselves, and of their differences from the average row's.
type margins struct{ own, difference []float64 }

// rowMargins is empty if the model cannot tell. −1 is a row of which nothing is known:
// the prior's.
func (m *Model) rowMargins(row int, probability float64) (out margins, err error) {
	if m.ByFeatures { // what a row's coefficients are, its features say
		return out, nil
	}
	x, err := m.Intervals()
	if errors.Is(err, ErrNoIntervals) || errors.Is(err, ErrEntriesUnknown) {
		return out, nil
	} else if err != nil {
		return out, err
	}
	if err := x.take(row); err != nil {
		return out, err
	}
	factor := x.of.factor(probability)
	for f := range m.K() {
		own, average := x.of.coefficient(f)
		out.own = append(out.own, factor*math.Sqrt(own))
		out.difference = append(out.difference, factor*math.Sqrt(own+average))
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
	return x.Of(x.m.AnswerAt(i, j), i, j, probability)
}

// Of is an answer with its interval, within the model's range: Low and High hold the
// entry with the given probability, or what is predicted of it where that is a
// probability or a rate. A count itself is then from CountLow to CountHigh.
func (x *Intervals) Of(a result.Answer, row, column int, probability float64) (result.Answer, error) {
	return x.Weighing(a, row, column, 1, probability)
}

// Weighing is Of for an entry of this weight: one of weight w has a w-th of the noise.
func (x *Intervals) Weighing(a result.Answer, row, column int, weight, probability float64) (result.Answer, error) {
	variance, err := x.sum(row, column)
	if err == nil {
		x.of.interval(&a, variance, weight, probability)
	}
	return a, err
}
