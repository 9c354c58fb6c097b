package model

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
)

const (
	mostValues   = 32   // up to so many different values get a bar each
	valueBars    = 40   // more of them share so many
	stepBars     = 32   // of a term's effect over rows
	residualBars = 41   // between −4 and 4 times their root mean square
	termBins     = 8    // of columns, by the value of a term
	fineBins     = 2048 // of predictions, joined to
	groups       = 20   // of about as many entries each
	maxResidual  = 1e140
)

// Diagnose looks at the entries that the model was fitted on and at those held
// out, or nil. The summary must have its metrics. It reads train twice and held
// once; the result does not depend on the number of threads.
func (m *Model) Diagnose(ctx context.Context, train, held data.Source, threads int) (*Diagnostics, error) {
	d := &Diagnostics{On: "train"}
	on, rmse := train, m.Summary.Train.RMSE
	if held != nil && m.Summary.Holdout != nil {
		d.On, on, rmse = "holdout", held, m.Summary.Holdout.RMSE
	}
	v, err := m.lookAtValues(ctx, train, threads)
	if err != nil {
		return nil, err
	}
	d.Values = v.bars
	all := v.hash
	if d.On == "holdout" {
		h, err := m.lookAtValues(ctx, held, threads)
		if err != nil {
			return nil, err
		}
		all += h.hash
		d.HoldoutFingerprint = fmt.Sprintf("%016x", h.hash)
	}
	d.Fingerprint = fmt.Sprintf("%016x", all)
	if cells := float64(len(m.RowIDs)) * float64(len(m.ColumnIDs)); cells > 0 {
		d.Density = float64(train.Observed()) / cells
	}
	d.RowEntries, d.ColumnEntries = entryBars(m.Entries), entryBars(m.ColumnEntries)
	units := m.units()
	d.Terms = m.termDiagnostics(units)
	if err := m.residuals(ctx, d, on, units, residualFrame{low: v.low, high: v.high, rmse: rmse}, threads); err != nil {
		return nil, err
	}
	d.Examples, err = m.examples(on, d.On == "holdout", units)
	return d, err
}

// valueSums is what a part of the rows tells of its values.
type valueSums struct {
	low, high float64
	hash      uint64          // Σ over entries, so that the order of parts does not matter
	times     map[float64]int // nil once there are more than mostValues
	bars      []Bar
}

func newValueSums() *valueSums {
	return &valueSums{low: math.Inf(1), high: math.Inf(-1), times: map[float64]int{}}
}

func (v *valueSums) count(x float64, n int) {
	if v.times == nil {
		return
	}
	if v.times[x+0] += n; len(v.times) > mostValues { // +0 makes −0 the same
		v.times = nil
	}
}

