// Package regress selects the best k features of a plain table for a linear
// regression, and proves how good they are.
//
// It takes a [Problem], n rows of p features and a value each, and [Settings].
// [Fit] minimises
//
//	(‖y − μ − X̃w‖² + ‖w‖²/γ) / n   over w with k coefficients and the intercept μ,
//
// where X̃ is X with its columns centred and scaled to Σx² = n (only scaled
// without an intercept): it is package search on package objective's Quadratic.
// It gives a [Result]: the selection, its coefficients in the user's units, cost,
// bound, gap and near-ties. [Path] does so for every k.
//
// The bound comes from cuts alone and the cost from residuals on the table, so
// that neither hides behind the rounding of products. Both are for X̃ in exact
// arithmetic: what was rounded in it counts as rounding. A limit is a status, not an error; settings that make no sense are a
// [spec.Error].
package regress
