// Package report writes what a fit found as one HTML page: what was selected and
// how sure that is, how good the predictions are, what each feature does, how the
// search went, and what to know about the data.
//
// It takes model.json, and for the section on k the result of a path; Compare
// takes several models. The page is complete by itself, without network, other
// files or scripts; in light and dark, on a phone, printed, by keyboard and by
// screen reader. Plots are SVG, each with a table beside it.
//
// It must never show a number that is not in model.json: every one is looked up
// there by its path and carries it (the attributes value and data-path), and
// those computed from two of them say so (data-derived). Where a model lacks
// something, the page says so in a sentence, and never shows an empty plot.
package report
