package model

import (
	"errors"
	"math"
	"slices"
	"sort"

	"optcomplete/internal/random"
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
	// predictions are ranked, so that a column with few entries does not come first by
	// chance. The deviation is that of the expected value, the noise of an entry
	// not included. A model without a posterior ranks by the predictions.
	Caution float64
	// Diversity, 0 to 1, makes lists that repeat less: a column is in at most the
	// fraction 1 − Diversity of the lists, about, and columns in a list differ. See
	// diverse.
	Diversity float64
	// Lowest recommends the columns with the least predictions. Caution then is added.
	Lowest bool
	Least  int      // entries that a column needs to be recommended
	Names  []string // of the columns, to be written beside their ids; nil: none
}

// DefaultCaution is the caution of recommendations unless the caller sets one.
const DefaultCaution = 1

// Recommender recommends to one row after the other. It serves one goroutine.
type Recommender struct {
	RecommendSettings
	m    *Model
	sure *Intervals // nil: not known, or not needed
	vary *diverse   // nil: lists are by the predictions alone
}

// Recommender prepares to recommend. A model that cannot tell how sure it is
// recommends without caution: see Model.Intervals. An error is one of reading.
func (m *Model) Recommender(s RecommendSettings) (*Recommender, error) {
	r := &Recommender{RecommendSettings: s, m: m}
	if err := r.beSure(); err != nil || s.Diversity == 0 {
		return r, err
	}
	var err error
	r.vary, err = m.newDiverse(s.Diversity, s.Top, func(row int) ([]result.Recommendation, error) {
		seen, _, err := m.Seen(row)
		if err != nil {
			return nil, err
		}
		return r.best(row, seen, r.considered())
	})
	return r, err
}

// Another is a Recommender like r, for another goroutine.
func (r *Recommender) Another() (*Recommender, error) {
	other := *r
	return &other, other.beSure()
}

// beSure prepares to tell how sure predictions are, if that is asked for and known.
func (r *Recommender) beSure() (err error) {
	if r.Caution == 0 {
		return nil
	}
	if r.sure, err = r.m.Intervals(); errors.Is(err, ErrNoIntervals) || errors.Is(err, ErrEntriesUnknown) {
		r.sure, err = nil, nil
	}
	return err
}

// considered is how many columns a diverse list is chosen from.
func (r *Recommender) considered() int { return candidates * min(r.Top, len(r.m.ColumnIDs)) }

// Row recommends as Recommend does, cautiously, and with the diversity asked for.
func (r *Recommender) Row(row int, skip []int32) ([]result.Recommendation, error) {
	if r.vary == nil {
		return r.best(row, skip, r.Top)
	}
	from, err := r.best(row, skip, r.considered())
	if err != nil {
		return nil, err
	}
	key := uint64(0)
	if row >= 0 {
		key = random.HashText(r.m.RowIDs[row])
	}
	return r.vary.choose(from, key, r.Top), nil
}

// best is the columns with the largest predictions, cautiously, at most top.
func (r *Recommender) best(row int, skip []int32, top int) ([]result.Recommendation, error) {
	m, of := r.m, r.m.Fitted()
	var best []result.Recommendation
	for j := range m.ColumnIDs {
		if len(skip) > 0 && int(skip[0]) <= j {
			skip = skip[1:]
			continue
		}
		if int(m.ColumnEntries[j]) < r.Least {
			continue
		}
		a := of.AnswerAt(row, j)
		rank := a.Unclipped
		if r.Lowest {
			rank = -rank
		}
		full := len(best) == top
		if full && (top == 0 || rank <= best[top-1].Rank) {
			continue
		}
		if r.sure != nil {
			variance, err := r.sure.sum(row, j)
			if err != nil {
				return nil, err
			}
			if rank -= r.Caution * math.Sqrt(variance); full && rank <= best[top-1].Rank {
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
