package model

import (
	"errors"
	"math"
	"slices"
	"sort"

	"optcomplete/result"
)

// Recommend returns the columns with the largest predictions for a row, at most
// top of them, best first; −1 is a row of which nothing is known. Columns in
// skip, which are increasing, are left out. The order is that of the predictions
// before they are kept in range; of equal ones the first column comes first.
func (m *Model) Recommend(row int, skip []int32, top int) []result.Recommendation {
	list, _ := (&Recommender{m: m, RecommendSettings: RecommendSettings{Top: top}}).Row(row, skip) // reads nothing
	return list
}

// RecommendSettings say what to recommend.
type RecommendSettings struct {
	Top int // columns for each row, at most
	// Caution is how many standard deviations of a prediction are taken off before
	// predictions are ranked: what little is known of does not come first by
	// chance. The deviation is that of the expected value, the noise of an entry
	// not included. A model without a posterior ranks by the predictions.
	Caution float64
	Least   int      // entries that a column needs to be recommended
	Names   []string // of the columns, to be written beside their ids; nil: none
}

// DefaultCaution is that of recommendations unless told otherwise.
const DefaultCaution = 1

// Recommender recommends to one row after the other. It serves one goroutine.
type Recommender struct {
	RecommendSettings
	m    *Model
	sure *Intervals // nil: not known, or not needed
}

// Recommender prepares to recommend. A model that cannot tell how sure it is
// recommends without caution: see Model.Intervals. An error is one of reading.
func (m *Model) Recommender(s RecommendSettings) (*Recommender, error) {
	r := &Recommender{RecommendSettings: s, m: m}
	if s.Caution == 0 {
		return r, nil
	}
	var err error
	if r.sure, err = m.Intervals(); errors.Is(err, ErrNoIntervals) || errors.Is(err, ErrEntriesUnknown) {
		r.sure, err = nil, nil
	}
	return r, err
}

// Row recommends as Recommend does, cautiously.
func (r *Recommender) Row(row int, skip []int32) ([]result.Recommendation, error) {
	m, top := r.m, r.Top
	var best []result.Recommendation
	for j := range m.ColumnIDs {
		if len(skip) > 0 && int(skip[0]) <= j {
			skip = skip[1:]
			continue
		}
		if int(m.ColumnEntries[j]) < r.Least {
			continue
		}
		a := m.AnswerAt(row, j)
		rank := a.Unclipped
		full := len(best) == top
		if full && (top == 0 || rank <= best[top-1].Rank) {
			continue
		}
		if r.sure != nil {
			variance, err := r.sure.Variance(row, j)
			if err != nil {
				return nil, err
			}
			if rank -= r.Caution * math.Sqrt(max(variance-r.sure.of.Noise, 0)); full && rank <= best[top-1].Rank {
				continue
			}
		}
		at := sort.Search(len(best), func(x int) bool { return best[x].Rank < rank })
		if full {
			best = best[:top-1]
		}
		best = slices.Insert(best, at, result.Recommendation{Column: j, Answer: a, Rank: rank})
	}
	return best, nil
}
