// Package evaluate measures predictions: it holds observed entries out of a
// fit and compares predictions with them.
//
// Split takes an observed matrix and gives two of the same shape, one to fit
// and one to test on; Fold and Repeat do so several times over. Score takes an
// observed matrix and a way to predict a row, and gives the Metrics: MAPE, RMSE
// and MAE; Measure gives R² and rankings too, with intervals from resampled rows.
//
// The same seed gives the same split on any machine, and a score has the same
// bits for any number of threads. It must never give a number that is not finite,
// nor put an entry in both parts of a split.
package evaluate
