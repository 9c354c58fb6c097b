// Package model turns a selection into something to use: coefficients per row,
// predictions, and a directory that anyone can open.
//
// It takes an observed matrix, the feature table and the selection; Coefficients
// fits each row (least squares as in the paper, minimum-norm where that is not
// unique, or ridge), and New joins them with the Summary: the settings, the
// certificate and the metrics of the fit.
//
// It gives predictions for a row and columns (PredictRow), for ids (Predict),
// or for every column of many rows as one long table (Complete), and saves and
// loads all of it: model.json, rows.parquet and columns.parquet, readable in
// pandas, polars, R or DuckDB.
//
// It must never hold, give or write a number that is not finite, leave half a
// model on the disk, or answer differently for another number of threads.
package model
