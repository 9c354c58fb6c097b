package estimate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/dense"
	"optcomplete/remainder"
	"optcomplete/spec"
)

// What explanations call the parts of the remainder.
const (
	Unnamed    = "unnamed remainder"
	OtherNamed = "other features"
)

// Remainder describes what predictions have besides effects and selected features:
// coefficients of the other features, shrunken by a learned prior, and unnamed
// traits, of which every row and every column has this many. Together they are
// the factors of the remainder: a prediction adds the product of the row's and
// the column's. See package remainder.
type Remainder struct {
	Rank int `json:"rank"` // of the unnamed part
	// Ridge is the penalty on a row's factors v in a baseline: a new row's minimise
	// Σ (rest_j − v·w_j)² + Ridge·‖v‖² over its entries, as every row's do.
	Ridge float64 `json:"ridge,omitempty"`
	// Other names the features that are not selected: the first factors.
	Other []string `json:"other,omitempty"`
	// OtherOf is how many there are, if Other does not name them all.
	OtherOf int `json:"other_of,omitempty"`
	// CoFactors is how many factors follow them that columns have from the rows that
	// have entries of them; see [remainder.CoFactors].
	CoFactors int `json:"co_factors,omitempty"`
	// OtherEncoding makes them from a raw record; nil: features as given.
	OtherEncoding *encode.Encoding `json:"other_encoding,omitempty"`
	// OtherTypical is their mean over the columns, OtherPopulation the
	// coefficients of a row of which nothing is known, theirs and those of the co-occurrence factors.
	OtherTypical    []float64 `json:"other_typical,omitempty"`
	OtherPopulation []float64 `json:"other_population,omitempty"`
	// Prior is that of a row's effect (not in Paper), coefficients, other
	// coefficients and traits together; nil in a baseline.
	Prior *Prior `json:"prior,omitempty"`
	// ColumnPrior is the covariance of a column's effect (in Full) and traits.
	ColumnPrior []float64 `json:"column_prior,omitempty"`
	// Implicit is what we learn about a row from which columns it has entries for; nil: nothing.
	Implicit *remainder.Implicit `json:"implicit,omitempty"`
}

