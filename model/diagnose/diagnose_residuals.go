package diagnose

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"optcomplete/internal/dense"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
)

// residualFrame is what residuals are sorted by: the range of the values, and
// how large the residuals are.
type residualFrame struct{ Low, High, RMSE float64 }

// moments of some residuals, and of the values behind them.
type moments struct {
	Entries                     int
	Sum, Square                 float64 // of residuals
	Predicted, Observed, Second float64 // Σ prediction, Σ value, Σ value²
}

func (s *moments) add(o *moments) {
	s.Entries += o.Entries
	s.Sum += o.Sum
	s.Square += o.Square
	s.Predicted += o.Predicted
	s.Observed += o.Observed
	s.Second += o.Second
}

func (s *moments) bin(low, high float64) result.Bin {
	n := float64(max(s.Entries, 1))
	return result.Bin{Low: low, High: high, Entries: s.Entries, Mean: s.Sum / n, RMSE: math.Sqrt(s.Square / n)}
}

// residualSums are those of a part of the rows.
type residualSums struct {
	Histogram [residualBars]int
	Terms     []moments // k×termBins
	Entries   [33]moments
	Fine      [fineBins]moments // of predictions
}

// Merge adds other rows.
func (s *residualSums) Merge(o pass.Part) {
	p := o.(*residualSums)
	for b, n := range p.Histogram {
		s.Histogram[b] += n
	}
	for b := range p.Terms {
		s.Terms[b].add(&p.Terms[b])
	}
	for b := range p.Entries {
		s.Entries[b].add(&p.Entries[b])
	}
	for b := range p.Fine {
		s.Fine[b].add(&p.Fine[b])
	}
}

// residuals is the pass over residuals of some rows (nil: all), and what fills in the
// parts of d that are about them.
func residuals(m *model.Model, d *result.Diagnostics, units *model.Units, frame residualFrame, rows []int) (pass.Pass, func(pass.Part)) {
	columnBins, of := columnBins(m, units)
	p := residualsBy{m.Predictor().Of, pass.Share(m.Entries), pass.Share(of), frame, rows}
	return p, func(part pass.Part) { record(m, d, part.(*residualSums), columnBins, frame) }
}

// residualsBy adds up residuals by what they may depend on.
type residualsBy struct {
	Of      *pass.Shared[estimate.Fitted]
	Entries *pass.Shared[[]int32] // of each row
	Bins    *pass.Shared[[]uint8] // m×k: of each column and term
	Frame   residualFrame
	Rows    []int // those of the model that the source has; nil: all
}

// Cost is the numbers of an empty part.
func (p residualsBy) Cost(*pass.Input) int { return 6 * (fineBins + p.Of.Get().K*termBins) }

// Start makes a worker.
func (p residualsBy) Start(*pass.Input) (pass.Worker, error) {
	m, entries, of := p.Of.Get(), p.Entries.Get(), p.Bins.Get()
	k, frame := m.K, p.Frame
	var out []float64
	return pass.EachRow(func() *residualSums { return &residualSums{Terms: make([]moments, k*termBins)} }, func(part *residualSums, i int, columns []int32, values []float64) error {
		out = dense.Resize(out, len(columns))
		if p.Rows != nil {
			i = p.Rows[i]
		}
		m.PredictRow(i, columns, out)
		digits := bits.Len32(uint32(entries[i]))
		for x, v := range values {
			r := max(-maxResidual, min(v-out[x], maxResidual))
			one := moments{Entries: 1, Sum: r, Square: r * r, Predicted: out[x], Observed: v, Second: v * v}
			part.Entries[digits].add(&one)
			part.Fine[place(out[x], frame.Low, frame.High, fineBins)].add(&one)
			for f := range k {
				part.Terms[f*termBins+int(of[int(columns[x])*k+f])].add(&one)
			}
			part.Histogram[place(r, -4*frame.RMSE, 4*frame.RMSE, residualBars)]++
		}
		return nil
	}), nil
}

func init() { pass.Register("residuals by group", residualsBy{}, new(residualSums)) }

// record turns sums into what people read.
func record(m *model.Model, d *result.Diagnostics, total *residualSums, columnBins [][]result.Bin, frame residualFrame) {
	d.Residuals, d.ByTerm, d.ByEntries = result.Counts{Counts: []int{}}, []result.TermBins{}, []result.Bin{}
	if frame.RMSE > 0 {
		d.Residuals = result.Counts{Low: -4 * frame.RMSE, High: 4 * frame.RMSE, Counts: total.Histogram[:]}
	}
	for f, name := range m.Summary.Terms {
		bins := []result.Bin{}
		for b, of := range columnBins[f] {
			bins = append(bins, total.Terms[f*termBins+b].bin(of.Low, of.High))
		}
		d.ByTerm = append(d.ByTerm, result.TermBins{Name: name, Bins: bins})
	}
	for digits := range total.Entries {
		if s := &total.Entries[digits]; s.Entries > 0 {
			d.ByEntries = append(d.ByEntries, s.bin(doubling(digits)))
		}
	}
	d.Calibration = calibration(total.Fine[:], frame, m.Summary.Loss)
}

// calibration joins neighbouring bins of predictions to groups of about as many
// entries each.
func calibration(fine []moments, frame residualFrame, l loss.Loss) []result.CalibrationGroup {
	all := 0
	for _, s := range fine {
		all += s.Entries
	}
	out := []result.CalibrationGroup{}
	edges := evenBars(frame.Low, frame.High, len(fine))
	var s moments
	low, done := 0, 0
	for b := range fine {
		if s.Entries == 0 {
			low = b
		}
		s.add(&fine[b])
		if s.Entries == 0 || (done+s.Entries)*groups < (len(out)+1)*all && b < len(fine)-1 {
			continue
		}
		n := float64(s.Entries)
		mean := s.Observed / n
		variance := max(s.Second/n-mean*mean, 0)
		interval := &result.Range{}
		interval.Low, interval.High = l.MeanInterval(mean, variance, n)
		out = append(out, result.CalibrationGroup{
			Low: edges[low].Low, High: edges[b].High, Entries: s.Entries,
			Predicted: s.Predicted / n, Observed: mean, Error: math.Sqrt(variance / n), Interval: interval,
		})
		done += s.Entries
		s = moments{}
	}
	return out
}

// columnBins sorts the columns by each term's value: a bin for every value if
// there are few, else bins of about as many columns. of is the bin of each column
// and term.
func columnBins(m *model.Model, units *model.Units) (bins [][]result.Bin, of []uint8) {
	k, n := m.K(), len(m.ColumnIDs)
	of = make([]uint8, n*k)
	bins = make([][]result.Bin, k)
	order := make([]int, n)
	for f := range k {
		value := func(j int) float64 { return units.Raw(f, m.Features[j*k+f]) }
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
		different := 0
		for x, j := range order {
			if x == 0 || value(j) != value(order[x-1]) {
				different++
			}
		}
		for x, j := range order {
			fresh := x == 0
			if x > 0 && value(j) != value(order[x-1]) { // equal values stay together
				fresh = different <= termBins || x*termBins >= len(bins[f])*n
			}
			if fresh && len(bins[f]) < termBins {
				bins[f] = append(bins[f], result.Bin{Low: value(j)})
			}
			last := len(bins[f]) - 1
			bins[f][last].High = value(j)
			of[j*k+f] = uint8(last)
		}
	}
	return bins, of
}
