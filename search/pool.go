package search

import "optcomplete/feasible"

// pool holds every cut computed so far. Cuts do not depend on k, on the tree,
// or on what is fixed, so one pool serves the whole path.
type pool struct {
	cuts []cut
	feasible.Bounder
}

// maxCuts limits the pool; the oldest cuts but the first few make room. It
// bounds the memory (p numbers each) and the time to bound a node.
const maxCuts = 256

func (p *pool) add(c cut) {
	if len(p.cuts) == maxCuts {
		copy(p.cuts[maxCuts/8:], p.cuts[maxCuts/4:])
		p.cuts = p.cuts[:maxCuts-maxCuts/8]
	}
	p.cuts = append(p.cuts, c)
}
