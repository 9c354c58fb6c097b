package regress

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"optcomplete/internal/lists"
	"optcomplete/internal/wide"
	"optcomplete/objective"
)

// standard is some rows of a problem, standardised.
type standard struct {
	table  *objective.Table
	mean   []float64 // of each feature; 0 without an intercept
	scale  []float64 // x̃ = (x − mean)/scale; 0 for a constant feature, whose x̃ is 0
	values float64   // mean of the values; 0 without an intercept
}

// standardise centres and scales the given rows of a problem; nil means all. Rows count
// by their weights, so that a weight of two is the row twice: where squares are minimised, a
// row of the table is multiplied by the root of its weight.
//
// Everything is first taken relative to the heaviest row, so that no column is off by more
// than a rounding of its own size after it was centred, however heavy a row is or far from 0
// the column. Where that does not suffice, the table knows the rows themselves.
func standardise(problem Problem, rows []int, settings Settings) *standard {
	p := len(problem.Names)
	if rows == nil {
		rows = make([]int, len(problem.Y))
		for i := range rows {
			rows[i] = i
		}
	}
	n := len(rows)
	weights, heaviest, y := make([]float64, n), 0, make([]float64, n)
	for x, i := range rows {
		weights[x], y[x] = problem.weight(i), problem.Y[i]
		if weights[x] > weights[heaviest] {
			heaviest = x
		}
	}
	total := problem.mass(rows)
	column := make([]float64, n)
	// centre gives a row's number and a mean that are to be taken from the numbers of the rows
	// one after the other, and writes what that leaves to column.
	centre := func(of func(x int) float64) (from, mean float64) {
		if !settings.NoIntercept {
			from = of(heaviest)
		}
		for x := range column {
			column[x] = of(x) - from
		}
		if !settings.NoIntercept {
			mean = wide.Dot(column, weights) / total
		}
		for x := range column {
			column[x] -= mean
		}
		return from, mean
	}
	var roots []float64 // nil: 1
	if problem.Weights != nil && settings.squares() {
		roots = lists.Each(weights, math.Sqrt)
	}
	s := &standard{mean: make([]float64, p), scale: make([]float64, p)}
	from, mean := centre(func(x int) float64 { return y[x] })
	s.values = from + mean
	values := slices.Clone(column)
	for x, by := range roots {
		values[x] *= by
	}
	means := make([]float64, p) // of what the heaviest row's leave
	for j := range p {
		feature := func(x int) float64 { return problem.X[rows[x]*p+j] }
		from, means[j] = centre(feature)
		s.mean[j] = from + means[j]
		largest, size, variance := 0.0, 0.0, 0.0
		for x, d := range column {
			largest, size = max(largest, math.Abs(d)), max(size, math.Abs(feature(x)))
			variance += d * d * (weights[x] / total)
		}
		if largest > 1e-14*size { // else it is as good as constant
			s.scale[j] = math.Sqrt(variance)
		}
	}
	s.table = objective.NewTable(values, p, func(x int, row []float64) {
		first := problem.X[rows[heaviest]*p:][:p]
		for j, v := range problem.X[rows[x]*p:][:p] {
			if !settings.NoIntercept {
				v = (v - first[j]) - means[j]
			}
			row[j] = 0
			if s.scale[j] > 0 {
				row[j] = v / s.scale[j]
			}
			if roots != nil {
				row[j] *= roots[x]
			}
		}
	}, settings.Threads)
	s.table.From = &wide.Regression{P: p, Values: y, Scale: roots, Centred: !settings.NoIntercept, Feature: func(x, j int) (float64, float64) {
		if s.scale[j] == 0 {
			return 0, 0
		}
		return problem.X[rows[x]*p+j], 1 / s.scale[j]
	}}
	return s
}

// units turns coefficients of standardised features into those of the features
// themselves, and gives the intercept.
func (s *standard) units(selection []int, w []float64) (coefficients []float64, intercept float64) {
	intercept = s.values
	coefficients = make([]float64, len(w))
	for x, j := range selection {
		if s.scale[j] > 0 {
			coefficients[x] = w[x] / s.scale[j]
		}
		intercept -= coefficients[x] * s.mean[j]
	}
	return coefficients, intercept
}

// leastSquares fits the selection's coefficients without regularisation: those
// of the smallest norm where they are not unique. With [X̃ y] = QR, they solve
// the small system R_SS w = R_Sy.
func (s *standard) leastSquares(selection []int) []float64 {
	n, k := s.table.Rows(), len(selection)
	all := mat.NewDense(max(n, k+1), k+1, nil) // rows of zeros change nothing
	for i := range n {
		for c, j := range selection {
			all.Set(i, c, s.table.At(i, j))
		}
		all.Set(i, k, s.table.Value(i))
	}
	var qr mat.QR
	qr.Factorize(all)
	var r mat.Dense
	qr.RTo(&r)
	w := mat.NewDense(k, 1, nil)
	var svd mat.SVD
	if svd.Factorize(r.Slice(0, k, 0, k), mat.SVDThin) {
		if rank := svd.Rank(1e-12); rank > 0 {
			svd.SolveTo(w, r.Slice(0, k, k, k+1), rank)
		}
	}
	return w.RawMatrix().Data
}
