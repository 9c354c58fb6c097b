package diagnose

import (
	"context"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/pass"
	"optcomplete/result"
)

// Values is what the values of some entries are.
type Values struct {
	entries   int
	low, high float64 // of the training entries
	sums      *valueSums
}

// ValuesOf looks at the values of some entries. survey is that of the training
// entries, whose range they are counted in.
func ValuesOf(ctx context.Context, entries data.Source, survey *data.Survey, threads int) (*Values, error) {
	sums, err := pass.One[*valueSums](ctx, entries, threads, valuing{survey.Low, survey.High})
	return &Values{entries.Observed(), survey.Low, survey.High, sums}, err
}

// valuing looks at values between two.
type valuing struct{ Low, High float64 }

// Start makes a worker.
func (p valuing) Start(*pass.Input) (pass.Worker, error) {
	return pass.EachWeighed(func() *valueSums { return new(valueSums) }, func(sums *valueSums, i int, columns []int32, values, weights []float64) error {
		for x, v := range values {
			if weights == nil {
				sums.Hash += random.Hash(uint64(i), uint64(columns[x]), math.Float64bits(v))
			} else {
				sums.Hash += random.Hash(uint64(i), uint64(columns[x]), math.Float64bits(v), math.Float64bits(weights[x]))
			}
			sums.count(v, 1)
			sums.Counts[place(v, p.Low, p.High, valueBars)]++
		}
		return nil
	}), nil
}

func init() { pass.Register("values", valuing{}, new(valueSums)) }

// valueSums is what a part of the rows tells of its values.
type valueSums struct {
	Hash   uint64         // Σ over entries, so that the order of parts does not matter
	Values []float64      // the different ones, increasing
	Times  []int          // how often each occurs
	Many   bool           // there are more than mostValues, which are not listed
	Counts [valueBars]int // in equal parts of their range

	recent [64]uint8 // where a value was found last, by its bits
}

func (v *valueSums) count(x float64, n int) {
	if v.Many {
		return
	}
	last := &v.recent[math.Float64bits(x)*0x9e3779b97f4a7c15>>58]
	if at := int(*last); at < len(v.Values) && v.Values[at] == x {
		v.Times[at] += n
		return
	}
	at, found := slices.BinarySearch(v.Values, x)
	*last = uint8(at)
	switch {
	case found:
		v.Times[at] += n
	case len(v.Values) == mostValues:
		v.many()
	default:
		v.Values, v.Times = slices.Insert(v.Values, at, x+0), slices.Insert(v.Times, at, n) // +0 makes −0 the same
	}
}

func (v *valueSums) many() { v.Values, v.Times, v.Many = nil, nil, true }

// Merge adds other rows.
func (v *valueSums) Merge(o pass.Part) {
	p := o.(*valueSums)
	v.Hash += p.Hash
	for b, n := range p.Counts {
		v.Counts[b] += n
	}
	if p.Many {
		v.many()
	}
	for x, n := range p.Times {
		v.count(p.Values[x], n)
	}
}

// bars is one for each value if there are few, else for equal parts of low..high.
func (v *valueSums) bars(low, high float64) (bars []result.Bar) {
	if v.Many {
		bars = evenBars(low, high, valueBars)
		for b, n := range v.Counts {
			bars[b].Count = n
		}
		return bars
	}
	for x, n := range v.Times {
		bars = append(bars, result.Bar{Low: v.Values[x], High: v.Values[x], Count: n})
	}
	return bars
}
