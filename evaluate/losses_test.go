package evaluate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/loss"
	"optcomplete/result"
)

// oddly predicts probabilities, and says so.
type oddly struct {
	of func(row int, column int32) float64
}

func (o oddly) PredictRow(row int, columns []int32, out []float64) {
	for x, c := range columns {
		out[x] = o.of(row, c)
	}
}

func (o oddly) LossOf() loss.Scaled { return loss.Scaled{Loss: loss.Logistic} }

func (o oddly) AnswerAt(row, column int) result.Answer {
	p := o.of(row, int32(column))
	return result.Answer{Value: p, Unclipped: p}
}

// TestMeasuresOfProbabilitiesByHand compares log-loss, Brier, AUC, and what the
// evaluation says of them, with the plainest sums.
func TestMeasuresOfProbabilitiesByHand(t *testing.T) {
	const n, m = 30, 20
	var entries []data.Entry
	of := func(row int, column int32) float64 { return 0.05 + float64((row*7+int(column)*3)%10)/11 }
	for i := range n {
		for j := range m {
			if (i+j)%3 > 0 {
				v := 0.0
				if random.Unit(random.Hash(1, uint64(i), uint64(j))) < of(i, int32(j)) {
					v = 1
				}
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: v})
			}
		}
	}
	matrix := must.Get(data.NewMatrix(n, m, entries))(t)
	var logLoss, brier, pairs, count float64
	for _, a := range entries {
		p := of(int(a.Row), a.Column)
		logLoss -= (a.Value*math.Log(p) + (1-a.Value)*math.Log(1-p)) / float64(len(entries))
		brier += (a.Value - p) * (a.Value - p) / float64(len(entries))
		for _, b := range entries {
			if a.Value == 1 && b.Value == 0 {
				count++
				if q := of(int(b.Row), b.Column); p > q {
					pairs++
				} else if p == q {
					pairs += 0.5
				}
			}
		}
	}
	got := must.Get(Score(context.Background(), matrix, oddly{of}, 2))(t)
	near := func(what string, x, want float64) {
		if math.Abs(x-want) > 1e-12 {
			t.Errorf("%s is %.15g, want %.15g", what, x, want)
		}
	}
	near("log-loss", got.LogLoss, logLoss)
	near("Brier", got.Brier, brier)
	near("AUC", *got.AUC, pairs/count)
	if last := got.ROC[len(got.ROC)-1]; last.Yes != 1 || last.No != 1 || got.MAPE.Known {
		t.Errorf("the ROC curve ends at %v, MAPE %v", last, got.MAPE)
	}
	all := must.Get(Measure(context.Background(), matrix, oddly{of}, MeasureSettings{Resamples: 200, Seed: 1}))(t)
	near("mean loss", all.Loss.Mean.Value, logLoss)
	near("Brier", all.Loss.Brier.Value, brier)
	near("AUC", all.Loss.AUC.Value, pairs/count)
	if a := all.Loss.AUC; !(a.Low < a.Value && a.Value < a.High && a.High-a.Low < 0.3) || len(all.Loss.Calibration) != 10 {
		t.Errorf("AUC %v, %d groups", a, len(all.Loss.Calibration))
	}
}

// TestIntervalOfAUC: it holds the true area in about 95 of 100 draws. Normal scores whose
// means are one standard deviation apart have an area of Φ(1/√2).
func TestIntervalOfAUC(t *testing.T) {
	truth, held := 0.7602499389065233, 0
	for draw := range uint64(300) {
		s := random.New(5, draw)
		scores := map[float64][2]float64{}
		var order []float64
		for i := range 120 {
			x := random.NormalOf(s.Uint64()) + float64(i%2)
			order = append(order, x)
			scores[x] = [2]float64{float64(i % 2), float64(1 - i%2)}
		}
		slices.Sort(order)
		var yes, no []float64
		for _, x := range order {
			yes, no = append(yes, scores[x][0]), append(no, scores[x][1])
		}
		if _, r := result.AUCOf(yes, no, nil); truth >= r.Low && truth <= r.High {
			held++
		}
	}
	if held < 276 || held > 294 {
		t.Errorf("%d of 300 intervals hold the area", held)
	}
	if a, _ := result.AUCOf([]float64{1, 0}, []float64{0, 1}, nil); *a != 0 {
		t.Error(*a)
	}
	if a, r := result.AUCOf([]float64{1, 2}, []float64{0, 0}, nil); a != nil || r != nil {
		t.Error(a, r)
	}
}

// TestIntervalOfWeightedAUC: it is as wide as resamples of the entries, each with its
// weight, say; and the unit of the weights does not matter.
func TestIntervalOfWeightedAUC(t *testing.T) {
	const n, resamples = 200, 2000
	s := random.New(7, 1)
	type entry struct{ score, value, weight float64 }
	entries := make([]entry, n)
	for i := range entries {
		value := float64(i % 2)
		entries[i] = entry{random.NormalOf(s.Uint64()) + value, value, []float64{0.2, 1, 3, 9}[s.Uint64()%4]}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.score, b.score) })
	interval := func(counts []float64, unit float64) (float64, *result.Range) {
		yes, no, squares := make([]float64, n), make([]float64, n), [2][]float64{make([]float64, n), make([]float64, n)}
		for i, e := range entries {
			w := e.weight * unit
			yes[i], no[i] = counts[i]*w*e.value, counts[i]*w*(1-e.value)
			squares[0][i], squares[1][i] = counts[i]*w*w*e.value, counts[i]*w*w*(1-e.value)
		}
		area, r := result.AUCOf(yes, no, &squares)
		return *area, r
	}
	once := slices.Repeat([]float64{1}, n)
	area, r := interval(once, 1)
	var mean, square float64
	for range resamples {
		counts := make([]float64, n)
		for range n {
			counts[s.Uint64()%n]++
		}
		a, _ := interval(counts, 1)
		mean += a / resamples
		square += a * a / resamples
	}
	se, want := (r.High-r.Low)/2/1.96, math.Sqrt(square-mean*mean)
	if se < 0.9*want || se > 1.1*want || r.High-area > area-r.Low+1e-12 {
		t.Errorf("standard error %g, that of resamples %g", se, want)
	}
	if _, same := interval(once, 1024); *same != *r {
		t.Errorf("in another unit %v, not %v", same, r)
	}
	// The sums of a pass have them, wherever it was divided.
	var all, left, right ranks
	values, predictions, weights := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, e := range entries {
		values[i], predictions[i], weights[i] = e.value, loss.Logistic.Mean(e.score), e.weight
	}
	all.add(values, predictions, weights)
	left.add(values[:50], predictions[:50], weights[:50])
	right.add(values[50:], predictions[50:], weights[50:])
	left.merge(&right)
	_, whole := all.auc()
	_, merged := left.auc()
	if math.Abs(whole.Low-r.Low) > 1e-3 || math.Abs(merged.Low-whole.Low) > 1e-12 || math.Abs(merged.High-whole.High) > 1e-12 {
		t.Errorf("%v, merged %v, want about %v", whole, merged, r)
	}
}
