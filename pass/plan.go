package pass

import (
	"context"
	"math/bits"

	"optcomplete/data"
)

// Plan is how a reading is divided: into items, which are consecutive chunks and
// whole subtrees of every pass's tree. It depends on the source and the passes
// alone.
type Plan struct {
	Input  Input
	passes []Pass
	grain  []int // a part of pass x is made of 2^grain[x] chunks
	unit   int   // an item of 2^unit chunks: the coarsest grain
}

// NewPlan divides a reading.
func NewPlan(s data.Source, passes []Pass, memory *Memory) *Plan {
	p := &Plan{Input: Input{Source: s, Chunks: data.Chunks(s), Memory: memory}, passes: passes}
	for _, pass := range passes {
		p.grain = append(p.grain, p.grainOf(pass))
		p.unit = max(p.unit, p.grain[len(p.grain)-1])
	}
	return p
}

// grainOf is the logarithm of the chunks that make a part as large as its cost.
func (p *Plan) grainOf(pass Pass) (grain int) {
	chunks := max(1, len(p.Input.Chunks)-1)
	work := max(1, p.Input.Work()/chunks) // of a chunk
	if costly, is := pass.(Costly); is {
		for cost := costly.Cost(&p.Input); work<<grain < cost && 1<<grain < chunks; grain++ {
		}
	}
	return grain
}

// PlanOf divides a reading as all processes that are to take part in it do.
func PlanOf(r Reading) *Plan {
	passes, _ := r.split()
	return NewPlan(r.Source, passes, nil)
}

// Items is the number of items of work.
func (p *Plan) Items() int { return ceil(p.chunks(), p.unit) }

// Large tells whether parts are so large that they are made of several chunks.
func (p *Plan) Large() bool { return p.unit > 0 }

// Rows are those of an item.
func (p *Plan) Rows(item int) (first, end int) {
	lo, hi := p.item(item)
	return p.Input.Chunks[lo], p.Input.Chunks[hi]
}

// PartChunks is how many chunks a part of a pass is made of, but for the last.
func (p *Plan) PartChunks(pass int) int { return 1 << p.grain[pass] }

func (p *Plan) chunks() int { return len(p.Input.Chunks) - 1 }

// item is the chunks of an item.
func (p *Plan) item(item int) (lo, hi int) {
	return item << p.unit, min((item+1)<<p.unit, p.chunks())
}

// ceil is n/2^shift, rounded up.
func ceil(n, shift int) int { return (n + 1<<shift - 1) >> shift }

// Executor computes items of a reading, on one goroutine.
type Executor struct {
	plan    *Plan
	sinks   []bool // the parts of the pass are wanted one by one
	workers []Worker
	chunk   *Chunk
}

// NewExecutor makes the workers. The parts of passes whose sinks is true are not
// merged.
func (p *Plan) NewExecutor(sinks []bool) (*Executor, error) {
	e := &Executor{plan: p, sinks: sinks}
	for _, pass := range p.passes {
		w, err := pass.Start(&p.Input)
		if err != nil {
			e.Release()
			return nil, err
		}
		e.workers = append(e.workers, w)
	}
	e.chunk = newChunk(p.Input.Source)
	return e, nil
}

// Release ends the work.
func (e *Executor) Release() {
	for _, w := range e.workers {
		if r, ok := w.(interface{ Release() }); ok {
			r.Release()
		}
	}
}

// Do computes an item: for each pass one part, or with a sink all its parts in
// order.
func (e *Executor) Do(ctx context.Context, item int) ([][]Part, error) {
	p := e.plan
	lo, hi := p.item(item)
	out := make([][]Part, len(p.passes))
	trees := make([]Gather, len(p.passes))
	for x := range trees {
		trees[x].leaves = ceil(hi-lo, p.grain[x])
	}
	for c := lo; c < hi; c++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.chunk.move(c, p.Input.Chunks[c], p.Input.Chunks[c+1])
		for x, pass := range p.passes {
			if s, ok := pass.(Sampling); !ok || s.Takes(c) {
				err := e.workers[x].Add(e.chunk)
				if e.chunk.failed != nil {
					return nil, e.chunk.failed
				}
				if err != nil {
					return nil, err
				}
			}
			if next := c - lo + 1; next&(1<<p.grain[x]-1) != 0 && c+1 < hi {
				continue
			}
			part, err := e.workers[x].Part()
			if err != nil {
				return nil, err
			}
			if e.sinks[x] {
				out[x] = append(out[x], part)
			} else {
				trees[x].put(0, (c-lo)>>p.grain[x], part)
			}
		}
	}
	for x := range trees {
		if !e.sinks[x] {
			out[x] = []Part{trees[x].root}
		}
	}
	return out, nil
}

// Runs is how many aligned runs of 2^level items there are.
func (p *Plan) Runs(level int) int { return ceil(p.Items(), level) }

// Run computes the items of an aligned run, the run-th of 2^level each, and merges
// their parts as the tree does: for each pass one part.
func (e *Executor) Run(ctx context.Context, level, run int) ([][]Part, error) {
	if level == 0 {
		return e.Do(ctx, run)
	}
	lo, hi := run<<level, min((run+1)<<level, e.plan.Items())
	trees := make([]Gather, len(e.plan.passes))
	for item := lo; item < hi; item++ {
		parts, err := e.Do(ctx, item)
		if err != nil {
			return nil, err
		}
		for x := range trees {
			trees[x].leaves = hi - lo
			trees[x].put(0, item-lo, parts[x][0])
		}
	}
	out := make([][]Part, len(trees))
	for x := range trees {
		out[x] = []Part{trees[x].root}
	}
	return out, nil
}

// levels is the number of levels of a tree over this many leaves, above them.
func levels(leaves int) int { return bits.Len(uint(max(leaves, 1) - 1)) }
