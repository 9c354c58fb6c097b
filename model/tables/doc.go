// Package tables writes what a model says as tables, CSV or Parquet: predictions of
// all columns (Complete, CompleteFolder) or of given pairs (PredictionWriter), recommendations, and
// the coefficients of rows. The bytes do not depend on the number of threads.
package tables
