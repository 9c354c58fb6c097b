package objective

import (
	"math"
	"slices"

	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// weighting is the weights of one evaluation, as the rows need them.
type weighting struct {
	support []int     // the features of positive weight, increasing
	ridge   []float64 // 1/(γ s_j) of each of them
	root    []float64 // √(γ s_j)
	table   table     // their features
	more    int       // roundings of an entry because of its weight
}

func newWeighting(weights []float64, gamma float64) weighting {
	var w weighting
	for j, s := range weights {
		if s > 0 {
			w.support = append(w.support, j)
			w.ridge = append(w.ridge, 1/(gamma*s))
			w.root = append(w.root, math.Sqrt(gamma*s))
		}
	}
	return w
}

// sums is what a chunk of rows adds to an evaluation, before scaling.
type sums struct {
	cost     float64   // Σ ‖a − Vu‖² + Σ u²/(γs)
	constant float64   // Σ 2aᵀr − ‖r‖²
	size     float64   // Σ 2‖a‖‖r‖ + ‖r‖²
	squares  float64   // Σ ‖a‖²
	penalty  float64   // Σ u²/(γs)
	gradient []float64 // Σ (b_jᵀr)²; of a worker in the order of the blocks
	hessian  []float64 // Σ (b_jᵀr)(b_lᵀr) b_jᵀMb_l over the support
}

// add adds a row's part of the cut, from any r: 2aᵀr − ‖r‖², given aᵀa, aᵀr and rᵀr.
func (s *sums) add(aa, ar, rr float64) {
	s.constant += 2*ar - rr
	s.size += 2*math.Sqrt(aa*rr) + rr
	s.squares += aa
}

// worker evaluates chunks on one thread, reusing its memory.
type worker struct {
	*Exact
	weighting
	group
	panel   panel
	direct  bool      // products and residuals read the table itself
	v       []float64 // features of the support and values, by entry, of each lane
	squares []float64 // products of each row's features of the support and values
	aa      [kernel.Lanes]float64
	costs   [kernel.Lanes]float64 // of the rows of the group
	k       []float64             // packed triangles, lanes side by side
	x       []float64             // right-hand sides and solutions, lanes side by side
	work    []float64             // scratch of the inverse
	zt      []float64             // b_jᵀr of the support, lanes side by side
	r       []float64             // residual of one row
	u       []float64             // coefficients of one row
	minus   []float64             // −u, 1 and zeros
}

func (o *Exact) newWorker() *worker { return &worker{Exact: o, panel: o.newPanel()} }

// group is up to eight rows, one for each lane.
type group struct {
	lanes [kernel.Lanes]struct {
		columns []int32
		values  []float64
		roots   []float64 // of the weights, which the values are multiplied by; nil: entries count alike
		scaled  []float64 // room for both
	}
}

// read takes the rows of a group out of a chunk, by rising number of entries.
func (g *group) read(c *pass.Chunk, rows []int32) {
	for lane, i := range rows {
		g.lanes[lane].columns, g.lanes[lane].values = c.Row(int(i))
		g.lanes[lane].roots = nil
	}
}

// entries is the row that was read into a lane.
func (g *group) entries(lane int) (columns []int32, values []float64) {
	return g.lanes[lane].columns, g.lanes[lane].values
}

// mostTogether is the most features of positive weight with which the products of the
// rows of a group are kept side by side, to be taken to their lanes together: with more,
// they are most of the memory of a worker.
const mostTogether = 256

// prepare sets the weights of the evaluation.
func (k *worker) prepare(w weighting, curved bool) {
	k.weighting = w
	t := len(w.support)
	k.direct = kernel.DirectTables() && w.table.rows != nil && k.heaviest == 0 && t > 0
	size := min(t, k.longest) // of the largest system: the dual ones are the smaller
	if curved {
		size = t
	}
	squares := kernel.Lanes
	if t > mostTogether {
		squares = 1
	}
	k.k = grow(k.k, kernel.Tri(size)*kernel.Lanes+kernel.LanesRoom)
	k.x = grow(k.x, max(t, k.longest)*kernel.Lanes+kernel.LanesRoom)
	k.work = grow(k.work, t*kernel.Lanes)
	k.zt = grow(k.zt, t*kernel.Lanes)
	k.v = grow(k.v, kernel.Lanes*max(k.stride(), t*kernel.GramWidth(min(t, k.longest))))
	k.squares = grow(k.squares, squares*(t+1)*w.table.width+kernel.LanesRoom)
	k.r = grow(k.r, k.longest+kernel.CombineRoom)
	k.u = grow(k.u, t)
	k.minus = grow(k.minus, w.table.width)
}

// stride is how far the tables V of two lanes are apart.
func (k *worker) stride() int { return (k.longest + kernel.CombineRoom) * k.table.width }

// gathered is the table V of a lane.
func (k *worker) gathered(lane int) []float64 { return k.v[lane*k.stride():][:k.stride()] }

// grow returns x with at least n elements.
func grow(x []float64, n int) []float64 {
	if len(x) >= n {
		return x
	}
	return make([]float64, n)
}

// chunk evaluates the rows of a chunk, eight at a time, each group in the smaller
// of two spaces: systems of the size of the support (primal), or of the most
// entries of a row (dual). Second derivatives come from the primal one. They steer
// the search and prove nothing, so where there are many rows, one group of several
// that follow each other by number of entries stands for all of them.
func (k *worker) chunk(c *pass.Chunk, curved bool, s *sums) {
	order := k.order[c.Number]
	groups := (len(order) + kernel.Lanes - 1) / kernel.Lanes
	n, _ := k.matrix.Dims()
	thin := max(1, min(n/thinRows, mostThin))
	at := 0
	for group := range slices.Chunk(order, kernel.Lanes) {
		block := at / thin * thin
		size := min(thin, groups-block) // of the groups that one stands for
		second := curved && at == block+size/2
		for _, i := range order[min((at+1)*kernel.Lanes, len(order)):min((at+2)*kernel.Lanes, len(order))] {
			kernel.Fetch(c.InMemory(int(i))) // the next ones
		}
		k.solve(c, group, second, s)
		if second {
			k.second(s.hessian, float64(size))
		}
		if k.panel.full() {
			k.take(s)
		}
		at++
	}
}

// Second derivatives are those of at least about thinRows rows, and of a mostThin-th.
const (
	thinRows = 4096
	mostThin = 4
)

// newSums is of no rows.
func (k *worker) newSums(curved bool) *sums {
	s := &sums{gradient: make([]float64, k.width())}
	if t := len(k.support); curved {
		s.hessian = make([]float64, t*t)
	}
	return s
}

// solve reads a group of rows and solves it in one of the spaces.
func (k *worker) solve(c *pass.Chunk, group []int32, curved bool, s *sums) {
	k.read(c, group)
	columns, _ := k.entries(len(group) - 1) // the fullest row
	if len(columns) < len(k.support) && !curved {
		k.dual(len(group), len(columns), s)
	} else {
		k.primal(len(group), s)
	}
}

// take adds (b_jᵀr)² of the rows in the panel.
func (k *worker) take(s *sums) {
	k.panel.takeBlocks(k.Exact, func(b *block, z []float64, stride int) {
		kernel.AddSquares(s.gradient[b.from:][:b.size], z, stride, k.panel.rows)
	})
}

// primalSystem factors D⁻¹/γ + V_iᵀV_i for each row of the group, with V_iᵀa_i
// as the right-hand side: the products of [V_i a_i] with itself.
func (k *worker) primalSystem(lanes int) {
	t, width := len(k.support), k.table.width
	stride := (t + 1) * width
	if t > mostTogether {
		stride = 0
		clear(k.k[:kernel.Tri(t)*kernel.Lanes])
		clear(k.x[:t*kernel.Lanes])
	} else {
		clear(k.squares[lanes*stride : kernel.Lanes*stride])
	}
	for lane := range lanes {
		columns, values := k.entries(lane)
		square := k.squares[lane*stride:][:(t+1)*width]
		if k.direct {
			kernel.GramTable(square, k.table.rows, width, columns, values, t)
		} else {
			v := k.gathered(lane)
			k.gather(v, lane)
			clear(square)
			kernel.AddGram(square, v, len(columns), width, t+1)
		}
		k.aa[lane] = square[t*width+t]
		if stride == 0 {
			kernel.ToLane(k.k, lane, square, width, t)
			for y, x := range square[t*width:][:t] {
				k.x[y*kernel.Lanes+lane] = x
			}
		}
	}
	if stride > 0 && t > 0 {
		kernel.ToLanes(k.k, k.x, k.squares, stride, width, t)
	}
	smallest := math.Inf(1)
	for y, ridge := range k.ridge {
		smallest = min(smallest, ridge)
		diagonal := k.k[(kernel.Tri(y)+y)*kernel.Lanes:][:kernel.Lanes]
		for lane := range diagonal {
			diagonal[lane] += ridge
		}
	}
	// In exact arithmetic no pivot is below the smallest ridge.
	kernel.Cholesky(k.k, t, smallest)
}

// primal solves (D⁻¹/γ + V_iᵀV_i) u_i = V_iᵀa_i for each row of the group and
// takes r_i = a_i − V_i u_i. It leaves the V_iᵀr_i = D⁻¹u_i/γ in zt.
func (k *worker) primal(lanes int, s *sums) {
	k.primalSystem(lanes)
	t := len(k.support)
	kernel.Solve(k.k, k.x, t)
	for lane := range lanes {
		columns, values := k.entries(lane)
		u := k.u[:t]
		penalty := 0.0
		for y := range u {
			u[y] = k.x[y*kernel.Lanes+lane]
			penalty += k.ridge[y] * u[y] * u[y]
		}
		var ar, rr float64
		if r := k.panel.room(len(columns)); k.direct {
			ar, rr = kernel.CombineTable(r, k.table.rows, k.table.width, columns, k.less(u, 0), values, t)
		} else {
			ar, rr = k.residual(r, k.gathered(lane), values, u)
		}
		k.correlate(lane)
		s.add(k.aa[lane], ar, rr)
		k.costs[lane] = penalty + rr
		s.penalty += penalty
		s.cost += k.costs[lane]
	}
	for y, ridge := range k.ridge {
		for lane, u := range (*[kernel.Lanes]float64)(k.x[y*kernel.Lanes:]) {
			k.zt[y*kernel.Lanes+lane] = ridge * u
		}
	}
}

// residual sets r = a − Vu, given V with a behind its features, and returns aᵀr
// and rᵀr; r has room for kernel.Combine.
func (k *worker) residual(r, v, a, u []float64) (ar, rr float64) {
	return kernel.Combine(r, v, k.less(u, 1), a, k.table.width)
}

// less is −u with a factor of the value and zeros behind it.
func (k *worker) less(u []float64, value float64) []float64 {
	minus := k.minus[:k.table.width]
	for y, x := range u {
		minus[y] = -x
	}
	minus[len(u)] = value
	clear(minus[len(u)+1:])
	return minus
}

// second adds the group's second derivatives. With E = D⁻¹/γ and K = E + G of
// the primal systems, b_jᵀM b_l = E_j δ_jl − E_j (K⁻¹)_jl E_l.
func (k *worker) second(hessian []float64, weight float64) {
	t := len(k.support)
	kernel.Inverse(k.k, k.work, t)
	for x := range t {
		zx := (*[kernel.Lanes]float64)(k.zt[x*kernel.Lanes:])
		for y := range x + 1 {
			zy := (*[kernel.Lanes]float64)(k.zt[y*kernel.Lanes:])
			inverse := (*[kernel.Lanes]float64)(k.k[(kernel.Tri(x)+y)*kernel.Lanes:])
			sum := 0.0
			if x == y {
				for lane, z := range zx {
					sum += z * z * (1 - k.ridge[x]*inverse[lane])
				}
				hessian[x*t+x] += weight * k.ridge[x] * sum
				continue
			}
			for lane, z := range zx {
				sum += z * zy[lane] * inverse[lane]
			}
			hessian[x*t+y] -= weight * k.ridge[x] * k.ridge[y] * sum
		}
	}
}

func squares(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum
}
