// Package remainder fits what the selected features leave, together with them:
// the other features with shrunken coefficients, and traits that have no name.
//
// The model of an observed entry is
//
//	x_ij = μ + h_jᵀθ_i + c_j + noise of variance σ²/w_ij,   h_j = (design_j, v_j)
//
// with the weight w_ij of the entry, or 1. The design of a column is what is known about
// it: a 1 for the row's level, its selected features, its other features, its co-occurrence
// factors (cofactors.go). θ_i = (level and coefficients, w_i) is normal with mean m and covariance Σ
// over the rows. The unnamed part of m is 0, and what the row's choice of columns says is
// added to m (implicit.go). φ_j = (c_j, v_j), a column's own level and unnamed traits, is
// normal with mean 0 and covariance T. m, Σ, T and σ² are learned.
//
// Fit climbs the evidence bound (variational Bayes, rows and columns independent
// given the data): every step solves all rows exactly given the columns, then all
// columns given the rows, both with their posterior covariances, and sets m, Σ, T
// and σ² from the moments. No half of a step can lower the bound. Between steps m
// and Σ go further than the moments say, as long as that raises the bound (relax.go).
// Directions that carry next to nothing are dropped. Most steps are taken on some of the
// rows (start.go). Traits join in blocks, as long as entries held out are predicted better
// (grow.go). Other losses are fitted by working responses (respond.go).
//
// What features explain of the columns' φ is moved into the rows' coefficients
// after every step (a change of coordinates that leaves every prediction as it
// is), so that nothing that has a name hides in the unnamed traits, and a column
// without entries is predicted from its features alone.
//
// Rows are never kept: given the columns a row's posterior is one solve, which
// Rows repeats when it is asked for. A step is one reading of the entries (see
// package pass), whose parts are the columns' sums: m·(f+1)(f+2)/2 numbers, f = 1 +
// rank. So it runs on entries in a file, or on other machines.
//
// The result is finite and has the same bits for any number of threads.
package remainder
