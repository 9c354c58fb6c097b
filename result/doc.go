// Package result holds what a fit reports, as plain values: the [Certificate]
// (cost, bound, gap, status, near-ties, the path of γ and what was counted), a
// [Status] that prints and parses, and the [Metrics] of predictions.
//
// Everything that selects returns a Certificate: the fits of a matrix, of products,
// of a plain table, and every point of a path. It is embedded there, so its fields
// are theirs in JSON too.
//
// The package only describes, and of this module imports nothing but the reading of
// names: a reader of results needs neither the data nor the search.
package result
