package proof

import (
	"context"
	"math"

	"optcomplete/internal/parallel"
)

// leaf is a region whose selections are all evaluated: those of the features in
// and left of the candidates. Each unit has one feature.
//
// With K_i = I/γ + G_i[S,S] and y_i = B_iᵀa_i[S] row i costs ‖a_i‖² − y_iᵀK_i⁻¹y_i;
// where entries have weights, these products and norms count by them.
// The second term, the gain, is found by elimination, one feature after the other,
// which selections that begin alike share. Elimination gives the exact gain of a
// K + E and y + e with |E_jl| ≤ η√(K_jj K_ll) and |e_j| ≤ η√K_jj·‖a_i‖ (backward
// error of LDLᵀ, Higham, chapter 10, and of the products themselves). A gain is the
// largest value of 2yᵀu − uᵀKu, and at the best u of the true problem ‖u‖² ≤ γ‖a_i‖²;
// so the true gain is more than the computed one by no more than
//
//	η‖a_i‖²(1 + κ)²,   κ² = k + γ·Σ_{j∈S} G_i[j,j].
type leaf struct {
	in, candidates []int // features
	left           int

	list  [][]int // if set, only these selections: places of candidates, in lexicographic order
	units []int   // what the candidates of a list are

	gain, part []float64 // of every selection, by lexicographic order
	pieces     []piece
}

// piece is the selections whose first candidate is given, or some of a list.
type piece struct{ first, from, to int }

// mostEnumerated is how many selections a region may have to be enumerated.
const mostEnumerated = 1 << 24

// choose is n over k, +Inf when huge.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := range min(k, n-k) {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

func (l *leaf) count() float64 {
	if l.list != nil {
		return float64(len(l.list))
	}
	return choose(len(l.candidates), l.left)
}

// pieceOfList is how many selections of a list are looked at together.
const pieceOfList = 64

// prepare makes room for the gains.
func (l *leaf) prepare() {
	l.gain, l.part = make([]float64, int(l.count())), make([]float64, int(l.count()))
	at := 0
	if l.list != nil {
		for ; at < len(l.list); at += pieceOfList {
			l.pieces = append(l.pieces, piece{0, at, min(at+pieceOfList, len(l.list))})
		}
		return
	}
	if l.left == 1 {
		l.pieces = []piece{{0, 0, len(l.gain)}}
		return
	}
	for first := range l.candidates {
		n := int(choose(len(l.candidates)-first-1, l.left-1))
		if n > 0 {
			l.pieces = append(l.pieces, piece{first, at, at + n})
		}
		at += n
	}
}

// row is what a leaf needs of a row: the system of the candidates after the
// features in were eliminated, upper triangle, and what those explain.
type row struct {
	k, y, base []float64 // base has one number
	useless    bool      // the margin would be as large as the row itself
}

// total is what the rows add to all selections of a leaf.
type total struct{ squares, gain, margin double }

// enumerateNumbers is about how many numbers of rows are kept at once.
const enumerateNumbers = 1 << 17

