package evaluate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"optcomplete/internal/parallel"
	"optcomplete/model"
	"optcomplete/result"
)

// Lists is what recommendations have in common: whether everybody gets the same.
type Lists struct {
	Rows    int `json:"rows"`   // that got a list
	Places  int `json:"places"` // of each, at most
	Columns int `json:"columns"`
	// Distinct is how many columns are in a list, Coverage what part of the columns
	// that is, and Shared what part of the lists the most frequent one is in.
	Distinct int     `json:"distinct"`
	Coverage float64 `json:"coverage"`
	Shared   float64 `json:"shared"`
	// Novelty is the mean of −log₂ of the part of the rows that have an entry for a
	// recommended column, in bits: 1 more is half as popular. A column without
	// entries counts as one with a single entry. PopularNovelty is that of the most
	// popular columns, as many as there are places.
	Novelty        float64 `json:"novelty"`
	PopularNovelty float64 `json:"popular_novelty"`
	Prediction     float64 `json:"prediction"` // the mean of what is predicted of the recommended columns
}

// ListsOf recommends to the given rows of a model what they have not seen, and
// says what the lists have in common; nil if it is not known what they have seen,
// or there are no rows. It does not depend on the number of threads.
func ListsOf(ctx context.Context, m *model.Model, rows []int, s model.RecommendSettings, threads int) (*Lists, error) {
	if len(rows) == 0 || len(m.ColumnIDs) == 0 {
		return nil, nil
	}
	if _, known, err := m.Seen(0); err != nil || !known {
		return nil, err
	}
	first, err := m.Recommender(s)
	if err != nil {
		return nil, err
	}
	lists := make([][]result.Recommendation, len(rows))
	err = parallel.Do(ctx, len(rows), threads, func(int) func(x int) error {
		r, failed := first.Another()
		return func(x int) error {
			if failed != nil {
				return failed
			}
			seen, _, err := m.Seen(rows[x])
			if err == nil {
				lists[x], err = r.Row(rows[x], seen)
			}
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	everybody := 0
	for _, entries := range m.Entries {
		if entries > 0 {
			everybody++
		}
	}
	bits := func(column int) float64 {
		return math.Log2(float64(max(everybody, 1)) / float64(max(m.ColumnEntries[column], 1)))
	}
	out := &Lists{Rows: len(rows), Places: s.Top, Columns: len(m.ColumnIDs)}
	times, total := make([]int, len(m.ColumnIDs)), 0
	for _, list := range lists {
		for _, one := range list {
			if times[one.Column]++; times[one.Column] == 1 {
				out.Distinct++
			}
			out.Novelty += bits(one.Column)
			out.Prediction += one.Value
			total++
		}
	}
	if total == 0 {
		return nil, nil
	}
	out.Novelty /= float64(total)
	out.Prediction /= float64(total)
	out.Coverage = float64(out.Distinct) / float64(out.Columns)
	out.Shared = float64(slices.Max(times)) / float64(len(rows))
	popular := slices.Clone(m.ColumnEntries)
	slices.SortFunc(popular, func(a, b int32) int { return cmp.Compare(b, a) })
	popular = popular[:min(s.Top, len(popular))]
	for _, entries := range popular {
		out.PopularNovelty += math.Log2(float64(max(everybody, 1))/float64(max(entries, 1))) / float64(len(popular))
	}
	return out, nil
}
