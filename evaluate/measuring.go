package evaluate

import (
	"cmp"
	"math"
	"slices"

	"optcomplete/loss"
	"optcomplete/pass"
	"optcomplete/result"
)

// Answerer answers for the entries of a matrix. Like a Predictor it is part of a pass.
type Answerer interface {
	AnswerAt(row, column int) result.Answer
}

// measuring is the pass of Measure.
type measuring struct {
	By         Answerer
	Shift      float64 // taken from values before they are squared
	Places     int
	Relevant   *float64
	Popularity []int32
}

// Start makes a worker.
func (p measuring) Start(*pass.Input) (pass.Worker, error) {
	var entries []ranked
	l := LossOf(p.By)
	return pass.EachWeighed(func() *measured { return new(measured) }, func(part *measured, i int, columns []int32, values, weights []float64) error {
		if len(columns) > 0 {
			part.Rows = append(part.Rows, rowSums{})
			entries = p.take(i, columns, values, weights, l, part, entries[:0])
		}
		return nil
	}), nil
}

func init() { pass.Register("scores", measuring{}, new(measured)) }

// measured is the part of measuring.
type measured struct {
	Rows  []rowSums // of those with entries
	Bases bases
	All   []scored // where the loss is not squared
}

// bases has the errors by the basis of the predictions.
type bases [result.NewRowAndColumn + 1]sums

// Merge puts the others behind.
func (m *measured) Merge(o pass.Part) {
	after := o.(*measured)
	for x := range after.All {
		after.All[x].Row += len(m.Rows)
	}
	m.All = append(m.All, after.All...)
	m.Rows = append(m.Rows, after.Rows...)
	for b := range m.Bases {
		m.Bases[b].merge(&after.Bases[b])
	}
}

// rowSums is what one row brings to a Measurement.
type rowSums struct {
	Sums               sums
	Value, ValueSquare float64 // of the values less a shift that all rows share
	Low, High          float64 // of the values
	NDCG, Recall       float64
	Popular            float64 // NDCG of the order by popularity
	Ranked, Recalled   float64 // 1 if the row has them
}

// merge adds another row, which has entries.
func (s *rowSums) merge(o *rowSums) {
	if s.Sums.Entries == 0 {
		s.Low, s.High = o.Low, o.High
	}
	s.Low, s.High = min(s.Low, o.Low), max(s.High, o.High)
	s.Sums.merge(&o.Sums)
	s.Value += o.Value
	s.ValueSquare += o.ValueSquare
	s.NDCG += o.NDCG
	s.Recall += o.Recall
	s.Popular += o.Popular
	s.Ranked += o.Ranked
	s.Recalled += o.Recalled
}

// take compares the entries of row i, the last of the part, using the space of
// entries.
func (p *measuring) take(i int, columns []int32, values, weights []float64, l loss.Scaled, part *measured, entries []ranked) []ranked {
	s, by := &part.Rows[len(part.Rows)-1], &part.Bases
	threshold := 0.0
	for _, v := range values {
		threshold += v / float64(len(values))
	}
	if p.Relevant != nil {
		threshold = *p.Relevant
	}
	s.Low, s.High = slices.Min(values), slices.Max(values)
	for x, c := range columns {
		a, v, w := p.By.AnswerAt(i, int(c)), values[x], weightAt(weights, x)
		var weight []float64
		if weights != nil {
			weight = weights[x : x+1]
		}
		s.Sums.add(values[x:x+1], []float64{a.Value}, weight)
		by[a.Basis].add(values[x:x+1], []float64{a.Value}, weight)
		if l.Loss != loss.Squared {
			s.Sums.Losses.add(l, values[x:x+1], []float64{a.Value}, weight)
			part.All = append(part.All, scored{len(part.Rows) - 1, v, a.Value, a.Unclipped, w})
		}
		d := v - p.Shift
		s.Value += w * d
		s.ValueSquare += w * (d * d)
		entries = append(entries, ranked{a.Unclipped, v, v >= threshold})
	}
	ndcg, recall, hasNDCG, hasRecall := ranking(entries, p.Places)
	if hasNDCG {
		s.NDCG, s.Ranked = ndcg, 1
	}
	if p.Popularity != nil && hasNDCG {
		entries = entries[:0]
		for x, c := range columns {
			entries = append(entries, ranked{p.popularity(c), values[x], false})
		}
		s.Popular, _, _, _ = ranking(entries, p.Places)
	}
	if hasRecall {
		s.Recall, s.Recalled = recall, 1
	}
	return entries
}

func (p *measuring) popularity(column int32) float64 {
	if int(column) >= len(p.Popularity) {
		return 0
	}
	return float64(p.Popularity[column])
}

// ranked is an entry of a row, to be ranked by its prediction.
type ranked struct {
	prediction, value float64
	relevant          bool
}

// ranking scores the order of one row's entries by their predictions, at the
// given number of places.
//
//	NDCG    Σ_r gain(r)/log₂(1+r) over the first places, divided by its largest
//	        possible value; an entry's gain is its value less the row's least
//	recall  the relevant entries among the first places, divided by all relevant
//
// Entries with equal predictions share their places: each place has the mean of
// their gains (McSherry and Najork, "Computing information retrieval performance
// measures efficiently in the presence of tied scores", ECIR 2008), so a constant
// prediction scores as a random order does. It reorders the entries.
//
// hasNDCG is false where all values are equal: any order is as good. hasRecall is
// false where every order gives the same: no entry is relevant, or all of them
// are, or all have a place.
func ranking(entries []ranked, places int) (ndcg, recall float64, hasNDCG, hasRecall bool) {
	least, relevant := math.Inf(1), 0
	for _, e := range entries {
		least = min(least, e.value)
		if e.relevant {
			relevant++
		}
	}
	slices.SortFunc(entries, func(a, b ranked) int { return cmp.Compare(b.value, a.value) })
	ideal := 0.0
	for r, e := range entries[:min(places, len(entries))] {
		ideal += (e.value - least) * discount(r)
	}
	// After a sort by value a stable one by prediction would favour good ones
	// among equals; the shared places do not.
	slices.SortFunc(entries, func(a, b ranked) int { return cmp.Compare(b.prediction, a.prediction) })
	got, hits := 0.0, 0.0
	for lo := 0; lo < min(places, len(entries)); {
		hi := lo
		gain, good := 0.0, 0.0
		for ; hi < len(entries) && entries[hi].prediction == entries[lo].prediction; hi++ {
			gain += entries[hi].value - least
			if entries[hi].relevant {
				good++
			}
		}
		tied := float64(hi - lo)
		for r := lo; r < min(hi, places); r++ {
			got += gain / tied * discount(r)
			hits += good / tied
		}
		lo = hi
	}
	if hasNDCG = ideal > 0; hasNDCG {
		ndcg = min(got/ideal, 1)
	}
	if hasRecall = relevant > 0 && relevant < len(entries) && len(entries) > places; hasRecall {
		recall = min(hits/float64(relevant), 1)
	}
	return ndcg, recall, hasNDCG, hasRecall
}

// discount is that of place r, counted from 0.
func discount(r int) float64 { return 1 / math.Log2(float64(r+2)) }
