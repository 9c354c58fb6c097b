package objective

import (
	"context"
	"runtime"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/wide"
)

// TwoSided gives the products of a two-sided problem: every observed entry
// (i,j) is explained by the p₁·p₂ products x_iq·b_jl of a feature of its row and
// one of its column, product q·p₂+l. It satisfies [Products].
//
// The design of all entries by all products is never formed. With y_i = B_iᵀa_i
// and G_i = B_iᵀB_i of a row's entries,
//
//	y = Σ_i x_i ⊗ y_i,   G = Σ_i (x_i x_iᵀ) ⊗ G_i,
//
// and since both factors are symmetric, G has about p²/4 different numbers:
// those of PᵀQ, where row i of P is the triangle of x_i x_iᵀ and row i of Q that
// of G_i. Rows are taken in blocks; a block's P and Q are made by rows, then
// multiplied by panels, so each number is added up in the order of the rows
// whatever the number of threads.
//
// PᵀQ is kept where it fits and can be made in less than wholeWork. Otherwise
// columns of G are made when a search asks for them, by a pass over the entries
// for each batch.
type TwoSided struct {
	matrix   *data.Matrix
	n, m     int
	p1, p2   int
	x        []float64 // n×p1
	b        []float64 // m×width
	width    int
	rows     []int32 // those with entries
	y        []float64
	diagonal []float64
	squares  float64
	whole    []float64 // PᵀQ by panels of P, nil if not kept
	threads  int
}

var _ Products = (*TwoSided)(nil)

// Limits of keeping all of G: numbers, and multiplications to make them (about
// twenty seconds on two processors).
const (
	wholeMost = 64 << 20
	wholeWork = 4e11
)

// batchColumns is how many columns one pass over the entries should make: the
// pass itself costs about as much.
const batchColumns = 32

// NewTwoSided makes one pass over the entries. Row i of the matrix has the
// features rows.Row(i), column j has columns.Row(j); other numbers of rows or
// columns are a programming error and panic. With threads = 0 all processors
// are used; results do not depend on it.
func NewTwoSided(ctx context.Context, matrix *data.Matrix, rows, columns *data.Features, threads int) (*TwoSided, error) {
	n, _ := matrix.Dims()
	numbers := float64(kernel.Tri(len(rows.Names))) * float64(kernel.Tri(len(columns.Names)))
	return newTwoSided(ctx, matrix, rows, columns, threads, numbers <= wholeMost && numbers*float64(n) <= wholeWork)
}

func newTwoSided(ctx context.Context, matrix *data.Matrix, rows, columns *data.Features, threads int, whole bool) (*TwoSided, error) {
	n, m := matrix.Dims()
	n1, p1 := rows.Dims()
	m1, p2 := columns.Dims()
	if n1 != n || m1 != m {
		panic("objective: the matrix and the features have different numbers of rows or columns")
	}
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	t := &TwoSided{matrix: matrix, n: n, m: m, p1: p1, p2: p2, x: rows.Values, width: kernel.GramWidth(p2), threads: threads}
	t.b = make([]float64, m*t.width)
	for j := range m {
		copy(t.b[j*t.width:], columns.Row(j))
	}
	for i := range n {
		if at, values := matrix.Row(i); len(at) > 0 {
			t.rows = append(t.rows, int32(i))
			t.squares += squares(values)
		}
	}
	return t, t.accumulate(ctx, whole)
}

// Dim returns the number of products p₁·p₂.
func (t *TwoSided) Dim() int { return t.p1 * t.p2 }

// Target returns y, the squares of the products, and ‖a‖²; see [Products].
func (t *TwoSided) Target() (y, diagonal []float64, squares float64) {
	return t.y, t.diagonal, t.squares
}

// Rounding is the relative error of the products, as estimated for [Exact].
func (t *TwoSided) Rounding() float64 { return rounding(t.matrix.Observed()) }

// Batch is how many columns to ask for at a time; see [Quadratic].
func (t *TwoSided) Batch() int {
	if t.whole != nil {
		return 1
	}
	return batchColumns
}

// accumulate makes y, the diagonal, and if asked PᵀQ.
func (t *TwoSided) accumulate(ctx context.Context, whole bool) error {
	const w = kernel.PanelWidth
	p1, p2 := kernel.Panels(t.p1), kernel.Panels(t.p2)
	y := make([]float64, p1*p2*w*w)
	diagonal := make([]float64, p1*p2*w*w)
	pairs := kernel.Panels(kernel.Tri(t.p1))
	stride := kernel.Panels(kernel.Tri(t.p2)) * w
	if whole {
		t.whole = make([]float64, pairs*w*stride)
	}
	block := t.newBlock(whole)
	err := t.pass(ctx, block, func() {
		each(p1, t.threads, func(a int) {
			for b := range p2 {
				at := (a*p2 + b) * w * w
				kernel.PanelProducts(y[at:], w, block.x.panel(a), block.y.panel(b), block.rows)
				kernel.PanelProducts(diagonal[at:], w, block.xx.panel(a), block.d.panel(b), block.rows)
			}
		})
		if !whole {
			return
		}
		each(pairs, t.threads, func(a int) {
			for b := 0; b*w < stride; b++ {
				kernel.PanelProducts(t.whole[a*w*stride+b*w:], stride, block.p.panel(a), block.q.panel(b), block.rows)
			}
		})
	})
	t.y, t.diagonal = t.unpanel(y), t.unpanel(diagonal)
	return err
}

