// Package selection is the driver of everything that selects. It knows how to
// choose a number by validation, walk and validate a path, test a selection on
// resamples and take it apart. It knows nothing about what is selected.
//
// It takes a [Formulation]: what can be selected, what a selection costs at the
// numbers that validation chose, how it is fitted and scored, and how its data are
// divided. The models of a matrix (paper, pooled, full), products of row and column
// features, and plain regression are formulations; a new one needs nothing here.
//
// The data have the formulation's own type (entries of a matrix, rows of a
// table): the driver only passes them on. It never reads them, prints or saves.
package selection
