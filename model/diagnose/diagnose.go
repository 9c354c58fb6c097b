package diagnose

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/parallel"
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
	p, record := residuals(m, d, units, residualFrame{low, high, rmse}, l.Rows)
	part, err := pass.One[*residualSums](ctx, l.On, threads, p)
	if err != nil {
		return nil, err
	}
	record(part)
	if l.Rows != nil {
		d.Sample = &result.Sample{Rows: len(l.Rows), Entries: l.On.Observed()}
	}
	all := l.Train.sums.Hash
	if d.On == "holdout" {
		d.HoldoutFingerprint = fmt.Sprintf("%016x", l.Held.sums.Hash)
		all += l.Held.sums.Hash
	}
	d.Values = l.Train.sums.bars(low, high)
	d.Fingerprint = fmt.Sprintf("%016x", all)
	if cells := float64(len(m.RowIDs)) * float64(len(m.ColumnIDs)); cells > 0 {
		d.Density = float64(l.Train.entries) / cells
	}
	d.RowEntries, d.ColumnEntries = entryBars(m.Entries), entryBars(m.ColumnEntries)
	d.Terms = Terms(m, units)
	d.Examples, err = examples(ctx, m, &l, threads, d.On == "holdout", units)
	return d, err
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

// Terms is what each term does, and how that differs over the rows.
func Terms(m *model.Model, units *model.Units) []result.TermDiagnostics {
	terms := m.Explain().Terms
	out, over := make([]result.TermDiagnostics, len(terms)), make([][]float64, len(terms))
	for f, term := range terms {
		by := units.SD[f] // of the encoded feature
		if by <= 1e-12*math.Abs(m.Typical[f]) {
			by = m.Typical[f]
		}
		over[f] = m.OverRows(f, by)
		out[f] = result.TermDiagnostics{TermExplanation: term, Step: by * units.Scale[f], PerStep: m.Population[1+f] * by, NewPerStep: (m.Population[1+f] + m.NewColumn[1+f]) * by}
	}
	parallel.Each(len(out), 0, func(f int) {
		out[f].StepSpread = model.SpreadOf(over[f]) // sorts
		out[f].Histogram = Middle(over[f])
	})
	return out
}

// Middle counts sorted numbers between their first and last percent.
func Middle(sorted []float64) result.Counts {
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
