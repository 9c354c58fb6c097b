package twosided

import (
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/loss"
)

// joint is effects and the coefficients of selected products, fitted together: the
// offset of a cost knows no products, so it has a little of what they explain.
type joint struct {
	levels
	U        []float64 // of the scaled products, in the order of the selection
	ByRow    ridge     // what row features say of row effects
	ByColumn ridge     // the same of columns
}

// turns is how often effects and coefficients are fitted in turn at most.
const turns = 100

// fitJoint fits both from a start of the effects. A penalty of 1/γ on the coefficients
// is taken where γ is positive; else they are least squares, or, with a link, have a prior
// whose variance is learned.
func (s *sides) fitJoint(p part, selection []int, start *levels, gamma float64, features bool) *joint {
	j := &joint{levels: start.copy(), U: make([]float64, len(selection))}
	x, explained := s.productsOf(p, selection), make([]float64, p.entries.Observed())
	variance := 1.0 // of the coefficients, with a link
	fit := func(entries *data.Matrix, features bool) {
		penalty := 0.0
		switch {
		case j.by.Loss.Linked() && gamma > 0:
			penalty = 2 / gamma // a working response has half of the squares
		case j.by.Loss.Linked():
			penalty = 1 / variance
		case gamma > 0:
			penalty = 1 / gamma
		}
		variance = j.fit(s, part{entries, p.rows}, x, explained, penalty, features)
	}
	j.fitTo(p.entries, explained, func(working *data.Matrix) { fit(working, features && j.by.Loss == loss.Squared) })
	if features && j.by.Loss != loss.Squared {
		fit(j.working(p.entries, j.sums(p.entries, explained)), true)
	}
	return j
}

// fit fits effects and coefficients by squares, in turn. x is the products of each entry,
// and explained what they add up to. It gives the mean square of the coefficients, with
// what is not known of them.
func (j *joint) fit(s *sides, p part, x, explained []float64, penalty float64, features bool) (variance float64) {
	entries, k := p.entries, len(j.U)
	gram := make([]float64, k*k)
	entry := 0
	eachEntry(entries, func(_ int, _ int32, _, w float64) {
		z := x[entry*k:][:k]
		for a, v := range z {
			dense.Axpy(w*v, z, gram[a*k:][:k])
		}
		entry++
	})
	trace := 0.0
	for a := range k {
		trace = max(trace, gram[a*k+a])
	}
	for a := range k {
		gram[a*k+a] += 1e-11*trace + penalty // products that the data do not tell apart share
		variance += j.Noise / gram[a*k+a] / float64(k)
	}
	fits := trace > 0 && dense.Cholesky(gram, k, 0)
	refresh := func() (change float64) {
		if !fits {
			return 0
		}
		right := make([]float64, k)
		entry = 0
		eachEntry(entries, func(i int, c int32, a, w float64) {
			dense.Axpy(w*(a-j.Mean-j.Rows[i]-j.Columns[c]), x[entry*k:][:k], right)
			entry++
		})
		dense.CholeskySolve(gram, k, right)
		size := 0.0
		for a, u := range right {
			change, size = max(change, math.Abs(u-j.U[a])), max(size, math.Abs(u))
		}
		copy(j.U, right)
		for e := range explained {
			explained[e] = dense.Dot(x[e*k:][:k], right)
		}
		return change / max(size, 1e-300)
	}
	inTurn := func() {
		for range turns {
			change := refresh()
			j.sweep(entries, explained)
			if change < 1e-8 {
				return
			}
		}
	}
	inTurn()
	j.settle(entries, explained)
	if features {
		for range 3 {
			j.learnPriors(s, p, explained)
			j.settle(entries, explained)
			inTurn()
		}
		j.unseen(s, p)
	}
	refresh()
	for _, u := range j.U {
		variance += u * u / float64(k)
	}
	return variance
}

// productsOf are the scaled products of every entry, side by side.
func (s *sides) productsOf(p part, selection []int) []float64 {
	p2, k := len(s.columns.Names), len(selection)
	out := make([]float64, 0, p.entries.Observed()*k)
	eachEntry(p.entries, func(i int, j int32, _, _ float64) {
		x, b := p.rows.Row(i), s.columns.Row(int(j))
		for _, f := range selection {
			out = append(out, x[f/p2]*b[f%p2])
		}
	})
	return out
}

// learnPriors learns what the features say of the effects.
func (j *joint) learnPriors(s *sides, p part, explained []float64) {
	rows, columns := make([]float64, len(j.Rows)), make([]float64, len(j.Columns))
	entry := 0
	eachEntry(p.entries, func(i int, c int32, a, w float64) {
		r := a - j.Mean - explained[entry]
		rows[i] += w * (r - j.Columns[c]) / j.RowWeight[i]
		columns[c] += w * (r - j.Rows[i]) / j.ColumnWeight[c]
		entry++
	})
	j.ByRow = learnRidge(p.rows, rows, j.RowWeight, j.Noise, j.Row)
	j.ByColumn = learnRidge(s.columns, columns, j.ColumnWeight, j.Noise, j.Column)
	j.rowPrior, j.rowFreedom = priors(p.rows, &j.ByRow), j.ByRow.Freedom
	j.columnPrior, j.columnFreedom = priors(s.columns, &j.ByColumn), j.ByColumn.Freedom
}

func priors(f *data.Features, by *ridge) []float64 {
	out := make([]float64, len(f.IDs))
	for i := range out {
		out[i] = by.of(f.Row(i))
	}
	return out
}

// unseen gives rows and columns without entries what their features say.
func (j *joint) unseen(s *sides, p part) {
	for i, w := range j.RowWeight {
		if w == 0 {
			j.Rows[i] = j.ByRow.of(p.rows.Row(i))
		}
	}
	for c, w := range j.ColumnWeight {
		if w == 0 {
			j.Columns[c] = j.ByColumn.of(s.columns.Row(c))
		}
	}
}

// copy is levels that can be changed.
func (l *levels) copy() levels {
	out := *l
	for _, list := range []*[]float64{&out.Rows, &out.Columns, &out.columnWeighed, &out.RowWeight, &out.ColumnWeight} {
		*list = slices.Clone(*list)
	}
	return out
}
