package proof

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/parallel"
)

// cut says that n·m·c(t) ≥ constant − Σ_u t_u·slope[u] for all weights t of the
// units. order has the units by falling slope.
type cut struct {
	constant float64
	slope    []float64
	order    []int
	level    int
	loose    float64 // by how much rounding alone may have lowered it at a selection
}

// How precisely a cut was computed.
const (
	plainly = iota
	precisely
	withLong
)

// place is a point in terms of features, and what was computed there.
type place struct {
	support []int     // features of positive weight
	weight  []float64 // theirs
	precise bool      // in twice the precision
	upper   bool      // also what the selection costs at most; precise only

	mu    []float64 // of the support, in pooled
	sum   sums
	found *found // with more bits, in place of the sums; nil: the sums are all there is
}

// sums are what the rows add to a cut:
//
//	constant Σ 2a_iᵀr_i − ‖r_i‖²          size  Σ 2|a_i|ᵀ|r_i| + ‖r_i‖²
//	squares  Σ_i ẑ_ij², ẑ_ij ≈ b_jᵀr_i     total Σ_i ẑ_ij
//	error1   Σ e_i                         error2  Σ e_i²
//	rows     Σ |2a_iᵀr_i − ‖r_i‖²|, in twice the precision only
//
// where |ẑ_ij − b_jᵀr_i| ≤ e_i·max|b_j|; and in upper Σ‖a_i − V_i(μ+u_i)‖² + Σ u_ij²/(γs_j).
// With weights w, r_i is the residual times them, ‖r_i‖² is Σ r²/w, and the squares in
// upper count by them.
type sums struct {
	constant, size, rows, error1, error2, upper float64
	squares, total                              []float64
}

func (s *sums) add(o *sums) {
	s.constant += o.constant
	s.size += o.size
	s.rows += o.rows
	s.error1 += o.error1
	s.error2 += o.error2
	s.upper += o.upper
	for j := range s.squares {
		s.squares[j] += o.squares[j]
		s.total[j] += o.total[j]
	}
}

func (s *sums) reset() {
	squares, total := s.squares, s.total
	clear(squares)
	clear(total)
	*s = sums{squares: squares, total: total}
}

func newSums(p int) sums { return sums{squares: make([]float64, p), total: make([]float64, p)} }

// cost is the data of a problem, ready to be evaluated.
type cost struct {
	matrix        *data.Matrix // what is to be explained, divided by unit
	unit          float64      // a power of two
	n, m, p       int
	b             []float64 // m×p, in pooled with an intercept
	largest       []float64 // max |b_j| over the columns
	longest       int       // most entries in a row
	gamma, gamma0 float64   // gamma0 is 0 but in pooled
	units         [][]int
	threads       int
}

// Rows are added up in blocks, blocks in parts, parts at the end: a sum of
// rounding errors that grows with none of the three alone.
const (
	blockRows = 256
	mostParts = 64
)

