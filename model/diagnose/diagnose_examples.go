package diagnose

import (
	"cmp"
	"context"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/model"
	"optcomplete/pass"
	"optcomplete/result"
)

const (
	exampleTop = 3 // columns with the largest predictions of an example
)

// examples picks rows to look at: one with the median number of entries, the one
// with the most and the one with the fewest, of those looked at. The first such row
// counts, and it has entries in l.On, so that there is something to compare with.
func examples(ctx context.Context, m *model.Model, l *Looked, threads int, held bool, units *model.Units) ([]result.Example, error) {
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
	slices.SortFunc(rows, func(a, b int) int { return cmp.Or(cmp.Compare(m.Entries[a], m.Entries[b]), cmp.Compare(a, b)) })
	type picked struct {
		why      string
		i, place int
	}
	var picks []picked
	for _, pick := range []struct {
		why string
		at  int
	}{{"typical", len(rows) / 2}, {"many entries", len(rows) - 1}, {"few entries", 0}} {
		first := pick.at
		for first > 0 && m.Entries[rows[first-1]] == m.Entries[rows[first]] {
			first--
		}
		i := rows[first]
		if slices.ContainsFunc(picks, func(p picked) bool { return p.i == i }) {
			continue
		}
		place := i
		if l.Rows != nil {
			place = at[i]
		}
		picks = append(picks, picked{pick.why, i, place})
	}
	places := lists.Each(picks, func(p picked) int { return p.place })
	slices.Sort(places)
	entries, err := pass.Pick(ctx, l.On, threads, "examples", places)
	if err != nil {
		return nil, err
	}
	for _, p := range picks {
		x, _ := slices.BinarySearch(places, p.place)
		columns, values := entries.Row(x)
		example, err := example(m, p.i, columns, values, held, units)
		if err != nil {
			return nil, err
		}
		example.Why = p.why
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