// enumerate bounds the cost of every selection of the leaves from below: n·m·cost
// ≥ floor − leaf.gain, with the floor of each leaf returned.
func (c *cost) enumerate(ctx context.Context, leaves []*leaf) (floors []float64, err error) {
	totals := make([]total, len(leaves))
	largest := 1
	for _, l := range leaves {
		l.prepare()
		largest = max(largest, len(l.candidates))
	}
	block := min(blockRows, max(8, enumerateNumbers/(largest*largest)))
	rows := make([]row, block)
	gathered := make([][]float64, block) // of each row: ‖a‖² and margin
	blocks := 0
	for from := 0; from < c.n; from += block {
		size := min(block, c.n-from)
		blocks++
		for x, l := range leaves {
			err := parallel.Do(ctx, size, c.threads, func(int) func(int) error {
				s := newSolver(c)
				return func(at int) error {
					gathered[at] = s.reduce(l, from+at, &rows[at], gathered[at])
					return nil
				}
			})
			if err != nil {
				return nil, err
			}
			for at := range size {
				totals[x].squares = totals[x].squares.plusProduct(gathered[at][0], 1)
				totals[x].margin = totals[x].margin.plusProduct(gathered[at][1], 1)
				totals[x].gain = totals[x].gain.plusProduct(rows[at].base[0], 1)
			}
			err = parallel.Do(ctx, len(l.pieces), c.threads, func(int) func(int) error {
				w := &walker{}
				return func(p int) error {
					w.piece(l, l.pieces[p], rows[:size])
					return nil
				}
			})
			if err != nil {
				return nil, err
			}
		}
	}
	added := gam(block + blocks + 4)
	for x := range leaves {
		t := &totals[x]
		squares := down(t.squares.value() * (1 - 1e-15))
		// A gain's sum was rounded by no more than its part of ‖a‖², or so.
		margin := up(t.margin.value()*wider + up(added*squares*1.1) + 1e-15*squares + tiny)
		floors = append(floors, down(down(squares-t.gain.value())-margin))
	}
	return floors, nil
}

// reduce makes the system of a row for a leaf. It returns no more than ‖a_i‖²,
// and by how much the gains of the row may be too small.
func (s *solver) reduce(l *leaf, i int, out *row, numbers []float64) []float64 {
	columns, values := s.matrix.Row(i)
	weights := s.matrix.RowWeights(i)
	f := len(l.candidates)
	all := f + len(l.in)
	k := room(s.many, all*all)
	s.many = k
	clear(k)
	y, v := room(s.x, all), room(s.u, all)
	s.x, s.u = y, v
	clear(y)
	squares := 0.0
	for e, c := range columns {
		b, a, weight := s.feature(c), values[e], 1.0
		if weights != nil {
			weight = weights[e]
		}
		squares += weight * a * a
		for x, j := range l.candidates {
			v[x] = b[j]
		}
		for x, j := range l.in {
			v[f+x] = b[j]
		}
		for x, vx := range v {
			if vx == 0 {
				continue
			}
			vx *= weight
			y[x] += a * vx
			to := k[x*all:][:all]
			for z := x; z < all; z++ {
				to[z] += vx * v[z]
			}
		}
	}
	diagonal := 0.0
	for x := range all {
		diagonal = max(diagonal, k[x*all+x])
		k[x*all+x] += 1 / s.gamma
	}
	selected := float64(len(l.in) + l.left)
	kappa := math.Sqrt(selected*(1+s.gamma*diagonal)) + 1
	eta := gam(2*len(columns) + 8*(len(l.in)+l.left) + 40)
	numbers = append(numbers[:0], squares*(1-gam(len(columns)+3)), wider*eta*squares*kappa*kappa+tiny)
	out.k, out.y, out.base = room(out.k, f*f), room(out.y, f), room(out.base, 1)
	if out.useless = !(eta*kappa*kappa < 0.01); out.useless {
		out.base[0] = numbers[0] // the row counts nothing
		numbers[1] = 0
		return numbers
	}
	base := 0.0
	for x := all - 1; x >= f; x-- { // the features in, from the end
		inverse := 1 / k[x*all+x]
		base += y[x] * (y[x] * inverse)
		for j := range x {
			by := k[j*all+x] * inverse
			y[j] -= by * y[x]
			to := k[j*all:][:x]
			for z := j; z < x; z++ {
				to[z] -= by * k[z*all+x]
			}
		}
	}
	out.base[0] = base
	copy(out.y, y[:f])
	for x := range f {
		copy(out.k[x*f+x:(x+1)*f], k[x*all+x:x*all+f])
	}
	return numbers
}

// walker adds the gains of a piece, row by row, in the order of the rows.
type walker struct {
	levels []level
	to     []float64

	factor, solution, inverse, before []float64 // of a selection of a list
}

