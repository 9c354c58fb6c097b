package objective

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/pass"
)

// costOf is the cost that a pass computes something of, as it is sent.
type costOf struct {
	Features *pass.Shared[*data.Features]
	Gamma    float64
	Heaviest float64
	here     *Exact // nil where the pass was sent to
}

// described is the cost as its passes carry it.
func (o *Exact) described() costOf { return costOf{o.features, o.gamma, o.heaviest, o} }

// exact is the cost; in another process it is made from its description, the
// layout of features and rows once for all passes over a source.
func (c *costOf) exact(in *pass.Input) (*Exact, error) {
	if c.here != nil {
		return c.here, nil
	}
	made, err := in.Memory.Get(fmt.Sprintf("cost of %s on %s by %g", c.Features.Name(), in.ID, c.Heaviest), func() (any, error) {
		columns, err := in.Memory.Get("columns of "+c.Features.Name(), func() (any, error) { return newColumnFeatures(c.Features.Get()), nil })
		if err != nil {
			return nil, err
		}
		n, _ := in.Source.Dims()
		o := &Exact{matrix: in.Source, n: n, features: c.Features, columnFeatures: columns.(columnFeatures), gamma: c.Gamma, heaviest: c.Heaviest, threads: 1, workers: new(workerPool[*worker])}
		o.divide()
		o.measure()
		return o, nil
	})
	if err != nil {
		return nil, err
	}
	return made.(*Exact).WithGamma(c.Gamma), nil
}

// workerPool keeps workers, and their memory, from one reading to the next.
type workerPool[W any] struct {
	mu   sync.Mutex
	free []W
}

// get is a worker of one goroutine, until it is put back; made, if none is free.
func (p *workerPool[W]) get(made func() W) W {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		k := p.free[last]
		p.free = p.free[:last]
		return k
	}
	return made()
}

func (p *workerPool[W]) put(k W) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, k)
}

// takeWorker is one of the pool, with an empty panel: the one before may have been given up.
func (o *Exact) takeWorker() *worker {
	k := o.workers.get(o.newWorker)
	k.panel.empty()
	return k
}

// Release puts the worker back.
func (k *worker) Release() { k.workers.put(k) }

// evaluation is the pass of Exact.Eval.
type evaluation struct {
	Of      costOf
	Weights []float64
	Curved  bool
	Careful bool       // row by row, with as many digits as it takes
	at      *weighting // of the weights; nil where the pass was sent to
}

// Name tells whether there are second derivatives.
func (p *evaluation) Name() string {
	switch {
	case p.Curved:
		return "evaluation with second derivatives"
	case p.Careful:
		return "careful evaluation"
	}
	return "evaluation"
}

// Label is for progress.
func (p *evaluation) Label() string { return "Pass" }

// Cost is two panels: with fewer rows together their correlation takes longer.
func (p *evaluation) Cost(in *pass.Input) int { return panelCost(in, len(p.Of.Features.Get().Names)) }

// panelCost is the Cost of a pass that correlates residuals with all features. Where
// those come from memory, a part has entries in most columns, so that they are read
// one after the other, which is three times as fast as with gaps: a few such parts are
// as much as the memory can do.
func panelCost(in *pass.Input, features int) int {
	n, m := in.Source.Dims()
	rows := panelBytes / (8 * max(1, blockOf(features)))
	entries, work := float64(rows)*float64(in.Source.Observed())/float64(max(n, 1)), float64(in.Work())
	cost := min(2*entries, work/128)
	if 8*m*features > farBytes {
		cost = max(cost, min(2*float64(m), work/farParts))
	}
	return int(cost)
}

// farBytes is the size of features that no cache holds, and farParts the least number
// of parts of a pass with such.
const (
	farBytes = 64 << 20
	farParts = 4
)

// Start makes a worker.
func (p *evaluation) Start(in *pass.Input) (pass.Worker, error) {
	k, err := p.Of.start(in, p.Weights, p.at, p.Curved)
	if err != nil {
		return nil, err
	}
	return &evaluating{worker: k, pass: p, sums: k.newSums(p.Curved)}, nil
}

// start is a worker at weights.
func (c *costOf) start(in *pass.Input, weights []float64, at *weighting, curved bool) (*worker, error) {
	o, err := c.exact(in)
	if err != nil {
		return nil, err
	}
	if at == nil {
		w := o.weigh(weights, nil)
		at = &w
	}
	k := o.takeWorker()
	k.prepare(*at, curved)
	return k, nil
}

type evaluating struct {
	*worker
	pass *evaluation
	sums *sums
}

// Add evaluates a chunk.
func (w *evaluating) Add(c *pass.Chunk) error {
	if w.pass.Careful {
		w.careful(c, w.pass.Weights, w.sums)
	} else {
		w.chunk(c, w.pass.Curved, w.sums)
	}
	return nil
}

// Part is the sums so far, with both triangles of the second derivatives.
func (w *evaluating) Part() (pass.Part, error) {
	s := w.sums
	w.take(s)
	s.gradient = w.arrange(s.gradient)
	if t := len(w.support); w.pass.Curved {
		mirror(s.hessian, t)
	}
	w.sums = w.newSums(w.pass.Curved)
	return s, nil
}

// mirror fills the upper triangle.
func mirror(hessian []float64, t int) {
	for x := range t {
		for y := range x {
			hessian[y*t+x] = hessian[x*t+y]
		}
	}
}

// Merge adds the rows that follow.
func (s *sums) Merge(o pass.Part) { s.plus(o.(*sums)) }

func (s *sums) plus(after *sums) {
	s.cost += after.cost
	s.constant += after.constant
	s.size += after.size
	s.squares += after.squares
	s.penalty += after.penalty
	floats.Add(s.gradient, after.gradient)
	floats.Add(s.hessian, after.hessian)
}

// sent is sums as they are sent.
type sent struct {
	Scalars           [5]float64
	Gradient, Hessian []float64
}

func (s *sums) sent() sent {
	return sent{[5]float64{s.cost, s.constant, s.size, s.squares, s.penalty}, s.gradient, s.hessian}
}

func (s *sent) sums() sums {
	return sums{cost: s.Scalars[0], constant: s.Scalars[1], size: s.Scalars[2], squares: s.Scalars[3], penalty: s.Scalars[4], gradient: s.Gradient, hessian: s.Hessian}
}

// GobEncode encodes the sums.
func (s *sums) GobEncode() ([]byte, error) {
	at := s.sent()
	return gobBytes(&at)
}

// GobDecode is the inverse of GobEncode.
func (s *sums) GobDecode(b []byte) error {
	var at sent
	err := gobValue(b, &at)
	*s = at.sums()
	return err
}

func gobBytes(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func gobValue(b []byte, to any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(to) }

func init() {
	pass.Register("", &evaluation{}, new(sums))
}
