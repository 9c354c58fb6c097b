package imc

import (
	"context"
	"math"

	"optcomplete/baseline/internal/lowrank"
	"optcomplete/internal/kernel"
	"optcomplete/internal/lists"
	"optcomplete/internal/random"
)

// Step describes one step: the objective after the rows' half and after the
// columns'.
type Step struct {
	Lambda        float64
	Number        int // from 1
	Rows, Columns float64
}

// solver holds the factors of one rank.
type solver struct {
	rows    *lowrank.Rows
	n, m    int
	r, w    int
	threads int
	columns side
	s       []float64 // S, p×w
	u       []float64 // U, n×w
	v       []float64 // V = B S, m×w
	chunks  []chunk
	total   *sums
}

// chunk is what a chunk of rows adds up in a pass, and its scratch.
type chunk struct {
	*sums
	square, size float64 // squared residuals, by their weights, and ‖U‖²
	lines, gram  []float64
	outer        []float64
	e            []float64
	pulls        []float64 // values times weights
}

func newSolver(rows *lowrank.Rows, columns side, rank, threads int) *solver {
	n, m := rows.Dims()
	r := max(1, min(rank, n, m, columns.p))
	s := &solver{rows: rows, n: n, m: m, r: r, w: kernel.Pad(r), threads: threads, columns: columns}
	s.s, s.u, s.v = make([]float64, columns.p*s.w), make([]float64, n*s.w), make([]float64, m*s.w)
	s.chunks = make([]chunk, rows.Chunks())
	for c := range s.chunks {
		s.chunks[c] = chunk{
			sums: newSums(m, r), lines: make([]float64, rows.Longest*kernel.GramWidth(r)+8),
			gram: make([]float64, kernel.Tri(r)), outer: make([]float64, kernel.Pad(kernel.Tri(r))), e: make([]float64, rows.Longest),
		}
	}
	s.total = newSums(m, r)
	return s
}

const startStream = 0x696d63 // "imc"

// begin starts from given factors of the features, if any, and gives what is next
// to nothing of them random directions, so that no direction is lost for good.
func (s *solver) begin(start *Factors, seed uint64) {
	rng := random.New(seed, startStream)
	fill := func(to, from []float64, lines, rank int) {
		clear(to)
		size := make([]float64, s.r)
		top := 0.0
		for x := range min(rank, s.r) {
			for f := range lines {
				to[f*s.w+x] = from[f*rank+x]
				size[x] += to[f*s.w+x] * to[f*s.w+x]
			}
			top = max(top, size[x])
		}
		scale := 1.0
		if top > 0 {
			scale = 0.1 * math.Sqrt(top/float64(lines))
		}
		for x := range s.r {
			if size[x] > 1e-4*top {
				continue
			}
			for f := range lines {
				to[f*s.w+x] = scale * rng.Normal()
			}
		}
	}
	var from Factors
	if start != nil {
		from = *start
	}
	fill(s.s, from.S, s.columns.p, from.Rank)
	s.columns.project(s.v, s.s, s.w, s.threads)
}

// solve minimises the objective for one λ, from a start if there is one.
func (s *solver) solve(ctx context.Context, settings *Settings, lambda float64, start *Factors) (*Factors, error) {
	unit := math.Sqrt(s.rows.Unit) // of either factor: half of the penalty is on each
	f, err := s.solveRows(ctx, settings, lambda/s.rows.Penalty(), start.times(1/unit))
	return f.times(unit), err
}

// times multiplies each of the factors.
func (f *Factors) times(by float64) *Factors {
	if f == nil || by == 1 {
		return f
	}
	each := func(x float64) float64 { return x * by }
	return &Factors{Rank: f.Rank, S: lists.Each(f.S, each), U: lists.Each(f.U, each), V: lists.Each(f.V, each)}
}

// solveRows is solve in the unit of the rows.
func (s *solver) solveRows(ctx context.Context, settings *Settings, lambda float64, start *Factors) (*Factors, error) {
	tolerance, steps := settings.Tolerance, settings.MaxSteps
	if tolerance == 0 {
		tolerance = 1e-4
	}
	if steps == 0 {
		steps = 100
	}
	s.begin(start, settings.Seed)
	last := math.Inf(1)
	for number := 1; number <= steps; number++ {
		step, err := s.step(ctx, lambda)
		if err != nil {
			return nil, err
		}
		step.Number = number
		if settings.OnStep != nil {
			settings.OnStep(step)
		}
		if last-step.Columns <= tolerance*step.Columns {
			break
		}
		last = step.Columns
	}
	// The rows' factors for the final S.
	if _, err := s.pass(ctx, lambda, false); err != nil {
		return nil, err
	}
	return s.factors(), nil
}