// level is the system after some candidates were eliminated.
type level struct{ k, y []float64 }

func (w *walker) piece(l *leaf, p piece, rows []row) {
	part := l.part[p.from:p.to]
	clear(part)
	f := len(l.candidates)
	for len(w.levels) < l.left {
		w.levels = append(w.levels, level{})
	}
	for x := range rows {
		if rows[x].useless {
			continue
		}
		w.to = part
		if l.list != nil {
			w.listed(l.list[p.from:p.to], rows[x].k, rows[x].y, f)
		} else if l.left == 1 {
			w.last(rows[x].k, rows[x].y, f, 0)
		} else {
			w.choose(rows[x].k, rows[x].y, f, p.first, l.left, 0, 0)
		}
	}
	for i, g := range part {
		l.gain[p.from+i] += g
	}
}

// walk adds what is gained by left candidates of a system of f, beside base.
func (w *walker) walk(k, y []float64, f, left, depth int, base float64) {
	for first := 0; first+left <= f; first++ {
		w.choose(k, y, f, first, left, depth, base)
	}
}

// last adds the gains of a single candidate more.
func (w *walker) last(k, y []float64, f int, base float64) {
	for j := range f {
		w.to[j] += base + y[j]*y[j]/k[j*f+j]
	}
	w.to = w.to[f:]
}

// choose takes a candidate and goes on with those after it.
func (w *walker) choose(k, y []float64, f, first, left, depth int, base float64) {
	head := k[first*f : (first+1)*f]
	inverse := 1 / head[first]
	yl := y[first]
	base += yl * (yl * inverse)
	rest := f - first - 1
	kl, yr := head[first+1:], y[first+1:f]
	if left == 2 { // the last one needs no more than its own diagonal
		to := w.to[:rest]
		at := (first+1)*f + first + 1
		for j := range to {
			by := kl[j] * inverse
			yj := yr[j] - by*yl
			d := k[at] - by*kl[j]
			to[j] += base + yj*yj/d
			at += f + 1
		}
		w.to = w.to[rest:]
		return
	}
	next := &w.levels[depth]
	next.k, next.y = room(next.k, rest*rest), room(next.y, rest)
	for j := range rest {
		by := kl[j] * inverse
		next.y[j] = yr[j] - by*yl
		from := k[(first+1+j)*f+first+1:][:rest]
		to := next.k[j*rest:][:rest]
		for z := j; z < rest; z++ {
			to[z] = from[z] - by*kl[z]
		}
	}
	w.walk(next.k, next.y, rest, left-1, depth+1, base)
}

// listed adds the gains of the selections of a list, by Cholesky factors, one row of
// which after the other; selections share the rows of what they begin with.
func (w *walker) listed(list [][]int, k, y []float64, f int) {
	var last []int
	for i, selection := range list {
		n := len(selection)
		if i == 0 {
			w.factor, w.solution, w.inverse, w.before = room(w.factor, n*n), room(w.solution, n), room(w.inverse, n), room(w.before, n+1)
			w.before[0] = 0
		}
		x := 0
		for x < len(last) && last[x] == selection[x] {
			x++
		}
		for last = selection; x < n; x++ {
			a, row := selection[x], w.factor[x*n:][:n]
			d, right := k[a*f+a], y[a]
			for z, b := range selection[:x] {
				sum := k[b*f+a]
				for l, v := range w.factor[z*n:][:z] {
					sum -= v * row[l]
				}
				row[z] = sum * w.inverse[z]
				d -= row[z] * row[z]
				right -= row[z] * w.solution[z]
			}
			w.inverse[x] = 1 / math.Sqrt(d)
			w.solution[x] = right * w.inverse[x]
			w.before[x+1] = w.before[x] + w.solution[x]*w.solution[x]
		}
		w.to[i] += w.before[n]
	}
}
