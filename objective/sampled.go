package objective

import (
	"context"
	"math"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/pass"
	"optcomplete/search"
)

// SampleSize is how much of a matrix one sampled evaluation looks at.
type SampleSize struct {
	Rows    int // g, drawn out of the n rows
	Columns int // f, drawn out of the m columns, anew for every row
}

// PaperSample is the paper's rule (section "Sampling Size"), with α the observed
// part of the matrix:
//
//	g = min(g0, n)    f = min(c·k·√(nm)·log√(nm) / (α·g), m)
//
// f is rounded up and is at least 1. The paper found g0 = 100 and c = 1 good.
func PaperSample(matrix data.Source, k, g0 int, c float64) SampleSize {
	n, m := matrix.Dims()
	g := min(g0, n)
	root := math.Sqrt(float64(n) * float64(m))
	density := float64(matrix.Observed()) / (float64(n) * float64(m))
	f := math.Ceil(c * float64(k) * root * math.Log(root) / (density * float64(g)))
	if !(f < float64(m)) { // also where nothing is observed
		return SampleSize{Rows: g, Columns: m}
	}
	return SampleSize{Rows: g, Columns: max(1, int(f))}
}

// Sampled is the paper's estimate c̃ of the cost. Every evaluation draws its own
// sample, without replacement: G of g rows, rows without entries among them,
// and for each of its rows F_i of f columns. With α_i the cost of row i alone on
// the entries it has in F_i,
//
//	c̃(s) = 1/(g·f) Σ_{i∈G} α_i(s)    ∂c̃/∂s_j = −γ/(g·f) Σ_{i∈G} (b_jᵀr_i)²
//
// For f = m it is unbiased. For f < m it is not: γ is that of the full cost, as
// in the paper, so each row is shrunk harder than on all its entries (c̃ too
// high), and it has fewer entries to fit (c̃ too low).
//
// Its cuts bound the cost on their own sample and no other: they prove nothing.
// Samples depend on the seed and the number of evaluations before, never on the
// weights or the threads.
type Sampled struct {
	all     *Exact // of the whole matrix, whose rows are only drawn from
	size    SampleSize
	seed    uint64
	draws   uint64 // evaluations so far
	threads int
}

const sampledStream = 0x73616d706c65 // "sample"

// Sampled is the sampled cost at the same γ. A size outside 1..n or 1..m is a programming error
// and panics.
func (o *Exact) Sampled(size SampleSize, seed uint64) *Sampled {
	n, m := o.matrix.Dims()
	if size.Rows < 1 || size.Rows > n || size.Columns < 1 || size.Columns > m {
		panic("objective: a sample must have between one and all rows and columns")
	}
	return &Sampled{all: o, size: size, seed: seed, threads: o.threads}
}

// Dim returns the number of features p.
func (o *Sampled) Dim() int { return o.all.p }

// Size returns the size of every sample.
func (o *Sampled) Size() SampleSize { return o.size }

// Eval draws a sample and returns the cost there and a cut of it; see
// search.Oracle. The cut bounds the cost of this sample only.
func (o *Sampled) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	sample, err := o.draw(ctx)
	if err != nil {
		return search.Cut{}, err
	}
	cut, err := o.on(sample).Eval(pass.WithLabel(ctx, "samples"), weights)
	if err != nil {
		return search.Cut{}, err
	}
	// Exact divides by g·m; a sample of f columns is to be divided by g·f.
	scale := float64(o.all.m) / float64(o.size.Columns)
	for j := range cut.Gradient {
		cut.Gradient[j] *= scale
	}
	cut.Cost *= scale
	cut.Constant *= scale
	return cut, nil
}

// draw is the matrix of the next sample: its g rows, with their entries in F_i.
func (o *Sampled) draw(ctx context.Context) (*data.Matrix, error) {
	o.draws++
	rows := random.New(o.seed, sampledStream, o.draws).Sample(o.all.n, o.size.Rows)
	picked, err := pass.Pick(ctx, o.all.matrix, o.threads, "sample of rows", rows)
	if err != nil {
		return nil, err
	}
	// Selection sampling (Knuth, volume 2, 3.4.2, algorithm S) with the
	// observed columns asked first: the others need not be asked at all.
	var stream *random.Stream
	at, left, among := -1, 0, 0
	return picked.Filter(func(row int, _ int32) bool {
		if row != at {
			at, left, among = row, o.size.Columns, o.all.m
			stream = random.New(o.seed, sampledStream, o.draws, uint64(rows[row]))
		}
		keep := left == among || stream.Intn(among) < left
		if keep {
			left--
		}
		among--
		return keep
	}), nil
}

// on is the cost of a sample.
func (o *Sampled) on(sample *data.Matrix) *Exact {
	n, _ := sample.Dims()
	e := &Exact{matrix: sample, n: n, features: o.all.features, columnFeatures: o.all.columnFeatures, gamma: o.all.gamma, heaviest: o.all.heaviest, threads: o.threads, workers: new(workerPool[*worker])}
	e.divide()
	e.measure()
	return e
}
