package objective

import (
	"gonum.org/v1/gonum/floats"

	"optcomplete/pass"
)

// pooledOf is an evaluation of the pooled cost, as its passes are sent.
type pooledOf struct {
	Of      costOf
	Gamma0  float64
	Weights []float64
	Curved  bool
	here    *Pooled      // nil where the pass was sent to
	at      *pooledPoint // with what the pass before kept
}

func (o *Pooled) described(at *pooledPoint, weights []float64) pooledOf {
	return pooledOf{Of: o.rows.described(), Gamma0: o.gamma0, Weights: weights, Curved: at.curved, here: o, at: at}
}

// start is a worker at the weights, and at μ unless it is nil.
func (p *pooledOf) start(in *pass.Input, mu []float64) (*pooledWorker, error) {
	o, at := p.here, p.at
	if o == nil {
		rows, err := p.Of.exact(in)
		if err != nil {
			return nil, err
		}
		o = NewPooled(rows, p.Gamma0)
		at = o.point(rows.weigh(p.Weights, nil), p.Weights, p.Curved)
		copy(at.mu, mu)
	}
	k := o.workers.get(func() *pooledWorker { return &pooledWorker{worker: o.rows.newWorker(), of: o} })
	k.panel.empty() // the one before may have been given up
	k.prepare(at)
	return k, nil
}

// Release puts the worker back.
func (k *pooledWorker) Release() { k.of.workers.put(k) }

// pooledFitting is the first pass of an evaluation.
type pooledFitting struct{ Of pooledOf }

// Label is for progress.
func (p *pooledFitting) Label() string { return "Pass" }

// Start makes a worker.
func (p *pooledFitting) Start(in *pass.Input) (pass.Worker, error) {
	k, err := p.Of.start(in, nil)
	if err != nil {
		return nil, err
	}
	return &fitting{k, pass.Makes(func() *pooledFit { return newPooledFit(len(k.support)) })}, nil
}

func newPooledFit(t int) *pooledFit {
	return &pooledFit{Gram: make([]float64, t*(t+1)/2), H: make([]float64, t)}
}

// Merge adds the rows that follow.
func (f *pooledFit) Merge(o pass.Part) {
	after := o.(*pooledFit)
	floats.Add(f.Gram, after.Gram)
	floats.Add(f.H, after.H)
}

type fitting struct {
	*pooledWorker
	pass.Making[*pooledFit]
}

// Add adds a chunk.
func (w *fitting) Add(c *pass.Chunk) error {
	w.fit(c, w.Now)
	return nil
}

// pooledEvaluation is the second pass of an evaluation, at μ.
type pooledEvaluation struct {
	Of pooledOf
	Mu []float64
}

// Name tells whether there are second derivatives.
func (p *pooledEvaluation) Name() string { return (&evaluation{Curved: p.Of.Curved}).Name() }

// Label is for progress.
func (p *pooledEvaluation) Label() string { return "Pass" }

// Cost is that of an evaluation.
func (p *pooledEvaluation) Cost(in *pass.Input) int {
	return panelCost(in, len(p.Of.Of.Features.Get().Names))
}

// Start makes a worker.
func (p *pooledEvaluation) Start(in *pass.Input) (pass.Worker, error) {
	k, err := p.Of.start(in, p.Mu)
	if err != nil {
		return nil, err
	}
	return &pooledEvaluating{k, newPooledSums(k.width(), len(k.support), k.at.curved)}, nil
}

type pooledEvaluating struct {
	*pooledWorker
	part *pooledSums
}

// Add evaluates a chunk.
func (w *pooledEvaluating) Add(c *pass.Chunk) error {
	w.residuals(c, w.part)
	return nil
}

// Part is the sums so far, with both triangles of the second derivatives.
func (w *pooledEvaluating) Part() (pass.Part, error) {
	part, t := w.part, len(w.support)
	w.take(part)
	part.gradient, part.total = w.arrange(part.gradient), w.arrange(part.total)
	if w.at.curved {
		mirror(part.hessian, t)
	}
	w.part = newPooledSums(w.width(), t, w.at.curved)
	return part, nil
}

// Merge adds the rows that follow.
func (s *pooledSums) Merge(o pass.Part) {
	after := o.(*pooledSums)
	s.plus(&after.sums)
	floats.Add(s.total, after.total)
	floats.Add(s.cross, after.cross)
}

// pooledSent is pooledSums as they are sent.
type pooledSent struct {
	Sums         sent
	Total, Cross []float64
}

// GobEncode encodes the sums.
func (s *pooledSums) GobEncode() ([]byte, error) {
	return gobBytes(&pooledSent{s.sent(), s.total, s.cross})
}

// GobDecode is the inverse of GobEncode.
func (s *pooledSums) GobDecode(b []byte) error {
	var at pooledSent
	err := gobValue(b, &at)
	*s = pooledSums{at.Sums.sums(), at.Total, at.Cross}
	return err
}

func init() {
	pass.Register("population", &pooledFitting{}, new(pooledFit))
	pass.Register("", &pooledEvaluation{}, new(pooledSums))
}
