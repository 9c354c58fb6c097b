package checkpoint

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"optcomplete/search"
)

// Oracle is a cost whose evaluations are remembered under a label: it must tell
// the cost apart from any other of the same run. The result satisfies
// search.Curved and search.Enumerator as far as the cost does.
func (s *Store) Oracle(cost search.Oracle, label string) search.Oracle {
	o := &oracle{Oracle: cost, store: s, label: label}
	curved, isCurved := cost.(search.Curved)
	lister, isLister := cost.(search.Enumerator)
	switch {
	case isCurved && isLister:
		return &curvedLister{curvedOracle{o, curved}, enumerator{o, lister}}
	case isCurved:
		return &curvedOracle{o, curved}
	case isLister:
		return &enumerator{o, lister}
	}
	return o
}

type oracle struct {
	search.Oracle
	store *Store
	label string
}

type curvedOracle struct {
	*oracle
	curved search.Curved
}

type enumerator struct {
	*oracle
	lister search.Enumerator
}

type curvedLister struct {
	curvedOracle
	enumerator
}

func (c *curvedLister) Dim() int { return c.curvedOracle.Dim() }

func (c *curvedLister) Eval(ctx context.Context, weights, gradient []float64) (cost, constant float64, err error) {
	return c.curvedOracle.Eval(ctx, weights, gradient)
}

// about is a question: what is asked of which cost, in bytes.
func (o *oracle) about(kind string, numbers ...[]float64) []byte {
	b := fmt.Appendf(nil, "%s\x00%s\x00", o.label, kind)
	for _, list := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(list)))
		for _, x := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

func (o *oracle) Eval(ctx context.Context, weights, gradient []float64) (cost, constant float64, err error) {
	return o.numbers("cost", weights, gradient, nil, func() (float64, float64, error) {
		return o.Oracle.Eval(ctx, weights, gradient)
	})
}

func (o *curvedOracle) EvalHessian(ctx context.Context, weights, gradient, hessian []float64) (cost, constant float64, err error) {
	kind := "curved"
	if hessian == nil {
		kind = "cost"
	}
	return o.numbers(kind, weights, gradient, hessian, func() (float64, float64, error) {
		return o.curved.EvalHessian(ctx, weights, gradient, hessian)
	})
}

// numbers remembers an evaluation: cost, constant, gradient and Hessian.
func (o *oracle) numbers(kind string, weights, gradient, hessian []float64, eval func() (cost, constant float64, err error)) (cost, constant float64, err error) {
	answer, err := o.store.Do(o.about(kind, weights), func() ([]byte, error) {
		cost, constant, err := eval()
		if err != nil {
			return nil, err
		}
		var b []byte
		for _, list := range [][]float64{{cost, constant}, gradient, hessian} {
			for _, x := range list {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			}
		}
		return b, nil
	})
	if err != nil {
		return 0, 0, err
	}
	if len(answer) != 8*(2+len(gradient)+len(hessian)) {
		return 0, 0, fmt.Errorf("checkpoint: an evaluation of %d bytes is remembered, not of %d", len(answer), 8*(2+len(gradient)+len(hessian)))
	}
	read := func(to []float64) {
		for x := range to {
			to[x] = math.Float64frombits(binary.LittleEndian.Uint64(answer))
			answer = answer[8:]
		}
	}
	first := make([]float64, 2)
	read(first)
	read(gradient)
	read(hessian)
	return first[0], first[1], nil
}

func (o *enumerator) Effort(free, left int) float64 { return o.lister.Effort(free, left) }

// listing is what an enumeration gave. Numbers are kept as bits: one is infinite
// often.
type listing struct {
	Selections   [][]int
	Costs        []uint64
	Margin, Rest uint64
}

func (o *enumerator) Enumerate(ctx context.Context, in, candidates []int, left int, below float64, keep int) (selections [][]int, costs []float64, margin, rest float64, err error) {
	about := fmt.Appendf(o.about("list", []float64{below}), "%v %v %d %d", in, candidates, left, keep)
	answer, err := o.store.Do(about, func() ([]byte, error) {
		selections, costs, margin, rest, err := o.lister.Enumerate(ctx, in, candidates, left, below, keep)
		if err != nil {
			return nil, err
		}
		l := listing{Selections: selections, Margin: math.Float64bits(margin), Rest: math.Float64bits(rest)}
		for _, c := range costs {
			l.Costs = append(l.Costs, math.Float64bits(c))
		}
		return json.Marshal(l)
	})
	if err != nil {
		return nil, nil, 0, 0, err
	}
	var l listing
	if err := json.Unmarshal(answer, &l); err != nil {
		return nil, nil, 0, 0, fmt.Errorf("checkpoint: %w", err)
	}
	for _, c := range l.Costs {
		costs = append(costs, math.Float64frombits(c))
	}
	return l.Selections, costs, math.Float64frombits(l.Margin), math.Float64frombits(l.Rest), nil
}
