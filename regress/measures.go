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

// measure compares predictions, on the scale of the loss, with the values.
func measure(l loss.Loss, problem Problem, x []float64) *Measures {
	if !l.Linked() {
		return nil
	}
	var sum, squares, total, mean float64
	for i, y := range problem.Y {
		total += problem.weight(i)
		mean += problem.weight(i) * y
	}
	mean /= total
	for i, y := range problem.Y {
		sum += problem.weight(i) * l.Value(y, x[i])
		e := y - l.Mean(x[i])
		squares += problem.weight(i) * e * e
	}
	null := 0.0 // of the mean alone
	if link := l.Link(mean); !math.IsInf(link, 0) {
		for i, y := range problem.Y {
			null += problem.weight(i) * l.Value(y, link)
		}
	}
	m := &Measures{}
	if null > 0 {
		m.Explained = 1 - sum/null
	}
	m.Set(l.Key(), l.Times()*sum/total)
	if l.Probabilities() {
		m.Brier = squares / total
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
