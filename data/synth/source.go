package synth

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// Source is generated data with its truth. Nothing is stored but the features:
// rows are made when they are read, in any order, by any number of readers, and
// are the same every time. It is the data.Source of its observed entries.
type Source struct {
	Config
	Features *data.Features // shadows Config.Features, the number p
	Selected []int          // the true selection: indices of features, increasing

	name      string // of the generator
	rows      generator
	chosen    []float64 // m×k: the true features of every column together; nil if products makes them
	low, high float64   // the range of values without noise
	rowPrefix string

	naming  sync.Once
	names   []string
	counted sync.Once
	counts  []int32
	total   int
	spare   sync.Pool // of *scratch, for what needs no reader
}

// generator makes any row by itself. Its methods may be called at any time by
// any number of goroutines, each with a scratch of its own, and always give the
// same.
type generator interface {
	// coefficients appends the k true coefficients of row i to u.
	coefficients(i int, u []float64) []float64
	// observed appends the observed columns of row i, increasing, to columns.
	observed(i int, s *scratch, columns []int32) []int32
	// count is how many columns observed would append.
	count(i int, s *scratch) int
	// observe turns the true values of row i at the columns into those that
	// are or would be observed.
	observe(i int, s *scratch, columns []int32, values []float64)
	// expected is the number of observed entries, about, and whether counting
	// them takes as long as making them.
	expected() (entries float64, slow bool)
}

// chunk is how many entries are made at a time, to stay in the nearest cache.
const chunk = 256

// scratch is the memory of one goroutine.
type scratch struct {
	u      []float64
	taken  []uint64 // a bit for each column; all zero between uses
	bits   [chunk]uint64
	normal [chunk]float64
}

// cached is how many true features the nearer caches hold, about. Beyond, the
// paper's are made anew faster than memory gives them.
const cached = 1 << 18

// source completes a source whose features and selection are set.
func (s *Source) source() *Source {
	s.low, s.high = math.Inf(-1), math.Inf(1)
	s.spare.New = func() any { return new(scratch) }
	if _, ok := s.rows.(*paperRows); ok && s.Columns*s.K > cached {
		return s
	}
	s.chosen = make([]float64, s.Columns*s.K)
	inParallel(s.Columns, func(low, high int) {
		for j := low; j < high; j++ {
			b := s.Features.Row(j)
			for at, f := range s.Selected {
				s.chosen[j*s.K+at] = b[f]
			}
		}
	})
	return s
}

func (s *Source) borrow() *scratch { return s.spare.Get().(*scratch) }

// Dims returns the number of rows and of columns.
func (s *Source) Dims() (rows, columns int) { return s.Rows, s.Columns }

// countable is the number of entries up to which they are counted: a few
// seconds of making all rows once.
const countable = 1 << 30

// Counted tells whether Observed is exact. It is unless there are about 10⁹
// entries or more whose number shows only when they are made.
func (s *Source) Counted() bool {
	entries, slow := s.rows.expected()
	return !slow || entries <= countable
}

// Observed returns the number of observed entries. It counts them when it is
// first asked for; where that would take long (see Counted) it is the expected
// number, which for n = m = 10⁶ and 95 % missing is true to 1 part in 10⁵.
func (s *Source) Observed() int {
	if !s.Counted() {
		entries, _ := s.rows.expected()
		return int(math.Round(entries))
	}
	s.counted.Do(func() {
		s.counts = make([]int32, s.Rows)
		inParallel(s.Rows, func(low, high int) {
			own := s.borrow()
			defer s.spare.Put(own)
			for i := low; i < high; i++ {
				s.counts[i] = int32(s.rows.count(i, own))
			}
		})
		for _, c := range s.counts {
			s.total += int(c)
		}
	})
	return s.total
}

// Entries returns the number of observed entries of row i, always exactly. Of a
// source that is not Counted it makes the row's columns to count them.
func (s *Source) Entries(i int) int {
	if s.Counted() {
		s.Observed()
		return int(s.counts[i])
	}
	own := s.borrow()
	defer s.spare.Put(own)
	return s.rows.count(i, own)
}

// Reader returns a reader for one goroutine.
func (s *Source) Reader() data.Reader { return &reader{source: s} }

type reader struct {
	source *Source
	own    scratch
}

func (r *reader) Append(i int, columns []int32, values []float64) ([]int32, []float64, error) {
	from := len(columns)
	columns = r.source.rows.observed(i, &r.own, columns)
	return columns, r.source.appendValues(i, &r.own, columns[from:], values), nil
}

// appendValues appends the observed values of row i at the columns.
func (s *Source) appendValues(i int, own *scratch, columns []int32, values []float64) []float64 {
	from := len(values)
	values = slices.Grow(values, len(columns))[:from+len(columns)]
	out := values[from:]
	own.u = s.rows.coefficients(i, own.u[:0])
	for low := 0; low < len(columns); low += chunk {
		high := min(low+chunk, len(columns))
		s.products(own.u, columns[low:high], out[low:high])
		s.rows.observe(i, own, columns[low:high], out[low:high])
	}
	return values
}

