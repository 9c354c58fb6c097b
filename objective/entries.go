package objective

import "optcomplete/pass"

// listing is the pass of all entries, one after the other: few enough to be computed
// with at more digits.
type listing struct{}

// Start makes a worker.
func (listing) Start(*pass.Input) (pass.Worker, error) {
	return pass.EachWeighed(func() *listed { return new(listed) }, func(part *listed, i int, columns []int32, values, weights []float64) error {
		for range columns {
			part.Rows = append(part.Rows, int32(i))
		}
		part.Columns, part.Values = append(part.Columns, columns...), append(part.Values, values...)
		part.Weights = append(part.Weights, weights...)
		return nil
	}), nil
}

// listed is entries, with their rows and columns.
type listed struct {
	Rows, Columns []int32
	Values        []float64
	Weights       []float64 // nil: there are none
}

// Merge puts the others behind.
func (p *listed) Merge(o pass.Part) {
	other := o.(*listed)
	p.Rows, p.Columns, p.Values = append(p.Rows, other.Rows...), append(p.Columns, other.Columns...), append(p.Values, other.Values...)
	p.Weights = append(p.Weights, other.Weights...)
}

func init() { pass.Register("entries for more digits", listing{}, new(listed)) }
