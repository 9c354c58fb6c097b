package estimate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/kernel"
	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/result"
)

// Variances are by how much rows differ; see package result.
type Variances = result.Variances

// Learning says what variances are learned from.
type Learning struct {
	Rows    []*data.Matrix // nested samples of the rows, each larger: the first brings the variances near
	Design  []float64      // p numbers for each column
	P       int
	Mean    float64   // what is predicted without rows: this,
	Columns []float64 // and an effect of each column; nil: none
	Loss    loss.Scaled
	Unit    float64 // mean weight of the entries; zero: 1
	NoLevel bool    // rows have no level
	Threads int
	// Near is what was learned of nearly the same rows, to begin at instead of the first sample; nil: nothing.
	Near *Variances
}

const (
	firstSteps     = 24   // readings of the first sample, at most
	lastSteps      = 6    // and of each larger one
	nearSteps      = 2    // of the largest, from what was learned of nearly the same rows on
	longestStep    = 16.0 // power of MacKay's factor, at most
	varianceNear   = 0.25 // units of −2 log L that a step must gain for each feature, to go on: chance alone moves it by 1
	startFeature   = 0.01 // variances where nothing can be learned, of features with mean square 1
	startLevel     = 0.2
	leastStart     = 1e-4 // that learning starts with
	leastVariance  = 1e-7 // of a feature with mean square 1: below it rows do not differ
	mostActive     = 256  // features that are learned together, about
	activeRounds   = 3    // of adding features that the others leave something to
	addAtOnce      = 64
	mostOverlapped = 4096 // columns that tell which features are alike
	alike          = 0.5  // square of the correlation of such
)

// LearnVariances learns by maximum evidence with all features in the model. With m and C the
// posterior of a row and free_if = 1 − C_i,ff/τ_f², MacKay's step ("Bayesian interpolation", 1992)
// multiplies τ_f² by Σ_i m_if²/(τ_f² Σ_i free_if). That is short where rows tell little of a feature: the
// slope of the evidence along log τ_f² over Σ_i free_if, while the information about log τ_f² is Σ_i free_if².
// So the factor is taken to the power Σ free/Σ free², which makes the step one of Fisher's scoring, of each
// variance for itself; over Σ_g corr(f,g)² of the features g that are like it, since those explain the same. Where that would lower the evidence the steps are MacKay's, and where even that
// does, one of expectation-maximisation.
//
// Of very many features, those that the rest cannot do without are learned together: the
// evidence must not rise, beyond chance, if one of the others gets a variance.
//
// ok is false, and the variances are those that learning starts with, where nothing can be
// learned: no row has two entries, nothing is left to explain, or the context ends before
// something is. Later it ends learning with what there is.
func (in *Learning) LearnVariances(ctx context.Context) (v *Variances, ok bool, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = nil
		}
	}()
	if in.Unit == 0 {
		in.Unit = 1
	}
	l := &varianceLearner{Learning: in, size: in.sizes()}
	defer func() { // of entries of weight 1
		v.Level /= in.Unit
		v.Noise *= in.Unit
		floats.Scale(1/in.Unit, v.Features)
	}()
	l.all = pass.Share(in.Design)
	v = &Variances{Level: startLevel, Features: make([]float64, in.P), Noise: 1, Sure: make([]bool, in.P)}
	if in.NoLevel {
		v.Level = 0
	}
	for f := range v.Features {
		v.Features[f] = startFeature / l.size[f]
	}
	last := in.Rows[len(in.Rows)-1]
	longest := 0
	n, _ := last.Dims()
	for i := range n {
		longest = max(longest, last.Entries(i))
	}
	if longest < 2 {
		return v, false, nil
	}
	at := &varianceState{gamma: []float64{v.Level}, noise: 1}
	if !in.Loss.Loss.Linked() {
		// The variance of what is to be explained.
		sums, err := l.read(ctx, in.Rows[0], &varianceState{gamma: []float64{0}, noise: 1})
		if err != nil {
			return v, false, err
		}
		if !(sums.Square > 0) || math.IsInf(sums.Square, 0) {
			return v, false, nil
		}
		at.noise = max(sums.Square/sums.Entries, tiny)
	}
	v.Noise = at.noise
	near := in.Near != nil && in.Near.Noise > 0
	if near {
		at = &varianceState{gamma: []float64{in.Near.Level * in.Unit}, noise: in.Near.Noise / in.Unit}
		for f, gamma := range in.Near.Features {
			if gamma > 0 {
				at.add(f, gamma*in.Unit)
			}
		}
	} else if at, err = l.steps(ctx, in.Rows[0], at, 3); err != nil || at == nil {
		return v, false, err
	}
	least := math.Inf(-1)
	if in.P > mostActive {
		least = 1.5 // many that rows do not differ on would do much together
	}
	if err := l.grow(ctx, in.Rows[0], at, mostActive, least); err != nil {
		return v, false, err
	}
	learned := false
	for round := range activeRounds {
		for x, rows := range in.Rows {
			steps := lastSteps
			if x == 0 {
				steps = firstSteps
			}
			if near {
				if steps = nearSteps; x < len(in.Rows)-1 {
					continue
				}
			}
			next, err := l.steps(ctx, rows, at, steps)
			if err != nil || next == nil {
				return v, learned, err
			}
			at, learned = l.prune(next), true
			l.copyTo(v, at)
		}
		if in.P <= mostActive || round == activeRounds-1 {
			break
		}
		before := len(at.active)
		if err := l.grow(ctx, in.Rows[0], at, addAtOnce, 3); err != nil {
			return v, true, err
		}
		if len(at.active) == before {
			break
		}
	}
	return v, true, nil
}

