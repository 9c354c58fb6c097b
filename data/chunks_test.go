package data

import (
	"slices"
	"testing"

	"optcomplete/internal/must"
)

// sized is a source whose rows are never asked for.
type sized struct {
	Source
	rows, observed int
}

func (s sized) Dims() (int, int) { return s.rows, 10 }
func (s sized) Observed() int    { return s.observed }

func TestChunksCoverTheRows(t *testing.T) {
	var entries []Entry
	for i := range 1000 {
		for c := range i % 11 {
			entries = append(entries, Entry{Row: int32(i), Column: int32(c), Value: 1})
		}
	}
	m := must.Get(NewMatrix(1000, 10, entries))(t)
	bounds := Chunks(m)
	if bounds[0] != 0 || bounds[len(bounds)-1] != 1000 || !slices.IsSorted(bounds) || len(bounds) < 50 {
		t.Errorf("the chunks are %v", bounds)
	}
	for c := range len(bounds) - 2 {
		filled := 0
		for i := bounds[c]; i < bounds[c+1]; i++ {
			if m.Entries(i) > 0 {
				filled++
			}
		}
		if filled%chunkRows != 0 {
			t.Errorf("chunk %d has %d rows with entries", c, filled)
		}
	}
	if other := Chunks(struct{ Source }{m}); !slices.Equal(other, bounds) {
		t.Error("the chunks depend on how the source is stored")
	}
}

// TestHugeSourcesAreNotCounted: their rows are not even asked for their entries.
func TestHugeSourcesAreNotCounted(t *testing.T) {
	bounds := Chunks(sized{rows: 1_000_003, observed: 50_000_000_000})
	if last := bounds[len(bounds)-1]; last != 1_000_003 || len(bounds) < 100_000 {
		t.Errorf("%d chunks up to %d", len(bounds)-1, last)
	}
}
