// Package objective computes the cost of a selection of features: how badly
// the observed entries are explained by them, with each row's coefficients
// chosen best (the paper's Theorem 1; docs/method.md).
//
// [Exact] takes an observed matrix, the features of its columns and γ, and
// evaluates the cost, its gradient and its second derivatives at any weights in
// [0,1]^p, in one pass over all observed entries. It satisfies search.Curved.
//
// [Pooled] is the same with a population coefficient beside each row's own, and
// [Grouped] makes features that belong together one choice. [Quadratic] is the
// cost of a single regression known by its products, from a [Table] of samples
// or, for products of row and column features, from [TwoSided].
//
// Every evaluation yields a cut that is a true lower bound of the cost. For any
// residuals r_i whatever,
//
//	n·m·c(t) ≥ Σ_i 2a_iᵀr_i − ‖r_i‖² − γ Σ_j t_j Σ_i (b_jᵀr_i)²   for all t ≥ 0,
//
// with equality where r_i solves row i at t: it is the dual of the row's least
// squares problem. So the cut is affine in t and stays true however inexactly
// the rows were solved; only the rounding of the sums themselves is left, and
// the cut is lowered by an estimate of it.
//
// Where rounding leaves cost and cut at the weights further apart than a proof
// can bear, the evaluation is repeated row by row, with as many digits as it
// takes (internal/wide). Costs are then rounded up and cuts down.
//
// Results depend on the data and the weights alone, never on the number of
// threads: rows are taken in fixed chunks whose sums are added in order. Within a
// chunk the residuals of many rows are correlated with the features together, by
// tiles of columns that fit a cache (see panel); the sum over a row's entries
// still follows the order of its columns.
package objective