// varianceLearner keeps what all readings share.
type varianceLearner struct {
	*Learning
	all     *pass.Shared[[]float64] // the design
	size    []float64               // mean square of each feature
	columns *pass.Shared[[]float64]
}

// sizes are the mean squares of the features, over columns; 1 of one that is 0.
func (in *Learning) sizes() []float64 {
	size := make([]float64, in.P)
	for row := range slices.Chunk(in.Design, max(in.P, 1)) {
		for f, x := range row {
			size[f] += x * x
		}
	}
	m := float64(len(in.Design) / max(in.P, 1))
	for f := range size {
		if size[f] /= m; !(size[f] > 0) {
			size[f] = 1
		}
	}
	return size
}

// varianceState is where learning is.
type varianceState struct {
	active   []int     // the features that may have a variance
	gamma    []float64 // in parts of the noise: the level's, then those of the active features
	noise    float64
	evidence float64   // −2 log L, less what does not change
	power    float64   // of MacKay's factor, at most, in the step to here; 0: the step was of expectation-maximisation
	free     []float64 // Σ (1 − C/τ²)² of the last step
}

func (s *varianceState) add(f int, gamma float64) {
	s.active, s.gamma = append(s.active, f), append(s.gamma, gamma)
}

// copyTo writes what was learned.
func (l *varianceLearner) copyTo(v *Variances, at *varianceState) {
	clear(v.Features)
	clear(v.Sure)
	v.Level, v.Noise = at.gamma[0], at.noise
	for x, f := range at.active {
		v.Features[f] = at.gamma[x+1]
		// The information about log τ² in the rows is half of Σ(1 − C/τ²)².
		v.Sure[f] = at.free != nil && at.free[x+1] > 8
	}
}

// prune leaves features out that rows do not differ on.
func (l *varianceLearner) prune(s *varianceState) *varianceState {
	out := &varianceState{gamma: []float64{s.gamma[0]}, noise: s.noise, free: []float64{0}}
	for x, f := range s.active {
		if s.gamma[x+1]*l.size[f] > leastVariance {
			out.add(f, s.gamma[x+1])
			if s.free != nil {
				out.free = append(out.free, s.free[x+1])
			}
		}
	}
	if s.free == nil {
		out.free = nil
	}
	return out
}

// steps takes steps from a state, at most so many, and returns the best; nil if there is none.
func (l *varianceLearner) steps(ctx context.Context, rows *data.Matrix, at *varianceState, most int) (*varianceState, error) {
	kept := newKept(rows, len(at.gamma), l.Loss.Loss == loss.Squared)
	compact := l.compact(at.active)
	design, shared := pass.Share(compact), overlaps(compact, len(at.gamma))
	var best *varianceState
	var sums *varianceSums
	power := longestStep
	if l.Loss.Loss != loss.Squared {
		power = 1 // what is known of the evidence is approximate, or nothing
	}
	for range most {
		now, err := l.readWith(ctx, rows, at, design, kept)
		if err != nil {
			return nil, err
		}
		worse := best != nil && !l.Loss.Loss.HasUnit() && (!now.sound() || now.evidence(at.noise, l.Loss.Loss) > best.evidence)
		switch {
		case worse && at.power > 1:
			power = 1
			at = sums.step(best, l, shared, power)
			continue
		case worse && at.power == 1:
			at = sums.maximise(best, l)
			continue
		case worse || !now.sound():
			return best, nil
		}
		at.evidence, at.free = now.evidence(at.noise, l.Loss.Loss), now.FreeSquares
		gained := math.Inf(1)
		if best != nil {
			gained = math.Abs(best.evidence - at.evidence)
		}
		best, sums = at, now
		if gained < varianceNear*float64(len(at.gamma)) {
			break
		}
		at = now.step(best, l, shared, power)
	}
	return best, nil
}

