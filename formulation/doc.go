// Package formulation has the models of a matrix: what the k selected features are to
// explain, what a selection costs, how the rows are fitted, and how the data are divided.
//
// [Fit] takes a [Problem], the entries and the features of the columns, and [Settings],
// and gives a model.Model; [Path] does so for every k. They join the packages that do the
// work: the driver is selection, costs are of objective, the search is search or
// cutplanes, rows are fitted by model/estimate, what remains by remainder.
//
// It never reads files, prints or saves, but that the coefficients of very many rows
// go to the folder of the model to be.
package formulation
