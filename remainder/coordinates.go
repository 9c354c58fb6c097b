package remainder

import (
	"math"

	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
)

func log(x float64) float64 { return math.Log(max(x, tiny)) }

// absorb moves what the design explains of the columns' levels and traits into
// the rows: with M the regression of φ on the design, φ_j − Mᵀdesign_j takes the
// place of φ_j, the coefficients u become u + M_w·w, and their mean m + M_c. Every
// prediction stays as it is, as a random variable too, and so does the divergence
// of the rows; that of the columns falls.
func (l *learner) absorb() bool {
	f := l.fit
	known, own, first, d := f.Known, f.own(), f.levels(), f.size()
	if known == 0 || own == 0 {
		return false
	}
	l.setRegress()
	right := make([]float64, own*known)
	for j, count := range l.count {
		if count > 0 {
			for x, v := range f.Columns[j*own:][:own] {
				dense.Axpy(v, l.Design[j*known:][:known], right[x*known:][:known])
			}
		}
	}
	m := make([]float64, own*known) // by columns of M
	for x := range own {
		copy(m[x*known:], product(l.regress, right[x*known:][:known], known))
	}
	for j, count := range l.count {
		if count > 0 {
			for x := range own {
				f.Columns[j*own+x] -= dense.Dot(m[x*known:][:known], l.Design[j*known:][:known])
			}
		}
	}
	turn := make([][]float64, d)
	for x := range turn {
		turn[x] = make([]float64, d)
		turn[x][x] = 1
		if x < known {
			for y := range f.Rank {
				turn[x][known+y] = m[(first+y)*known+x]
			}
		}
	}
	f.Spread = congruent(turn, f.Spread, d)
	f.Implicit = f.Implicit.turned(turn)
	l.relaxed.from.spread = congruent(turn, l.relaxed.from.spread, d)
	l.relaxed.from.implicit = l.relaxed.from.implicit.turned(turn)
	if f.Levels {
		for y := range known {
			f.Prior[y] += m[y]
			l.relaxed.from.mean[y] += m[y]
		}
	}
	return true
}

// setRegress sets (ZᵀZ)⁻¹ of the design over the columns with entries.
func (l *learner) setRegress() {
	if l.regress != nil {
		return
	}
	known := l.Known
	gram := make([]float64, known*known)
	for j, count := range l.count {
		if count == 0 {
			continue
		}
		z := l.Design[j*known:][:known]
		for x, v := range z {
			if v != 0 {
				dense.Axpy(v, z, gram[x*known:][:known])
			}
		}
	}
	for x := range known {
		gram[x*known+x] = gram[x*known+x]*(1+ties) + tiny
	}
	l.regress, _ = inverse(gram, known)
}

// ties keeps the regression on the design well posed where features are
// combinations of others.
const ties = 1e-9

// congruent is A S Aᵀ, symmetric to the last bit.
func congruent(a [][]float64, s []float64, d int) []float64 {
	rows := len(a)
	out := make([]float64, rows*rows)
	for x, ax := range a {
		left := product(s, ax, d) // S is symmetric
		for y, ay := range a[:x+1] {
			v := dense.Dot(left, ay)
			out[x*rows+y], out[y*rows+x] = v, v
		}
	}
	return out
}

// turn changes the coordinates of the traits, v to Av and w to Bw with BᵀA = 1 on
// what is kept: A and B have a row for each trait that is.
func (f *Fit) turn(a, b [][]float64) {
	kept, first := len(a), f.levels()
	own, next, tri := f.own(), first+kept, kernel.Tri(f.own())
	columns, rows := extended(a, first, f.Rank), extended(b, f.Known, f.Rank)
	m := 0
	if own > 0 {
		m = len(f.Columns) / own
	}
	phi, errors := make([]float64, 0, m*next), make([]float64, 0, m*kernel.Tri(next))
	square := make([]float64, own*own)
	for j := range m {
		for _, line := range columns {
			phi = append(phi, dense.Dot(line, f.Columns[j*own:][:own]))
		}
		for x := range own {
			for y := range x + 1 {
				v := f.Error[j*tri+kernel.Tri(x)+y]
				square[x*own+y], square[y*own+x] = v, v
			}
		}
		turned := congruent(columns, square, own)
		for x := range next {
			errors = append(errors, turned[x*next:][:x+1]...)
		}
	}
	f.ColumnPrior, f.Spread = congruent(columns, f.ColumnPrior, own), congruent(rows, f.Spread, f.size())
	f.Implicit = f.Implicit.turned(rows)
	f.Prior = append(f.Prior[:f.Known:f.Known], make([]float64, kept)...)
	f.Columns, f.Error, f.Rank = phi, errors, kept
}

// extended is a matrix of the traits that leaves the first n others alone.
func extended(a [][]float64, first, rank int) [][]float64 {
	var out [][]float64
	for x := range first + len(a) {
		line := make([]float64, first+rank)
		if x < first {
			line[x] = 1
		} else {
			copy(line[first:], a[x-first])
		}
		out = append(out, line)
	}
	return out
}

// carries is the coordinates in which the traits of columns have variance 1 and
// those of rows are uncorrelated, largest first, and the variance of each:
// what it carries of an entry's variance.
func (f *Fit) carries() (a, b [][]float64, variances []float64) {
	r, first, known := f.Rank, f.levels(), f.Known
	own, d := f.own(), f.size()
	if r == 0 {
		return nil, nil, nil
	}
	t, w := make([]float64, r*r), make([]float64, r*r)
	for x := range r {
		copy(t[x*r:], f.ColumnPrior[(first+x)*own+first:][:r])
		copy(w[x*r:], f.Spread[(known+x)*d+known:][:r])
	}
	l, logs := root(t, r)
	if !finite(logs) {
		return nil, nil, nil
	}
	back, upper := undone(l, r), make([][]float64, r)
	for x := range r {
		for y := range r {
			upper[x] = append(upper[x], l[y*r+x])
		}
	}
	variances, vectors := eigen(congruent(upper, w, r), r)
	if variances == nil {
		return nil, nil, nil
	}
	for x := range r {
		column, row := make([]float64, r), make([]float64, r)
		for y := range r {
			dense.Axpy(vectors.At(y, x), back[y], column)
			dense.Axpy(vectors.At(y, x), upper[y], row)
		}
		a, b = append(a, column), append(b, row)
	}
	return a, b, variances
}

// drop leaves out the directions that carry next to nothing.
func (l *learner) drop() bool {
	f := l.fit
	a, b, variances := f.carries()
	kept := 0
	for _, v := range variances {
		if v > least*l.usual() {
			kept++
		}
	}
	if a == nil || kept == f.Rank {
		return false
	}
	f.turn(a[:kept], b[:kept])
	l.logColumns = l.columnLogs()
	l.spreadUnseen()
	return true
}

// columnLogs is Σ log|C_j| over the columns with entries.
func (l *learner) columnLogs() float64 {
	f := l.fit
	own := f.own()
	tri := kernel.Tri(own)
	sum := 0.0
	square := make([]float64, own*own)
	for j, count := range l.count {
		if count == 0 || own == 0 {
			continue
		}
		for x := range own {
			for y := range x + 1 {
				v := f.Error[j*tri+kernel.Tri(x)+y]
				square[x*own+y], square[y*own+x] = v, v
			}
		}
		_, logs := root(square, own)
		sum += logs
	}
	return sum
}

// canonical goes over to the coordinates of carries.
func (f *Fit) canonical() {
	if a, b, _ := f.carries(); a != nil {
		f.turn(a, b)
	}
}
