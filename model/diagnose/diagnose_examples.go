package diagnose

import (
	"cmp"
	"slices"

	"optcomplete/model"
	"optcomplete/result"
)

const (
	exampleTop = 3 // columns with the largest predictions of an example
)

// examples picks rows to look at: one with the median number of entries, the one
// with the most and the one with the fewest, of those looked at. The first such row
// counts, and it has entries in l.On, so that there is something to compare with.
func examples(m *model.Model, l *Looked, held bool, units *model.Units) ([]result.Example, error) {
	out := []result.Example{}
	n, _ := l.On.Dims()
	var rows []int
	at := map[int]int{} // where l.On has them, if it is of a sample
	for x := range n {
		if i := l.row(x); m.Entries[i] > 0 && l.On.Entries(x) > 0 {
			if rows = append(rows, i); l.Rows != nil {
				at[i] = x
			}
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
		first := pick.at
		for first > 0 && m.Entries[rows[first-1]] == m.Entries[rows[first]] {
			first--
		}
		i := rows[first]
		if taken[i] {
			continue
		}
		taken[i] = true
		place := i
		if l.Rows != nil {
			place = at[i]
		}
		columns, values, err := l.On.Reader().Append(place, nil, nil)
		if err != nil {
			return nil, err
		}
		example, err := example(m, i, columns, values, held, units)
		if err != nil {
			return nil, err
		}
		example.Why = pick.why
		out = append(out, example)
	}
	return out, nil
}

func example(m *model.Model, i int, columns []int32, values []float64, held bool, units *model.Units) (result.Example, error) {
	seen, _, err := m.Seen(i)
	if err != nil {
		return result.Example{}, err
	}
	explanation, err := m.ExplainRowAt(i, m.RowIDs[i], units, m.Recommend(i, seen, exampleTop))
	if err != nil {
		return result.Example{}, err
	}
	example := result.Example{Explanation: explanation, Cases: []result.Case{}}
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
