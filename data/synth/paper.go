package synth

import (
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// NewSource makes a source of the paper's section "Synthetic Data Experiments":
// A = UV + E with U (n×k) and V (k×m) uniform on [0,1] and E normal, each entry
// missing with probability Missing by itself; the features are V and p−k others
// that are uniform too. The true features stand at random places among the p.
//
// A row may have no observed entry, as in the paper. The paper writes the noise
// as N(0,0.01); Config.Noise is a standard deviation. Observed values are
// rounded to float32, so that files may store them in 4 bytes without loss: a
// relative change of at most 6·10⁻⁸.
func NewSource(c Config) (*Source, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	values := make([]float64, c.Columns*c.Features)
	streams := random.NewStreams(c.Seed, streamFeatures)
	inParallel(c.Columns, func(low, high int) {
		for j := low; j < high; j++ {
			s := streams.Of(uint64(j))
			own := values[j*c.Features : (j+1)*c.Features]
			for f := range own {
				own[f] = s.Float64()
			}
		}
	})
	s := &Source{
		Config:    c,
		Features:  data.NewFeatures(numbered("c", c.Columns), numbered("f", c.Features), values),
		Selected:  random.New(c.Seed, streamSelection).Sample(c.Features, c.K),
		name:      "paper",
		rows:      newPaperRows(c),
		rowPrefix: "r",
	}
	return s.source(), nil
}

// Generate makes an instance of the paper's generator in memory; see NewSource.
func Generate(c Config) (*Instance, error) {
	s, err := NewSource(c)
	if err != nil {
		return nil, err
	}
	return s.Collect()
}

// paperRows makes the rows of the paper's generator.
type paperRows struct {
	Config
	skips    *skips // nil when nothing is missing
	blocks   int    // of columns
	features random.Streams
}

// blockColumns is the number of columns whose observed ones are drawn from one
// stream. Which entries of a block are observed does not depend on the blocks
// before it, so that a part of a long row can be made by itself.
const blockColumns = 4096

func newPaperRows(c Config) *paperRows {
	r := &paperRows{Config: c, blocks: (c.Columns + blockColumns - 1) / blockColumns, features: random.NewStreams(c.Seed, streamFeatures)}
	if c.Missing > 0 {
		r.skips = newSkips(c.Missing)
	}
	return r
}

func (r *paperRows) coefficients(i int, u []float64) []float64 {
	s := random.New(r.Seed, streamCoefficients, uint64(i))
	for range r.K {
		u = append(u, s.Float64())
	}
	return u
}

// products is Source.products from nothing: a feature is a uniform number of its
// column's stream. Its factor 2⁻⁵³ is taken to u, which changes no bit of the
// products.
func (r *paperRows) products(selected []int, u []float64, columns []int32, out []float64) {
	var scaled [64]float64
	small := scaled[:0]
	for _, v := range u {
		small = append(small, v*0x1p-53)
	}
	for x, j := range columns {
		s := r.features.Of(uint64(j))
		sum := 0.0
		for at, f := range selected {
			sum += float64(float64(int64(s.At(f)>>11)) * small[at])
		}
		out[x] = sum
	}
}

func (r *paperRows) observed(i int, _ *scratch, columns []int32) []int32 {
	columns = slices.Grow(columns, r.usual(r.Columns))
	for b := range r.blocks {
		columns = r.block(i, b, columns)
	}
	return columns
}

// usual is a number of entries that this many columns seldom exceed.
func (r *paperRows) usual(columns int) int {
	mean := float64(columns) * (1 - r.Missing)
	return min(columns, int(mean+float64(4*math.Sqrt(mean)))+1)
}

// block appends the observed columns of a block.
func (r *paperRows) block(i, b int, columns []int32) []int32 {
	at, end, s := r.begin(i, b)
	for {
		if r.skips != nil {
			at += r.skips.of(s.Uint64(), end-at)
		}
		if at >= end {
			return columns
		}
		columns = append(columns, int32(at))
		at++
	}
}

// begin gives the columns of a block, and its stream.
func (r *paperRows) begin(i, b int) (from, to int, s random.Stream) {
	from = b * blockColumns
	to = min(from+blockColumns, r.Columns)
	if b == 0 { // as it was before there were blocks
		return from, to, *random.New(r.Seed, streamObserved, uint64(i))
	}
	return from, to, *random.New(r.Seed, streamObserved, uint64(i), uint64(b))
}

func (r *paperRows) count(i int, _ *scratch) int {
	if r.skips == nil {
		return r.Columns
	}
	total := 0
	for b := range r.blocks {
		at, end, s := r.begin(i, b)
		for at += r.skips.of(s.Uint64(), end-at); at < end; at += 1 + r.skips.of(s.Uint64(), end-at-1) {
			total++
		}
	}
	return total
}

func (r *paperRows) expected() (entries float64, slow bool) {
	return float64(r.Rows) * float64(r.Columns) * (1 - r.Missing), true
}

func (r *paperRows) observe(i int, s *scratch, columns []int32, values []float64) {
	addNoise(r.Seed, i, r.Noise, s, columns, values)
	for x, v := range values {
		values[x] = float64(float32(v))
	}
}

// skips draws the number of missing entries before the next observed one: at
// least g with probability μᵍ, so ⌊ln u / ln μ⌋ for u uniform on (0,1] (Devroye,
// "Non-uniform random variate generation", 1986, section X.2).
//
// Where all u that begin with the same bits give the same number, a table has
// it; the logarithm is needed for the others alone, 3 in 100 for μ = 0.95.
type skips struct {
	logMissing float64 // ln μ
	table      [1 << skipBits]int32
}

const skipBits = 12

func newSkips(missing float64) *skips {
	s := &skips{logMissing: random.Log(missing)}
	const cells = 1 << skipBits
	for c := range s.table {
		// The two ends of a cell, moved apart by more than Log can be wrong.
		least := random.Log(1-float64(c)/cells) / s.logMissing * (1 - 1e-12)
		most := random.Log(1-(float64(c+1)/cells-0x1p-53)) / s.logMissing * (1 + 1e-12)
		s.table[c] = -1
		if most < 1<<30 && int(least) == int(most) {
			s.table[c] = int32(least)
		}
	}
	return s
}

// of gives the number that 64 random bits stand for, at most limit.
func (s *skips) of(bits uint64, limit int) int {
	if g := s.table[bits>>(64-skipBits)]; g >= 0 {
		return min(int(g), limit)
	}
	return s.exactly(bits, limit)
}

func (s *skips) exactly(bits uint64, limit int) int {
	gap := random.Log(1-random.Unit(bits)) / s.logMissing
	if gap >= float64(limit) {
		return limit
	}
	return int(gap)
}
