package objective

import (
	"context"
	"math"
	"runtime"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
	"optcomplete/internal/progress"
)

// Exact is the cost c(s) on all observed entries of a matrix.
type Exact struct {
	matrix data.Source
	n      int
	columnFeatures
	gamma   float64
	chunks  [][]int32 // the rows with entries, in chunks, in each by rising number of entries
	longest int       // most entries in a row
	norm    []float64 // for each feature, no less than Σ b_j² over any row's entries
	workers []*worker // one for each thread
	tables  []float64 // memory for the table of an evaluation
	grams   *grams    // made by the first enumeration
}

// chunkCount is how many chunks the rows are divided into: enough to share
// among threads, few enough that their sums take no space. It does not depend
// on the number of threads, so neither does any result.
const chunkCount = 64

// NewExact prepares the cost at γ = gamma > 0. With threads = 0 all processors
// are used. The matrix and the features must have the same columns; anything
// else is a programming error and panics.
func NewExact(matrix data.Source, features *data.Features, gamma float64, threads int) *Exact {
	o := newFeatures(matrix, features, gamma)
	o.divide()
	o.measure()
	o.employ(threads)
	return o
}

// newFeatures is the cost before its rows have been looked at.
func newFeatures(matrix data.Source, features *data.Features, gamma float64) *Exact {
	n, m := matrix.Dims()
	columns, _ := features.Dims()
	if columns != m {
		panic("objective: the matrix and the features have different numbers of columns")
	}
	if !(gamma > 0) || math.IsInf(gamma, 1) {
		panic("objective: gamma must be a positive number")
	}
	return &Exact{matrix: matrix, n: n, columnFeatures: newColumnFeatures(features), gamma: gamma}
}

// employ makes a worker for each thread, as far as there are chunks for them.
func (o *Exact) employ(threads int) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	o.workers = make([]*worker, min(threads, max(1, len(o.chunks))))
	for i := range o.workers {
		o.workers[i] = o.newWorker()
	}
}

// WithGamma is the same cost at another γ. The two share the data.
func (o *Exact) WithGamma(gamma float64) *Exact {
	other := *o
	other.gamma = gamma
	other.tables = nil
	other.workers = make([]*worker, len(o.workers))
	for i := range other.workers {
		other.workers[i] = other.newWorker()
	}
	return &other
}

// divide puts the rows with entries into chunks of whole groups of lanes.
func (o *Exact) divide() {
	var rows []int32
	for i := range o.n {
		if entries := o.matrix.Entries(i); entries > 0 {
			rows = append(rows, int32(i))
			o.longest = max(o.longest, entries)
		}
	}
	size := (len(rows) + chunkCount*kernel.Lanes - 1) / (chunkCount * kernel.Lanes) * kernel.Lanes
	for len(rows) > 0 {
		chunk := rows[:min(size, len(rows))]
		rows = rows[len(chunk):]
		slices.SortStableFunc(chunk, func(a, b int32) int { return o.matrix.Entries(int(a)) - o.matrix.Entries(int(b)) })
		o.chunks = append(o.chunks, chunk)
	}
}

// rows is the number of rows with entries.
func (o *Exact) rows() (n int) {
	for _, chunk := range o.chunks {
		n += len(chunk)
	}
	return n
}

// measure bounds the norms that rounding errors are estimated with: no row has
// more entries than the longest, and none of them a larger feature.
func (o *Exact) measure() {
	o.norm = make([]float64, o.p)
	for f := range o.norm {
		b := o.b[o.place(f):]
		for c := range o.m {
			x := b[c*o.block]
			o.norm[f] = max(o.norm[f], x*x)
		}
		o.norm[f] *= float64(o.longest)
	}
}

// Dim returns the number of features p.
func (o *Exact) Dim() int { return o.p }

// Gamma returns γ.
func (o *Exact) Gamma() float64 { return o.gamma }

// Eval returns the cost at the weights and a cut; see search.Oracle.
func (o *Exact) Eval(ctx context.Context, weights, gradient []float64) (cost, constant float64, err error) {
	return o.EvalHessian(ctx, weights, gradient, nil)
}

// EvalHessian is Eval, and also gives the second derivatives; see search.Curved.
func (o *Exact) EvalHessian(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	if len(weights) != o.p || len(gradient) != o.p {
		panic("objective: weights and gradient must have one number for each feature")
	}
	w := o.newWeighting(weights)
	if hessian != nil && len(hessian) != len(w.support)*len(w.support) {
		panic("objective: the Hessian must have a row for each feature of positive weight")
	}
	sums := make([]sums, len(o.chunks))
	for _, k := range o.workers {
		k.prepare(w, hessian != nil)
	}
	pass := progress.Start(ctx, "Pass", int64(o.rows()), "rows")
	defer pass.Done()
	err = o.inChunks(ctx, func(thread, c int) (err error) {
		sums[c], err = o.workers[thread].chunk(o.chunks[c], hessian != nil)
		pass.Add(int64(len(o.chunks[c])))
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	cost, constant = o.total(sums, gradient, hessian)
	return cost, constant, nil
}

// inChunks does the work for every chunk, on all threads. It ends early at the
// first failure, or when the context does.
func (o *Exact) inChunks(ctx context.Context, work func(thread, chunk int) error) error {
	last := len(o.chunks) - 1 // the last chunks are taken first: they may be the fullest
	return o.inTurn(ctx, len(o.chunks), func(thread, c int) error { return work(thread, last-c) })
}

// inTurn is inChunks for any number of parts.
func (o *Exact) inTurn(ctx context.Context, parts int, work func(thread, part int) error) error {
	return parallel.Do(ctx, parts, len(o.workers), func(thread int) func(part int) error {
		return func(part int) error { return work(thread, part) }
	})
}

// delta is the relative rounding error of a sum over a row's entries and of one
// over the rows, in a chunk and then over the chunks: it grows like the root of
// the number of terms.
func (o *Exact) delta() float64 {
	rows := chunkCount
	if len(o.chunks) > 0 {
		rows += len(o.chunks[0])
	}
	return 1.2e-16 * (16 + 4*math.Sqrt(float64(o.longest)) + 4*math.Sqrt(float64(rows)))
}

// total adds the chunks in order, scales, and lowers the cut by its rounding.
func (o *Exact) total(chunks []sums, gradient, hessian []float64) (cost, constant float64) {
	clear(gradient)
	clear(hessian)
	var size float64
	for _, s := range chunks {
		cost += s.cost
		constant += s.constant
		size += s.size
		for j := range gradient {
			gradient[j] += s.gradient[j]
		}
		for j, x := range s.hessian {
			hessian[j] += x
		}
	}
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
	return cost * scale, (constant - delta*size) * scale
}
