package evaluate

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/result"
)

func TestRankingByHand(t *testing.T) {
	// Places 1 and 2 hold the values 3 and 5; best would be 5 and 3; the least is 1.
	entries := []ranked{{0.9, 3, false}, {0.1, 1, false}, {0.5, 5, true}, {0.2, 4, true}}
	ndcg, recall, hasNDCG, hasRecall := ranking(entries, 2)
	third := 1 / math.Log2(3)
	if want := (2 + 4*third) / (4 + 3*third); math.Abs(ndcg-want) > 1e-15 || recall != 0.5 || !hasNDCG || !hasRecall {
		t.Errorf("NDCG %v, want %v; recall %v, want 0.5", ndcg, want, recall)
	}
	for name, entries := range map[string][]ranked{
		"equal values": {{1, 3, true}, {2, 3, true}, {3, 3, true}},
		"one entry":    {{1, 3, true}},
		"none":         {},
	} {
		if _, _, hasNDCG, hasRecall := ranking(entries, 2); hasNDCG || hasRecall {
			t.Errorf("%s: a ranking of nothing was scored", name)
		}
	}
}

// A constant prediction scores as the mean over all orders, whatever the order
// of the entries.
func TestTiedPredictionsScoreAsRandomOrders(t *testing.T) {
	values := []float64{5, 1, 4, 2}
	tied := func() (out []ranked) {
		for _, v := range values {
			out = append(out, ranked{7, v, v >= 3})
		}
		return out
	}
	ndcg, recall, _, _ := ranking(tied(), 2)
	sum, hits, orders := 0.0, 0.0, 0.0
	for a := range values {
		for b := range values {
			if a == b {
				continue
			}
			e := tied()
			e[a].prediction, e[b].prediction = 9, 8
			x, y, _, _ := ranking(e, 2)
			sum, hits, orders = sum+x, hits+y, orders+1
		}
	}
	if math.Abs(ndcg-sum/orders) > 1e-12 || math.Abs(recall-hits/orders) > 1e-12 {
		t.Errorf("tied: %v and %v; over all orders %v and %v", ndcg, recall, sum/orders, hits/orders)
	}
}

// answers is a function as an Answerer.
type answers func(row, column int) result.Answer

func (f answers) AnswerAt(row, column int) result.Answer { return f(row, column) }

// noisy predicts values of a matrix with an error drawn for each entry.
func noisy(m *data.Matrix, size float64) answers {
	return func(row, column int) result.Answer {
		at, values := m.Row(row)
		for x, c := range at {
			if int(c) == column {
				v := values[x] + size*random.NormalOf(random.Hash(uint64(row), uint64(column)))
				return result.Answer{Value: v, Unclipped: v, Basis: result.BasisOf(row%2 == 1, column%3 == 0)}
			}
		}
		panic("not an entry")
	}
}

func TestMeasureAgreesWithScore(t *testing.T) {
	m := matrix(t, 500, 40, 0.5, 3)
	answer := noisy(m, 0.4)
	want := score(t, m, func(row int, columns []int32, out []float64) {
		for x, c := range columns {
			out[x] = answer(row, int(c)).Value
		}
	}, 1)
	got := measurement(t, m, answer, MeasureSettings{Resamples: 300, Seed: 4})
	if got.Entries != want.Entries || math.Abs(got.RMSE.Value-want.RMSE) > 1e-12 || math.Abs(got.MAE.Value-want.MAE) > 1e-12 || math.Abs(got.MAPE.Value/want.MAPE.Value-1) > 1e-12 {
		t.Errorf("%+v, Score says %+v", got, want)
	}
	entries := 0
	for _, b := range got.Basis {
		entries += b.Entries
	}
	if entries != got.Entries || len(got.Basis) != 4 {
		t.Errorf("by basis: %+v", got.Basis)
	}
	// The error's sd is 0.4: so the interval must hold it, and be about 4 sd of
	// an RMSE of so many entries wide.
	width := 4 * 0.4 / math.Sqrt(2*float64(got.Entries))
	if x := got.RMSE; !(x.Low < 0.4 && 0.4 < x.High) || x.High-x.Low < width/2 || x.High-x.Low > width*2 {
		t.Errorf("RMSE %+v, expected width %v", x, width)
	}
	for _, threads := range []int{2, 8} {
		if diff := cmp.Diff(got, measurement(t, m, answer, MeasureSettings{Resamples: 300, Seed: 4, Threads: threads})); diff != "" {
			t.Errorf("%d threads: %s", threads, diff)
		}
	}
	if cmp.Equal(got, measurement(t, m, answer, MeasureSettings{Resamples: 300, Seed: 5})) {
		t.Error("another seed gives the same intervals")
	}
}

func TestPerfectPredictionsScorePerfectly(t *testing.T) {
	m := matrix(t, 100, 40, 0.6, 3)
	got := measurement(t, m, noisy(m, 0), MeasureSettings{Places: 5})
	one := Interval{1, 1, 1}
	if got.R2 != one || got.NDCG != one || got.RMSE != (Interval{}) || got.RankedRows != 100 {
		t.Errorf("%+v", got)
	}
	high := 1e9
	if none := measurement(t, m, noisy(m, 0), MeasureSettings{Places: 5, Relevant: &high}); none.RecallRows != 0 || none.Recall != (Interval{}) {
		t.Errorf("nothing is relevant: %+v", none.Recall)
	}
}

func TestMeasurementIsAlwaysFinite(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, columns := rapid.IntRange(0, 5).Draw(rt, "rows"), rapid.IntRange(0, 5).Draw(rt, "columns")
		var entries []data.Entry
		for i := range n {
			for j := range columns {
				if rapid.Bool().Draw(rt, "observed") {
					entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: rapid.SampledFrom([]float64{0, 3, 3.1, -5, 1e90}).Draw(rt, "value")})
				}
			}
		}
		m := must.Get(data.NewMatrix(n, columns, entries))(rt)
		constant := rapid.SampledFrom([]float64{0, 3, -1e90}).Draw(rt, "prediction")
		got := measurement(t, m, func(int, int) result.Answer { return result.Answer{Value: constant, Unclipped: constant} },
			MeasureSettings{Places: rapid.IntRange(1, 4).Draw(rt, "places"), Resamples: 20})
		if got.MAPE == nil {
			got.MAPE = new(Interval) // no value but 0
		}
		for _, x := range []Interval{*got.MAPE, got.RMSE, got.MAE, got.R2, got.NDCG, got.Recall} {
			for _, v := range []float64{x.Value, x.Low, x.High} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					rt.Fatalf("%+v", got)
				}
			}
		}
	})
}

// measurement is a measurement that nothing interrupts.
func measurement(t *testing.T, m *data.Matrix, answer answers, settings MeasureSettings) *Measurement {
	t.Helper()
	out := must.Get(Measure(t.Context(), m, answer, settings))(t)
	return out
}

// TestInterruptEndsMeasuring, at the entries and at the resamples.
func TestInterruptEndsMeasuring(t *testing.T) {
	m, _ := data.NewMatrix(2, 2, []data.Entry{{Row: 0, Column: 0, Value: 1}, {Row: 1, Column: 1, Value: 2}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupting := answers(func(row, column int) result.Answer { cancel(); return result.Answer{} })
	if got, err := Measure(ctx, m, interrupting, MeasureSettings{Resamples: 1 << 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Measure(ctx, m, answers(func(int, int) result.Answer { return result.Answer{} }), MeasureSettings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", got, err)
	}
}