// compact is the design of some features, with a constant first.
func (l *varianceLearner) compact(active []int) []float64 {
	m := len(l.Design) / max(l.P, 1)
	out := make([]float64, 0, m*(1+len(active)))
	for row := range slices.Chunk(l.Design, max(l.P, 1)) {
		out = append(out, 1)
		for _, f := range active {
			out = append(out, row[f])
		}
	}
	if l.P == 0 {
		_, m := l.Rows[0].Dims()
		return slices.Repeat([]float64{1}, m)
	}
	return out
}

// overlaps are the sums of the squared correlations of each feature with itself and those like it,
// over some of the columns; of the constant, which is first, 1.
func overlaps(design []float64, d int) []float64 {
	m := len(design) / d
	every := (m + mostOverlapped - 1) / mostOverlapped
	width := kernel.GramWidth(d)
	var rows []float64
	mean := make([]float64, d)
	for c := 0; c < m; c += every {
		row := append(design[c*d:][:d:d], make([]float64, width-d)...)
		floats.Add(mean, row[:d])
		rows = append(rows, row...)
	}
	count := len(rows) / width
	floats.Scale(1/float64(count), mean)
	for row := range slices.Chunk(rows, width) {
		floats.Sub(row[:d], mean)
	}
	products := make([]float64, kernel.Tri(d))
	kernel.PackedGram(products, rows, count, width, d)
	out := make([]float64, d)
	for x := range d {
		out[x]++
		for y := range x {
			xx, yy, xy := products[kernel.Tri(x)+x], products[kernel.Tri(y)+y], products[kernel.Tri(x)+y]
			if square := xy / xx * xy / yy; square > alike {
				out[x] += min(square, 1)
				out[y] += min(square, 1)
			}
		}
	}
	return out
}

func (l *varianceLearner) read(ctx context.Context, rows *data.Matrix, at *varianceState) (*varianceSums, error) {
	return l.readWith(ctx, rows, at, pass.Share(l.compact(at.active)), nil)
}

func (l *varianceLearner) readWith(ctx context.Context, rows *data.Matrix, at *varianceState, design *pass.Shared[[]float64], kept []keptGrams) (*varianceSums, error) {
	return pass.One[*varianceSums](ctx, rows, l.Threads, &varianceStep{Given: l.given(at, design), kept: kept})
}

// given is what a pass needs to know of a state.
func (l *varianceLearner) given(at *varianceState, design *pass.Shared[[]float64]) rowsGiven {
	if l.columns == nil && l.Columns != nil {
		l.columns = pass.Share(l.Columns)
	}
	return rowsGiven{Design: design, Gamma: at.gamma, Noise: at.noise, Mean: l.Mean, Columns: l.columns, Loss: l.Loss, Unit: l.Unit}
}

// varianceSums is what a step needs of the rows. With S the roots of the variances, the
// posterior of v = S⁻¹u has the precision K = I + S XᵀWX S in parts of the noise, and the
// mean K⁻¹ S XᵀWa.
type varianceSums struct {
	Rows, Entries float64
	Square        float64   // Σ aᵀWa
	Explained     float64   // Σ vᵀ S XᵀWa
	Deviance      float64   // twice the loss, of a log-likelihood
	LogDet        float64   // Σ log det K
	Scores        float64   // of a loss with a unit: Σ of the squares of half of its slopes,
	Inside        float64   // and the weight of the entries where it is a square
	Means         []float64 // Σ v_f²
	Free          []float64 // Σ 1 − K⁻¹_ff
	FreeSquares   []float64 // Σ (1 − K⁻¹_ff)²
}

func newVarianceSums(d int) *varianceSums {
	return &varianceSums{Means: make([]float64, d), Free: make([]float64, d), FreeSquares: make([]float64, d)}
}

// Merge adds the rows that follow.
func (s *varianceSums) Merge(o pass.Part) {
	p := o.(*varianceSums)
	s.Rows += p.Rows
	s.Entries += p.Entries
	s.Square += p.Square
	s.Explained += p.Explained
	s.Deviance += p.Deviance
	s.LogDet += p.LogDet
	s.Scores += p.Scores
	s.Inside += p.Inside
	floats.Add(s.Means, p.Means)
	floats.Add(s.Free, p.Free)
	floats.Add(s.FreeSquares, p.FreeSquares)
}

// sound tells whether all sums are numbers.
func (s *varianceSums) sound() bool {
	return dense.NotFinite(s.Means) < 0 && dense.NotFinite(s.Free) < 0 && dense.NotFinite([]float64{s.Square, s.Explained, s.Deviance, s.LogDet}) < 0
}

