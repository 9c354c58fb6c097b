package objective

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
	"optcomplete/internal/wide"
	"optcomplete/pass"
)

// TwoSided gives the products of a two-sided problem: every observed entry
// (i,j) is explained by the p₁·p₂ products x_iq·b_jl of a feature of its row and
// one of its column, product q·p₂+l. It satisfies [Products].
//
// The design of all entries by all products is never formed. With y_i = B_iᵀa_i
// and G_i = B_iᵀB_i of a row's entries (B_iᵀWa_i and B_iᵀWB_i if they have weights),
//
//	y = Σ_i x_i ⊗ y_i,   G = Σ_i (x_i x_iᵀ) ⊗ G_i,
//
// and since both factors are symmetric, G has about p²/4 different numbers:
// those of PᵀQ, where row i of P is the triangle of x_i x_iᵀ and row i of Q that
// of G_i. A pass over the rows takes them in blocks, whose P and Q are made by
// rows and multiplied by panels.
//
// PᵀQ is kept where it fits and can be made in less than wholeWork. Otherwise
// columns of G are made when a search asks for them, by a pass over the entries
// for each batch.
type TwoSided struct {
	source   data.Source
	of       twoSidedOf
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

// manyProducts is how many there are where columns that are not used cost more than the
// passes they may save.
const manyProducts = 1 << 14

// NewTwoSided makes one pass over the entries. Row i of the source has the
// features rows.Row(i), column j has columns.Row(j); other numbers of rows or
// columns are a programming error and panic. With threads = 0 all processors
// are used; results do not depend on it.
func NewTwoSided(ctx context.Context, source data.Source, rows, columns *data.Features, threads int) (*TwoSided, error) {
	n, _ := source.Dims()
	numbers := float64(kernel.Tri(len(rows.Names))) * float64(kernel.Tri(len(columns.Names)))
	return newTwoSided(ctx, source, rows, columns, threads, numbers <= wholeMost && numbers*float64(n) <= wholeWork)
}

func newTwoSided(ctx context.Context, source data.Source, rows, columns *data.Features, threads int, whole bool) (*TwoSided, error) {
	n, m := source.Dims()
	n1, p1 := rows.Dims()
	m1, p2 := columns.Dims()
	if n1 != n || m1 != m {
		panic("objective: the matrix and the features have different numbers of rows or columns")
	}
	t := &TwoSided{source: source, threads: pass.Threads(threads)}
	t.of = twoSidedOf{X: pass.Share(rows.Values), B: pass.Share(columns.Values), P1: p1, P2: p2}
	t.of.padded = t.of.pad()
	part, err := pass.One[*twoSidedSums](ctx, source, threads, &twoSidedProducts{Of: t.of, Whole: whole, threads: t.threads})
	if err != nil {
		return nil, err
	}
	t.y, t.diagonal, t.squares = t.of.unpanel(part.Sums[0]), t.of.unpanel(part.Sums[1]), part.Squares
	if whole {
		t.whole = part.Sums[2]
	}
	return t, nil
}

// Dim returns the number of products p₁·p₂.
func (t *TwoSided) Dim() int { return t.of.P1 * t.of.P2 }

// Target returns y, the squares of the products, and ‖a‖²; see [Products].
func (t *TwoSided) Target() (y, diagonal []float64, squares float64) {
	return t.y, t.diagonal, t.squares
}

// Rounding is the relative error of the products, as estimated for [Exact].
func (t *TwoSided) Rounding() float64 {
	out := rounding(t.source.Observed())
	if data.IsWeighted(t.source) {
		out += 8 * 1.2e-16 // of weights, their roots and what they are multiplied by
	}
	return out
}

// Batch is how many columns to ask for at a time; see [Quadratic].
func (t *TwoSided) Batch() int {
	if t.whole != nil {
		return 1
	}
	if t.Dim() > manyProducts {
		return batchColumns / 4
	}
	return batchColumns
}

// Columns writes columns of G; see [Products].
func (t *TwoSided) Columns(ctx context.Context, features []int, dst [][]float64) error {
	if t.whole != nil {
		parallel.Each(len(features), t.threads, func(x int) { t.gather(features[x], dst[x]) })
		return ctx.Err()
	}
	part, err := pass.One[*twoSidedSums](ctx, t.source, t.threads, &twoSidedProducts{Of: t.of, Features: features, threads: t.threads})
	if err != nil {
		return err
	}
	for x := range features {
		copy(dst[x], t.of.unpanel(part.Sums[x]))
	}
	return nil
}

// gather reads a column out of PᵀQ.
func (t *TwoSided) gather(feature int, dst []float64) {
	p1, p2 := t.of.P1, t.of.P2
	stride := kernel.Panels(kernel.Tri(p2)) * kernel.PanelWidth
	q, l := feature/p2, feature%p2
	for q2 := range p1 {
		row := t.whole[(kernel.Tri(max(q, q2))+min(q, q2))*stride:]
		out := dst[q2*p2:][:p2]
		for l2 := range out {
			out[l2] = row[kernel.Tri(max(l, l2))+min(l, l2)]
		}
	}
}

// Entries is how many there are.
func (t *TwoSided) Entries() int { return t.source.Observed() }

// Regression is the entries with their products, for package wide.
func (t *TwoSided) Regression(ctx context.Context) (*wide.Regression, error) {
	p1, p2, width, b := t.of.P1, t.of.P2, t.of.width(), t.of.padded
	x := t.of.X.Get()
	all, err := pass.One[*listed](ctx, t.source, t.threads, listing{})
	if err != nil {
		return nil, err
	}
	return &wide.Regression{P: p1 * p2, Values: all.Values, Scale: rootsOf(all.Weights), Feature: func(e, j int) (float64, float64) {
		return x[int(all.Rows[e])*p1+j/p2], b[int(all.Columns[e])*width+j%p2]
	}}, nil
}

// Cost evaluates the objective from the entries themselves, with residuals and
// not with products: Σ w(a − Σ u·x·b)² + ‖u‖²/γ for coefficients u of a selection.
// No digits cancel, and it is never below the cost of the selection.
func (t *TwoSided) Cost(ctx context.Context, selection []int, u []float64, gamma float64) (float64, error) {
	part, err := pass.One[*pass.Sums](ctx, t.source, t.threads, &twoSidedResiduals{t.of, selection, u})
	if err != nil {
		return 0, err
	}
	return part.Values[0] + squares(u)/gamma, nil
}
