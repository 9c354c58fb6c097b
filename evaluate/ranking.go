package evaluate

import (
	"cmp"
	"math"
	"slices"
)

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
