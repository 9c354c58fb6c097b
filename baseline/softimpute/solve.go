package softimpute

import (
	"context"
	"math"
	"slices"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/internal/kernel"
	"optcomplete/internal/lists"
	"optcomplete/internal/random"
)

// Factors is a matrix of low rank, U diag(d) Vᵀ with orthonormal columns of U and
// V (of U only nearly, once it is de-biased or steps were few).
type Factors struct {
	Rank int
	U    []float64 // n×Rank
	D    []float64 // Rank, decreasing, positive
	V    []float64 // m×Rank
}

// Step describes one step: the objective where it begins and after its first half,
// the new row factors; and the squared relative change of Z.
type Step struct {
	Lambda       float64
	Number       int     // from 1
	Momentum     float64 // by how much of the step before it begins further on
	Before, Half float64
	Change       float64
}

// columnBlock is how many columns are worked on together. It is fixed, so that
// threads cannot change the order of sums.
const columnBlock = 256

const startStream = 0x736f6674 // "soft"

// solver holds the factors of one rank, and what chunks of rows add up.
//
// A step begins at A + β(A − A₋), B + β(B − B₋), with A₋ and B₋ from the step
// before. The momentum β grows as Nesterov's does, and is 0 again after a step
// that went against it (O'Donoghue and Candès, 2015): where most entries are
// missing, plain steps need some ten times as many.
type solver struct {
	rows     *lowrank.Rows
	n, m     int
	r, w     int // rank and width
	threads  int
	a, aLast []float64 // A and A₋ (n×w), still to be multiplied by turn
	turn     []float64 // w×w
	b        []float64 // m×w: where the step begins
	bAt      []float64 // B itself
	d        []float64 // diagonal of bᵀb, which has nothing beside it; w
	momentum float64   // β
	pace     float64   // Nesterov's t, which β follows from
	chunks   []chunk
}

// chunk is what a chunk of rows adds up in a pass, and its scratch.
type chunk struct {
	g           []float64 // Σ w_ij e_ij a_i for every column, m×w
	gram, cross []float64 // of the new A: AᵀA, and AᵀD for its change D
	squares     []float64 // diagonal of DᵀD
	old, half   float64   // squared residuals, by their weights, before and after the row's step
	size        float64   // ‖·‖² of the factors that the step begins at
	against     float64   // −⟨D, new A − A⟩: positive if the step went against the momentum
	last, line  []float64
	shrink      []float64 // of a row with weights
	z, e        []float64
}

func newSolver(rows *lowrank.Rows, rank, threads int) *solver {
	n, m := rows.Dims()
	r := max(1, min(rank, n, m))
	w := kernel.Pad(r)
	s := &solver{
		rows: rows, n: n, m: m, r: r, w: w, threads: threads,
		a: make([]float64, n*w), aLast: make([]float64, n*w), b: make([]float64, m*w), bAt: make([]float64, m*w),
		chunks: make([]chunk, rows.Chunks()),
	}
	for c := range s.chunks {
		s.chunks[c] = chunk{
			g: make([]float64, m*w), gram: make([]float64, w*w), cross: make([]float64, w*w), squares: make([]float64, w),
			last: make([]float64, w), line: make([]float64, w), shrink: make([]float64, w), z: make([]float64, w), e: make([]float64, rows.Longest),
		}
	}
	return s
}

// solve minimises the objective for one λ, from a start if there is one.
func (s *solver) solve(ctx context.Context, settings Settings, lambda float64, start *Factors) (*Factors, error) {
	unit := s.rows.Unit
	f, err := s.solveRows(ctx, settings, lambda/s.rows.Penalty(), start.times(1/unit))
	return f.times(unit), err
}

// times is the factors of a multiple of the matrix.
func (f *Factors) times(by float64) *Factors {
	if f == nil || by == 1 {
		return f
	}
	out := *f
	out.D = lists.Each(f.D, func(d float64) float64 { return d * by })
	return &out
}

