package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"optcomplete/data"
	"optcomplete/pass"
	"optcomplete/spec"
)

// Moments are the times of entries, to split them into a past and a future. Entries
// of one moment stay together; those without a time are in every past and in no
// future. So the order of the entries has no part in it.
type Moments struct {
	Entries int // with a time
	Without int // entries that have none

	times  *data.Matrix // seconds since 1970
	rows   []int        // where each row of the entries stands in it; −1: nowhere
	sorted []float64    // the times of all entries that have one
}

// NewMoments finds the times of entries: times has them in the place of values, for
// the same columns and for rows of the same ids.
func NewMoments(ctx context.Context, entries, times *data.Ratings, threads int) (*Moments, error) {
	all, err := matrixOf(ctx, entries.Source(), threads)
	if err != nil {
		return nil, err
	}
	m := &Moments{rows: make([]int, len(entries.RowIDs))}
	if m.times, err = matrixOf(ctx, times.Source(), threads); err != nil {
		return nil, err
	}
	place := make(map[string]int, len(times.RowIDs))
	for i, id := range times.RowIDs {
		place[id] = i
	}
	for i, id := range entries.RowIDs {
		at, known := place[id]
		if !known {
			at = -1
		}
		m.rows[i] = at
		columns, _ := all.Row(i)
		for _, c := range columns {
			if t, known := m.of(i, c); known {
				m.sorted = append(m.sorted, t)
			} else {
				m.Without++
			}
		}
	}
	m.Entries = len(m.sorted)
	slices.Sort(m.sorted)
	return m, nil
}

func matrixOf(ctx context.Context, s data.Source, threads int) (*data.Matrix, error) {
	if m, ok := s.(*data.Matrix); ok {
		return m, nil
	}
	return pass.Collect(ctx, s, threads, "copy to memory")
}

// of is when an entry was made.
func (m *Moments) of(row int, column int32) (seconds float64, known bool) {
	if m.rows[row] < 0 {
		return 0, false
	}
	columns, times := m.times.Row(m.rows[row])
	at, known := slices.BinarySearch(columns, column)
	if !known {
		return 0, false
	}
	return times[at], true
}

// cut is the moment before which as near as possible the given number of timed
// entries were made, at least one and not all of them; false if all are of one.
func (m *Moments) cut(before int) (float64, bool) {
	if m.Entries < 2 || m.sorted[0] == m.sorted[m.Entries-1] {
		return 0, false
	}
	before = min(max(before, 1), m.Entries-1)
	here := m.sorted[before]
	first := sort.SearchFloat64s(m.sorted, here)
	next := sort.Search(m.Entries, func(x int) bool { return m.sorted[x] > here })
	if first == 0 || next < m.Entries && next-before < before-first {
		return m.sorted[next], true
	}
	return here, true
}

// Split keeps the latest entries aside, about the given share of those with a time,
// and says from which moment on, in seconds since 1970.
func (m *Moments) Split(ctx context.Context, s data.Source, share float64, threads int) (train, held *data.Matrix, from float64, err error) {
	checkShare(share)
	all, err := matrixOf(ctx, s, threads)
	if err != nil {
		return nil, nil, 0, err
	}
	from, ok := m.cut(m.Entries - int(math.Round(share*float64(m.Entries))))
	if !ok {
		return nil, nil, 0, spec.Errorf("the entries cannot be split by time: %s", m.few())
	}
	train, held = m.Parts(all, from, math.Inf(1))
	return train, held, from, nil
}

func (m *Moments) few() string {
	if m.Entries < 2 {
		return fmt.Sprintf("%d of them have one", m.Entries)
	}
	return "all are of one moment, " + Moment(m.sorted[0])
}

// Parts are the entries before a moment, with those that have no time, and those
// from it on until another.
func (m *Moments) Parts(all *data.Matrix, from, until float64) (past, future *data.Matrix) {
	past = all.Filter(func(row int, column int32) bool {
		t, known := m.of(row, column)
		return !known || t < from
	})
	future = all.Filter(func(row int, column int32) bool {
		t, known := m.of(row, column)
		return known && t >= from && t < until
	})
	return past, future
}

// Folds are the moments that divide the entries into one part more than there are
// folds, of about equal size: fold f trains on the parts up to f and is scored on the
// one after.
func (m *Moments) Folds(folds int) ([]float64, error) {
	cuts := make([]float64, folds+1)
	cuts[folds] = math.Inf(1)
	for f := range folds {
		at, ok := m.cut((f + 1) * m.Entries / (folds + 1))
		if !ok || f > 0 && at <= cuts[f-1] {
			what := "the moments are too few"
			if !ok {
				what = m.few()
			}
			return nil, spec.Errorf("the entries cannot be divided by time into %d parts, for %d folds: %s (give fewer PathSettings.Folds)", folds+1, folds, what)
		}
		cuts[f] = at
	}
	return cuts, nil
}

// Moment writes a number of seconds since 1970 as people do, to the second, in UTC.
func Moment(seconds float64) string {
	at := time.Unix(int64(math.Floor(seconds)), 0).UTC()
	if at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0 {
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04:05")
}
