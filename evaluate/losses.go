package evaluate

import (
	"math"

	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/result"
)

// losses are sums over entries in the terms of a loss; all zero for squared errors.
type losses struct {
	Loss   float64
	Value  float64 // of the values
	Scaled float64 // of a log a, for what the mean of counts leaves
}

func (s *losses) add(l loss.Scaled, values, predictions, weights []float64) {
	if l.Loss == loss.Squared {
		return
	}
	for at, a := range values {
		w := weightAt(weights, at)
		s.Loss += w * clamp(l.Of(a, predictions[at]))
		s.Value += w * a
		if l.Loss.Counts() && a > 0 {
			s.Scaled += w * (a * math.Log(a))
		}
	}
}

func (s *losses) merge(o *losses) {
	s.Loss += o.Loss
	s.Value += o.Value
	s.Scaled += o.Scaled
}

// explained is the part of the loss that the mean of the entries leaves and the
// predictions do not; 0 if it leaves none.
func (s *losses) explained(l loss.Loss, entries float64) float64 {
	least := l.Least(s.Value, entries, s.Scaled)
	if !(least > 0) {
		return 0
	}
	return 1 - s.Loss/least
}

// scores are the errors of some rows by a loss.
type scores struct {
	Sums  sums
	By    loss.Loss
	Ranks *ranks // of yes and no; nil for other losses
}

func newScores(l loss.Scaled) *scores {
	s := &scores{By: l.Loss}
	if l.Loss.Probabilities() {
		s.Ranks = new(ranks)
	}
	return s
}

// add adds a row.
func (s *scores) add(row *sums, values, predictions, weights []float64) {
	s.Sums.merge(row)
	s.Ranks.add(values, predictions, weights)
}

// Merge adds other rows.
func (s *scores) Merge(o pass.Part) { s.merge(o.(*scores)) }

func (s *scores) merge(o *scores) {
	s.Sums.merge(&o.Sums)
	s.Ranks.merge(o.Ranks)
}

// metrics are the sums as means.
func (s *scores) metrics() Metrics {
	m := s.Sums.metrics()
	if s.By == loss.Squared || m.Entries == 0 {
		return m
	}
	n := s.Sums.Count
	m.Measures = &result.Measures{Explained: s.Sums.Losses.explained(s.By, n)}
	m.Measures.Set(s.By.Key(), s.By.Times()*(s.Sums.Losses.Loss/n))
	if s.Ranks != nil {
		m.Brier = m.RMSE * m.RMSE
		m.AUC, m.AUCInterval = s.Ranks.auc()
		m.ROC = s.Ranks.roc()
	}
	if s.By.Linked() {
		m.MAPE, m.MAPESkipped = result.Relative{}, 0 // relative to 0 or 1, or to a small count, an error says nothing
	}
	return m
}

// Probabilities are ranked in rankSteps steps of log-odds, from −rankRange to
// rankRange: an AUC is exact to about four digits.
const (
	rankSteps = 1 << 13
	rankRange = 16
)

// ranks count yes and no by the probability that they were given.
type ranks struct {
	Yes, No [rankSteps]float64
	Squares *[2][]float64 // sums of squares of the weights, of yes and of no; nil without weights
}

// square is where the squares are added, with room for them.
func (r *ranks) square() *[2][]float64 {
	if r.Squares == nil {
		r.Squares = &[2][]float64{make([]float64, rankSteps), make([]float64, rankSteps)}
	}
	return r.Squares
}

func (r *ranks) auc() (*float64, *result.Range) { return result.AUCOf(r.Yes[:], r.No[:], r.Squares) }

func (r *ranks) add(values, predictions, weights []float64) {
	if r == nil {
		return
	}
	for at, a := range values {
		x := loss.Logistic.Link(predictions[at])
		step := int((math.Min(math.Max(x, -rankRange), rankRange) + rankRange) / (2 * rankRange) * (rankSteps - 1))
		w := weightAt(weights, at)
		r.Yes[step] += w * a
		r.No[step] += w * (1 - a)
		if weights != nil {
			squares := r.square()
			squares[0][step] += w * w * a
			squares[1][step] += w * w * (1 - a)
		}
	}
}

func (r *ranks) merge(o *ranks) {
	if r == nil || o == nil {
		return
	}
	for x := range r.Yes {
		r.Yes[x] += o.Yes[x]
		r.No[x] += o.No[x]
	}
	if o.Squares != nil {
		squares := r.square()
		for side := range squares {
			for x := range squares[side] {
				squares[side][x] += o.Squares[side][x]
			}
		}
	}
}

// rocPoints is about how many points a ROC curve has.
const rocPoints = 60

// roc is the ROC curve; nil without both yes and no.
func (r *ranks) roc() (out []result.ROCPoint) {
	yes, no := 0.0, 0.0
	for x := range r.Yes {
		yes += r.Yes[x]
		no += r.No[x]
	}
	if yes == 0 || no == 0 {
		return nil
	}
	at, last := result.ROCPoint{}, result.ROCPoint{}
	out = []result.ROCPoint{at}
	for x := rankSteps - 1; x >= 0; x-- {
		at.Yes += r.Yes[x] / yes
		at.No += r.No[x] / no
		if at.Yes+at.No-last.Yes-last.No >= 2.0/rocPoints {
			out, last = append(out, at), at
		}
	}
	return append(out, result.ROCPoint{No: 1, Yes: 1})
}
