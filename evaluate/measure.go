package evaluate

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/parallel"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
)

// MeasureSettings say how to measure predictions. All may be left at zero.
type MeasureSettings struct {
	Places int // of a ranking that count; zero means 10
	// Relevant is the least value that makes an entry relevant; nil: the mean
	// of its row's test entries.
	Relevant *float64
	// Popularity is how many entries columns have, to rank by in comparison, none after
	// the last; nil: no comparison.
	Popularity []int32
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
	// Weighted tells that entries count by their weights in all measures but those of
	// rankings, which are of what a row is shown.
	Weighted bool `json:"weighted,omitempty"`

	// MAPE is the mean of |error| / |value|, over values that are not 0; absent
	// without any, and for the losses of yes and no and of counts.
	MAPE *Interval `json:"mape,omitempty"`
	RMSE Interval  `json:"rmse"`
	MAE  Interval  `json:"mae"`
	// R2 is 1 − Σ error² / Σ (value − mean of the test values)²; 0 if all test
	// values are the same.
	R2 Interval `json:"r2"`

	Loss *LossMeasurement `json:"loss,omitempty"` // nil: squared errors

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

// Measure compares answers with the entries of a test source, in one reading beside
// its survey. It fails where the context ends, or the source cannot be read.
func Measure(ctx context.Context, test data.Source, by Answerer, settings MeasureSettings) (*Measurement, error) {
	if settings.Places == 0 {
		settings.Places = 10
	}
	if settings.Resamples == 0 {
		settings.Resamples = 1000
	}
	survey, err := pass.Survey(ctx, test, settings.Threads)
	if err != nil {
		return nil, err
	}
	part, err := pass.One[*measured](ctx, test, settings.Threads, measuring{by, survey.Mean(), settings.Places, settings.Relevant, settings.Popularity})
	if err != nil {
		return nil, err
	}
	out := &Measurement{Rows: len(part.Rows), Places: settings.Places, Resamples: max(settings.Resamples, 0)}
	scale := LossOf(by)
	l := scale.Loss
	if l != loss.Squared {
		out.Loss = &LossMeasurement{Loss: l, Delta: scale.Unit}
		out.Loss.measureLoss(part.All, len(part.Rows))
	}
	var whole rowSums
	for i := range part.Rows {
		whole.merge(&part.Rows[i])
	}
	out.Entries, out.MAPESkipped, out.Weighted = whole.Sums.Entries, whole.Sums.Zeros, whole.Sums.Weighted
	out.RankedRows, out.RecallRows = int(whole.Ranked), int(whole.Recalled)
	for basis, sum := range part.Bases {
		if m := sum.metrics(); m.Entries > 0 {
			if l.Linked() {
				m.MAPE, m.MAPESkipped = result.Relative{}, 0
			}
			out.Basis = append(out.Basis, BasisMetrics{result.Basis(basis), m})
		}
	}
	if err := out.intervals(ctx, part.Rows, &whole, &settings); err != nil {
		return nil, err
	}
	switch {
	case l.Linked():
		out.MAPE, out.MAPESkipped = nil, 0
	case out.Entries == out.MAPESkipped:
		out.MAPE = nil
	}
	return out, nil
}

// allNumbers is how many numbers there are.
const allNumbers = 11

// numbers are MAPE, RMSE, MAE, R², NDCG, recall, NDCG of popularity and the gain
// over it, the mean of the loss, the part explained, and the mean square.
func (s *rowSums) numbers(l loss.Loss) [allNumbers]float64 {
	m := s.Sums.metrics()
	out := [allNumbers]float64{m.MAPE.Value, m.RMSE, m.MAE}
	out[8], out[9] = s.lossNumbers(l)
	out[10] = m.RMSE * m.RMSE
	if s.Low < s.High {
		if r2 := 1 - s.Sums.Square/(s.ValueSquare-s.Value*s.Value/s.Sums.Count); r2 <= 1 && r2 >= -math.MaxFloat64 {
			out[3] = r2
		}
	}
	if s.Ranked > 0 {
		out[4], out[6], out[7] = s.NDCG/s.Ranked, s.Popular/s.Ranked, (s.NDCG-s.Popular)/s.Ranked
	}
	if s.Recalled > 0 {
		out[5] = s.Recall / s.Recalled
	}
	return out
}

const bootstrapStream = 0x626f6f7473 // "boots"

// intervals resamples the rows, with replacement, and keeps the quantiles.
func (m *Measurement) intervals(ctx context.Context, rows []rowSums, whole *rowSums, settings *MeasureSettings) error {
	var popularity Popularity
	var mean, explained, brier Interval
	m.MAPE = new(Interval)
	at := [allNumbers]*Interval{m.MAPE, &m.RMSE, &m.MAE, &m.R2, &m.NDCG, &m.Recall, &popularity.NDCG, &popularity.Gain, &mean, &explained, &brier}
	l := loss.Squared
	if m.Loss != nil {
		l = m.Loss.Loss
		defer func() { m.Loss.take(mean, explained, brier) }()
	}
	if settings.Popularity != nil && m.RankedRows > 0 {
		m.Popularity = &popularity
	}
	for x, v := range whole.numbers(l) {
		*at[x] = Interval{v, v, v}
	}
	if m.Resamples == 0 || len(rows) == 0 {
		return nil
	}
	drawn := make([][allNumbers]float64, m.Resamples)
	err := inParallel(ctx, len(drawn), settings.Threads, func(b int) {
		s := random.New(settings.Seed, bootstrapStream, uint64(b))
		var sum rowSums
		for range rows {
			sum.merge(&rows[s.Intn(len(rows))])
		}
		drawn[b] = sum.numbers(l)
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
