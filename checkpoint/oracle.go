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
// search.Curved, search.Enumerator and search.Modeler as far as the cost does.
func (s *Store) Oracle(cost search.Oracle, label string) search.Oracle {
	o := &oracle{Oracle: cost, store: s, label: label}
	curved, isCurved := cost.(search.Curved)
	lister, isLister := cost.(search.Enumerator)
	modeler, isModeler := cost.(search.Modeler)
	switch {
	case isCurved && isLister && isModeler:
		return &modelOracle{curvedLister{curvedOracle{o, curved}, enumerator{o, lister}}, modeler}
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

type modelOracle struct {
	curvedLister
	modeler search.Modeler
}

func (c *curvedLister) Dim() int { return c.curvedOracle.Dim() }

func (c *curvedLister) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	return c.curvedOracle.Eval(ctx, weights)
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

func (o *oracle) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	cut, _, err := o.numbers("cost", weights, 0, func() (search.Cut, []float64, error) {
		cut, err := o.Oracle.Eval(ctx, weights)
		return cut, nil, err
	})
	return cut, err
}

func (o *curvedOracle) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	positive := 0
	for _, w := range weights {
		if w > 0 {
			positive++
		}
	}
	return o.numbers("curved", weights, positive*positive, func() (search.Cut, []float64, error) {
		return o.curved.EvalHessian(ctx, weights)
	})
}

// numbers remembers an evaluation: cost, constant, gradient and a Hessian of some
// length.
func (o *oracle) numbers(kind string, weights []float64, second int, eval func() (search.Cut, []float64, error)) (search.Cut, []float64, error) {
	answer, err := o.store.Do(o.about(kind, weights), func() ([]byte, error) {
		cut, hessian, err := eval()
		if err != nil {
			return nil, err
		}
		var b []byte
		for _, list := range [][]float64{{cut.Cost, cut.Constant}, cut.Gradient, hessian} {
			for _, x := range list {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			}
		}
		return b, nil
	})
	if err != nil {
		return search.Cut{}, nil, err
	}
	if want := 8 * (2 + len(weights) + second); len(answer) != want {
		return search.Cut{}, nil, fmt.Errorf("checkpoint: an evaluation of %d bytes is remembered, not of %d", len(answer), want)
	}
	read := func(count int) []float64 {
		out := make([]float64, count)
		for x := range out {
			out[x] = math.Float64frombits(binary.LittleEndian.Uint64(answer))
			answer = answer[8:]
		}
		return out
	}
	first := read(2)
	return search.Cut{Cost: first[0], Constant: first[1], Gradient: read(len(weights))}, read(second), nil
}

func (o *enumerator) Effort(free, left int) float64 { return o.lister.Effort(free, left) }

// listing is what an enumeration gave. Numbers are kept as bits: one is infinite
// often.
type listing struct {
	Selections   [][]int
	Costs        []uint64
	Margin, Rest uint64
}

func (o *enumerator) Enumerate(ctx context.Context, r search.Region) (search.Listing, error) {
	about := fmt.Appendf(o.about("list", []float64{r.Below}), "%v %v %d %d", r.In, r.Candidates, r.Left, r.Keep)
	answer, err := o.store.Do(about, func() ([]byte, error) {
		found, err := o.lister.Enumerate(ctx, r)
		if err != nil {
			return nil, err
		}
		return json.Marshal(listing{found.Selections, bitsOf(found.Costs), math.Float64bits(found.Margin), math.Float64bits(found.Rest)})
	})
	if err != nil {
		return search.Listing{}, err
	}
	var l listing
	if err := json.Unmarshal(answer, &l); err != nil {
		return search.Listing{}, fmt.Errorf("checkpoint: %w", err)
	}
	return search.Listing{Selections: l.Selections, Costs: floatsOf(l.Costs), Margin: math.Float64frombits(l.Margin), Rest: math.Float64frombits(l.Rest)}, nil
}

// modelled is what was answered about a model: numbers as bits, as in a listing.
type modelled struct {
	OK       bool
	Constant uint64
	Numbers  []uint64 // of the linear part, then of the matrix
}

func (o *modelOracle) Model(ctx context.Context, weights []float64, at search.Cut, features []int) (search.Model, bool, error) {
	label := o.curvedOracle.about("model", weights, []float64{at.Cost, at.Constant}, at.Gradient)
	answer, err := o.curvedOracle.store.Do(fmt.Appendf(label, "%v", features), func() ([]byte, error) {
		m, ok, err := o.modeler.Model(ctx, weights, at, features)
		if err != nil {
			return nil, err
		}
		return json.Marshal(modelled{ok, math.Float64bits(m.Constant), bitsOf(m.Linear, m.Matrix)})
	})
	var m modelled
	if err != nil {
		return search.Model{}, false, err
	}
	if err := json.Unmarshal(answer, &m); err != nil {
		return search.Model{}, false, fmt.Errorf("checkpoint: %w", err)
	}
	if !m.OK {
		return search.Model{}, false, nil
	}
	numbers, f := floatsOf(m.Numbers), len(features)
	if len(numbers) != f+f*f {
		return search.Model{}, false, fmt.Errorf("checkpoint: a model of %d numbers is remembered, not of %d", len(numbers), f+f*f)
	}
	return search.Model{Constant: math.Float64frombits(m.Constant), Linear: numbers[:f], Matrix: numbers[f:]}, true, nil
}

func (o *modelOracle) Costs(ctx context.Context, selections [][]int) ([]float64, float64, error) {
	answer, err := o.curvedOracle.store.Do(fmt.Appendf(o.curvedOracle.about("costs"), "%v", selections), func() ([]byte, error) {
		costs, margin, err := o.modeler.Costs(ctx, selections)
		if err != nil {
			return nil, err
		}
		return json.Marshal(bitsOf(costs, []float64{margin}))
	})
	if err != nil {
		return nil, 0, err
	}
	var bits []uint64
	if err := json.Unmarshal(answer, &bits); err != nil {
		return nil, 0, fmt.Errorf("checkpoint: %w", err)
	}
	if len(bits) != len(selections)+1 {
		return nil, 0, fmt.Errorf("checkpoint: %d costs are remembered, not %d", len(bits)-1, len(selections))
	}
	numbers := floatsOf(bits)
	return numbers[:len(selections)], numbers[len(selections)], nil
}

// bitsOf is the bits of all numbers.
func bitsOf(lists ...[]float64) (bits []uint64) {
	for _, list := range lists {
		for _, x := range list {
			bits = append(bits, math.Float64bits(x))
		}
	}
	return bits
}

// floatsOf is the inverse of bitsOf.
func floatsOf(bits []uint64) []float64 {
	numbers := make([]float64, len(bits))
	for x, b := range bits {
		numbers[x] = math.Float64frombits(b)
	}
	return numbers
}
