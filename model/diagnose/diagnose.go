package diagnose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
)

const (
	mostValues   = 32   // up to this many different values get a bar each
	valueBars    = 40   // more of them share this many
	stepBars     = 32   // of a term's effect over rows
	residualBars = 41   // between −4 and 4 times their root mean square
	termBins     = 8    // of columns, by the value of a term
	fineBins     = 2048 // of predictions, joined to
	groups       = 20   // of about as many entries each
	maxResidual  = 1e140
)

// Looked is the entries that diagnostics are made of.
type Looked struct {
	Train, Held *Values // of all training entries, and of all that are held out; nil: none are
	// On is the held-out entries, or the training entries if nothing is held out, whose
	// residuals are looked at.
	On data.Source
	// Rows are those of a sample, in the order of On; nil: On has all rows.
	Rows []int
}

// row is the row of the model that row i of On is.
func (l *Looked) row(i int) int {
	if l.Rows == nil {
		return i
	}
	return l.Rows[i]
}

// Of looks at the entries that the model was fitted on and at those held out. The
// summary must have its metrics. It reads the entries of l.On once; the result does
// not depend on the number of threads.
func Of(ctx context.Context, m *model.Model, l Looked, threads int) (*result.Diagnostics, error) {
	d, rmse := &result.Diagnostics{On: "train"}, m.Summary.Train.RMSE
	if l.Held != nil && m.Summary.Holdout != nil {
		d.On, rmse = "holdout", m.Summary.Holdout.RMSE
	}
	low, high := l.Train.low, l.Train.high
	units := m.Units()
	p, record := residuals(m, d, units, residualFrame{low: low, high: high, rmse: rmse}, l.row)
	part, err := pass.One[*residualSums](ctx, l.On, threads, p)
	if err != nil {
		return nil, err
	}
	record(part)
	if l.Rows != nil {
		d.Sample = &result.Sample{Rows: len(l.Rows), Entries: l.On.Observed()}
	}
	all := l.Train.sums.hash
	if d.On == "holdout" {
		d.HoldoutFingerprint = fmt.Sprintf("%016x", l.Held.sums.hash)
		all += l.Held.sums.hash
	}
	d.Values = l.Train.sums.bars(low, high)
	d.Fingerprint = fmt.Sprintf("%016x", all)
	if cells := float64(len(m.RowIDs)) * float64(len(m.ColumnIDs)); cells > 0 {
		d.Density = float64(l.Train.entries) / cells
	}
	d.RowEntries, d.ColumnEntries = entryBars(m.Entries), entryBars(m.ColumnEntries)
	d.Terms = termDiagnostics(m, units)
	d.Examples, err = examples(m, &l, d.On == "holdout", units)
	return d, err
}

// Values is what the values of some entries are.
type Values struct {
	entries   int
	low, high float64 // of the training entries
	sums      *valueSums
}

// ValuesOf looks at the values of some entries. survey is that of the training
// entries, whose range they are counted in.
func ValuesOf(ctx context.Context, entries data.Source, survey *data.Survey, threads int) (*Values, error) {
	sums, err := pass.One[*valueSums](ctx, entries, threads, valuesOf(survey.Low, survey.High))
	return &Values{entries.Observed(), survey.Low, survey.High, sums}, err
}

// valueSums is what a part of the rows tells of its values.
type valueSums struct {
	hash   uint64          // Σ over entries, so that the order of parts does not matter
	times  map[float64]int // nil once there are more than mostValues
	counts [valueBars]int  // in equal parts of their range
}

func newValueSums() *valueSums { return &valueSums{times: map[float64]int{}} }

func (v *valueSums) count(x float64, n int) {
	if v.times == nil {
		return
	}
	if v.times[x+0] += n; len(v.times) > mostValues { // +0 makes −0 the same
		v.times = nil
	}
}

// Merge adds other rows.
func (v *valueSums) Merge(o pass.Part) {
	p := o.(*valueSums)
	v.hash += p.hash
	for b, n := range p.counts {
		v.counts[b] += n
	}
	if p.times == nil {
		v.times = nil
	}
	for x, n := range p.times {
		v.count(x, n)
	}
}

