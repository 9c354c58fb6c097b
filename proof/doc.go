// Package proof writes down why no selection costs less than a bound, and checks
// what was written.
//
// A [Writer] takes what a search records (points at which cuts were taken,
// branchings, fixings, what closed each region) and writes it as lines of JSON
// under a [Statement] of the problem. [Read] reads such a file. [Check] checks it
// against the data: it takes a [Problem] and gives a [Verdict] with its own
// bound.
//
// The checker uses nothing that computed the bound: not package search,
// objective, or internal/kernel; a test makes sure of that. For a cut, the file
// has only the weights. The checker solves each row there anew, by plain Cholesky
// factors, and takes the residuals r_i as they come, however inexact, since for
// any of them
//
//	n·m·c(t) ≥ Σ_i 2a_iᵀr_i − ‖r_i‖² − γ Σ_j t_j Σ_i (b_jᵀr_i)²   for all t ≥ 0.
//
// Where entries have weights w, ‖r_i‖² is Σ r²/w there (see solve.go).
//
// The right-hand side is evaluated with rigorous bounds on every rounding (see
// round.go), in twice the working precision where those are too wide, and with more
// bits still where weights differ by many magnitudes (see long.go). Regions
// that were enumerated are enumerated again, by an elimination whose backward
// error is bounded (see enumerate.go). Where a model closed a region, the checker computes
// its own (see model.go), takes the tangents of the file (see modeltree.go), and
// evaluates what is left. The tree is walked from the top, so no
// selection can be missing, whatever the file says: a part that nothing closes is
// bounded by 0. So a file that was tampered with may prove less, but never
// anything false.
//
// It must never accept a bound that some selection is below, nor one that was not shown:
// what the model claims and what the check found may differ by 1e-9 of the cost.
package proof
