package diagnose

import (
	"cmp"
	"slices"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/result"
)

const (
	exampleTop = 3 // columns with the largest predictions of an example
)

// examples picks rows to look at: one with the median number of entries, the one
// with the most and the one with the fewest. The first such row counts, and one
// with entries in on is preferred, so that there is something to compare with.
func examples(m *model.Model, on data.Source, held bool, units *model.Units) ([]result.Example, error) {
	out := []result.Example{}
	var rows []int
	for i, n := range m.Entries {
		if n > 0 && on.Entries(i) > 0 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return out, nil
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(m.Entries[a], m.Entries[b]) })
	taken := map[int]bool{}
	for _, pick := range []struct {
		why string
		at  int
	}{{"typical", len(rows) / 2}, {"many entries", len(rows) - 1}, {"few entries", 0}} {
		at := pick.at
		for at > 0 && m.Entries[rows[at-1]] == m.Entries[rows[at]] {
			at--
		}
		i := rows[at]
		if taken[i] {
			continue
		}
		taken[i] = true
		example, err := example(m, i, on, held, units)
		if err != nil {
			return nil, err
		}
		example.Why = pick.why
		out = append(out, example)
	}
	return out, nil
}

func example(m *model.Model, i int, on data.Source, held bool, units *model.Units) (result.Example, error) {
	seen, _, err := m.Seen(i)
	if err != nil {
		return result.Example{}, err
	}
	explanation, err := m.ExplainRowAt(i, m.RowIDs[i], units, m.Recommend(i, seen, exampleTop))
	if err != nil {
		return result.Example{}, err
	}
	example := result.Example{Explanation: explanation, Cases: []result.Case{}}
	columns, values, err := on.Reader().Append(i, nil, nil)
	if err != nil {
		return example, err
	}
	// The highest and the lowest prediction show what the features do.
	predictions := make([]float64, len(columns))
	m.PredictRow(i, columns, predictions)
	high, low := 0, 0
	for x, p := range predictions {
		if p > predictions[high] {
			high = x
		}
		if p < predictions[low] {
			low = x
		}
	}
	for _, x := range slices.Compact([]int{high, low}) {
		j := int(columns[x])
		example.Cases = append(example.Cases, result.Case{Observed: values[x], Held: held, Sum: m.ExplainSumAt(i, j, m.RowIDs[i], m.ColumnIDs[j], units)})
	}
	return example, nil
}
