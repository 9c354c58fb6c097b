package data

import (
	"context"
	"math"
	"slices"
	"sync"

	"optcomplete/internal/parallel"
)

// Profile says where the entries of a source are, and what they are like.
type Profile struct {
	PerRow    Spread `json:"per_row"`    // entries of a row
	PerColumn Spread `json:"per_column"` // entries of a column

	Min  float64 `json:"min"` // of the values; these three are 0 without entries
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`

	// Values are the distinct values, increasing, with the number of entries
	// that have each; nil if there are more than ProfileValues.
	Values []ValueCount `json:"values,omitempty"`
}

// ProfileValues is the most distinct values that a Profile lists.
const ProfileValues = 64

// ValueCount is a value and how many entries have it.
type ValueCount struct {
	Value float64 `json:"value"`
	Count int     `json:"count"`
}

// Spread tells how counts are spread.
type Spread struct {
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Mean   float64 `json:"mean"`
	Max    int     `json:"max"`
	Bins   []Bin   `json:"bins"` // from the smallest count to the largest
}

// Bin is how many counts lie between From and To, both included. Bins end
// before 1, 2, 5, 10, 20, 50 and so on.
type Bin struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Count int `json:"count"`
}

// profileRows is how many rows are summed at a time. It does not depend on the
// threads, so that neither does the sum.
const profileRows = 1024

// NewProfile reads a source once, with that many threads, and profiles it.
func NewProfile(ctx context.Context, s Source, threads int) (*Profile, error) {
	n, m := s.Dims()
	perRow, perColumn := make([]int, n), make([]int, m)
	sums := make([]float64, (n+profileRows-1)/profileRows)
	var workers []*profiler
	var mutex sync.Mutex
	err := parallel.Do(ctx, len(sums), threads, func(int) func(int) error {
		w := &profiler{reader: s.Reader(), perColumn: make([]int, m), low: math.Inf(1), high: math.Inf(-1)}
		mutex.Lock()
		workers = append(workers, w)
		mutex.Unlock()
		return func(chunk int) error {
			for i := chunk * profileRows; i < min(n, (chunk+1)*profileRows); i++ {
				sum, entries, err := w.row(i, sums[chunk])
				if err != nil {
					return err
				}
				sums[chunk], perRow[i] = sum, entries
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	counts, low, high := valueCounts{}, math.Inf(1), math.Inf(-1)
	for _, w := range workers {
		for j, c := range w.perColumn {
			perColumn[j] += c
		}
		counts.merge(&w.counts)
		low, high = min(low, w.low), max(high, w.high)
	}
	p := &Profile{PerRow: spread(perRow), PerColumn: spread(perColumn), Values: counts.list()}
	if observed := s.Observed(); observed > 0 {
		sum := 0.0
		for _, x := range sums {
			sum += x
		}
		p.Min, p.Max, p.Mean = low, high, sum/float64(observed)
	}
	return p, nil
}

// profiler reads rows for one goroutine.
type profiler struct {
	reader    Reader
	columns   []int32
	values    []float64
	perColumn []int
	counts    valueCounts
	low, high float64
}

// row takes row i, and adds its values to a sum.
func (w *profiler) row(i int, sum float64) (_ float64, entries int, err error) {
	if w.columns, w.values, err = w.reader.Append(i, w.columns[:0], w.values[:0]); err != nil {
		return sum, 0, err
	}
	for _, c := range w.columns {
		w.perColumn[c]++
	}
	for _, v := range w.values {
		sum += v
		w.low, w.high = min(w.low, v), max(w.high, v)
	}
	w.counts.add(w.values)
	return sum, len(w.columns), nil
}

// spread sorts the counts and describes them.
func spread(counts []int) Spread {
	n := len(counts)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(counts)
	sum := 0
	for _, c := range counts {
		sum += c
	}
	s := Spread{Min: counts[0], Max: counts[n-1], Mean: float64(sum) / float64(n), Median: float64(counts[(n-1)/2]+counts[n/2]) / 2}
	from := 0
	for step := 0; len(counts) > 0; step++ {
		end := [...]int{1, 2, 5}[step%3]
		for range step / 3 {
			end *= 10
		}
		inside, _ := slices.BinarySearch(counts, end)
		if inside > 0 || len(s.Bins) > 0 {
			s.Bins = append(s.Bins, Bin{From: from, To: end - 1, Count: inside})
		}
		counts, from = counts[inside:], end
	}
	return s
}

// valueCounts counts distinct values while they are few. It is an open hash
// table on the bits, a quarter full at most.
type valueCounts struct {
	values []ValueCount // in the order they came
	slots  [4 * ProfileValues]uint8
	many   bool
}

func (c *valueCounts) add(values []float64) {
	for _, v := range values {
		if c.many {
			return
		}
		c.addOne(v, 1)
	}
}

func (c *valueCounts) addOne(v float64, count int) {
	v += 0 // −0 is 0
	// Fibonacci hashing: the high bits of a product with 2⁶⁴/φ.
	for at := uint8(math.Float64bits(v) * 0x9e3779b97f4a7c15 >> 56); ; at++ {
		x := c.slots[at]
		if x == 0 {
			if c.many = c.many || len(c.values) == ProfileValues; !c.many {
				c.values = append(c.values, ValueCount{v, count})
				c.slots[at] = uint8(len(c.values))
			}
			return
		}
		if c.values[x-1].Value == v {
			c.values[x-1].Count += count
			return
		}
	}
}

func (c *valueCounts) merge(o *valueCounts) {
	c.many = c.many || o.many
	for _, v := range o.values {
		c.addOne(v.Value, v.Count)
	}
}

func (c *valueCounts) list() []ValueCount {
	if c.many {
		return nil
	}
	slices.SortFunc(c.values, func(a, b ValueCount) int {
		if a.Value < b.Value {
			return -1
		}
		return 1
	})
	return c.values
}
