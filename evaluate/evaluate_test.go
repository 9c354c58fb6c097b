package evaluate

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/result"
)

// matrix draws a rows×columns matrix with about the given share observed.
func matrix(t testing.TB, rows, columns int, share float64, seed uint64) *data.Matrix {
	t.Helper()
	s := random.New(seed)
	var entries []data.Entry
	for i := range rows {
		for j := range columns {
			if s.Float64() < share {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: s.Normal()})
			}
		}
	}
	m := must.Get(data.NewMatrix(rows, columns, entries))(t)
	return m
}

func entriesOf(m *data.Matrix) map[[2]int]float64 {
	out := map[[2]int]float64{}
	rows, _ := m.Dims()
	for i := range rows {
		columns, values := m.Row(i)
		for at, j := range columns {
			out[[2]int{i, int(j)}] = values[at]
		}
	}
	return out
}

func TestSplitIsDisjointAndComplete(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := matrix(t, rapid.IntRange(0, 30).Draw(rt, "rows"), rapid.IntRange(0, 20).Draw(rt, "columns"),
			rapid.Float64Range(0, 1).Draw(rt, "observed"), rapid.Uint64().Draw(rt, "data"))
		share, seed := rapid.Float64Range(0, 1).Draw(rt, "share"), rapid.Uint64().Draw(rt, "seed")
		train, held := SplitMatrix(m, share, seed)
		for _, part := range []*data.Matrix{train, held} {
			r, c := part.Dims()
			if wr, wc := m.Dims(); r != wr || c != wc {
				rt.Fatalf("shape %d×%d became %d×%d", wr, wc, r, c)
			}
		}
		both, other := entriesOf(train), entriesOf(held)
		for at, v := range other {
			if _, ok := both[at]; ok {
				rt.Fatalf("entry %v is in both parts", at)
			}
			both[at] = v
		}
		if diff := cmp.Diff(entriesOf(m), both); diff != "" {
			rt.Fatal(diff)
		}
		again, _ := SplitMatrix(m, share, seed)
		if diff := cmp.Diff(entriesOf(train), entriesOf(again)); diff != "" {
			rt.Fatalf("the same seed gave another split: %s", diff)
		}
	})
}

func TestSplitHoldsOutItsShare(t *testing.T) {
	m := matrix(t, 400, 300, 0.5, 1)
	total := float64(m.Observed())
	for _, share := range []float64{0, 0.05, 0.2, 0.9, 1} {
		_, held := SplitMatrix(m, share, 7)
		sd := math.Sqrt(total * share * (1 - share))
		if got := float64(held.Observed()); math.Abs(got-share*total) > 5*sd {
			t.Errorf("share %v: %v of %v held out", share, got, total)
		}
	}
	_, a := SplitMatrix(m, 0.5, 1)
	_, b := SplitMatrix(m, 0.5, 2)
	common := 0
	other := entriesOf(b)
	for at := range entriesOf(a) {
		if _, ok := other[at]; ok {
			common++
		}
	}
	if quarter := total / 4; math.Abs(float64(common)-quarter) > 5*math.Sqrt(quarter) {
		t.Errorf("two seeds share %d held entries, want about %.0f", common, quarter)
	}
}

func TestSplitRefusesShareOutsideUnit(t *testing.T) {
	for _, share := range []float64{-0.1, 1.1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("share %v was accepted", share)
				}
			}()
			SplitMatrix(matrix(t, 2, 2, 1, 1), share, 1)
		}()
	}
}

func TestScoreByHand(t *testing.T) {
	m := must.Get(data.NewMatrix(3, 3, []data.Entry{{Row: 0, Column: 0, Value: 2}, {Row: 0, Column: 2, Value: -4}, {Row: 2, Column: 1, Value: 0}}))(t)
	got := score(t, m, func(row int, columns []int32, out []float64) {
		for at, j := range columns {
			out[at] = map[[2]int]float64{{0, 0}: 1, {0, 2}: -5, {2, 1}: 2}[[2]int{row, int(j)}]
		}
	}, 4)
	// Errors 1, 1, 2: relative 1/2 and 1/4, the third has the value 0.
	want := Metrics{Entries: 3, MAPE: result.RelativeOf(0.375), RMSE: math.Sqrt(2), MAE: 4. / 3, MAPESkipped: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestThreadsGiveSameBits(t *testing.T) {
	m := matrix(t, 3000, 40, 0.3, 3)
	predict := func(row int, columns []int32, out []float64) {
		for at, j := range columns {
			out[at] = random.NormalOf(random.Hash(uint64(row), uint64(j)))
		}
	}
	want := score(t, m, predict, 1)
	if want.Entries != m.Observed() || want.RMSE < 1 {
		t.Fatalf("implausible %+v", want)
	}
	for _, threads := range []int{0, 2, 3, 8} {
		if got := score(t, m, predict, threads); got != want {
			t.Errorf("%d threads: %+v, one: %+v", threads, got, want)
		}
	}
}

func TestScoreIsAlwaysFinite(t *testing.T) {
	empty, _ := data.NewMatrix(5, 5, nil)
	if got := score(t, empty, func(int, []int32, []float64) { t.Error("predict called for no entry") }, 2); got != (Metrics{}) {
		t.Errorf("no entries: %+v", got)
	}
	zeros, _ := data.NewMatrix(1, 1, []data.Entry{{Row: 0, Column: 0, Value: 0}})
	if got := score(t, zeros, func(_ int, _ []int32, out []float64) { out[0] = 3 }, 1); got.MAPE.Known || got.RMSE != 3 {
		t.Errorf("only zeros: %+v", got)
	}
	tiny, _ := data.NewMatrix(1, 4, []data.Entry{{Row: 0, Column: 0, Value: 5e-324}, {Row: 0, Column: 1, Value: 1}, {Row: 0, Column: 2, Value: -math.MaxFloat64}, {Row: 0, Column: 3, Value: 1}})
	got := score(t, tiny, func(_ int, _ []int32, out []float64) {
		copy(out, []float64{1, math.NaN(), math.MaxFloat64, math.Inf(1)})
	}, 1)
	for _, x := range []float64{got.MAPE.Value, got.RMSE, got.MAE} {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 1e100 {
			t.Errorf("wild predictions: %+v, want large and finite", got)
		}
	}
}

func BenchmarkScore(b *testing.B) {
	m := matrix(b, 5000, 200, 0.2, 1)
	for b.Loop() {
		score(b, m, func(_ int, columns []int32, out []float64) { clear(out) }, 2)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.Observed()), "ns/entry")
}

// score is Score of a matrix, which cannot fail.
func score(t testing.TB, m *data.Matrix, predict func(row int, columns []int32, out []float64), threads int) Metrics {
	t.Helper()
	metrics := must.Get(Score(context.Background(), m, testkit.Predict(predict), threads))(t)
	return metrics
}

func TestValidationIsNotTheHoldOut(t *testing.T) {
	m := matrix(t, 100, 80, 0.5, 3)
	train, _ := SplitMatrix(m, 0.2, 9)
	part := must.Get(Validation(context.Background(), train, 0.2, 0, 9, 0))(t)
	want := 0.2 * float64(train.Observed())
	if got := float64(part.Held.Observed()); math.Abs(got-want) > 5*math.Sqrt(want) {
		t.Errorf("of %d entries that a hold-out left, %v are validated on, want about %.0f", train.Observed(), got, want)
	}
}
