package evaluate

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/parallel"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/result"
)

// MeasureSettings say how to measure predictions. All may be left at zero.
type MeasureSettings struct {
	Places int // of a ranking that count; zero means 10
	// Relevant is the least value that makes an entry relevant; nil: the mean
	// of its row's test entries.
	Relevant *float64
	// Popularity is that of a column, to rank by in comparison; nil: no comparison.
	Popularity func(column int) float64
	Resamples  int // for the intervals; zero means 1000, negative none
	Seed       uint64
	Threads    int // zero: all processors. Results do not depend on it.
}

// Interval is a number and where it lies with 95 % confidence: between the 2.5 %
// and the 97.5 % quantile of the number over resamples of the rows. Without
// resamples Low and High are the number itself.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// BasisMetrics are the metrics of the entries whose predictions have one basis.
type BasisMetrics struct {
	Basis result.Basis `json:"basis"`
	Metrics
}

// Measurement is how good predictions are on test entries. Rankings are of each
// row's test entries by their predictions, and the mean is over rows for which
// they say something; see RankedRows and RecallRows.
type Measurement struct {
	Entries     int `json:"entries"`
	Rows        int `json:"rows"`                   // with entries
	MAPESkipped int `json:"mape_skipped,omitempty"` // entries with value 0

	MAPE Interval `json:"mape"` // mean of |error| / |value|, over values that are not 0
	RMSE Interval `json:"rmse"`
	MAE  Interval `json:"mae"`
	// R2 is 1 − Σ error² / Σ (value − mean of the test values)²; 0 if all test
	// values are the same.
	R2 Interval `json:"r2"`

	Places     int      `json:"places"`
	NDCG       Interval `json:"ndcg"`
	RankedRows int      `json:"ranked_rows"` // with two different values
	Recall     Interval `json:"recall"`
	RecallRows int      `json:"recall_rows"` // with more entries than places, some relevant and some not
	// Popularity compares with ranking by popularity; nil if that was not asked for
	// or no row can be ranked.
	Popularity *Popularity `json:"popularity,omitempty"`

	Basis     []BasisMetrics `json:"basis"`     // of each basis that occurs
	Resamples int            `json:"resamples"` // of rows, behind the intervals
}

// Popularity is how well the same rows are ranked by how many entries columns have.
type Popularity struct {
	NDCG Interval `json:"ndcg"`
	Gain Interval `json:"gain"` // NDCG of the predictions less that of popularity, row by row
}

// rowSums is what one row brings to a Measurement.
type rowSums struct {
	sums
	value, valueSquare float64 // of the values less a shift that all rows share
	low, high          float64 // of the values
	ndcg, recall       float64
	popular            float64 // NDCG of the order by popularity
	ranked, recalled   float64 // 1 if the row has them
}

// merge adds another row, which has entries.
func (s *rowSums) merge(o *rowSums) {
	if s.Entries == 0 {
		s.low, s.high = o.low, o.high
	}
	s.low, s.high = min(s.low, o.low), max(s.high, o.high)
	s.sums.merge(&o.sums)
	s.value += o.value
	s.valueSquare += o.valueSquare
	s.ndcg += o.ndcg
	s.recall += o.recall
	s.popular += o.popular
	s.ranked += o.ranked
	s.recalled += o.recalled
}

// blockRows is how many rows are summed before blocks are: fixed, so that sums depend
// on the data alone.
const blockRows = 256

// Measure compares answers with the entries of a test matrix. It fails only where the
// context ends.
func Measure(ctx context.Context, test *data.Matrix, answer func(row, column int) result.Answer, settings MeasureSettings) (*Measurement, error) {
	if settings.Places == 0 {
		settings.Places = 10
	}
	if settings.Resamples == 0 {
		settings.Resamples = 1000
	}
	n, _ := test.Dims()
	shift := meanOf(test)
	all := make([]rowSums, n)
	bases := make([][result.NewRowAndColumn + 1]sums, (n+blockRows-1)/blockRows)
	err := inParallel(ctx, len(bases), settings.Threads, func(b int) {
		var entries []ranked
		for i := b * blockRows; i < min(n, (b+1)*blockRows); i++ {
			entries = all[i].take(test, i, shift, answer, &settings, &bases[b], entries)
		}
	})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s rowSums) bool { return s.Entries == 0 })
	out := &Measurement{Rows: len(all), Places: settings.Places, Resamples: max(settings.Resamples, 0)}
	var whole rowSums
	for i := range all {
		whole.merge(&all[i])
	}
	out.Entries, out.MAPESkipped = whole.Entries, whole.Zeros
	out.RankedRows, out.RecallRows = int(whole.ranked), int(whole.recalled)
	for basis := range result.NewRowAndColumn + 1 {
		parts := make([]sums, len(bases))
		for b := range bases {
			parts[b] = bases[b][basis]
		}
		if m := total(parts); m.Entries > 0 {
			out.Basis = append(out.Basis, BasisMetrics{basis, m})
		}
	}
	if err := out.intervals(ctx, all, &whole, &settings); err != nil {
		return nil, err
	}
	return out, nil
}

