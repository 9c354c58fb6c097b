package objective

import (
	"context"
	"math"
	"runtime"

	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
	"optcomplete/internal/wide"
)

// Table is the data of a regression in memory: n rows of p features and a value
// each. It satisfies [Products], computing columns of G = XᵀX when asked.
type Table struct {
	n, p     int
	panels   []float64 // X, eight features at a time
	values   []float64 // a
	y        []float64
	diagonal []float64
	squares  float64
	threads  int

	// From is what the table was made of, where that has digits which the table has not: for
	// evaluations that need more than the table. Nil: the table is all there is.
	From *wide.Regression
}

var _ Products = (*Table)(nil)

// tableBlock is how many rows are multiplied at a time: a panel of them stays in
// the nearest cache, and the rounding of long sums is that of their blocks.
const tableBlock = 256

// NewTable takes the values and the features, fill(i, row) writing those of row
// i. With threads = 0 all processors are used; results do not depend on it.
func NewTable(values []float64, p int, fill func(i int, row []float64), threads int) *Table {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	t := &Table{n: len(values), p: p, values: values, threads: threads, squares: squares(values)}
	t.panels = make([]float64, kernel.Panels(p)*t.n*kernel.PanelWidth)
	row := make([]float64, p)
	for i := range t.n {
		fill(i, row)
		for j, x := range row {
			t.panels[t.place(i, j)] = x
		}
	}
	t.y, t.diagonal = make([]float64, p), make([]float64, p)
	t.each(kernel.Panels(p), func(panel int) {
		for j := panel * kernel.PanelWidth; j < min(p, (panel+1)*kernel.PanelWidth); j++ {
			var xy, xx float64
			for i, a := range values {
				x := t.panels[t.place(i, j)]
				xy += x * a
				xx += x * x
			}
			t.y[j], t.diagonal[j] = xy, xx
		}
	})
	return t
}

// place is where feature j of row i stands.
func (t *Table) place(i, j int) int {
	return (j/kernel.PanelWidth*t.n+i)*kernel.PanelWidth + j%kernel.PanelWidth
}

// each calls do for 0..count−1, on all threads.
func (t *Table) each(count int, do func(i int)) { parallel.Each(count, t.threads, do) }

// Dim returns the number of features.
func (t *Table) Dim() int { return t.p }

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.n }

// At returns feature j of row i.
func (t *Table) At(i, j int) float64 { return t.panels[t.place(i, j)] }

// Value returns what row i is to be explained as.
func (t *Table) Value(i int) float64 { return t.values[i] }

// Target returns y = Xᵀa, ‖x_j‖² and ‖a‖²; see [Products].
func (t *Table) Target() (y, diagonal []float64, squares float64) {
	return t.y, t.diagonal, t.squares
}

// Rounding is the relative error of the products, as estimated for [Exact], and of the table,
// if that was made of other numbers: as a part of each column as much again.
func (t *Table) Rounding() float64 {
	if t.From != nil {
		return 2 * rounding(t.n)
	}
	return rounding(t.n)
}

// rounding is the relative error of a sum of this many products: it grows like
// the root of their number.
func rounding(terms int) float64 { return 1.2e-16 * (16 + 4*math.Sqrt(float64(terms))) }

// Entries is how many rows there are, of one value each.
func (t *Table) Entries() int { return t.n }

// Regression is the table, or what it was made of, for package wide.
func (t *Table) Regression(context.Context) (*wide.Regression, error) {
	if t.From != nil {
		return t.From, nil
	}
	return &wide.Regression{P: t.p, Values: t.values, Feature: func(e, j int) (x, y float64) { return t.At(e, j), 1 }}, nil
}

// Columns writes Xᵀx_j for each of the features; see [Products].
func (t *Table) Columns(ctx context.Context, features []int, dst [][]float64) error {
	const w = kernel.PanelWidth
	asked := kernel.Panels(len(features))
	columns := make([]float64, asked*t.n*w)
	for x, j := range features {
		for i := range t.n {
			columns[(x/w*t.n+i)*w+x%w] = t.panels[t.place(i, j)]
		}
	}
	t.each(kernel.Panels(t.p), func(panel int) {
		if ctx.Err() != nil {
			return
		}
		block := make([]float64, asked*w*w)
		for lo := 0; lo < t.n; lo += tableBlock {
			rows := min(tableBlock, t.n-lo)
			b := t.panels[(panel*t.n+lo)*w:][:rows*w]
			for g := range asked {
				kernel.PanelProducts(block[g*w*w:], w, columns[(g*t.n+lo)*w:], b, rows)
			}
		}
		for x := range features {
			copy(dst[x][panel*w:min(t.p, (panel+1)*w)], block[x*w:])
		}
	})
	return ctx.Err()
}

// Cost evaluates the regression's objective from the data themselves, with the
// residual and not with products: ‖a − Xu‖² + ‖u‖²/γ for coefficients u of a
// selection. No digits cancel, and it is never below the cost of the selection.
func (t *Table) Cost(selection []int, u []float64, gamma float64) float64 {
	sum := 0.0
	for i, r := range t.values {
		for x, j := range selection {
			r -= u[x] * t.panels[t.place(i, j)]
		}
		sum += r * r
	}
	return sum + squares(u)/gamma
}