// solveRows is solve in the unit of the rows.
func (s *solver) solveRows(ctx context.Context, settings Settings, lambda float64, start *Factors) (*Factors, error) {
	tolerance, steps := settings.Tolerance, settings.MaxSteps
	if tolerance == 0 {
		tolerance = 1e-9
	}
	if steps == 0 {
		steps = 1000
	}
	if s.n == 0 || s.m == 0 {
		return &Factors{}, nil
	}
	s.begin(settings.Seed, lambda, start)
	for number, done := 1, false; !done; number++ {
		step := Step{Lambda: lambda, Number: number, Momentum: s.momentum}
		gram, err := s.step(ctx, &step)
		if err != nil {
			return nil, err
		}
		if settings.OnStep != nil {
			settings.OnStep(step)
		}
		if done = step.Change <= tolerance || number >= steps; done {
			s.momentum = 0
		}
		s.settle(gram)
	}
	return s.finish(ctx, lambda)
}

// begin sets A and B to the start, and beyond its rank B to random directions
// that are orthogonal to it: with A = 0 there the first step wakes them up.
func (s *solver) begin(seed uint64, lambda float64, from *Factors) {
	clear(s.a)
	clear(s.b)
	s.turn, s.momentum, s.pace = nil, 0, 1
	s.d = make([]float64, s.w)
	have := 0
	if from != nil {
		have = min(from.Rank, s.r)
		for x, d := range from.D[:have] {
			root := math.Sqrt(d)
			for i := range s.n {
				s.a[i*s.w+x] = from.U[i*from.Rank+x] * root
			}
			for j := range s.m {
				s.b[j*s.w+x] = from.V[j*from.Rank+x] * root
			}
		}
	}
	scale := lambda / s.rows.Heaviest
	if scale == 0 {
		scale = 1
		if have > 0 {
			scale = from.D[have-1]
		}
	}
	rng := random.New(seed, startStream)
	for x := have; x < s.r; x++ {
		for j := range s.m {
			if v := rng.Normal(); s.rows.Columns[j] > 0 { // a column without entries has no factors
				s.b[j*s.w+x] = v
			}
		}
		s.orthogonal(x, math.Sqrt(scale))
	}
	for x := range s.r {
		s.d[x] = s.columnDot(x, x)
	}
	copy(s.aLast, s.a)
	copy(s.bAt, s.b)
}

// orthogonal makes column x of B orthogonal to the ones before it, with the given
// norm; twice, against rounding.
func (s *solver) orthogonal(x int, norm float64) {
	for range 2 {
		for y := range x {
			if square := s.columnDot(y, y); square > 0 {
				by := s.columnDot(x, y) / square
				for j := range s.m {
					s.b[j*s.w+x] -= by * s.b[j*s.w+y]
				}
			}
		}
	}
	by := norm / math.Sqrt(max(s.columnDot(x, x), 1e-300))
	for j := range s.m {
		s.b[j*s.w+x] *= by
	}
}

func (s *solver) columnDot(x, y int) float64 {
	sum := 0.0
	for j := range s.m {
		sum += s.b[j*s.w+x] * s.b[j*s.w+y]
	}
	return sum
}

// step makes one step, rows and columns, and chooses the momentum of the next. It
// returns AᵀA.
func (s *solver) step(ctx context.Context, out *Step) ([]float64, error) {
	w, lambda := s.w, out.Lambda
	shrink := make([]float64, w)
	s.shrink(shrink, lambda, 1)
	err := s.rows.Each(ctx, s.threads, func(number int) lowrank.Row {
		c := &s.chunks[number]
		clear(c.g)
		clear(c.gram)
		clear(c.cross)
		clear(c.squares)
		c.old, c.half, c.size, c.against = 0, 0, 0, 0
		return func(i int, columns []int32, values, weights []float64) {
			if weights != nil {
				heaviest := s.rows.Heaviest // of a row without entries
				if len(weights) > 0 {
					heaviest = slices.Max(weights)
				}
				s.shrink(c.shrink, lambda, heaviest)
				s.row(c, i, columns, values, weights, lambda, c.shrink)
				return
			}
			s.row(c, i, columns, values, nil, lambda, shrink)
		}
	})
	if err != nil {
		return nil, err
	}
	gram, cross, squares := make([]float64, w*w), make([]float64, w*w), make([]float64, w)
	old, half, size, against := 0.0, 0.0, 0.0, 0.0
	for x := range s.chunks {
		c := &s.chunks[x]
		lowrank.Add(gram, c.gram)
		lowrank.Add(cross, c.cross)
		lowrank.Add(squares, c.squares)
		old += c.old
		half += c.half
		size += c.size
		against += c.against
	}
	trace, columnSize := 0.0, 0.0
	for x := range s.r {
		trace += gram[x*w+x]
		columnSize += s.d[x]
	}
	out.Before = (old + lambda*(size+columnSize)) / 2
	out.Half = (half + lambda*(trace+columnSize)) / 2

	c := s.columns(gram, lambda)
	// Z' − Z = A'Eᵀ + D bᵀ with the changes D of the rows' and E of the columns'
	// factors, and bᵀb = diag(d).
	change := lowrank.TraceProduct(gram, c.squares, w) + 2*lowrank.Inner(cross, c.cross) + lowrank.Inner(squares, s.d)
	switch norm := lowrank.TraceProduct(gram, c.gram, w); {
	case norm > 0:
		out.Change = max(change, 0) / norm
	case change > 0:
		out.Change = 1
	}
	if s.momentum = 0; against+c.against > 0 {
		s.pace = 1
	} else {
		next := (1 + math.Sqrt(1+4*s.pace*s.pace)) / 2
		s.momentum, s.pace = (s.pace-1)/next, next
	}
	return gram, nil
}