// products sets out to Σ_{f∈S} b_jf u_f for each column j, summed in the order
// of S. Four columns go side by side, so that the machine fetches them at once.
func (s *Source) products(u []float64, columns []int32, out []float64) {
	if s.chosen == nil {
		s.rows.(*paperRows).products(s.Selected, u, columns, out)
		return
	}
	k := len(u)
	x := 0
	for ; x+4 <= len(columns); x += 4 {
		b0 := s.chosen[int(columns[x])*k:][:k]
		b1 := s.chosen[int(columns[x+1])*k:][:k]
		b2 := s.chosen[int(columns[x+2])*k:][:k]
		b3 := s.chosen[int(columns[x+3])*k:][:k]
		var s0, s1, s2, s3 float64
		for at, v := range u {
			s0 += float64(b0[at] * v)
			s1 += float64(b1[at] * v)
			s2 += float64(b2[at] * v)
			s3 += float64(b3[at] * v)
		}
		out[x], out[x+1], out[x+2], out[x+3] = s0, s1, s2, s3
	}
	for ; x < len(columns); x++ {
		b := s.chosen[int(columns[x])*k:][:k]
		sum := 0.0
		for at, v := range u {
			sum += float64(b[at] * v)
		}
		out[x] = sum
	}
}

// Coefficients gives the true coefficients of row i, in the order of Selected.
func (s *Source) Coefficients(i int) []float64 { return s.rows.coefficients(i, nil) }

// Values sets, for row i at the columns, observed or not, the values that are
// or would be observed, and those without noise. Any goroutine may call it.
func (s *Source) Values(i int, columns []int32, observed, noiseFree []float64) {
	own := s.borrow()
	defer s.spare.Put(own)
	s.appendValues(i, own, columns, observed[:0])
	s.products(own.u, columns, noiseFree)
	for x, v := range noiseFree[:len(columns)] {
		noiseFree[x] = min(max(v, s.low), s.high)
	}
}

// NoiseFree gives the true value at row i and column j: Σ_{f∈S} b_jf u_if, kept
// within 1 to 5 where ratings are.
func (s *Source) NoiseFree(i, j int) float64 {
	_, clean := s.at(i, j)
	return clean
}

// Noisy gives the value of (i,j) that is or would be observed.
func (s *Source) Noisy(i, j int) float64 {
	noisy, _ := s.at(i, j)
	return noisy
}

func (s *Source) at(i, j int) (noisy, clean float64) {
	var a, b [1]float64
	s.Values(i, []int32{int32(j)}, a[:], b[:])
	return a[0], b[0]
}

// Row generates the observed entries of row i by itself.
func (s *Source) Row(i int) (columns []int32, values []float64) {
	own := s.borrow()
	defer s.spare.Put(own)
	columns = s.rows.observed(i, own, nil)
	return columns, s.appendValues(i, own, columns, nil)
}

// RowIDs gives the ids of the rows; they are made when they are first asked for.
func (s *Source) RowIDs() []string {
	s.naming.Do(func() { s.names = numbered(s.rowPrefix, s.Rows) })
	return s.names
}

// ColumnIDs gives the ids of the columns.
func (s *Source) ColumnIDs() []string { return s.Features.IDs }

// addNoise adds normal numbers of (i,j) alone, times sd.
func addNoise(seed uint64, i int, sd float64, s *scratch, columns []int32, values []float64) {
	hash := random.NewPartial(seed, streamNoise, uint64(i))
	for x, j := range columns {
		s.bits[x] = hash.Hash(uint64(j))
	}
	random.Normals(s.bits[:len(columns)], s.normal[:])
	for x := range values {
		values[x] += float64(sd * s.normal[x])
	}
}

var _ data.Source = (*Source)(nil)

// writeEntries is the number of entries that are turned into text together, about.
const writeEntries = 1 << 15

// WriteRatings writes the observed entries as CSV, row by row, such that
// data.ReadRatings gives them back bit for bit, and returns how many they are.
// Rows are made and turned into text on all processors, a few blocks ahead of
// the writing; what is written never depends on that.
func (s *Source) WriteRatings(ctx context.Context, w io.Writer) (entries int, err error) {
	if s.Observed() == 0 {
		return 0, s.empty()
	}
	if _, err := io.WriteString(w, "row,column,value\n"); err != nil {
		return 0, err
	}
	block := max(1, min(s.Rows, int(float64(writeEntries)*float64(s.Rows)/float64(s.Observed()))))
	type piece struct {
		text    []byte
		entries int
	}
	threads := runtime.GOMAXPROCS(0)
	pieces := make(chan chan piece, threads) // in order
	spare := make(chan []byte, 2*threads)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	rows, columns := s.RowIDs(), s.Features.IDs
	go func() {
		defer close(pieces)
		for from := 0; from < s.Rows; from += block {
			done := make(chan piece, 1)
			select {
			case pieces <- done:
			case <-ctx.Done():
				return
			}
			go func() {
				p := piece{}
				select {
				case p.text = <-spare:
				default:
				}
				p.text = p.text[:0]
				reader := s.Reader()
				var at []int32
				var values []float64
				for i := from; i < min(from+block, s.Rows); i++ {
					at, values, _ = reader.Append(i, at[:0], values[:0]) // it cannot fail
					p.entries += len(at)
					for x, j := range at {
						p.text = append(append(p.text, rows[i]...), ',')
						p.text = append(append(p.text, columns[j]...), ',')
						p.text = append(data.AppendNumber(p.text, values[x]), '\n')
					}
				}
				done <- p
			}()
		}
	}()
	for done := range pieces {
		p := <-done
		if _, err := w.Write(p.text); err != nil {
			return entries, err
		}
		entries += p.entries
		select {
		case spare <- p.text:
		default:
		}
	}
	if err := ctx.Err(); err != nil {
		return entries, fmt.Errorf("synth: stopped after %d entries: %w", entries, err)
	}
	return entries, nil
}
