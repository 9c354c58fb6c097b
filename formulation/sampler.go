package formulation

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

const (
	rowSampleStream = 0x726f7773   // "rows"
	candidateStream = 0x63616e6469 // "candi"
)

// sampler draws nested samples of rows: each contains the smaller ones.
type sampler struct {
	source data.Source
	rows   int     // of the source
	order  []int32 // rows with entries; the first g of it are the sample of g
	filled float64 // part of the rows that have entries
	mean   float64 // entries of a row that has some
	thin   float64 // part of the entries of a row that is kept
	keys   *data.Keys
	seed   uint64
}

// newSampler draws the rows that may come into samples, and orders them so that
// any beginning of the order is spread evenly over the numbers of entries: a
// stratified sample in which every row counts the same. Rows of a source too large
// to ask for their entries are only shuffled.
func newSampler(source data.Source, seed uint64) *sampler {
	n, _ := source.Dims()
	s := &sampler{source: source, thin: 1, seed: seed, rows: n, keys: data.KeysOf(source)}
	mean := float64(source.Observed()) / math.Max(float64(n), 1)
	count := min(n, max(leastCandidates, int(2*mostEntries/math.Max(mean, 1))))
	drawn := s.candidates(count)
	stratify := float64(source.Observed()) <= countable
	type row struct {
		at, entries int32
		key         uint64
	}
	var rows []row
	for _, i := range drawn {
		r := row{at: int32(i), key: random.Hash(seed, rowSampleStream, s.keys.Row(i))}
		if stratify {
			r.entries = int32(source.Entries(i))
		}
		if !stratify || r.entries > 0 {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.entries, b.entries), cmp.Compare(a.key, b.key)) })
	// The place of a row among those sorted by entries, read backwards in binary,
	// spreads every beginning of the order over all places (van der Corput's
	// sequence), as evenly as a stratified sample.
	width := bits.Len(uint(max(len(rows), 1) - 1))
	shift := int(random.Hash(seed, rowSampleStream) % uint64(max(len(rows), 1)))
	for x := range 1 << width {
		if place := int(bits.Reverse64(uint64(x)) >> (64 - width)); place < len(rows) {
			s.order = append(s.order, rows[(place+shift)%len(rows)].at)
		}
	}
	s.filled = float64(len(rows)) / math.Max(float64(len(drawn)), 1)
	s.mean = mean / math.Max(s.filled, 1e-9)
	if s.mean > 2*longRow {
		s.thin = longRow / s.mean
	}
	return s
}

// candidates draws about this many rows, by their ids. Of a source without ids the
// time does not depend on the number of rows.
func (s *sampler) candidates(count int) []int {
	if s.keys == nil {
		return random.New(s.seed, rowSampleStream).Sample(s.rows, count)
	}
	share := float64(count) / math.Max(float64(s.rows), 1)
	drawn := make([]int, 0, count+count/8)
	for i := range s.rows {
		if random.Unit(random.Hash(s.seed, candidateStream, s.keys.Row(i))) < share {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

// countable is how many entries a source may have for its rows to be asked how
// many they have.
const countable = 1e9

// sizes are the numbers of rows of the growing samples.
func (s *sampler) sizes() (sizes []int) {
	mean := math.Max(s.thin*s.mean, 1)
	first := max(leastRows, int(firstEntries/mean))
	most := min(max(first, int(mostEntries/mean)), int(s.filled*float64(s.rows))/sampleShare, len(s.order))
	for g := min(first, most); g > 0 && g <= most; g *= growBy {
		sizes = append(sizes, g)
	}
	return sizes
}

// draw is the matrix of the sample of g rows.
func (s *sampler) draw(ctx context.Context, g, threads int) (*data.Matrix, error) {
	rows := make([]int, g)
	for x, i := range s.order[:g] {
		rows[x] = int(i)
	}
	slices.Sort(rows)
	sample, err := pass.Pick(context.WithoutCancel(ctx), s.source, threads, "sample of rows", rows)
	if err != nil || s.thin == 1 {
		return sample, err
	}
	return sample.Filter(func(row int, column int32) bool {
		return random.Unit(random.Hash(s.seed, rowSampleStream, s.keys.Row(rows[row]), s.keys.Column(column))) < s.thin
	}), nil
}

// narrow leaves out the columns of a sample that have no entries, of the matrix
// and of the features, where that saves most of them.
func narrow(m *data.Matrix, features *data.Features) (*data.Matrix, *data.Features) {
	n, columns := m.Dims()
	if m.Observed() > columns/2 {
		return m, features
	}
	place := make([]int32, columns) // 1 + the new index; 0: no entries
	var used []int
	start, column, value := make([]int, 1, n+1), make([]int32, 0, m.Observed()), make([]float64, 0, m.Observed())
	for i := range n {
		at, _ := m.Row(i)
		for _, c := range at {
			place[c] = 1
		}
	}
	for c, is := range place {
		if is > 0 {
			used = append(used, c)
			place[c] = int32(len(used))
		}
	}
	for i := range n {
		at, values := m.Row(i)
		for _, c := range at {
			column = append(column, place[c]-1)
		}
		value = append(value, values...)
		start = append(start, len(column))
	}
	narrow, err := data.NewMatrixByRows(len(used), start, column, value)
	if err == nil {
		narrow, err = narrow.WithWeights(m.Weights())
	}
	if err != nil {
		panic(err) // the values were finite before
	}
	table := &data.Features{Names: features.Names, IDs: make([]string, 0, len(used)), Values: make([]float64, 0, len(used)*len(features.Names))}
	for _, c := range used {
		table.IDs = append(table.IDs, features.IDs[c])
		table.Values = append(table.Values, features.Row(c)...)
	}
	return narrow, table
}
