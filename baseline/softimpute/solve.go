package softimpute

import (
	"context"
	"math"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/data"
	"optcomplete/internal/kernel"
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

// Step tells of one step: the objective before it and after its first half, the
// new row factors; and the squared relative change of Z.
type Step struct {
	Lambda       float64
	Number       int // from 1
	Before, Half float64
	Change       float64
}

// SolveSettings say how one problem is solved.
type SolveSettings struct {
	Rank      int     // largest rank; at least 1
	Lambda    float64 // not negative
	Start     *Factors
	Tolerance float64 // stop when Z changes by so little, relative and squared; zero means 1e-9. R's default, 1e-5, ends far from the minimum where most entries are missing
	MaxSteps  int     // zero means 1000
	Seed      uint64  // of the start
	Threads   int     // zero means 1; results do not depend on it
	OnStep    func(Step)
}

// columnBlock is how many columns are worked on together. It is fixed, so that
// threads cannot change the order of sums.
const columnBlock = 256

const startStream = 0x736f6674 // "soft"

// Solve minimises the objective for one λ, from a start if there is one.
func Solve(ctx context.Context, source data.Source, s SolveSettings) (*Factors, error) {
	rows, err := lowrank.NewRows(ctx, source, lowrank.ChunksFor(source, kernel.Pad(max(s.Rank, 1))), 0)
	if err != nil {
		return nil, err
	}
	return newSolver(rows, s.Rank, s.Threads).solve(ctx, s)
}

// solver holds the factors of one rank, and what chunks of rows add up.
type solver struct {
	rows    *lowrank.Rows
	n, m    int
	r, w    int // rank and width
	threads int
	a, b    []float64 // A (n×w), still to be multiplied by turn, and B (m×w)
	turn    []float64 // w×w
	d       []float64 // diagonal of BᵀB, w
	square  float64   // ‖A‖²
	norm    float64   // ‖A Bᵀ‖²
	before  []float64 // B of the step before
	chunks  []chunk
}

// chunk is what a chunk of rows adds up in a pass, and its scratch.
type chunk struct {
	g           []float64 // Σ e_ij a_i for every column, m×w
	gram, cross []float64 // A'ᵀA' and A'ᵀA
	old, half   float64   // squared residuals before and after the row's step
	line, z, e  []float64
}

func newSolver(rows *lowrank.Rows, rank, threads int) *solver {
	n, m := rows.Dims()
	r := max(1, min(rank, n, m))
	w := kernel.Pad(r)
	s := &solver{
		rows: rows, n: n, m: m, r: r, w: w, threads: threads,
		a: make([]float64, n*w), b: make([]float64, m*w), before: make([]float64, m*w),
		chunks: make([]chunk, rows.Chunks()),
	}
	for c := range s.chunks {
		s.chunks[c] = chunk{
			g: make([]float64, m*w), gram: make([]float64, w*w), cross: make([]float64, w*w),
			line: make([]float64, w), z: make([]float64, w), e: make([]float64, rows.Longest),
		}
	}
	return s
}

func (s *solver) solve(ctx context.Context, settings SolveSettings) (*Factors, error) {
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
	s.begin(settings)
	for number := 1; number <= steps; number++ {
		step, err := s.step(ctx, settings.Lambda)
		if err != nil {
			return nil, err
		}
		step.Number = number
		if settings.OnStep != nil {
			settings.OnStep(step)
		}
		if step.Change <= tolerance {
			break
		}
	}
	return s.finish(ctx, settings.Lambda)
}

// begin sets A and B to the start, and beyond its rank B to random directions
// that are orthogonal to it: with A = 0 there the first step wakes them up.
func (s *solver) begin(settings SolveSettings) {
	clear(s.a)
	clear(s.b)
	s.turn, s.square, s.norm = nil, 0, 0
	s.d = make([]float64, s.w)
	have := 0
	if from := settings.Start; from != nil {
		have = min(from.Rank, s.r)
		for x, d := range from.D[:have] {
			root := math.Sqrt(d)
			s.norm += d * d
			for i := range s.n {
				s.a[i*s.w+x] = from.U[i*from.Rank+x] * root
				s.square += s.a[i*s.w+x] * s.a[i*s.w+x]
			}
			for j := range s.m {
				s.b[j*s.w+x] = from.V[j*from.Rank+x] * root
			}
		}
	}
	scale := settings.Lambda
	if scale == 0 {
		scale = 1
		if have > 0 {
			scale = settings.Start.D[have-1]
		}
	}
	rng := random.New(settings.Seed, startStream)
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

// step makes one step: rows, columns, balance.
func (s *solver) step(ctx context.Context, lambda float64) (Step, error) {
	w := s.w
	out := Step{Lambda: lambda}
	shrink := make([]float64, w) // (BᵀB + λ)⁻¹, BᵀB being diagonal
	top := 0.0
	for x := range s.r {
		top = max(top, s.d[x])
	}
	for x := range s.r {
		if by := s.d[x] + lambda + 1e-12*top; by > 0 {
			shrink[x] = 1 / by
		}
	}
	err := s.rows.Each(ctx, s.threads, func(number int) func(int, []int32, []float64) {
		c := &s.chunks[number]
		clear(c.g)
		clear(c.gram)
		clear(c.cross)
		c.old, c.half = 0, 0
		return func(i int, columns []int32, values []float64) { s.row(c, i, columns, values, lambda, shrink) }
	})
	if err != nil {
		return out, err
	}
	gram, cross := make([]float64, w*w), make([]float64, w*w)
	old, half := 0.0, 0.0
	for c := range s.chunks {
		lowrank.Add(gram, s.chunks[c].gram)
		lowrank.Add(cross, s.chunks[c].cross)
		old += s.chunks[c].old
		half += s.chunks[c].half
	}
	trace := func(g []float64) (sum float64) {
		for x := range s.r {
			sum += g[x*w+x]
		}
		return sum
	}
	columnSquare := 0.0
	for _, d := range s.d {
		columnSquare += d
	}
	out.Before = (old + lambda*(s.square+columnSquare)) / 2
	out.Half = (half + lambda*(trace(gram)+columnSquare)) / 2

	copy(s.before, s.b)
	after, moved := s.columns(gram, lambda)
	norm := lowrank.TraceProduct(gram, after, w)
	// ‖A'B'ᵀ − ABᵀ‖² = ‖Z'‖² + ‖Z‖² − 2 tr((A'ᵀA)(BᵀB'))
	change := math.Abs(norm + s.norm - 2*dot(cross, moved))
	switch {
	case s.norm > 0:
		out.Change = change / s.norm
	case norm > 0:
		out.Change = 1
	}
	s.norm = norm
	var byB []float64
	s.turn, byB, s.d = lowrank.Balance(gram, after, s.r, w)
	s.square = 0
	for _, d := range s.d {
		s.square += d
	}
	lowrank.Blocks(s.m, columnBlock, s.threads, func(lo, hi int) {
		line := make([]float64, w)
		for j := lo; j < hi; j++ {
			copy(line, s.b[j*w:][:w])
			lowrank.Apply(s.b[j*w:][:w], line, byB)
		}
	})
	return out, nil
}

// row gives row i its new factors, and the columns what they need of it.
func (s *solver) row(c *chunk, i int, columns []int32, values []float64, lambda float64, shrink []float64) {
	w := s.w
	a := s.a[i*w:][:w]
	if s.turn != nil {
		lowrank.Apply(c.line, a, s.turn)
	} else {
		copy(c.line, a)
	}
	e := c.e[:len(columns)]
	c.old += residuals(e, c.line, s.b, columns, values)
	kernel.Correlate(c.z, e, columns, s.b, w)
	for x := range a {
		a[x] = c.line[x] + (c.z[x]-lambda*c.line[x])*shrink[x]
	}
	lowrank.Outer(c.gram, a, a)
	lowrank.Outer(c.cross, a, c.line)
	c.half += residuals(e, a, s.b, columns, values)
	lowrank.Scatter(c.g, e, a, columns)
}

// residuals sets e = values − B a on the columns, and returns its square.
func residuals(e, a, b []float64, columns []int32, values []float64) float64 {
	lowrank.Dots(e, a, b, columns)
	sum := 0.0
	for x, v := range values[:len(e)] {
		e[x] = v - e[x]
		sum += e[x] * e[x]
	}
	return sum
}

// columns gives the columns their new factors, B + (G − λB)(AᵀA + λ)⁻¹, and
// returns BᵀB of the new ones and their product with the old ones.
func (s *solver) columns(gram []float64, lambda float64) (after, cross []float64) {
	const block = columnBlock
	w := s.w
	inverse := lowrank.InverseRidge(gram, s.r, w, lambda)
	blocks := (s.m + block - 1) / block
	afters, crosses := make([][]float64, blocks), make([][]float64, blocks)
	lowrank.Blocks(blocks, 1, s.threads, func(lo, hi int) {
		g, move := make([]float64, w), make([]float64, w)
		for x := lo; x < hi; x++ {
			afters[x], crosses[x] = make([]float64, w*w), make([]float64, w*w)
			for j := x * block; j < min(s.m, (x+1)*block); j++ {
				b := s.b[j*w:][:w]
				clear(g)
				for c := range s.chunks {
					lowrank.Axpy(1, s.chunks[c].g[j*w:][:w], g)
				}
				lowrank.Axpy(-lambda, b, g)
				lowrank.Apply(move, g, inverse)
				lowrank.Axpy(1, move, b)
				lowrank.Outer(afters[x], b, b)
				lowrank.Outer(crosses[x], b, s.before[j*w:][:w])
			}
		}
	})
	after, cross = make([]float64, w*w), make([]float64, w*w)
	for x := range blocks {
		lowrank.Add(after, afters[x])
		lowrank.Add(cross, crosses[x])
	}
	return after, cross
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for x, v := range a {
		sum += v * b[x]
	}
	return sum
}
