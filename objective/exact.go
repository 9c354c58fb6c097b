package objective

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/parallel"
	"optcomplete/pass"
	"optcomplete/search"
)

// Exact is the cost c(s) on all observed entries of a matrix.
type Exact struct {
	matrix data.Source
	n      int
	columnFeatures
	features *pass.Shared[*data.Features] // as given
	gamma    float64
	order    [][]int32            // of each chunk of the source the rows with entries, by rising number of entries
	rows     int                  // with entries
	summed   int                  // most rows whose sums are added one by one
	longest  int                  // most entries in a row
	norm     []float64            // for each feature, no less than Σ b_j² over any row's entries
	threads  int                  // zero: all processors
	workers  *workerPool[*worker] // at rest
	tables   []float64            // memory for the table of an evaluation
	grams    *grams               // made by the first enumeration
	heaviest float64              // no entry weighs more; 0: weights, if there are any, do not count
}

// NewExact prepares the cost at γ = gamma > 0. With threads = 0 all processors
// are used. The matrix and the features must have the same columns; anything
// else is a programming error and panics.
func NewExact(matrix data.Source, features *data.Features, gamma float64, threads int) *Exact {
	return NewWeighted(matrix, features, gamma, 0, threads)
}

// NewWeighted is NewExact of entries with weights, none of them above the heaviest,
// which multiply the squares of their errors; 0: weights do not count.
func NewWeighted(matrix data.Source, features *data.Features, gamma, heaviest float64, threads int) *Exact {
	n, m := matrix.Dims()
	columns, _ := features.Dims()
	if columns != m {
		panic("objective: the matrix and the features have different numbers of columns")
	}
	if !(gamma > 0) || math.IsInf(gamma, 1) {
		panic("objective: gamma must be a positive number")
	}
	o := &Exact{matrix: matrix, n: n, features: pass.Share(features), columnFeatures: newColumnFeatures(features), gamma: gamma, heaviest: heaviest, threads: threads, workers: new(workerPool[*worker])}
	o.divide()
	o.measure()
	return o
}

// WithGamma is the same cost at another γ. The two share the data.
func (o *Exact) WithGamma(gamma float64) *Exact {
	other := *o
	other.gamma = gamma
	other.tables = nil
	other.workers = new(workerPool[*worker])
	return &other
}

// divide puts the rows with entries of each chunk in order.
func (o *Exact) divide() {
	bounds := data.Chunks(o.matrix)
	rows := make([]int32, 0, o.n)
	for i := range o.n {
		if entries := o.matrix.Entries(i); entries > 0 {
			rows = append(rows, int32(i))
			o.longest = max(o.longest, entries)
		}
	}
	o.rows = len(rows)
	plan := pass.NewPlan(o.matrix, []pass.Pass{&evaluation{Of: o.described()}}, nil)
	in, count := 0, plan.PartChunks(0) // rows of the part, and its chunks
	for c := range len(bounds) - 1 {
		end := 0
		for end < len(rows) && int(rows[end]) < bounds[c+1] {
			end++
		}
		chunk := rows[:end:end]
		rows = rows[end:]
		o.order = append(o.order, chunk)
		if c%count == 0 {
			in = 0
		}
		in += len(chunk)
		o.summed = max(o.summed, in)
	}
	parallel.Each(len(o.order), o.threads, func(c int) {
		slices.SortStableFunc(o.order[c], func(a, b int32) int { return o.matrix.Entries(int(a)) - o.matrix.Entries(int(b)) })
	})
}

// measure bounds the norms that rounding errors are estimated with: no row has
// more entries than the longest, and none of them a larger feature.
func (o *Exact) measure() {
	o.norm = make([]float64, o.p)
	for row := range slices.Chunk(o.values, max(1, o.p)) {
		for f, x := range row {
			o.norm[f] = max(o.norm[f], x*x)
		}
	}
	for f := range o.norm {
		o.norm[f] *= float64(o.longest)
		if o.heaviest > 0 {
			o.norm[f] *= o.heaviest
		}
	}
}

// Dim returns the number of features p.
func (o *Exact) Dim() int { return o.p }

// Eval returns the cost at the weights and a cut; see search.Oracle.
func (o *Exact) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	return cutOf(ctx, o, weights)
}

// EvalHessian is Eval, and also gives the second derivatives; see search.Curved.
func (o *Exact) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	return curvedCutOf(ctx, o, weights)
}

func (o *Exact) eval(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	if len(weights) != o.p || len(gradient) != o.p {
		panic("objective: weights and gradient must have one number for each feature")
	}
	w := o.newWeighting(weights)
	if hessian != nil && len(hessian) != len(w.support)*len(w.support) {
		panic("objective: the Hessian must have a row for each feature of positive weight")
	}
	sum, err := pass.One[*sums](ctx, o.matrix, o.threads, &evaluation{Of: o.described(), Weights: weights, Curved: hessian != nil, at: &w})
	if err != nil {
		return 0, 0, err
	}
	if cost, constant = o.total(sum, gradient, hessian); !o.tight(&w, weights, cost, constant, gradient, sum) {
		return o.carefully(ctx, &w, weights, gradient)
	}
	return cost, constant, nil
}

// delta is the relative rounding error of a sum over a row's entries and of one
// over the rows, in a part and then along the tree of the parts, which is less
// than 64 levels high: it grows like the root of the number of terms.
func (o *Exact) delta() float64 {
	rows := o.summed + 64
	return 1.2e-16 * (16 + float64(o.weighing()) + 4*math.Sqrt(float64(o.longest)) + 4*math.Sqrt(float64(rows)))
}

// total scales the sums, and lowers the cut by its rounding.
func (o *Exact) total(sum *sums, gradient, hessian []float64) (cost, constant float64) {
	copy(gradient, sum.gradient)
	copy(hessian, sum.hessian)
	size := sum.size
	// With δ the relative error of a sum, b_jᵀr_i is off by at most δ‖b_j‖‖r_i‖, and so γΣ_i(b_jᵀr_i)² by
	// 2δ·√(γΣ_i(b_jᵀr_i)²)·√(γ Σ_i‖b_j‖²‖r_i‖²) (Cauchy-Schwarz). size is
	// Σ_i 2‖a_i‖‖r_i‖ + ‖r_i‖², which bounds Σ‖r_i‖² too.
	delta := o.delta()
	scale := 1 / (float64(o.n) * float64(o.m))
	for j, x := range gradient {
		g := o.gamma * x * scale
		gradient[j] = -g*(1+delta) - 2*delta*math.Sqrt(g*o.gamma*o.norm[j]*size*scale)
	}
	for j := range hessian {
		hessian[j] *= 2 * o.gamma * o.gamma * scale
	}
	return sum.cost * scale, (sum.constant - delta*size) * scale
}