// unpanel puts a p₁×p₂ matrix of 8×8 blocks in the order of the products.
func (t *TwoSided) unpanel(blocks []float64) []float64 {
	const w = kernel.PanelWidth
	out := make([]float64, t.p1*t.p2)
	for q := range t.p1 {
		for l := range t.p2 {
			out[q*t.p2+l] = blocks[((q/w*kernel.Panels(t.p2)+l/w)*w+q%w)*w+l%w]
		}
	}
	return out
}

// Columns writes columns of G; see [Products].
func (t *TwoSided) Columns(ctx context.Context, features []int, dst [][]float64) error {
	if t.whole != nil {
		each(len(features), t.threads, func(x int) { t.gather(features[x], dst[x]) })
		return ctx.Err()
	}
	return t.compute(ctx, features, dst)
}

// gather reads a column out of PᵀQ.
func (t *TwoSided) gather(feature int, dst []float64) {
	stride := kernel.Panels(kernel.Tri(t.p2)) * kernel.PanelWidth
	q, l := feature/t.p2, feature%t.p2
	for q2 := range t.p1 {
		row := t.whole[(kernel.Tri(max(q, q2))+min(q, q2))*stride:]
		out := dst[q2*t.p2:][:t.p2]
		for l2 := range out {
			out[l2] = row[kernel.Tri(max(l, l2))+min(l, l2)]
		}
	}
}

// compute makes columns by a pass over the entries: column (q,l) of G, as a
// p₁×p₂ matrix, is Σ_i (x_iq·x_i) ⊗ G_i[:,l]. Columns share their factors.
func (t *TwoSided) compute(ctx context.Context, features []int, dst [][]float64) error {
	const w = kernel.PanelWidth
	p1, p2 := kernel.Panels(t.p1), kernel.Panels(t.p2)
	var ofRow, ofColumn []int // the different q and l
	sums := make([][]float64, len(features))
	for x, j := range features {
		sums[x] = make([]float64, p1*p2*w*w)
		ofRow, ofColumn = append(ofRow, j/t.p2), append(ofColumn, j%t.p2)
	}
	ofRow, ofColumn = distinct(ofRow), distinct(ofColumn)
	scaled := make([]panels, len(ofRow))
	for a := range scaled {
		scaled[a] = newPanels(t.p1)
	}
	block := t.newColumnBlock(ofColumn)
	err := t.pass(ctx, block, func() {
		each(len(ofRow), t.threads, func(a int) { scaled[a].scale(block.x, ofRow[a], p1, block.rows) })
		each(len(features), t.threads, func(x int) {
			a, _ := slices.BinarySearch(ofRow, features[x]/t.p2)
			b, _ := slices.BinarySearch(ofColumn, features[x]%t.p2)
			for i := range p1 {
				for j := range p2 {
					kernel.PanelProducts(sums[x][(i*p2+j)*w*w:], w, scaled[a].panel(i), block.columns[b].panel(j), block.rows)
				}
			}
		})
	})
	for x := range features {
		copy(dst[x], t.unpanel(sums[x]))
	}
	return err
}

func distinct(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// Regression is the entries with their products, for package wide.
func (t *TwoSided) Regression() *wide.Regression {
	var values []float64
	var row, column []int32
	for _, i := range t.rows {
		columns, a := t.matrix.Row(int(i))
		for range columns {
			row = append(row, i)
		}
		column = append(column, columns...)
		values = append(values, a...)
	}
	return &wide.Regression{P: t.Dim(), Values: values, Feature: func(e, j int) (x, y float64) {
		return t.x[int(row[e])*t.p1+j/t.p2], t.b[int(column[e])*t.width+j%t.p2]
	}}
}

// Cost evaluates the objective from the entries themselves, with residuals and
// not with products: Σ(a − Σ u·x·b)² + ‖u‖²/γ for coefficients u of a selection.
// No digits cancel, and it is never below the cost of the selection.
func (t *TwoSided) Cost(selection []int, u []float64, gamma float64) float64 {
	parts := make([]float64, (len(t.rows)+twoSidedBlock-1)/twoSidedBlock)
	each(len(parts), t.threads, func(part int) {
		by := make([]float64, t.p2)
		for _, i := range t.rows[part*twoSidedBlock : min(len(t.rows), (part+1)*twoSidedBlock)] {
			clear(by)
			for x, j := range selection {
				by[j%t.p2] += u[x] * t.x[int(i)*t.p1+j/t.p2]
			}
			columns, values := t.matrix.Row(int(i))
			for e, c := range columns {
				r := values[e]
				for l, b := range t.b[int(c)*t.width:][:t.p2] {
					r -= by[l] * b
				}
				parts[part] += r * r
			}
		}
	})
	sum := squares(u) / gamma
	for _, part := range parts {
		sum += part
	}
	return sum
}