// take compares the entries of row i, using the space of entries.
func (s *rowSums) take(test *data.Matrix, i int, shift float64, answer func(row, column int) result.Answer, settings *MeasureSettings, bases *[result.NewRowAndColumn + 1]sums, entries []ranked) []ranked {
	columns, values := test.Row(i)
	entries = entries[:0]
	threshold := 0.0
	for _, v := range values {
		threshold += v / float64(len(values))
	}
	if settings.Relevant != nil {
		threshold = *settings.Relevant
	}
	if len(values) > 0 {
		s.low, s.high = slices.Min(values), slices.Max(values)
	}
	for x, c := range columns {
		a, v := answer(i, int(c)), values[x]
		s.sums.add(values[x:x+1], []float64{a.Value})
		bases[a.Basis].add(values[x:x+1], []float64{a.Value})
		d := v - shift
		s.value += d
		s.valueSquare += d * d
		entries = append(entries, ranked{a.Unclipped, v, v >= threshold})
	}
	ndcg, recall, hasNDCG, hasRecall := ranking(entries, settings.Places)
	if hasNDCG {
		s.ndcg, s.ranked = ndcg, 1
	}
	if settings.Popularity != nil && hasNDCG {
		entries = entries[:0]
		for x, c := range columns {
			entries = append(entries, ranked{settings.Popularity(int(c)), values[x], false})
		}
		s.popular, _, _, _ = ranking(entries, settings.Places)
	}
	if hasRecall {
		s.recall, s.recalled = recall, 1
	}
	return entries
}

func meanOf(m *data.Matrix) (mean float64) {
	n, _ := m.Dims()
	for i := range n {
		_, values := m.Row(i)
		for _, v := range values {
			mean += v / float64(m.Observed())
		}
	}
	return mean
}

// numbers are MAPE, RMSE, MAE, R², NDCG, recall, NDCG of popularity and the gain
// over it.
func (s *rowSums) numbers() [8]float64 {
	m := total([]sums{s.sums})
	out := [8]float64{m.MAPE, m.RMSE, m.MAE}
	if s.low < s.high {
		if r2 := 1 - s.Square/(s.valueSquare-s.value*s.value/float64(s.Entries)); r2 <= 1 && r2 >= -math.MaxFloat64 {
			out[3] = r2
		}
	}
	if s.ranked > 0 {
		out[4], out[6], out[7] = s.ndcg/s.ranked, s.popular/s.ranked, (s.ndcg-s.popular)/s.ranked
	}
	if s.recalled > 0 {
		out[5] = s.recall / s.recalled
	}
	return out
}

const bootstrapStream = 0x626f6f7473 // "boots"

// intervals resamples the rows, with replacement, and keeps the quantiles.
func (m *Measurement) intervals(ctx context.Context, rows []rowSums, whole *rowSums, settings *MeasureSettings) error {
	var popularity Popularity
	at := [8]*Interval{&m.MAPE, &m.RMSE, &m.MAE, &m.R2, &m.NDCG, &m.Recall, &popularity.NDCG, &popularity.Gain}
	if settings.Popularity != nil && m.RankedRows > 0 {
		m.Popularity = &popularity
	}
	for x, v := range whole.numbers() {
		*at[x] = Interval{v, v, v}
	}
	if m.Resamples == 0 || len(rows) == 0 {
		return nil
	}
	drawn := make([][8]float64, m.Resamples)
	err := inParallel(ctx, len(drawn), settings.Threads, func(b int) {
		s := random.New(settings.Seed, bootstrapStream, uint64(b))
		var sum rowSums
		for range rows {
			sum.merge(&rows[s.Intn(len(rows))])
		}
		drawn[b] = sum.numbers()
	})
	if err != nil {
		return err
	}
	column := make([]float64, len(drawn))
	for x := range at {
		for b := range drawn {
			column[b] = drawn[b][x]
		}
		slices.Sort(column)
		at[x].Low, at[x].High = model.Quantile(column, 0.025), model.Quantile(column, 0.975)
	}
	return nil
}

// inParallel calls work for 0..n−1, from that many goroutines (0 means all processors).
func inParallel(ctx context.Context, n, threads int, work func(at int)) error {
	return parallel.Do(ctx, n, threads, func(int) func(int) error {
		return func(at int) error {
			work(at)
			return nil
		}
	})
}
