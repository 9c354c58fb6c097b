package estimate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// Variances are by how much rows differ, in parts of the noise: a row's values are
// level + Σ_f b_f u_f + noise of variance Noise, the level normal with variance
// Level·Noise and each u_f with Features[f]·Noise, all independent. They are learned by
// maximum evidence with every feature in the model.
type Variances struct {
	Level    float64
	Features []float64
	Noise    float64
}

const (
	varianceSteps = 40   // readings, at most
	varianceNear  = 0.05 // units of −2 log L that a step must gain, for each feature on average
	startFeature  = 0.01 // variances that learning starts with
	startLevel    = 0.2
	leastVariance = 1e-8 // below it rows do not differ
)

// LearnVariances learns from values, less all that is predicted of them without rows. The
// design has p numbers for each column, which should have mean 0 and variance 1: then it
// does not matter in which units the features were. An entry of weight w has a w-th of the
// noise. ok is false, and the variances are those that learning starts with, where nothing
// can be learned: no row has two entries, or nothing is left to explain.
//
// A step is MacKay's ("Bayesian interpolation", 1992): τ_f² ← Σ_i m_if²/Σ_i(1 − C_i,ff/τ_f²),
// with m and C the posterior of a row, and one of expectation-maximisation where that would
// lower the evidence.
func LearnVariances(ctx context.Context, values data.Source, design []float64, p, threads int) (v *Variances, ok bool, err error) {
	_, columns := values.Dims()
	d := p + 1
	v = &Variances{Level: startLevel, Features: slices.Repeat([]float64{startFeature}, p)}
	longest := 0
	n, _ := values.Dims()
	for i := range n {
		longest = max(longest, values.Entries(i))
	}
	square, err := pass.One[*pass.Sums](ctx, values, threads, squaring{})
	if err != nil || longest < 2 || !(square.Values[0] > 0) {
		return v, false, err
	}
	v.Noise = square.Values[0] / float64(values.Observed())
	at := &varianceState{gamma: append([]float64{startLevel}, v.Features...), noise: v.Noise}
	l := newLearner(values, WithConstant(design, p, columns), d, threads, 0)
	var best *varianceState
	var sums *varianceSums
	for range varianceSteps {
		now, err := pass.One[*varianceSums](ctx, values, threads, &varianceStep{Design: l.design, Gamma: at.gamma, kept: l.kept})
		if err != nil {
			return nil, false, err
		}
		if !now.sound() {
			break
		}
		at.evidence = now.evidence(at.noise)
		if best != nil && at.evidence > best.evidence {
			if at.careful {
				break
			}
			at = sums.maximise(best)
			continue
		}
		gained := math.Inf(1)
		if best != nil {
			gained = best.evidence - at.evidence
		}
		best, sums = at, now
		if gained < varianceNear*float64(d) {
			break
		}
		at = now.step(best)
	}
	if best == nil {
		return v, false, nil
	}
	for x, g := range best.gamma {
		if !(g > leastVariance) {
			best.gamma[x] = 0
		}
	}
	return &Variances{Level: best.gamma[0], Features: best.gamma[1:], Noise: best.noise}, true, nil
}

// varianceState is where learning is: the level's variance comes first.
type varianceState struct {
	gamma    []float64 // in parts of the noise
	noise    float64
	evidence float64 // −2 log L, less what does not change
	careful  bool    // it was reached by a step that cannot lower the evidence
}

// varianceSums is what a step needs of the rows. With S the roots of the variances, the
// posterior of v = S⁻¹u has the precision K = I + S XᵀWX S in parts of the noise, and the
// mean K⁻¹ S XᵀWa.
type varianceSums struct {
	Rows, Entries float64
	Square        float64   // Σ aᵀWa
	Explained     float64   // Σ vᵀ S XᵀWa
	LogDet        float64   // Σ log det K
	Means         []float64 // Σ v_f²
	Free          []float64 // Σ 1 − K⁻¹_ff
}

// Merge adds the rows that follow.
func (s *varianceSums) Merge(o pass.Part) {
	p := o.(*varianceSums)
	s.Rows += p.Rows
	s.Entries += p.Entries
	s.Square += p.Square
	s.Explained += p.Explained
	s.LogDet += p.LogDet
	floats.Add(s.Means, p.Means)
	floats.Add(s.Free, p.Free)
}

// sound tells whether all sums are numbers.
func (s *varianceSums) sound() bool {
	return dense.NotFinite(s.Means) < 0 && dense.NotFinite(s.Free) < 0 && dense.NotFinite([]float64{s.Square, s.Explained, s.LogDet}) < 0
}

// evidence is −2 log L, but for what does not depend on the variances.
func (s *varianceSums) evidence(noise float64) float64 {
	return s.Entries*math.Log(noise) + (s.Square-s.Explained)/noise + s.LogDet
}

// left is Σ ‖a − Xu‖² at the posterior means: never below what rounding leaves.
func (s *varianceSums) left() float64 {
	return max(s.Square-s.Explained-floats.Sum(s.Means), 1e-13*s.Square)
}

