package synth

import (
	"math"
	"slices"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/sourcetest"
)

func netflix(t testing.TB, rows, columns, k int, missing float64, seed uint64) *Source {
	t.Helper()
	s := must.Get(Netflix(rows, columns, k, missing, seed))(t)
	return s
}

func TestNetflixIsASource(t *testing.T) {
	in := must.Get(netflix(t, 300, 130, 5, 0.9, 2).Collect())(t)
	sourcetest.Run(t, netflix(t, 300, 130, 5, 0.9, 2), in.Ratings.Matrix())
}

// The smaller of the paper's sizes have the density asked for, skewed counts,
// and ratings from 1 to 5 that use the whole scale.
func TestNetflixIsSkewedAsRatingsAre(t *testing.T) {
	sizes := NetflixSizes[:3]
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, size := range sizes {
		s := netflix(t, size.Rows, size.Columns, 5, size.Missing, 1)
		if got := 1 - float64(s.Observed())/float64(size.Rows*size.Columns); math.Abs(got-size.Missing) > 0.03*(1-size.Missing) {
			t.Errorf("%s: %v are missing, want %v", size.Name, got, size.Missing)
		}
		rows := make([]float64, 0, size.Rows)
		columns := make([]float64, size.Columns)
		var values [6]float64
		reader := s.Reader()
		for i := range size.Rows {
			if i >= 20_000 {
				break
			}
			at, v, _ := reader.Append(i, nil, nil)
			rows = append(rows, float64(len(at)))
			for x, j := range at {
				columns[j]++
				values[int(v[x])]++
				if v[x] != math.Trunc(v[x]) || v[x] < 1 || v[x] > 5 {
					t.Fatalf("%s: a rating of %v", size.Name, v[x])
				}
			}
		}
		slices.Sort(rows)
		slices.Sort(columns)
		n, m := len(rows), len(columns)
		t.Logf("%s: a row has %v, median %v, mean %.1f, at most %v; a column %v, median %v, mean %.0f, at most %v; ratings %.0f", size.Name,
			rows[0], rows[n/2], mean(rows), rows[n-1], columns[0], columns[m/2], mean(columns), columns[m-1], values[1:])
		if rows[0] < netflixLeast || mean(rows) < 1.05*rows[n/2] || rows[n-1] < 3*mean(rows) {
			t.Errorf("%s: the rows' counts are not skewed", size.Name)
		}
		if mean(columns) < 1.5*columns[m/2] || columns[m-1] < 4*mean(columns) {
			t.Errorf("%s: the columns' counts are not skewed", size.Name)
		}
		for v := 1; v <= 5; v++ {
			if values[v] < 0.01*mean(columns)*float64(m) {
				t.Errorf("%s: %v ratings of %d", size.Name, values[v], v)
			}
		}
	}
}

func TestNetflixNoiseFreeIsInRange(t *testing.T) {
	s := netflix(t, 200, 300, 10, 0.9, 1)
	for i := range s.Rows {
		for j := range s.Columns {
			if v := s.NoiseFree(i, j); v < 1 || v > 5 || math.Abs(v-s.Noisy(i, j)) > 4 {
				t.Fatalf("(%d,%d) is %v without noise", i, j, v)
			}
		}
	}
	if len(s.Selected) != 10 || !slices.IsSorted(s.Selected) {
		t.Errorf("the selection is %v", s.Selected)
	}
}

func TestNetflixSaysWhyNot(t *testing.T) {
	for _, c := range []struct {
		rows, columns, k int
		missing          float64
	}{{0, 100, 5, 0.9}, {10, 100, 11, 0.9}, {10, 100, 5, 0.5}, {10, 100, 5, 0.99}, {10, 9, 5, 0.5}} {
		if _, err := Netflix(c.rows, c.columns, c.k, c.missing, 1); err == nil {
			t.Errorf("%v was made", c)
		}
	}
	if _, err := Netflix(10, 60, 5, 0.7, 1); err != nil { // the end of the range that the message names
		t.Error(err)
	}
	if _, err := NetflixSizeOf("huge"); err == nil {
		t.Error("a size of no name was found")
	}
}

func TestAliasKeepsTheChances(t *testing.T) {
	weights := []float64{5, 0, 1, 0.5, 20, 3, 3}
	a := newAlias(weights)
	s := random.New(3)
	count := make([]float64, len(weights))
	const draws = 1 << 18
	for range draws {
		count[a.draw(s.Uint64(), s.Uint64())]++
	}
	for j, w := range weights {
		if e := w / 32.5 * draws; math.Abs(count[j]-e) > 5*math.Sqrt(e) {
			t.Errorf("index %d was drawn %v times, want %v", j, count[j], e)
		}
	}
}

// BenchmarkNetflix makes rows of the largest size on one core.
func BenchmarkNetflix(b *testing.B) {
	size := NetflixSizes[4]
	s := netflix(b, size.Rows, size.Columns, 5, size.Missing, 1)
	reader := s.Reader()
	var columns []int32
	var values []float64
	made, i := 0, 0
	for b.Loop() {
		columns, values, _ = reader.Append(i%s.Rows, columns[:0], values[:0])
		made += len(columns)
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(made), "ns/entry")
}
