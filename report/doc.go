// Package report writes what a fit found as one HTML page: what was selected and
// how sure that is, how good the predictions are, what each feature does, how the
// search went, and what there is to know of the data.
//
// It takes model.json, and for the section on k the result of a path; Compare
// takes several models. It gives a page that needs nothing else: no network, no
// other file, no script to be complete; in light and dark, on a phone, printed, by
// keyboard and by screen reader. Plots are SVG, each with a table beside it.
//
// It must never show a number that is not in model.json: every one is looked up
// there by its path and carries it (the attributes value and data-path), and those
// computed from two of them say so (data-derived). What a model does not have
// leads to a sentence, never to an empty plot.
package report
