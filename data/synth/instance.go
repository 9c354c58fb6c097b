package synth

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"optcomplete/data"
	"optcomplete/internal/random"
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
	case !(c.Noise >= 0) || math.IsInf(c.Noise, 0):
		return fmt.Errorf("synth: noise = %v: it is a standard deviation, finite and not negative", c.Noise)
	}
	return nil
}

// Instance is generated data with its truth.
type Instance struct {
	Config
	Ratings  *data.Ratings
	Features *data.Features // shadows Config.Features, the number p
	Selected []int          // the true selection: indices of features, increasing

	name string // of the generator
	rows rowSource
}

// rowSource makes any row by itself. Its methods may be called at any time by
// any number of goroutines and always give the same.
type rowSource interface {
	// coefficients appends the k true coefficients of row i to u.
	coefficients(i int, u []float64) []float64
	// observed appends the observed columns of row i, increasing, to columns.
	observed(i int, columns []int32) []int32
	// noisy gives the value that is observed at (i,j), where clean is the truth.
	noisy(i, j int, clean float64) float64
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

// Coefficients gives the true coefficients of row i, in the order of Selected.
func (in *Instance) Coefficients(i int) []float64 { return in.rows.coefficients(i, nil) }

// NoiseFree gives the true value at row i and column j: Σ_{f∈S} b_jf u_if.
func (in *Instance) NoiseFree(i, j int) float64 {
	return in.product(in.Coefficients(i), j)
}

// Noisy gives the value of (i,j) that is or would be observed.
func (in *Instance) Noisy(i, j int) float64 {
	return in.rows.noisy(i, j, in.NoiseFree(i, j))
}

// product is Σ_{f∈S} b_jf u_f, summed in the order of S.
func (in *Instance) product(u []float64, j int) float64 {
	b := in.Features.Row(j)
	sum := 0.0
	for at, f := range in.Selected {
		sum += float64(b[f] * u[at])
	}
	return sum
}

// Row generates the observed entries of row i by itself: the same as
// Ratings.Row(i), which need not be held.
func (in *Instance) Row(i int) (columns []int32, values []float64) {
	columns = in.rows.observed(i, nil)
	return columns, in.values(i, columns, make([]float64, len(columns)))
}

// values fills in the values of row i at the columns.
func (in *Instance) values(i int, columns []int32, values []float64) []float64 {
	u := in.Coefficients(i)
	for at, j := range columns {
		values[at] = in.rows.noisy(i, int(j), in.product(u, int(j)))
	}
	return values
}

// observe generates the ratings: once to count, once to fill, rows in parallel.
func (in *Instance) observe(rowIDs []string) (*Instance, error) {
	start := make([]int, in.Rows+1)
	inParallel(in.Rows, func(low, high int) {
		var columns []int32
		for i := low; i < high; i++ {
			columns = in.rows.observed(i, columns[:0])
			start[i+1] = len(columns)
		}
	})
	for i := range in.Rows {
		start[i+1] += start[i]
	}
	total := start[in.Rows]
	if total == 0 {
		return nil, fmt.Errorf("synth: none of the %d×%d entries is observed with missing = %v: make the matrix larger or less empty", in.Rows, in.Columns, in.Missing)
	}
	column, value := make([]int32, total), make([]float64, total)
	inParallel(in.Rows, func(low, high int) {
		for i := low; i < high; i++ {
			from, to := start[i], start[i+1]
			in.rows.observed(i, column[from:from:to])
			in.values(i, column[from:to], value[from:to])
		}
	})
	matrix, err := data.NewMatrixByRows(in.Columns, start, column, value)
	if err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	in.Ratings = &data.Ratings{Matrix: matrix, RowIDs: rowIDs, ColumnIDs: in.Features.IDs}
	return in, nil
}

// inParallel calls work for blocks of 0..n-1 that cover it.
func inParallel(n int, work func(low, high int)) {
	const block = 256
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+block-1)/block) {
		group.Go(func() {
			for {
				low := int(next.Add(block)) - block
				if low >= n {
					return
				}
				work(low, min(low+block, n))
			}
		})
	}
	group.Wait()
}

// numbered gives the names prefix1 … prefixN, padded with zeros to one width.
func numbered(prefix string, n int) []string {
	width := len(strconv.Itoa(n))
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%0*d", prefix, width, i+1)
	}
	return out
}

// noise is a normal number of (i,j) alone.
func noise(seed uint64, i, j int) float64 {
	return random.NormalOf(random.Hash(seed, streamNoise, uint64(i), uint64(j)))
}
