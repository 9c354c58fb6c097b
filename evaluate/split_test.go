package evaluate

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
)

// Of few entries exactly the share is held out, whatever the seed, and the split
// of a matrix is that of a source.
func TestFewEntriesAreSplitExactly(t *testing.T) {
	var entries []data.Entry
	for i := range int32(6) {
		for j := range int32(4) {
			entries = append(entries, data.Entry{Row: i, Column: j, Value: float64(i + j)})
		}
	}
	m := must.Get(data.NewMatrix(6, 4, entries))(t)
	first := map[int32]bool{}
	for seed := range uint64(50) {
		for share, want := range map[float64]int{0: 0, 0.01: 1, 0.2: 5, 0.5: 12, 0.99: 23, 1: 24} {
			train, held := SplitMatrix(m, share, seed)
			if held.Observed() != want || train.Observed() != 24-want {
				t.Errorf("seed %d: %d of 24 held out for %v", seed, held.Observed(), share)
			}
			_, source, err := Split(context.Background(), m, share, seed, 2)
			if err != nil || source.Observed() != want {
				t.Fatalf("seed %d: %v held out of a source, %v", seed, source.Observed(), err)
			}
			for i := range 6 {
				at, _ := held.Row(i)
				other, _, err := source.Reader().Append(i, nil, nil)
				if err != nil || len(at) != len(other) {
					t.Fatalf("row %d: %v and %v, %v", i, at, other, err)
				}
				if share == 0.2 && i == 0 {
					for _, c := range at {
						first[c] = true
					}
				}
			}
		}
	}
	if len(first) != 4 {
		t.Errorf("only columns %v of the first row are ever held out", first)
	}
}

// counted counts the rows that are read.
type counted struct {
	data.Source
	rows *atomic.Int32
}

func (c counted) Weighted() bool      { return data.IsWeighted(c.Source) }
func (c counted) Reader() data.Reader { return countedReader{c.Source.Reader(), c.rows} }

type countedReader struct {
	data.Reader
	rows *atomic.Int32
}

func (r countedReader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	r.rows.Add(1)
	return r.Reader.Append(i, columns, values)
}

func (r countedReader) AppendWeights(i int, columns []int32, to []float64) ([]float64, error) {
	r.rows.Add(1)
	return r.Reader.(data.WeightReader).AppendWeights(i, columns, to)
}

// Of large data on disk a sample reads the rows it draws, not all of them, whatever
// weights entries have.
func TestASampleReadsItsRowsAlone(t *testing.T) {
	plain := must.Get(data.Collect(passtest.Source(3000, 90), nil))(t)
	weighted := must.Get(plain.WithWeights(slices.Repeat([]float64{2}, plain.Observed())))(t)
	for _, from := range []*data.Matrix{plain, weighted} {
		source := counted{from, new(atomic.Int32)}
		sample := must.Get(SampleRows(context.Background(), source, source.Observed()/10, 1, 2))(t)
		if got := source.rows.Load(); sample.Observed() == 0 || sample.Weighted() != from.Weighted() || got > 1200 {
			t.Errorf("%d of 3000 rows read for %d entries", got, sample.Observed())
		}
	}
}
