package data

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/must"
)

func TestProfileCountsEntries(t *testing.T) {
	var entries []Entry
	// Row i has i entries; the values are 1, 2, 3.
	for i := range 30 {
		for j := range i {
			entries = append(entries, Entry{Row: int32(i), Column: int32(j), Value: float64(1 + (i+j)%3)})
		}
	}
	m := must.Get(NewMatrix(30, 31, entries))(t)
	counts := map[float64]int{}
	sum := 0.0
	for _, e := range entries {
		counts[e.Value]++
		sum += e.Value
	}
	want := &Profile{
		PerRow: Spread{Min: 0, Median: 14.5, Mean: 14.5, Max: 29, Bins: []Bin{{0, 0, 1}, {1, 1, 1}, {2, 4, 3}, {5, 9, 5}, {10, 19, 10}, {20, 49, 10}}},
		PerColumn: Spread{Min: 0, Median: 14, Mean: 435.0 / 31, Max: 29,
			Bins: []Bin{{0, 0, 2}, {1, 1, 1}, {2, 4, 3}, {5, 9, 5}, {10, 19, 10}, {20, 49, 10}}},
		Min: 1, Max: 3, Mean: sum / 435,
		Values: []ValueCount{{1, counts[1]}, {2, counts[2]}, {3, counts[3]}},
	}
	for _, threads := range []int{0, 1, 4} {
		got := must.Get(NewProfile(context.Background(), m, threads))(t)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d threads: %s", threads, diff)
		}
	}
}

func TestProfileDoesNotDependOnThreads(t *testing.T) {
	var entries []Entry
	for i := range 5000 {
		for j := range i % 7 {
			entries = append(entries, Entry{Row: int32(i), Column: int32(j), Value: 1 / float64(1+i)})
		}
	}
	m := must.Get(NewMatrix(5000, 7, entries))(t)
	one, _ := NewProfile(context.Background(), m, 1)
	for range 10 {
		many := must.Get(NewProfile(context.Background(), m, 4))(t)
		if diff := cmp.Diff(one, many); diff != "" {
			t.Fatal(diff)
		}
	}
	if one.Values != nil {
		t.Errorf("%d values are listed", len(one.Values))
	}
}

func TestProfileOfNothingAndOfFailures(t *testing.T) {
	m := must.Get(NewMatrix(0, 0, nil))(t)
	got := must.Get(NewProfile(context.Background(), m, 2))(t)
	if diff := cmp.Diff(&Profile{}, got); diff != "" {
		t.Error(diff)
	}
	broken := errors.New("broken on purpose")
	full := must.Get(NewMatrix(9000, 1, nil))(t)
	if _, err := NewProfile(context.Background(), failing{full, broken}, 4); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewProfile(ctx, full, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// failing is a matrix whose row 7000 cannot be read.
type failing struct {
	*Matrix
	err error
}

func (f failing) Reader() Reader { return f }

func (f failing) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	if i == 7000 {
		return columns, values, f.err
	}
	return f.Matrix.Append(i, columns, values)
}
