// Package cutplanes runs the paper's own algorithms step by step: [CutPlanes]
// (its Algorithm 1) and [OptComplete] (its Algorithm 2).
//
// Both take a cost as a search.Oracle and alternate: a master problem, solved to
// optimality by a milp.Solver, proposes the selection where the largest of all
// cuts is least; the oracle evaluates it and adds a cut there. CutPlanes sees all
// observed entries, so its bound is a certificate. OptComplete sees a fresh
// sample each time, so its cuts bound nothing: it gives the selection that the
// samples lead to, the sampled gap under that name, the true cost from one full
// pass, and no bound.
//
// Events, settings and results are those of package search. [Steps] is the
// record of a run, from which the master at any iteration can be written out.
//
// It must never present a sampled number as one from all the data, nor report a
// bound that a selection beats, whatever a solver answers. Costs must not be
// negative. It is here for comparison: package search proves the same optimum,
// usually with far fewer evaluations.
package cutplanes
