// Package estimate fits the coefficients of a model whose features are selected.
//
// FitParts takes the observed entries, the selected features of every column and
// a Recipe, and gives Parts: everything that a prediction adds up. Effects are
// fitted alternately; each row is fitted by least squares as in the paper
// (minimum-norm where that is not unique), by ridge, or with a prior that is
// learned from all rows. Parts.FitRemainder adds what effects and features leave,
// as factors of low rank.
//
// Every reading of the entries is a pass. Rows may go to a RowSink as they are
// fitted, so that they need not all be in memory. Results are finite and do not
// depend on the number of threads.
package estimate
