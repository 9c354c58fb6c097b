// Package search finds the best selection of k out of p features, and proves
// how good it is, for any convex cost.
//
// It takes an [Oracle], which gives the cost at weights s in [0,1]^p together
// with a cut, an affine function that is nowhere above the cost. It gives a
// [Result]: the best selection found (the incumbent), a bound that no selection
// can beat, the gap between them, and the near-ties seen on the way.
//
// [Minimize] solves one k by branch and bound: a greedy start, a relaxation of
// each node by multiplicative and Newton steps, fixing by reduced costs, one
// pool of cuts for the whole tree, and, for an [Enumerator] or a [Modeler],
// regions that are ended by looking at all their selections. [Path] solves k = 1..K and reuses every
// cut, since a cut does not depend on k.
//
// A [Recorder] receives what proves the bound: points, branchings, fixings and what
// closed each region. Package proof writes and checks it.
//
// It knows nothing of matrices, files or clocks other than its own limits. It
// must never report a bound that some selection beats: a bound comes only from
// cuts of the oracle and from exhausted regions, never from an estimate. For
// the same oracle values it takes the same steps, so a run without a time
// limit is repeatable to the bit.
package search
