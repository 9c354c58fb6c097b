// Package optcomplete completes a partly observed matrix from k features chosen
// out of p named ones, says which features those are, and proves how close that
// choice is to the best possible.
//
// A [Problem] holds the observed entries and the features of the columns, read
// from files by [Read] or made in memory; [Settings] say how many features to
// choose and how; [Fit] gives a [Matrix], a fitted model: the selection, its cost, a bound that no
// other selection can beat, and the coefficients of every row, ready to predict,
// [Save] and [Load]. [Path] does so for every k at once, validates each, and shows
// how stable the choice is.
//
// This package is the door: it only joins what the packages below do, each of which is
// usable by itself: formulation (the models of a matrix), twosided and regress (products
// of features, plain tables), data, objective (the cost), search (branch and bound on any
// convex cost), cutplanes (the paper's own algorithms, on the MILP solvers of milp), model and
// evaluate. It never prints. To read Parquet and Arrow, and to save and load models, a
// program imports optcomplete/files for its effect.
//
// The bound of a search subtracts an estimate of the rounding of its sums
// (docs/method.md); the proof that Settings.Proof asks for, checked by [Verify], bounds
// every rounding.
package optcomplete
