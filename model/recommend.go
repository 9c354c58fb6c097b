package model

import (
	"errors"
	"math"
	"slices"
	"sort"

	"optcomplete/internal/lists"
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

	plain []float64 // of best: the columns' ranks before caution; −∞: left out
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
	other.plain = nil
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
	r.plain = slices.Grow(r.plain[:0], len(m.ColumnIDs))[:len(m.ColumnIDs)]
	of.Sums(row, r.plain)
	for j, sum := range r.plain {
		switch {
		case len(skip) > 0 && int(skip[0]) <= j:
			skip = skip[1:]
			r.plain[j] = math.Inf(-1)
		case int(m.ColumnEntries[j]) < r.Least:
			r.plain[j] = math.Inf(-1)
		case r.Lowest:
			r.plain[j] = -sum
		}
	}
	// How sure a prediction is takes longer than the prediction. Among those with the largest
	// ones there is a rank that the last of the list has at least, and what is predicted to be
	// below it, before caution, need not be looked at.
	least := math.Inf(-1)
	if r.sure != nil && top > 0 {
		var first []ranked
		for j, rank := range r.plain {
			first = insert(first, ranked{j, rank}, 4*top)
		}
		var sure []ranked
		for _, one := range first {
			rank, err := r.cautious(row, one.column, one.rank)
			if err != nil {
				return nil, err
			}
			sure = insert(sure, ranked{one.column, rank}, top)
		}
		if len(sure) == top {
			least = sure[top-1].rank
		}
	}
	var best []ranked
	for j, rank := range r.plain {
		if rank < least || len(best) == top && (top == 0 || rank <= best[top-1].rank) {
			continue
		}
		rank, err := r.cautious(row, j, rank)
		if err != nil {
			return nil, err
		}
		best = insert(best, ranked{j, rank}, top)
	}
	return lists.Each(best, func(one ranked) result.Recommendation {
		return result.Recommendation{Column: one.column, Answer: of.AnswerAt(row, one.column), Rank: one.rank}
	}), nil
}

// ranked is a column and what it is ranked by.
type ranked struct {
	column int
	rank   float64
}

// insert puts one into a list of at most top, the largest rank first; of equal ones the one that
// came first. A rank of −∞ is none.
func insert(list []ranked, one ranked, top int) []ranked {
	if full := len(list) == top; math.IsInf(one.rank, -1) || full && (top == 0 || one.rank <= list[top-1].rank) {
		return list
	} else if full {
		list = list[:top-1]
	}
	at := sort.Search(len(list), func(x int) bool { return list[x].rank < one.rank })
	return slices.Insert(list, at, one)
}

// cautious takes off a rank what caution wants.
func (r *Recommender) cautious(row, column int, rank float64) (float64, error) {
	if r.sure == nil || math.IsInf(rank, -1) {
		return rank, nil
	}
	variance, err := r.sure.sum(row, column)
	return rank - r.Caution*math.Sqrt(variance), err
}