// valuesOf is the pass that looks at values between low and high.
func valuesOf(low, high float64) pass.Pass {
	return &pass.Fold[*valueSums]{
		Called: "values", Fresh: newValueSums,
		Begin: func() func(sums *valueSums, i int, columns []int32, values []float64) error {
			return func(sums *valueSums, i int, columns []int32, values []float64) error {
				for x, v := range values {
					sums.hash += random.Hash(uint64(i), uint64(columns[x]), math.Float64bits(v))
					sums.count(v, 1)
					sums.counts[place(v, low, high, valueBars)]++
				}
				return nil
			}
		},
	}
}

// bars is one for each value if there are few, else for equal parts of low..high.
func (v *valueSums) bars(low, high float64) (bars []result.Bar) {
	if v.times == nil {
		bars = evenBars(low, high, valueBars)
		for b, n := range v.counts {
			bars[b].Count = n
		}
		return bars
	}
	for x, n := range v.times {
		bars = append(bars, result.Bar{Low: x, High: x, Count: n})
	}
	slices.SortFunc(bars, func(a, b result.Bar) int { return cmp.Compare(a.Low, b.Low) })
	return bars
}

// place is which of this many equal parts of low..high v is in; outside, the
// first or the last.
func place(v, low, high float64, parts int) int {
	at := (v/2 - low/2) / (high/2 - low/2) * float64(parts) // halves: the difference may not be finite
	if !(at > 0) {
		return 0
	}
	return int(min(at, float64(parts-1)))
}

func evenBars(low, high float64, count int) []result.Bar {
	bars := make([]result.Bar, count)
	edge := func(b int) float64 {
		if b == count {
			return high
		}
		w := float64(b) / float64(count)
		return low*(1-w) + high*w
	}
	for b := range bars {
		bars[b].Low, bars[b].High = edge(b), edge(b+1)
	}
	return bars
}

// entryBars counts rows or columns by their number of entries: 0, 1, 2–3, 4–7, …
func entryBars(entries []int32) []result.Bar {
	var times [33]int
	for _, n := range entries {
		times[bits.Len32(uint32(n))]++
	}
	bars := []result.Bar{}
	for b, n := range times {
		if n == 0 && (len(bars) == 0 || !slices.ContainsFunc(times[b:], func(n int) bool { return n > 0 })) {
			continue
		}
		low, high := doubling(b)
		bars = append(bars, result.Bar{Low: low, High: high, Count: n})
	}
	return bars
}

// doubling is the numbers with this many binary digits.
func doubling(digits int) (low, high float64) {
	if digits == 0 {
		return 0, 0
	}
	return math.Ldexp(1, digits-1), math.Ldexp(1, digits) - 1
}

// termDiagnostics is what each term does.
func termDiagnostics(m *model.Model, units *model.Units) []result.TermDiagnostics {
	out := []result.TermDiagnostics{}
	for f, term := range m.Explain().Terms {
		by := units.SD[f] // of the encoded feature
		if by <= 1e-12*math.Abs(m.Typical[f]) {
			by = m.Typical[f]
		}
		over := m.OverRows(f, by)
		t := result.TermDiagnostics{TermExplanation: term, Step: by * units.Scale[f], PerStep: m.Population[1+f] * by, NewPerStep: (m.Population[1+f] + m.NewColumn[1+f]) * by}
		t.StepSpread = model.SpreadOf(over) // sorts
		t.Histogram = middle(over)
		out = append(out, t)
	}
	return out
}

// middle counts sorted numbers between their first and last percent.
func middle(sorted []float64) result.Counts {
	out := result.Counts{Counts: []int{}}
	if len(sorted) == 0 {
		return out
	}
	low, high := model.Quantile(sorted, 0.01), model.Quantile(sorted, 0.99)
	if !(low < high) {
		return out
	}
	out = result.Counts{Low: low, High: high, Counts: make([]int, stepBars)}
	for _, x := range sorted {
		if x >= low && x <= high {
			out.Counts[place(x, low, high, stepBars)]++
		}
	}
	return out
}
