package evaluate

import (
	"cmp"
	"math"
	"slices"

	"optcomplete/loss"
	"optcomplete/result"
)

// LossMeasurement is how good predictions are in the terms of the model's loss.
type LossMeasurement struct {
	Loss  loss.Loss `json:"loss"`
	Delta float64   `json:"delta,omitempty"` // huber: errors beyond it count linearly
	// Mean is that of the loss: the log-loss, of counts twice it, the deviance.
	Mean Interval `json:"mean"`
	// Explained is the part of the loss that the mean of the test entries leaves and
	// the predictions do not: logistic and poisson.
	Explained *Interval `json:"deviance_explained,omitempty"`
	Brier     *Interval `json:"brier,omitempty"` // logistic: mean squared error of the probabilities
	// AUC is how often a yes has the larger probability than a no, equal ones counting
	// half: logistic; nil without both. Its interval is from the variance over rows
	// (Obuchowski, "Nonparametric analysis of clustered ROC curve data", 1997).
	AUC *Interval `json:"auc,omitempty"`
	// Calibration has entries of similar prediction, in ten groups of equal size:
	// logistic and poisson.
	Calibration []result.CalibrationGroup `json:"calibration,omitempty"`
}

// scored is a test entry and its prediction.
type scored struct {
	Row                        int     // of those with entries
	Value, Prediction, Ordered float64 // Ordered is what predictions are ranked by
	Weight                     float64
}

// calibrationGroups is their number.
const calibrationGroups = 10

// measureLoss fills in what needs all entries together.
func (m *LossMeasurement) measureLoss(entries []scored, rows int) {
	if !m.Loss.Linked() || len(entries) == 0 {
		return
	}
	slices.SortFunc(entries, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.Ordered, b.Ordered), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Weight, b.Weight))
	})
	for g := range calibrationGroups {
		group := entries[g*len(entries)/calibrationGroups : (g+1)*len(entries)/calibrationGroups]
		if len(group) == 0 {
			continue
		}
		n, squares := 0.0, 0.0
		for _, e := range group {
			n += e.Weight
			squares += e.Weight * e.Weight
		}
		c := result.CalibrationGroup{Entries: len(group), Low: group[0].Prediction, High: group[len(group)-1].Prediction}
		for _, e := range group {
			c.Predicted += e.Weight * e.Prediction / n
			c.Observed += e.Weight * e.Value / n
		}
		square := 0.0
		for _, e := range group {
			square += e.Weight * (e.Value - c.Observed) * (e.Value - c.Observed) / n
		}
		tell := n * n / squares // as many of equal weight tell as much
		c.Error, c.Interval = math.Sqrt(square/tell), &result.Range{}
		c.Interval.Low, c.Interval.High = m.Loss.MeanInterval(c.Observed, square, tell)
		m.Calibration = append(m.Calibration, c)
	}
	if m.Loss.Probabilities() {
		m.AUC = aucOf(entries, rows)
	}
}

// aucOf is the area under the ROC curve of entries sorted by their prediction, with
// its interval over rows.
func aucOf(entries []scored, rows int) *Interval {
	yes, no := 0.0, 0.0
	for _, e := range entries {
		yes += e.Weight * e.Value
		no += e.Weight * (1 - e.Value)
	}
	if yes == 0 || no == 0 {
		return nil
	}
	area, below := 0.0, 0.0 // of the noes before
	above := yes            // of the yeses from here on
	part := make([]float64, rows)
	count := make([][2]float64, rows)
	for at := 0; at < len(entries); {
		end, yesHere, noHere := at, 0.0, 0.0
		for ; end < len(entries) && entries[end].Ordered == entries[at].Ordered; end++ {
			yesHere += entries[end].Weight * entries[end].Value
			noHere += entries[end].Weight * (1 - entries[end].Value)
		}
		area += yesHere * (below + noHere/2) / yes / no
		for _, e := range entries[at:end] {
			part[e.Row] += e.Weight * (e.Value*(below+noHere/2)/(yes*no) + (1-e.Value)*(above-yesHere/2)/(yes*no))
			count[e.Row][0] += e.Weight * e.Value
			count[e.Row][1] += e.Weight * (1 - e.Value)
		}
		below, above = below+noHere, above-yesHere
		at = end
	}
	variance, with := 0.0, 0.0
	for i, c := range count {
		if c[0]+c[1] > 0 {
			d := part[i] - area*(c[0]/yes+c[1]/no)
			variance += d * d
			with++
		}
	}
	by := 0.0
	if with > 1 {
		by = 1.96 * math.Sqrt(variance*with/(with-1))
	}
	return &Interval{area, max(area-by, 0), min(area+by, 1)}
}

// lossNumbers are the mean of the loss and the part explained, of some rows.
func (s *rowSums) lossNumbers(l loss.Loss) (mean, explained float64) {
	if s.Sums.Entries == 0 {
		return 0, 0
	}
	n := s.Sums.Count
	return l.Times() * (s.Sums.Losses.Loss / n), s.Sums.Losses.explained(l, n)
}

// take takes the intervals of those that the loss has.
func (m *LossMeasurement) take(mean, explained, brier Interval) {
	if m.Mean = mean; m.Loss.Linked() {
		m.Explained = &explained
	}
	if m.Loss.Probabilities() {
		m.Brier = &brier
	}
}
