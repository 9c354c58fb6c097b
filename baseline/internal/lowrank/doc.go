// Package lowrank holds what the baselines share: passes over the rows of a
// source, the loops over a row's entries and their factors, and validation parts.
//
// Factors are tables of a given width (kernel.Pad of the rank; entries beyond the
// rank are zero), with one line for each row or column of the matrix. A pass
// reads every row once, in chunks that depend on the data alone, and adds the
// chunks' sums in order, so the number of threads cannot change a bit of any
// result.
//
// It must never form an n×m matrix.
package lowrank
