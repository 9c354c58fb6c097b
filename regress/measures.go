package regress

import (
	"cmp"
	"math"
	"slices"

	"optcomplete/loss"
	"optcomplete/result"
)

// Measures are those of a regression on the table it was fitted to.
type Measures = result.Measures

// weight is that of row i.
func (p *Problem) weight(i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[i]
}

// plain is without weights if all of them are 1: they change nothing, and nothing that only
// equal weights have is refused.
func (p Problem) plain() Problem {
	if !slices.ContainsFunc(p.Weights, func(w float64) bool { return w != 1 }) {
		p.Weights = nil
	}
	return p
}

// mass is the weight of some rows together; nil means all. Without weights it is their
// number.
func (p *Problem) mass(r rows) float64 {
	switch {
	case p.Weights == nil && r == nil:
		return float64(len(p.Y))
	case p.Weights == nil:
		return float64(len(r))
	}
	sum := 0.0
	if r == nil {
		for _, w := range p.Weights {
			sum += w
		}
	}
	for _, i := range r {
		sum += p.Weights[i]
	}
	return sum
}

// losses sums what predictions on the scale of the loss cost, in the units of the
// values.
type losses struct {
	by          loss.Scaled
	sum, weight float64
}

func (s *Settings) losses() *losses { return &losses{by: loss.Scaled{Loss: s.Loss, Unit: s.Delta}} }

// add adds a row.
func (l *losses) add(weight, y, x float64) {
	l.sum += weight * l.by.Value(y, x)
	l.weight += weight
}

// score is what predictions are compared by, under the name of loss.Measure. A rate may
// be too large for a number: its loss counts as the largest there is.
func (l *losses) score() float64 {
	if l.weight == 0 {
		return 0
	}
	return min(l.by.Loss.Score(l.sum, l.weight), largest)
}

// measure compares predictions, on the scale of the loss, with the values.
func measure(by loss.Scaled, problem Problem, x []float64) *Measures {
	if by.Loss == loss.Squared {
		return nil
	}
	all := losses{by: by}
	var squares, mean float64
	for i, y := range problem.Y {
		all.add(problem.weight(i), y, x[i])
		e := y - by.Mean(x[i])
		squares += problem.weight(i) * e * e
		mean += problem.weight(i) * y
	}
	mean /= all.weight
	m := &Measures{}
	m.Set(by.Loss.Key(), all.score())
	if !by.Loss.Linked() {
		return m
	}
	null := 0.0 // of the mean alone
	if link := by.Link(mean); !math.IsInf(link, 0) {
		for i, y := range problem.Y {
			null += problem.weight(i) * by.Value(y, link)
		}
	}
	if null > 0 {
		m.Explained = 1 - all.sum/null
	}
	if by.Loss.Probabilities() {
		m.Brier = squares / all.weight
		m.AUC, m.AUCInterval = auc(problem, x)
	}
	return m
}

// auc is the share of pairs of a yes (at least one half) and a no in which the yes
// has the larger prediction; equal ones count half, pairs by the product of their weights. Nil
// if all are one or the other.
func auc(problem Problem, x []float64) (*float64, *result.Range) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	var yes, no []float64
	var squares [2][]float64
	for at, i := range order {
		if at == 0 || x[i] != x[order[at-1]] {
			yes, no = append(yes, 0), append(no, 0)
			squares[0], squares[1] = append(squares[0], 0), append(squares[1], 0)
		}
		last, w := len(yes)-1, problem.weight(i)
		if problem.Y[i] >= 0.5 {
			yes[last] += w
			squares[0][last] += w * w
		} else {
			no[last] += w
			squares[1][last] += w * w
		}
	}
	return result.AUCOf(yes, no, &squares)
}