func (m *Model) lookAtValues(ctx context.Context, entries data.Source, threads int) (*valueSums, error) {
	parts := make([]*valueSums, partsOf(entries))
	err := forEntries(ctx, entries, threads, func(part int) func(i int, columns []int32, values []float64) {
		sums := newValueSums()
		parts[part] = sums
		return func(i int, columns []int32, values []float64) {
			for x, v := range values {
				sums.low, sums.high = min(sums.low, v), max(sums.high, v)
				sums.hash += random.Hash(uint64(i), uint64(columns[x]), math.Float64bits(v))
				sums.count(v, 1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := newValueSums()
	for _, p := range parts {
		out.low, out.high = min(out.low, p.low), max(out.high, p.high)
		out.hash += p.hash
		if p.times == nil {
			out.times = nil
		}
		for v, n := range p.times {
			out.count(v, n)
		}
	}
	if out.times != nil {
		for v, n := range out.times {
			out.bars = append(out.bars, Bar{Low: v, High: v, Count: n})
		}
		slices.SortFunc(out.bars, func(a, b Bar) int {
			if a.Low < b.Low {
				return -1
			}
			return 1
		})
		return out, nil
	}
	out.bars, err = valueHistogram(ctx, entries, out.low, out.high, threads)
	return out, err
}

// valueHistogram counts values between low and high.
func valueHistogram(ctx context.Context, entries data.Source, low, high float64, threads int) ([]Bar, error) {
	parts := make([][valueBars]int, partsOf(entries))
	err := forEntries(ctx, entries, threads, func(part int) func(int, []int32, []float64) {
		counts := &parts[part]
		return func(_ int, _ []int32, values []float64) {
			for _, v := range values {
				counts[place(v, low, high, valueBars)]++
			}
		}
	})
	bars := evenBars(low, high, valueBars)
	for _, part := range parts {
		for b, n := range part {
			bars[b].Count += n
		}
	}
	return bars, err
}

// place is which of so many equal parts of low..high v is in; outside, the
// first or the last.
func place(v, low, high float64, parts int) int {
	at := (v/2 - low/2) / (high/2 - low/2) * float64(parts) // halves: the difference may not be finite
	if !(at > 0) {
		return 0
	}
	return int(min(at, float64(parts-1)))
}

func evenBars(low, high float64, count int) []Bar {
	bars := make([]Bar, count)
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
func entryBars(entries []int32) []Bar {
	var times [33]int
	for _, n := range entries {
		times[bits.Len32(uint32(n))]++
	}
	bars := []Bar{}
	for b, n := range times {
		if n == 0 && (len(bars) == 0 || !slices.ContainsFunc(times[b:], func(n int) bool { return n > 0 })) {
			continue
		}
		low, high := doubling(b)
		bars = append(bars, Bar{Low: low, High: high, Count: n})
	}
	return bars
}

// doubling is the numbers with so many binary digits.
func doubling(digits int) (low, high float64) {
	if digits == 0 {
		return 0, 0
	}
	return math.Ldexp(1, digits-1), math.Ldexp(1, digits) - 1
}

// termDiagnostics is what each term does.
func (m *Model) termDiagnostics(units *units) []TermDiagnostics {
	out := []TermDiagnostics{}
	for f, term := range m.Explain().Terms {
		by := units.sd[f] // of the encoded feature
		if by <= 1e-12*math.Abs(m.Typical[f]) {
			by = m.Typical[f]
		}
		over := m.overRows(f, by)
		t := TermDiagnostics{TermExplanation: term, Step: by * units.scale[f], PerStep: (m.Population[1+f] + m.NewColumn[1+f]) * by}
		t.StepSpread = spreadOf(over) // sorts
		t.Histogram = middle(over)
		out = append(out, t)
	}
	return out
}

// middle counts sorted numbers between their first and last percent.
func middle(sorted []float64) Counts {
	out := Counts{Counts: []int{}}
	if len(sorted) == 0 {
		return out
	}
	low, high := Quantile(sorted, 0.01), Quantile(sorted, 0.99)
	if !(low < high) {
		return out
	}
	out = Counts{Low: low, High: high, Counts: make([]int, stepBars)}
	for _, x := range sorted {
		if x >= low && x <= high {
			out.Counts[place(x, low, high, stepBars)]++
		}
	}
	return out
}

// mostParts is how many parts the rows are divided into: fixed, so that the sums
// of the parts, which are added in order, depend on the data alone.
const mostParts = 64

func partsOf(s data.Source) int {
	n, _ := s.Dims()
	return max(1, min(mostParts, data.Blocks(n)))
}

// forEntries reads all rows, part by part: start is called for each part, by any
// goroutine, and what it returns for each of its rows that has entries.
func forEntries(ctx context.Context, s data.Source, threads int, start func(part int) func(i int, columns []int32, values []float64)) error {
	return data.ForParts(ctx, s, partsOf(s), threads, func(r *data.RowReader) func(part, lo, hi int) error {
		return func(part, lo, hi int) error {
			row := start(part)
			for i := lo; i < hi; i++ {
				columns, values, err := r.Row(i)
				if err != nil {
					return err
				}
				if len(columns) > 0 {
					row(i, columns, values)
				}
			}
			return nil
		}
	})
}