// UnmarshalJSON also reads the names that programs up to format 7 wrote.
func (r *Remainder) UnmarshalJSON(text []byte) error {
	type plain Remainder
	read := struct {
		*plain
		Company int                 `json:"company"`
		Habits  *remainder.Implicit `json:"habits"`
	}{plain: (*plain)(r)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	r.CoFactors += read.Company
	if read.Habits != nil {
		r.Implicit = read.Habits
	}
	return nil
}

// maxRemainder is the largest rank of a remainder that is read: more is damage.
const maxRemainder = 1 << 16

// Check tells what is wrong with a remainder that was read.
func (r *Remainder) Check(k int, effects spec.Effects) error {
	o := len(r.Other)
	if r.Rank < 0 || r.Rank > maxRemainder || r.CoFactors < 0 || r.CoFactors > maxRemainder || r.Factors() == 0 || !(r.Ridge >= 0) || len(r.OtherTypical) != o || len(r.OtherPopulation) != o+r.CoFactors {
		return fmt.Errorf("its remainder has the rank %d and %d, the ridge %v and %d other features", r.Rank, r.CoFactors, r.Ridge, o)
	}
	d, own := k+r.Factors(), r.Rank
	if effects.Rows {
		d++
	}
	if effects.Columns {
		own++
	}
	if p := r.Prior; p != nil && (len(p.Mean) != d || len(p.Covariance) != d*d || len(r.ColumnPrior) != own*own || !(p.Noise > 0)) || p == nil && o+r.CoFactors > 0 {
		return fmt.Errorf("its remainder does not fit its %d terms, %d other features and rank %d", k, o, r.Rank)
	}
	if h := r.Implicit; h != nil && (r.Prior == nil || !h.Fits(d-r.Rank, r.Rank)) {
		return fmt.Errorf("the implicit feedback of its rows does not fit its %d terms, %d other features and rank %d", k, o, r.Rank)
	}
	if e := r.OtherEncoding; e != nil && len(e.Features) != o {
		return fmt.Errorf("the encoding of its %d other features has %d", o, len(e.Features))
	}
	return nil
}

// Factors is how many factors rows and columns have: the other features, the
// co-occurrence factors, and the unnamed traits.
func (r *Remainder) Factors() int { return len(r.Other) + r.CoFactors + r.Rank }

// Factors is that of the remainder, if there is one.
func (p *Structure) Factors() int {
	if p.Remainder == nil {
		return 0
	}
	return p.Remainder.Factors()
}

// ColumnErrors is how many numbers the posterior covariance of a column's own
// parameters has; 0 in a baseline.
func (p *Structure) ColumnErrors(effects spec.Effects) int {
	if p.Remainder == nil || p.Remainder.Prior == nil {
		return 0
	}
	own := p.Remainder.Rank
	if effects.Columns {
		own++
	}
	return own * (own + 1) / 2
}

// Others are the features that are not selected.
type Others struct {
	Names    []string
	Values   []float64        // m×len(Names)
	Encoding *encode.Encoding // from a raw record; nil: as given
	// Variances are by how much rows differ on them, in parts of the noise, as learned with
	// all features; nil: not known.
	Variances []float64
}

// FitRemainder fits the remainder together with all other parts, starting from
// those, which must have a learned prior or a link, whatever the settings say of the start. Their
// rank is that of the unnamed part, and of the co-occurrence factors, at most; negative: no limit.
// chosen holds the selected features of every column, m×k. Nothing changes if there is nothing to add.
func (p *Parts) FitRemainder(ctx context.Context, s data.Source, chosen []float64, k int, others Others, kind spec.Kind, r remainder.Settings) error {
	n, m := s.Dims()
	o := len(others.Names)
	first := 1 // the row's level
	if !kind.Effects().Rows {
		first = 0
	}
	named := first + k
	known := named + o
	design := make([]float64, 0, m*known)
	for j := range m {
		if first == 1 {
			design = append(design, 1)
		}
		design = append(append(design, chosen[j*k:][:k]...), others.Values[j*o:][:o]...)
	}
	prior := p.Prior
	if prior == nil {
		prior = p.Link.prior(k)
	}
	start := remainder.Start{Mean: make([]float64, known), Spread: make([]float64, known*known), Noise: prior.Noise, Levels: p.ColumnEffects}
	copy(start.Mean, prior.Mean)
	for x := range named {
		copy(start.Spread[x*known:], prior.Covariance[x*named:][:named])
	}
	for x := named; x < known; x++ {
		share := otherShare / p.Survey.Unit() / meanSquare(design, p.Survey.Columns, known, x)
		if others.Variances != nil {
			share = max(others.Variances[x-named], leastShare*share)
		}
		start.Spread[x*known+x] = share * prior.Noise
	}
	problem := remainder.Problem{Values: s, Mean: p.Mean, Design: design, Known: known, Levels: kind.Effects().Columns, Implicit: true, Loss: p.LossOf()}
	r.Start = start
	co, err := remainder.FindCoFactors(ctx, problem, r)
	if err != nil {
		return err
	}
	q := 0
	if co != nil {
		q, r.Start = co.Rank, co.Start
		problem.Design, problem.Known, problem.CoFactors = beside(design, known, co.Traits, q), known+q, q
	}
	fit, err := remainder.Learn(ctx, problem, r)
	if err != nil || fit.Rank+o+q == 0 {
		return err
	}
	rank := fit.Rank
	levels, own := 0, rank
	if kind.Effects().Columns {
		levels, own = 1, rank+1
	}
	p.Remainder = &Remainder{
		Rank: rank, CoFactors: q, Other: others.Names, OtherEncoding: others.Encoding, OtherTypical: make([]float64, o), OtherPopulation: fit.Prior[named : known+q],
		Prior: &Prior{Mean: fit.Prior, Covariance: fit.Spread, Noise: fit.Noise}, ColumnPrior: fit.ColumnPrior, Implicit: fit.Implicit,
	}
	of := p.Remainder.Prior.first(named)
	if p.Link == nil {
		p.Prior = of
	}
	p.Population = append(make([]float64, 1-first), of.Mean...)
	p.NewColumn = make([]float64, k+1) // what features tell of a column is in the rows' coefficients
	p.ColumnShrinkage = 0
	p.ColumnError = fit.Error
	factors := p.Remainder.Factors()
	p.ColumnRemainder = make([]float64, 0, m*factors)
	for j := range m {
		z := others.Values[j*o:][:o]
		dense.Axpy(1/float64(m), z, p.Remainder.OtherTypical)
		if levels == 1 {
			p.ColumnEffects[j] = fit.Columns[j*own]
		}
		p.ColumnRemainder = append(append(p.ColumnRemainder, fit.Design[j*fit.Known+named:][:o+q]...), fit.Columns[j*own+levels:][:rank]...)
	}
	p.RowRemainder = make([]float64, n*factors)
	rows := NewRowMatrix(n, k)
	p.Coefficients = rows
	return fit.Rows(ctx, s, r.Threads, func(i int, theta []float64) {
		if first == 1 {
			p.RowEffects[i] = theta[0]
		}
		copy(rows.Row(i), theta[first:])
		copy(p.RowRemainder[i*factors:][:factors], theta[named:])
	})
}

// beside puts the lines of two matrices, of the given numbers of columns, side by side.
func beside(a []float64, x int, b []float64, y int) []float64 {
	out := make([]float64, 0, len(a)+len(b))
	for len(a) > 0 {
		out = append(append(out, a[:x]...), b[:y]...)
		a, b = a[x:], b[y:]
	}
	return out
}

// otherShare is the variance of another feature's coefficient to begin with, in
// units of the noise of an entry of the mean weight, for a feature of mean square 1, if none is learned. Larger ones need several
// times as many steps. leastShare is the least of that which a learned one begins with, as
// from nothing none grows.
const (
	otherShare = 0.006
	leastShare = 0.1
)

// meanSquare is that of feature x over the observed entries.
func meanSquare(design []float64, entries []int, known, x int) float64 {
	sum, count := 0.0, 0.0
	for j, e := range entries {
		v := design[j*known+x]
		sum += float64(e) * v * v
		count += float64(e)
	}
	if !(sum > 0) {
		return 1
	}
	return sum / count
}

// prior is what a row of k coefficients is shrunk to, and the noise of an entry: 1 of a
// likelihood, else by the unit of the loss, which is 1.345 deviations if nothing is said.
func (l *Link) prior(k int) *Prior {
	d := 1 + k
	p := &Prior{Mean: make([]float64, d), Covariance: make([]float64, d*d), Noise: 1}
	if !l.Loss.Linked() {
		p.Noise = (l.Unit / 1.345) * (l.Unit / 1.345)
	}
	for x := range d {
		penalty := l.RowPenalty
		if x > 0 {
			penalty = l.penalty(x - 1)
		}
		p.Covariance[x*d+x] = p.Noise / penalty
		if l.Loss.Linked() {
			p.Covariance[x*d+x] /= 2
		}
	}
	return p
}

// first is the prior of the first n numbers.
func (p *Prior) first(d int) *Prior {
	out := &Prior{Mean: slices.Clone(p.Mean[:d]), Noise: p.Noise}
	for x := range d {
		out.Covariance = append(out.Covariance, p.Covariance[x*len(p.Mean):][:d]...)
	}
	return out
}

// RemainderOf is what the remainder adds to the prediction for row i and column j;
// −1 stands for one of which nothing is known.
func (p *Parts) RemainderOf(i, j int) float64 {
	other, unnamed := p.SplitRemainder(i, j)
	return other + unnamed
}

// SplitRemainder is what the other features add, and what has no name.
func (p *Parts) SplitRemainder(i, j int) (other, unnamed float64) {
	if p.Remainder == nil {
		return 0, 0
	}
	o, f := len(p.Remainder.Other), p.Factors()
	row, column := p.Remainder.OtherPopulation, p.Remainder.OtherTypical
	if i >= 0 {
		row = p.RowRemainder[i*f:][:f]
	}
	if j >= 0 {
		column = p.ColumnRemainder[j*f:][:f]
	}
	if o > 0 {
		other = dense.Dot(row[:o], column[:o])
	}
	if j >= 0 {
		unnamed = dense.Dot(row[o:], column[o:][:len(row)-o])
	}
	return other, unnamed
}

// Packed is the lower triangle of a square matrix, by rows.
func Packed(square []float64) []float64 {
	d := 0
	for d*d < len(square) {
		d++
	}
	var out []float64
	for x := range d {
		out = append(out, square[x*d:][:x+1]...)
	}
	return out
}

// Solve sets v to (WᵀW + Ridge)⁻¹ Wᵀ rest, W being the factors of the columns, with
// products by the weights of the entries, nil if they have none: the traits of a row in a
// baseline.
func (r *Remainder) Solve(factors []float64, columns []int32, rest, weights, v []float64) {
	d := r.Rank
	clear(v)
	if len(columns) == 0 {
		return
	}
	gram, trace := make([]float64, d*d), 0.0
	for x, c := range columns {
		w := factors[int(c)*d:][:d]
		weight := 1.0
		if weights != nil {
			weight = weights[x]
		}
		addProducts(gram, v, w, rest[x], weight)
		trace += weight * dense.Dot(w, w)
	}
	for x := range d {
		gram[x*d+x] += r.Ridge + 1e-12*trace + tiny
	}
	if !dense.Cholesky(gram, d, 0) {
		clear(v)
		return
	}
	dense.CholeskySolve(gram, d, v)
}
