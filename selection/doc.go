// Package selection is the driver of everything that selects: it knows how a number
// is chosen by validation, a path is walked and validated, a selection is tested on
// resamples and taken apart, and nothing of what is selected.
//
// It takes a [Formulation]: what can be selected, what a selection costs at the
// numbers that validation chose, how it is fitted and scored, and how its data are
// divided. The models of a matrix (paper, pooled, full), products of row and column
// features, and plain regression are formulations; a new one needs nothing here.
//
// The data are of a type of the formulation's own (entries of a matrix, rows of a
// table): the driver only passes them on. It never reads them, prints or saves.
package selection