// shrink sets the diagonal of (hBᵀB + λ)⁻¹, BᵀB being diagonal, for a row whose heaviest
// entry has the weight h.
func (s *solver) shrink(to []float64, lambda, heaviest float64) {
	top := 0.0
	for x := range s.r {
		top = max(top, s.d[x])
	}
	for x := range s.r {
		to[x] = 0
		if by := heaviest*s.d[x] + lambda + 1e-12*heaviest*top; by > 0 {
			to[x] = 1 / by
		}
	}
}

// row gives row i its new factors, and adds what its columns need to their sums.
func (s *solver) row(c *chunk, i int, columns []int32, values, weights []float64, lambda float64, shrink []float64) {
	w := s.w
	a, last := s.a[i*w:][:w], s.aLast[i*w:][:w]
	if s.turn != nil {
		lowrank.Apply(c.line, a, s.turn)
		lowrank.Apply(c.last, last, s.turn)
	} else {
		copy(c.line, a)
		copy(c.last, last)
	}
	for x, v := range c.line {
		last[x] = v
		c.line[x] += s.momentum * (v - c.last[x])
		c.size += c.line[x] * c.line[x]
	}
	e := c.e[:len(columns)]
	c.old += residuals(e, c.line, s.b, columns, values, weights)
	kernel.Correlate(c.z, e, columns, s.b, w)
	for x, from := range c.line {
		d := (c.z[x] - lambda*from) * shrink[x]
		a[x], c.line[x] = from+d, d
		c.squares[x] += d * d
		c.against -= d * (a[x] - last[x])
	}
	lowrank.Outer(c.gram, a, a)
	lowrank.Outer(c.cross, a, c.line)
	c.half += residuals(e, a, s.b, columns, values, weights)
	lowrank.Scatter(c.g, e, a, columns)
}

// settle moves B to where the next step begins, and goes over to coordinates in
// which AᵀA = bᵀb = diag(d).
func (s *solver) settle(gram []float64) {
	w := s.w
	for x, at := range s.bAt { // b has B₋, see columns
		s.b[x] = at + s.momentum*(at-s.b[x])
	}
	var byB []float64
	s.turn, byB, s.d = lowrank.Balance(gram, s.gramOf(s.b), s.r, w)
	lowrank.Blocks(s.m, columnBlock, s.threads, func(lo, hi int) {
		line := make([]float64, w)
		for _, table := range [][]float64{s.b, s.bAt} {
			for j := lo; j < hi; j++ {
				copy(line, table[j*w:][:w])
				lowrank.Apply(table[j*w:][:w], line, byB)
			}
		}
	})
}

// residuals sets e = values − B a on the columns, times the weights, and returns the sum of
// squares by the weights.
func residuals(e, a, b []float64, columns []int32, values, weights []float64) float64 {
	lowrank.Dots(e, a, b, columns)
	sum := 0.0
	for x, v := range values[:len(e)] {
		e[x] = v - e[x]
		if weights != nil {
			d := e[x]
			e[x] *= weights[x]
			sum += e[x] * d
		} else {
			sum += e[x] * e[x]
		}
	}
	return sum
}
