package regress

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"optcomplete/objective"
)

// standard is some rows of a problem, standardised.
type standard struct {
	table  *objective.Table
	mean   []float64 // of each feature; 0 without an intercept
	scale  []float64 // x̃ = (x − mean)/scale; 0 for a constant feature, whose x̃ is 0
	values float64   // mean of the values; 0 without an intercept
}

// standardise centres and scales the given rows of a problem; nil means all.
// Means are taken first and squares around them after, so no digits cancel. Rows count
// by their weights, so that a weight of two is the row twice: where squares are minimised, a
// row of the table is multiplied by the root of its weight.
func standardise(problem Problem, rows []int, settings Settings) *standard {
	p := len(problem.Names)
	if rows == nil {
		rows = make([]int, len(problem.Y))
		for i := range rows {
			rows[i] = i
		}
	}
	total := problem.mass(rows)
	s := &standard{mean: make([]float64, p), scale: make([]float64, p)}
	size := make([]float64, p) // the largest |x|, to tell constants from rounding
	for _, i := range rows {
		weight := problem.weight(i)
		for j, x := range problem.X[i*p:][:p] {
			size[j] = max(size[j], math.Abs(x))
			if !settings.NoIntercept {
				s.mean[j] += x * weight / total
			}
		}
		if !settings.NoIntercept {
			s.values += problem.Y[i] * weight / total
		}
	}
	for _, i := range rows {
		weight := problem.weight(i)
		for j, x := range problem.X[i*p:][:p] {
			d := x - s.mean[j]
			s.scale[j] += d * d * weight / total
		}
	}
	for j, variance := range s.scale {
		s.scale[j] = math.Sqrt(variance)
		if s.scale[j] <= 1e-14*size[j] {
			s.scale[j] = 0
		}
	}
	root := func(i int) float64 {
		if problem.Weights == nil || !settings.squares() {
			return 1
		}
		return math.Sqrt(problem.Weights[i])
	}
	values := make([]float64, len(rows))
	for x, i := range rows {
		values[x] = root(i) * (problem.Y[i] - s.values)
	}
	s.table = objective.NewTable(values, p, func(x int, row []float64) {
		by := root(rows[x])
		for j, v := range problem.X[rows[x]*p:][:p] {
			row[j] = 0
			if s.scale[j] > 0 {
				row[j] = by * ((v - s.mean[j]) / s.scale[j])
			}
		}
	}, settings.Threads)
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
