package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
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

// remembered is the answer to a question, as Store.Do gives it, to the bit.
func remembered[T any](s *Store, about []byte, compute func() (T, error)) (answer T, err error) {
	kept, err := s.Do(about, func() ([]byte, error) {
		computed, err := compute()
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = gob.NewEncoder(&b).Encode(&computed)
		return b.Bytes(), err
	})
	if err != nil {
		return answer, err
	}
	if err := gob.NewDecoder(bytes.NewReader(kept)).Decode(&answer); err != nil {
		return answer, fmt.Errorf("checkpoint: %w", err)
	}
	return answer, nil
}

func (o *oracle) Eval(ctx context.Context, weights []float64) (search.Cut, error) {
	return remembered(o.store, o.about("cost", weights), func() (search.Cut, error) { return o.Oracle.Eval(ctx, weights) })
}

func (o *curvedOracle) EvalHessian(ctx context.Context, weights []float64) (search.Cut, []float64, error) {
	type answer struct {
		Cut     search.Cut
		Hessian []float64
	}
	a, err := remembered(o.store, o.about("curved", weights), func() (a answer, err error) {
		a.Cut, a.Hessian, err = o.curved.EvalHessian(ctx, weights)
		return a, err
	})
	return a.Cut, a.Hessian, err
}

func (o *enumerator) Effort(free, left int) float64 { return o.lister.Effort(free, left) }

func (o *enumerator) Enumerate(ctx context.Context, r search.Region) (search.Listing, error) {
	about := fmt.Appendf(o.about("list", []float64{r.Below}), "%v %v %d %d", r.In, r.Candidates, r.Left, r.Keep)
	return remembered(o.store, about, func() (search.Listing, error) { return o.lister.Enumerate(ctx, r) })
}

func (o *modelOracle) Model(ctx context.Context, weights []float64, at search.Cut, features []int) (search.Model, bool, error) {
	type answer struct {
		Model search.Model
		OK    bool
	}
	about := o.curvedOracle.about("model", weights, []float64{at.Cost, at.Constant}, at.Gradient)
	a, err := remembered(o.curvedOracle.store, fmt.Appendf(about, "%v", features), func() (a answer, err error) {
		a.Model, a.OK, err = o.modeler.Model(ctx, weights, at, features)
		return a, err
	})
	return a.Model, a.OK, err
}

func (o *modelOracle) Costs(ctx context.Context, selections [][]int) ([]float64, float64, error) {
	type answer struct {
		Costs  []float64
		Margin float64
	}
	a, err := remembered(o.curvedOracle.store, fmt.Appendf(o.curvedOracle.about("costs"), "%v", selections), func() (a answer, err error) {
		a.Costs, a.Margin, err = o.modeler.Costs(ctx, selections)
		return a, err
	})
	return a.Costs, a.Margin, err
}