func (s *solver) step(ctx context.Context, lambda float64) (Step, error) {
	out := Step{Lambda: lambda}
	size, err := s.pass(ctx, lambda, true)
	if err != nil {
		return out, err
	}
	residual := 0.0
	for c := range s.chunks {
		residual += s.chunks[c].square
	}
	out.Rows = (residual + lambda*(size+lowrank.Inner(s.s, s.s))) / 2
	out.Columns = out.Rows - s.columns.solve(s.s, s.v, s.total, lambda, s.threads)
	s.balance(size)
	return out, nil
}

// balance scales S so that its squares are as many as those of U, which follows from
// it: the product stays as it is and the penalty becomes smaller.
func (s *solver) balance(size float64) {
	other := lowrank.Inner(s.s, s.s)
	if !(size > 0 && other > 0) {
		return
	}
	by := math.Sqrt(math.Sqrt(size / other))
	for x := range s.s {
		s.s[x] *= by
	}
	for x := range s.v {
		s.v[x] *= by
	}
}

// pass solves every row, and adds up what
// the columns need of them if that is asked for. It returns ‖U‖².
func (s *solver) pass(ctx context.Context, lambda float64, add bool) (float64, error) {
	err := s.rows.Each(ctx, s.threads, func(number int) lowrank.Row {
		c := &s.chunks[number]
		c.square, c.size = 0, 0
		if add {
			clear(c.q)
			clear(c.y)
		}
		return func(i int, columns []int32, values, weights []float64) {
			u := s.u[i*s.w:][:s.w]
			s.row(c, u, columns, values, weights, lambda)
			c.size += lowrank.Inner(u, u)
			if add {
				s.add(c, u, columns, values, weights)
			}
		}
	})
	if err != nil {
		return 0, err
	}
	size := 0.0
	for c := range s.chunks {
		size += s.chunks[c].size
	}
	if add {
		lowrank.Blocks(s.m, lineBlock, s.threads, func(lo, hi int) {
			q, y := s.total.q[lo*s.total.t:hi*s.total.t], s.total.y[lo*s.w:hi*s.w]
			clear(q)
			clear(y)
			for c := range s.chunks {
				lowrank.Add(q, s.chunks[c].q[lo*s.total.t:])
				lowrank.Add(y, s.chunks[c].y[lo*s.w:])
			}
		})
	}
	return size, nil
}

// normal sets the chunk's gram to Σ w v_j v_jᵀ over the columns and y to Σ w x v_j.
func (s *solver) normal(c *chunk, y []float64, columns []int32, values, weights []float64) {
	width := kernel.GramWidth(s.r)
	for e, j := range columns {
		copy(c.lines[e*width:], s.v[int(j)*s.w:][:s.w])
	}
	if weights != nil {
		c.pulls = c.pulls[:0]
		for e, w := range weights {
			root, line := math.Sqrt(w), c.lines[e*width:][:s.w]
			for x := range line {
				line[x] *= root
			}
			c.pulls = append(c.pulls, w*values[e])
		}
		values = c.pulls
	}
	clear(c.gram)
	kernel.PackedGram(c.gram, c.lines, len(columns), width, s.r)
	kernel.Correlate(y, values, columns, s.v, s.w)
}

// row sets u to the row's factors: (Σ w v_j v_jᵀ + λ)⁻¹ Σ w x v_j.
func (s *solver) row(c *chunk, u []float64, columns []int32, values, weights []float64, lambda float64) {
	s.normal(c, u, columns, values, weights)
	lowrank.SolvePacked(c.gram, u, s.r, lambda)
}

// add adds a row to its columns' sums, and to the squared residuals.
func (s *solver) add(c *chunk, u []float64, columns []int32, values, weights []float64) {
	at := 0
	for x := range s.r {
		for y := range x + 1 {
			c.outer[at] = u[x] * u[y]
			at++
		}
	}
	e := c.e[:len(columns)]
	lowrank.Dots(e, u, s.v, columns)
	for x, j := range columns {
		weight := 1.0
		if weights != nil {
			weight = weights[x]
		}
		lowrank.Axpy(weight, c.outer, c.q[int(j)*c.t:][:c.t])
		lowrank.Axpy(weight*values[x], u, c.y[int(j)*c.w:][:c.w])
		c.square += weight * ((values[x] - e[x]) * (values[x] - e[x]))
	}
}

// factors copies the factors out.
func (s *solver) factors() *Factors {
	narrow := func(table []float64) []float64 {
		lines := len(table) / s.w
		out := make([]float64, 0, lines*s.r)
		for i := range lines {
			out = append(out, table[i*s.w:][:s.r]...)
		}
		return out
	}
	f := &Factors{Rank: s.r, S: narrow(s.s), U: narrow(s.u), V: narrow(s.v)}
	return f
}