// step is MacKay's.
func (s *varianceSums) step(from *varianceState) *varianceState {
	to := &varianceState{gamma: make([]float64, len(from.gamma))}
	to.noise = s.left() / max(s.Entries-floats.Sum(s.Free), 0.02*s.Entries)
	for x, g := range from.gamma {
		to.gamma[x] = max(g*s.Means[x]/max(s.Free[x], 1e-12*s.Rows)/to.noise, 1e-3*leastVariance)
	}
	return to
}

// maximise is the step of expectation-maximisation.
func (s *varianceSums) maximise(from *varianceState) *varianceState {
	to := &varianceState{gamma: make([]float64, len(from.gamma)), careful: true}
	to.noise = (s.left() + from.noise*floats.Sum(s.Free)) / s.Entries
	for x, g := range from.gamma {
		to.gamma[x] = g * (s.Means[x] + from.noise*(s.Rows-s.Free[x])) / s.Rows / to.noise
	}
	return to
}

// varianceStep is the reading of a step.
type varianceStep struct {
	Design *pass.Shared[[]float64] // with a constant first
	Gamma  []float64

	kept []keptGrams // nil: none, or the pass was sent
}

// Start makes a worker.
func (p *varianceStep) Start(in *pass.Input) (pass.Worker, error) {
	d := len(p.Gamma)
	vector := func(n int) []float64 { return make([]float64, n*kernel.Lanes) }
	w := &varianceWorker{
		learnWorker: learnWorker{
			learnStep: &learnStep{Every: 1, kept: p.kept}, source: in.Source, design: p.Design.Get(), d: d,
			k: vector(kernel.Tri(d)), y: vector(d), u: vector(d), scratch: vector(d), sums: newPriorSums(0),
		},
		root: make([]float64, d), means: vector(d), free: vector(d),
	}
	for x, g := range p.Gamma {
		w.root[x] = math.Sqrt(g)
	}
	return w, nil
}

// varianceWorker adds rows up, eight side by side.
type varianceWorker struct {
	learnWorker
	root        []float64
	means, free []float64 // sums by lanes
	logDet      float64
	explained   float64
}

// Add adds the groups of a chunk.
func (w *varianceWorker) Add(c *pass.Chunk) error {
	at := 0
	eachGroup(w.source, c.First, c.End, func(group []int) {
		w.addGroup(c, at, group)
		at++
	})
	return nil
}

// addGroup solves the rows of a group and adds them to the sums.
func (w *varianceWorker) addGroup(c *pass.Chunk, at int, group []int) {
	const lanes = kernel.Lanes
	d := w.d
	gram := w.products(c, at, group)
	w.right(c, group, w.sums)
	for x := range d {
		for y := range x + 1 {
			by := w.root[x] * w.root[y]
			from, to := lanesIn(gram, kernel.Tri(x)+y), lanesIn(w.k, kernel.Tri(x)+y)
			for lane := range to {
				to[lane] = by * from[lane]
			}
		}
		right, u, pivot := lanesIn(w.y, x), lanesIn(w.u, x), lanesIn(w.k, kernel.Tri(x)+x)
		for lane := range u {
			right[lane] *= w.root[x]
			u[lane] = right[lane]
			pivot[lane]++
		}
	}
	kernel.Cholesky(w.k, d, 1)
	kernel.Solve(w.k, w.u, d)
	for x := range d {
		pivot := lanesIn(w.k, kernel.Tri(x)+x) // its reciprocal
		for _, r := range pivot[:len(group)] {
			w.logDet -= 2 * math.Log(r)
		}
	}
	kernel.Inverse(w.k, w.scratch, d)
	for x := range d {
		right, u, inverse := lanesIn(w.y, x), lanesIn(w.u, x), lanesIn(w.k, kernel.Tri(x)+x)
		means, free := lanesIn(w.means, x), lanesIn(w.free, x)
		for lane := range len(group) {
			w.explained += u[lane] * right[lane]
			means[lane] += u[lane] * u[lane]
			free[lane] += 1 - inverse[lane]
		}
	}
}

func lanesIn(x []float64, at int) *[kernel.Lanes]float64 {
	return (*[kernel.Lanes]float64)(x[at*kernel.Lanes:])
}

// Part is the sums so far.
func (w *varianceWorker) Part() (pass.Part, error) {
	s := &varianceSums{
		Rows: w.sums.Rows, Entries: w.sums.Entries, Square: w.sums.Square, Explained: w.explained, LogDet: w.logDet,
		Means: make([]float64, w.d), Free: make([]float64, w.d),
	}
	for x := range w.d {
		s.Means[x], s.Free[x] = lanesOf(w.means, x), lanesOf(w.free, x)
	}
	clear(w.means)
	clear(w.free)
	w.explained, w.logDet, w.sums = 0, 0, newPriorSums(0)
	return s, nil
}

func init() { pass.Register("variances", &varianceStep{}, new(varianceSums)) }