// normalize divides the values by a power of two, so that none of their squares
// overflows or is lost; that rounds nothing.
func (c *cost) normalize() {
	largest := 0.0
	for i := range c.n {
		_, values := c.matrix.Row(i)
		for _, x := range values {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 || largest > 1e-60 && largest < 1e60 {
		return // and nothing needs to be done
	}
	_, exponent := math.Frexp(largest)
	c.unit = math.Ldexp(1, exponent)
	c.matrix = c.matrix.Map(func(_ int, _ int32, v float64) float64 { return v / c.unit })
}

// size is n·m.
func (c *cost) size() float64 { return float64(c.n) * float64(c.m) }

// perEntry turns n·m·cost of the divided values into a cost.
func (c *cost) perEntry(x float64) float64 { return x / c.size() * c.unit * c.unit }

func (c *cost) parts() int { return max(1, min(mostParts, c.n/blockRows)) }

// summands bounds how many roundings an entry of a sum over rows goes through.
func (c *cost) summands() int { return blockRows + c.n/blockRows + mostParts + 8 }

// eachRow does the work for every row with entries, on all threads; the work gets
// the number of the part, and flush is called after each block of a part.
func (c *cost) eachRow(ctx context.Context, start func() (work func(part int, columns []int32, values, weights []float64), flush func(part int))) error {
	parts := c.parts()
	return parallel.Do(ctx, parts, c.threads, func(int) func(int) error {
		work, flush := start()
		return func(part int) error {
			lo, hi := part*c.n/parts, (part+1)*c.n/parts
			for i := lo; i < hi; i++ {
				if columns, values := c.matrix.Row(i); len(columns) > 0 {
					work(part, columns, values, c.matrix.RowWeights(i))
				}
				if (i-lo)%blockRows == blockRows-1 || i == hi-1 {
					flush(part)
					if err := ctx.Err(); err != nil {
						return err
					}
				}
			}
			return nil
		}
	})
}

// evaluate fills in the sums of all places, in one reading of the rows (in
// pooled two).
func (c *cost) evaluate(ctx context.Context, places []*place) error {
	if c.gamma0 > 0 {
		if err := c.populations(ctx, places); err != nil {
			return err
		}
	}
	parts := make([][]sums, c.parts())
	for part := range parts {
		parts[part] = make([]sums, len(places))
		for x := range places {
			parts[part][x] = newSums(c.p)
		}
	}
	err := c.eachRow(ctx, func() (func(int, []int32, []float64, []float64), func(int)) {
		s := newSolver(c)
		precise := &preciseSolver{solver: s}
		block := make([]sums, len(places))
		for x := range block {
			block[x] = newSums(c.p)
		}
		work := func(_ int, columns []int32, values, weights []float64) {
			for x, at := range places {
				if at.precise {
					precise.add(at, columns, values, weights, &block[x])
				} else {
					s.add(at, columns, values, weights, &block[x])
				}
			}
		}
		flush := func(part int) {
			for x := range block {
				parts[part][x].add(&block[x])
				block[x].reset()
			}
		}
		return work, flush
	})
	for x, at := range places {
		at.sum = newSums(c.p)
		for part := range parts {
			at.sum.add(&parts[part][x])
		}
	}
	return err
}

// wider makes sums of errors larger than their own rounding can have made them
// smaller.
const wider = 1.0001

// cut makes a cut of a place's sums, every rounding to the safe side.
func (c *cost) cut(at *place) *cut {
	if at.found != nil {
		return at.found.cut
	}
	s := &at.sum
	rows := gam(c.summands())
	entries := gam(5*c.longest + 8)
	relative := 0.0
	lost := up(s.size*wider*up(entries+rows) + tiny)
	if at.precise {
		// A row's sum is rounded once, and then added to the others.
		entries, relative = doubleError(5*c.longest+8), 4e-16
		if c.matrix.Weighted() {
			entries += 1e-15 // r²/w has four roundings
		}
		lost = up(up(s.size*wider*entries) + up(s.rows*wider*up(rows+relative)) + tiny)
	}
	out := &cut{}
	if at.precise {
		out.level = precisely
	}
	out.constant, out.loose = down(s.constant-lost), lost
	error1, error2 := s.error1*wider, rootAbove(s.error2*wider)
	feature := make([]float64, c.p)
	for j := range feature {
		squares := up(s.squares[j] * (1 + 2*rows + 2*relative))
		each := up(rootAbove(squares) + up(c.largest[j]*error2))
		slope := up(c.gamma * up(each*each))
		if c.gamma0 > 0 {
			// Σ|ẑ_ij| ≤ √(n·Σẑ_ij²) bounds what rounding did to the total.
			sum := up(math.Abs(s.total[j]) + up(up(c.largest[j]*error1)+up(up(rows+relative)*rootAbove(up(float64(c.n)*squares)))))
			slope = up(slope + up(c.gamma0*up(sum*sum)))
		}
		feature[j] = slope
	}
	out.slopes(c.units, feature)
	for _, j := range at.support {
		out.loose += max(0, feature[j]-c.gamma*s.squares[j]-c.gamma0*s.total[j]*s.total[j])
	}
	return out
}

// slopes makes those of the units of those of the features.
func (c *cut) slopes(units [][]int, feature []float64) {
	c.slope = make([]float64, len(units))
	for u, members := range units {
		for _, j := range members {
			c.slope[u] = up(c.slope[u] + feature[j])
		}
	}
	c.sort()
}

// sort puts the units in order. A cut that is not a number says nothing.
func (c *cut) sort() {
	for u := range c.slope {
		c.order = append(c.order, u)
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		switch {
		case c.slope[a] > c.slope[b]:
			return -1
		case c.slope[a] < c.slope[b]:
			return 1
		}
		return 0
	})
	if math.IsNaN(c.constant) || slices.ContainsFunc(c.slope, math.IsNaN) {
		c.constant, c.loose = math.Inf(-1), math.Inf(1)
		clear(c.slope)
	}
}

// most is no less than what the selection of the place costs, times n·m.
func (c *cost) most(at *place) float64 {
	if at.found != nil {
		return at.found.most
	}
	s := &at.sum
	upper := up(s.upper * (1 + 2*gam(c.summands()+2*c.longest+2*len(at.support)+8)))
	for x, mu := range at.mu {
		upper = up(upper + up(up(mu*mu)/down(c.gamma0*at.weight[x])))
	}
	return up(upper + tiny)
}
