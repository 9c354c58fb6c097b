package evaluate

import (
	"context"
	"math"
	"slices"
	"testing"

	"optcomplete/data"
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
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		t.Fatal(err)
	}
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
	got, err := Score(context.Background(), matrix, oddly{of}, 2)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, x, want float64) {
		if math.Abs(x-want) > 1e-12 {
			t.Errorf("%s is %.15g, want %.15g", what, x, want)
		}
	}
	near("log-loss", got.LogLoss, logLoss)
	near("Brier", got.Brier, brier)
	near("AUC", *got.AUC, pairs/count)
	if last := got.ROC[len(got.ROC)-1]; last.Yes != 1 || last.No != 1 || got.MAPE != 0 {
		t.Errorf("the ROC curve ends at %v, MAPE %v", last, got.MAPE)
	}
	all, err := Measure(context.Background(), matrix, oddly{of}, MeasureSettings{Resamples: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
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
		if _, r := result.AUCOf(yes, no); truth >= r.Low && truth <= r.High {
			held++
		}
	}
	if held < 276 || held > 294 {
		t.Errorf("%d of 300 intervals hold the area", held)
	}
	if a, _ := result.AUCOf([]float64{1, 0}, []float64{0, 1}); *a != 0 {
		t.Error(*a)
	}
	if a, r := result.AUCOf([]float64{1, 2}, []float64{0, 0}); a != nil || r != nil {
		t.Error(a, r)
	}
}
