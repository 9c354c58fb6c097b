package estimate

import (
	"math"

	"optcomplete/pass"
)

// Noise is how entries scatter around their predictions, for losses of values.
type Noise struct {
	// Inside is the part of the entries within δ, where Huber's loss is curved.
	Inside float64 `json:"inside"`
	// Ratio is twice the noise variance, as far as coefficients see it: the mean square
	// of the loss's slope over its mean curvature. (Huber, "Robust estimation of a
	// location parameter", 1964: the variance of his estimate has the same terms.)
	Ratio float64 `json:"ratio"`
	// Errors are absolute errors that 0, 1, …, 100 % of the entries do not exceed. They
	// are corrected for the coefficients having been fitted to the entries.
	Errors []float64 `json:"errors"`
}

// Beyond is the error that this part of the entries does not exceed.
func (n *Noise) Beyond(part float64) float64 {
	at := min(max(part, 0), 1) * float64(len(n.Errors)-1)
	low := min(int(at), len(n.Errors)-2)
	return n.Errors[low] + (at-float64(low))*(n.Errors[low+1]-n.Errors[low])
}

// Proper tells whether the numbers can be computed with.
func (n *Noise) Proper() bool {
	if !(n.Inside > 0 && n.Inside <= 1 && n.Ratio >= 0 && n.Ratio <= huge) || len(n.Errors) < 2 {
		return false
	}
	for x, v := range n.Errors {
		if !(v >= 0 && v <= huge) || x > 0 && v < n.Errors[x-1] {
			return false
		}
	}
	return true
}

// Noisy tells whether intervals of the link need to know the noise: yes/no and counts
// bring theirs along.
func (l *Link) Noisy() bool { return !l.Loss.Linked() }

// Noising is the pass that finds the noise of the entries that a model with a link was
// fitted on; NoiseOf is its result.
func Noising(of *pass.Shared[Fitted], columnShrinkage float64) pass.Pass {
	return noising{of, columnShrinkage}
}

// noising counts errors by their size.
type noising struct {
	Of        *pass.Shared[Fitted]
	Shrinkage float64 // of columns
}

// Errors are counted in sixteenths of a factor of two, from 2^−errorOctaves up.
const (
	errorSteps   = 16
	errorOctaves = 400
	errorBins    = 2 * errorOctaves * errorSteps
	leastNoise   = 0.1 // of an error's variance that is noise, at least
)

// Cost is a number for each size.
func (p noising) Cost(*pass.Input) int { return errorBins }

// Start makes a worker. An entry of weight w has a w-th of the noise. With a prior of the right width, an error has the part
// 1 − leverage of the noise variance: what the row and the column were fitted to it
// is missing.
func (p noising) Start(*pass.Input) (pass.Worker, error) {
	m := p.Of.Get()
	plain := *m.Link
	plain.Noise = nil
	rows := NewLaplace(&plain, m.K, 0)
	return pass.EachWeighed(func() *pass.Sums { return pass.NewSums(errorBins + 2) }, func(part *pass.Sums, i int, at []int32, values, weights []float64) error {
		u := m.Coefficients.Row(i)
		rows.Begin()
		weight := func(e int) float64 {
			if weights == nil {
				return 1
			}
			return weights[e]
		}
		for e, c := range at {
			rows.Entry(0, m.Column(int(c)), weight(e))
		}
		sure := rows.End()
		for e, c := range at {
			b := m.Column(int(c))
			count, w := float64(m.ColumnEntries[c]), weight(e)
			if m.ColumnWeights != nil {
				count = m.ColumnWeights[c]
			}
			noise := 1 - w/max(count+p.Shrinkage, w)
			if sure {
				noise -= 2 * w * rows.Sum(b)
			}
			r := math.Abs(values[e]-m.Sum(m.RowEffect(i), m.ColumnEffect(int(c)), u, b)) / math.Sqrt(max(noise, leastNoise))
			inside := r
			if plain.Loss.HasUnit() {
				inside = min(r, plain.unit())
			}
			if r == inside {
				part.Values[errorBins]++
			}
			part.Values[errorBins+1] += 4 * w * inside * inside
			part.Values[errorBin(r*math.Sqrt(w))]++
		}
		return nil
	}), nil
}

// unit is δ.
func (l *Link) unit() float64 {
	if l.Unit == 0 {
		return 1
	}
	return l.Unit
}

// errorBin is where an error is counted: in the first if it is 0.
func errorBin(r float64) int {
	if !(r > 0) {
		return 0
	}
	return int(min(max((math.Log2(r)+errorOctaves)*errorSteps, 0), errorBins-1))
}

// NoiseOf is what Noising found; nil without entries.
func NoiseOf(part pass.Part) *Noise {
	counts := part.(*pass.Sums).Values
	total := 0.0
	for _, n := range counts[:errorBins] {
		total += n
	}
	if total == 0 {
		return nil
	}
	n := &Noise{Inside: max(counts[errorBins], 0.5) / total}
	n.Ratio = counts[errorBins+1] / total / (2 * n.Inside)
	below, bin := 0.0, 0
	for percent := range 101 {
		want := float64(percent) / 100 * total
		for bin < errorBins-1 && (below+counts[bin] < want || counts[bin] == 0) {
			below += counts[bin]
			bin++
		}
		size := 0.0
		if bin > 0 {
			inside := min(max((want-below)/max(counts[bin], 1), 0), 1)
			size = math.Exp2((float64(bin)+inside)/errorSteps - errorOctaves)
		}
		n.Errors = append(n.Errors, size)
	}
	return n
}

func init() { pass.Register("noise", noising{}, new(pass.Sums)) }
