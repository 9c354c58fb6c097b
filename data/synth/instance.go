package synth

import (
	"fmt"
	"math"
	"strconv"

	"optcomplete/data"
	"optcomplete/internal/parallel"
)

// Config says what to generate.
type Config struct {
	Rows     int     // n
	Columns  int     // m
	Features int     // p, the true ones among them
	K        int     // the number of true features
	Missing  float64 // the fraction μ of all entries that is missing, in [0,1)
	Noise    float64 // standard deviation of the noise; the paper's is 0.01
	Seed     uint64
}

// Validate says what is wrong with the configuration and why.
func (c Config) Validate() error {
	switch {
	case c.Rows < 1 || c.Rows > math.MaxInt32:
		return fmt.Errorf("synth: %d rows: there must be between 1 and %d", c.Rows, math.MaxInt32)
	case c.Columns < 1 || c.Columns > math.MaxInt32:
		return fmt.Errorf("synth: %d columns: there must be between 1 and %d", c.Columns, math.MaxInt32)
	case c.Features < 1:
		return fmt.Errorf("synth: %d features: there must be at least one to select", c.Features)
	case c.K < 1 || c.K > c.Features:
		return fmt.Errorf("synth: k = %d: the true features are between 1 and all %d of the features", c.K, c.Features)
	case !(c.Missing >= 0 && c.Missing < 1):
		return fmt.Errorf("synth: missing = %v: it is a fraction of all entries, from 0 to below 1, where nothing would be observed", c.Missing)
	case !(c.Noise >= 0 && c.Noise <= maxNoise):
		return fmt.Errorf("synth: noise = %v: it is a standard deviation, not negative and at most %g", c.Noise, maxNoise)
	}
	return nil
}

// maxNoise keeps values finite as float32.
const maxNoise = 1e30

// Instance is a generated source whose observed entries are in memory.
type Instance struct {
	*Source
	Ratings *data.Ratings
}

// The streams of random numbers, by purpose. A new purpose gets a new number.
const (
	streamSelection = iota + 1
	streamFeatures
	streamCoefficients
	streamObserved
	streamNoise
	streamTest
	streamFilm
	streamActivity
)

// Collect makes all rows, in parallel, and keeps them in memory.
func (s *Source) Collect() (*Instance, error) {
	if !s.Counted() {
		return nil, fmt.Errorf("synth: about %d entries are too many for memory: read the source row by row", s.Observed())
	}
	start := make([]int, s.Rows+1)
	for i := range s.Rows {
		start[i+1] = start[i] + s.Entries(i)
	}
	total := start[s.Rows]
	if total == 0 {
		return nil, s.empty()
	}
	column, value := make([]int32, total), make([]float64, total)
	inParallel(s.Rows, func(low, high int) {
		reader := s.Reader()
		for i := low; i < high; i++ {
			from, to := start[i], start[i+1]
			c, v, _ := reader.Append(i, column[from:from:to], value[from:from:to]) // it cannot fail
			copy(column[from:to], c)                                               // unless they were made there
			copy(value[from:to], v)
		}
	})
	matrix, err := data.NewMatrixByRows(s.Columns, start, column, value)
	if err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	return &Instance{s, data.NewRatings(matrix, s.RowIDs(), s.Features.IDs)}, nil
}

func (s *Source) empty() error {
	return fmt.Errorf("synth: none of the %d×%d entries is observed with missing = %v: make the matrix larger or less empty", s.Rows, s.Columns, s.Missing)
}

// inParallel calls work for blocks of 0..n-1 that cover it.
func inParallel(n int, work func(low, high int)) {
	const block = 256
	parallel.Each((n+block-1)/block, 0, func(x int) { work(x*block, min((x+1)*block, n)) })
}

// numbered gives the names prefix1 … prefixN, padded with zeros to one width.
// They share one piece of memory.
func numbered(prefix string, n int) []string {
	digits := len(strconv.Itoa(n))
	width := len(prefix) + digits
	text := make([]byte, 0, n*width)
	for i := range n {
		text = append(text, prefix...)
		for pad := digits - len(strconv.Itoa(i+1)); pad > 0; pad-- {
			text = append(text, '0')
		}
		text = strconv.AppendInt(text, int64(i+1), 10)
	}
	all := string(text)
	out := make([]string, n)
	for i := range out {
		out[i] = all[i*width : (i+1)*width]
	}
	return out
}
