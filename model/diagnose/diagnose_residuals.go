package diagnose

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"optcomplete/internal/dense"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
)

// residualFrame is what residuals are sorted by: the range of the values, and
// how large the residuals are.
type residualFrame struct{ low, high, rmse float64 }

// moments of some residuals, and of the values behind them.
type moments struct {
	entries                     int
	sum, square                 float64 // of residuals
	predicted, observed, second float64 // Σ prediction, Σ value, Σ value²
}

func (s *moments) add(o *moments) {
	s.entries += o.entries
	s.sum += o.sum
	s.square += o.square
	s.predicted += o.predicted
	s.observed += o.observed
	s.second += o.second
}

func (s *moments) bin(low, high float64) result.Bin {
	n := float64(max(s.entries, 1))
	return result.Bin{Low: low, High: high, Entries: s.entries, Mean: s.sum / n, RMSE: math.Sqrt(s.square / n)}
}

// residualSums are those of a part of the rows.
type residualSums struct {
	histogram [residualBars]int
	terms     []moments // k×termBins
	entries   [33]moments
	fine      [fineBins]moments // of predictions
}

// Merge adds other rows.
func (s *residualSums) Merge(o pass.Part) {
	p := o.(*residualSums)
	for b, n := range p.histogram {
		s.histogram[b] += n
	}
	for b := range p.terms {
		s.terms[b].add(&p.terms[b])
	}
	for b := range p.entries {
		s.entries[b].add(&p.entries[b])
	}
	for b := range p.fine {
		s.fine[b].add(&p.fine[b])
	}
}

// residuals is the pass over residuals, and what fills in the parts of d that are
// about them.
func residuals(m *model.Model, d *result.Diagnostics, units *model.Units, frame residualFrame, row func(i int) int) (pass.Pass, func(pass.Part)) {
	k := m.K()
	columnBins, of := columnBins(m, units)
	return &pass.Fold[*residualSums]{
		Called: "residuals by group", Price: 6 * (fineBins + k*termBins), // numbers of an empty part
		Fresh: func() *residualSums { return &residualSums{terms: make([]moments, k*termBins)} },
		Begin: func() func(part *residualSums, i int, columns []int32, values []float64) error {
			var out []float64
			return func(part *residualSums, i int, columns []int32, values []float64) error {
				out = dense.Resize(out, len(columns))
				i = row(i)
				m.PredictRow(i, columns, out)
				digits := bits.Len32(uint32(m.Entries[i]))
				for x, v := range values {
					r := max(-maxResidual, min(v-out[x], maxResidual))
					one := moments{entries: 1, sum: r, square: r * r, predicted: out[x], observed: v, second: v * v}
					part.entries[digits].add(&one)
					part.fine[place(out[x], frame.low, frame.high, fineBins)].add(&one)
					for f := range k {
						part.terms[f*termBins+int(of[int(columns[x])*k+f])].add(&one)
					}
					part.histogram[place(r, -4*frame.rmse, 4*frame.rmse, residualBars)]++
				}
				return nil
			}
		},
	}, func(part pass.Part) { record(m, d, part.(*residualSums), columnBins, frame) }
}

// record turns sums into what people read.
func record(m *model.Model, d *result.Diagnostics, total *residualSums, columnBins [][]result.Bin, frame residualFrame) {
	d.Residuals, d.ByTerm, d.ByEntries = result.Counts{Counts: []int{}}, []result.TermBins{}, []result.Bin{}
	if frame.rmse > 0 {
		d.Residuals = result.Counts{Low: -4 * frame.rmse, High: 4 * frame.rmse, Counts: total.histogram[:]}
	}
	for f, name := range m.Summary.Terms {
		bins := []result.Bin{}
		for b, of := range columnBins[f] {
			bins = append(bins, total.terms[f*termBins+b].bin(of.Low, of.High))
		}
		d.ByTerm = append(d.ByTerm, result.TermBins{Name: name, Bins: bins})
	}
	for digits := range total.entries {
		if s := &total.entries[digits]; s.entries > 0 {
			d.ByEntries = append(d.ByEntries, s.bin(doubling(digits)))
		}
	}
	d.Calibration = calibration(total.fine[:], frame)
}

// calibration joins neighbouring bins of predictions to groups of about as many
// entries each.
func calibration(fine []moments, frame residualFrame) []result.CalibrationGroup {
	all := 0
	for _, s := range fine {
		all += s.entries
	}
	out := []result.CalibrationGroup{}
	edges := evenBars(frame.low, frame.high, len(fine))
	var s moments
	low, done := 0, 0
	for b := range fine {
		if s.entries == 0 {
			low = b
		}
		s.add(&fine[b])
		if s.entries == 0 || (done+s.entries)*groups < (len(out)+1)*all && b < len(fine)-1 {
			continue
		}
		n := float64(s.entries)
		mean := s.observed / n
		variance := max(s.second/n-mean*mean, 0)
		out = append(out, result.CalibrationGroup{
			Low: edges[low].Low, High: edges[b].High, Entries: s.entries,
			Predicted: s.predicted / n, Observed: mean, Error: math.Sqrt(variance / n),
		})
		done += s.entries
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