// evidence is −2 log L, but for what does not depend on the variances; of other losses than
// squares by Laplace's approximation.
func (s *varianceSums) evidence(noise float64, l loss.Loss) float64 {
	if l.Linked() {
		return s.Deviance + floats.Sum(s.Means) + s.LogDet
	}
	return s.Entries*math.Log(noise) + (s.Square-s.Explained)/noise + s.LogDet
}

// left is Σ w(a − Xu)² at the posterior means: never below what rounding leaves.
func (s *varianceSums) left() float64 {
	return max(s.Square-s.Explained-floats.Sum(s.Means), 1e-13*s.Square)
}

// step multiplies the variances by MacKay's factors to a power, at most the given one.
func (s *varianceSums) step(from *varianceState, l *varianceLearner, shared []float64, power float64) *varianceState {
	to := &varianceState{active: from.active, gamma: make([]float64, len(from.gamma)), noise: from.noise, power: power}
	switch {
	case l.Loss.Loss.HasUnit():
		// What takes the place of the variance where a loss is no log-likelihood: that of its slopes
		// over its curvature (Huber, "Robust estimation of a location parameter", 1964).
		to.noise = max(s.Scores/max(s.Inside-floats.Sum(s.Free), 0.02*s.Inside), tiny)
	case !l.Loss.Loss.Linked():
		to.noise = max(s.left()/max(s.Entries-floats.Sum(s.Free), 0.02*s.Entries), tiny)
	}
	for x, g := range from.gamma {
		if g > 0 {
			factor := s.Means[x] / max(s.Free[x], 1e-12*s.Rows) / to.noise
			if longer := min(s.Free[x]/(s.FreeSquares[x]*shared[x]), power); longer > 1 {
				factor = math.Pow(factor, longer)
			}
			to.gamma[x] = max(g*factor, l.least(from, x))
		}
	}
	return to
}

// maximise is the step of expectation-maximisation.
func (s *varianceSums) maximise(from *varianceState, l *varianceLearner) *varianceState {
	to := &varianceState{active: from.active, gamma: make([]float64, len(from.gamma)), noise: from.noise}
	if !l.Loss.Loss.Linked() {
		to.noise = max((s.left()+from.noise*floats.Sum(s.Free))/s.Entries, tiny)
	}
	for x, g := range from.gamma {
		if g > 0 {
			to.gamma[x] = max(g*(s.Means[x]+from.noise*(s.Rows-s.Free[x]))/s.Rows/to.noise, l.least(from, x))
		}
	}
	return to
}

// least is a variance from which there is a way back.
func (l *varianceLearner) least(s *varianceState, x int) float64 {
	if x == 0 {
		return 1e-3 * leastVariance
	}
	return 1e-3 * leastVariance / l.size[s.active[x-1]]
}

// newKept is where the products of long rows are kept, if there is room; else nil.
func newKept(rows *data.Matrix, d int, squares bool) []keptGrams {
	chunks := data.Chunks(rows)
	count := 0
	n, _ := rows.Dims()
	for i := range n {
		if !few(rows.Entries(i), d) {
			count++
		}
	}
	if !squares || int64(kernel.Tri(d))*int64(count+8*len(chunks))*8 > learnBytes {
		return nil
	}
	return make([]keptGrams, len(chunks)-1)
}

// few tells whether a row of so many entries is solved in their space, and not in that of
// d coefficients.
func few(entries, d int) bool { return 2*entries <= d }

// grow adds the features, at most so many, that the evidence would gain most from: by more
// than so many standard errors.
func (l *varianceLearner) grow(ctx context.Context, rows *data.Matrix, at *varianceState, most int, errors float64) error {
	sums, err := pass.One[*pass.Sums](ctx, rows, l.Threads, &varianceScores{
		Given: l.given(at, pass.Share(l.compact(at.active))), All: l.all, P: l.P, Seed: scoreSeed,
	})
	if err != nil {
		return err
	}
	type candidate struct {
		f            int
		score, start float64
	}
	var found []candidate
	for f := range l.P {
		gain, expected, spread := sums.Values[f], sums.Values[l.P+f], sums.Values[2*l.P+f]
		score := (gain - expected) / math.Sqrt(4*spread+tiny)
		if score > errors && !slices.Contains(at.active, f) {
			found = append(found, candidate{f, score, (gain - expected) / (spread + tiny)})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for _, c := range found[:min(most, len(found))] {
		at.add(c.f, min(max(c.start, leastStart/l.size[c.f]), startLevel/l.size[c.f]))
	}
	return nil
}

const scoreSeed = 0x73636f7265 // "score"
