package model

import (
	"context"
	"fmt"

	"optcomplete/data"
	"optcomplete/pass"
)

// Unnamed is what explanations call the remainder.
const Unnamed = "unnamed remainder"

// Remainder describes what is left unnamed: a matrix of low rank that predicts
// what the effects and the features leave. Every row and every column has that
// many factors; a prediction adds their product. A column without entries has
// none, and neither has a row.
type Remainder struct {
	Rank int `json:"rank"`
	// Ridge is the penalty on a row's factors v: a new row's minimise
	// Σ (rest_j − v·w_j)² + Ridge·‖v‖² over its entries, as every row's do.
	Ridge float64 `json:"ridge"`
}

// maxRemainder is the largest rank of a remainder that is read: more is damage.
const maxRemainder = 1 << 16

// SetRemainder gives the parts a remainder: columns holds the factors of every
// column, m×rank, and the rows' are fitted to what the other parts leave of the
// entries. chosen holds the selected features of every column, m×k.
func (p *Parts) SetRemainder(ctx context.Context, s data.Source, chosen []float64, k int, remainder Remainder, columns []float64, threads int) error {
	n, m := s.Dims()
	r := remainder.Rank
	if len(columns) != m*r {
		panic(fmt.Sprintf("model: %d factors for %d columns and a remainder of rank %d", len(columns), m, r))
	}
	p.Remainder, p.RowRemainder, p.ColumnRemainder = nil, nil, nil
	base := p.Unclipped(chosen, k)
	rows := make([]float64, n*r)
	err := pass.RunTasks(ctx, s, threads, &pass.Task{Pass: &pass.Here{Called: "remainder", Begin: func(int) func(i int, at []int32, values []float64) error {
		solver := newRemainderSolver(remainder)
		var rest []float64
		return func(i int, at []int32, values []float64) error {
			rest = resize(rest, len(at))
			base(i, at, rest)
			for x, v := range values {
				rest[x] = v - rest[x]
			}
			solver.solve(columns, at, rest, rows[i*r:(i+1)*r])
			return nil
		}
	}}})
	if err != nil {
		return err
	}
	p.Remainder, p.RowRemainder, p.ColumnRemainder = &remainder, rows, columns
	return nil
}

// Unclipped is Predictor without the range.
func (p *Parts) Unclipped(chosen []float64, k int) func(row int, columns []int32, out []float64) {
	return func(row int, columns []int32, out []float64) {
		u := p.coefficients(row, k)
		for at, c := range columns {
			out[at] = p.unclipped(p.rowEffect(row), p.columnEffect(int(c)), u, chosen[int(c)*k:][:k]) + p.remainder(row, int(c))
		}
	}
}

// remainder is what the remainder adds to the prediction for row i and column j.
func (p *Parts) remainder(i, j int) float64 {
	if p.Remainder == nil {
		return 0
	}
	r := p.Remainder.Rank
	return dot(p.RowRemainder[i*r:(i+1)*r], p.ColumnRemainder[j*r:(j+1)*r])
}

// remainderRank is the number of factors that rows and columns have.
func (p *Structure) remainderRank() int {
	if p.Remainder == nil {
		return 0
	}
	return p.Remainder.Rank
}

// remainderSolver fits the factors of one row after another.
type remainderSolver struct {
	Remainder
	gram []float64
}

func newRemainderSolver(r Remainder) *remainderSolver {
	return &remainderSolver{r, make([]float64, r.Rank*r.Rank)}
}

// solve sets v to (WᵀW + Ridge)⁻¹ Wᵀ rest, W being the factors of the columns.
func (s *remainderSolver) solve(factors []float64, columns []int32, rest, v []float64) {
	r := s.Rank
	clear(v)
	clear(s.gram)
	if len(columns) == 0 {
		return
	}
	trace := 0.0
	for x, c := range columns {
		w := factors[int(c)*r:][:r]
		addProducts(s.gram, v, w, rest[x], 1)
		trace += dot(w, w)
	}
	for x := range r {
		s.gram[x*r+x] += s.Ridge + 1e-12*trace + tiny
	}
	if !cholesky(s.gram, r, 0) {
		clear(v)
		return
	}
	choleskySolve(s.gram, r, v)
}
