// Package model turns a selection into something to use: coefficients per row,
// predictions, and a directory that anyone can open.
//
// It takes an observed matrix, the feature table and the selection; Coefficients
// fits each row (least squares as in the paper, minimum-norm where that is not
// unique, or ridge), and New joins them with the Summary: the settings, the
// certificate and the metrics of the fit.
//
// Parts may have a remainder: factors of low rank for what effects and features
// leave (SetRemainder), which explanations call unnamed.
//
// It gives predictions for a row and columns (PredictRow), for any ids (Answer,
// which says what the answer rests on), or for every column of many rows as one
// long table (Complete); recommendations; and explanations, of the model, of a
// row and of one prediction, in the units of the features' file. New rows are
// folded in (FoldIn, WithRows) and new columns added from their raw records
// (ColumnFrom, WithColumns), without a refit. It saves and loads all of it:
// model.json, rows.parquet, columns.parquet and seen.parquet, readable in pandas,
// polars, R or DuckDB.
//
// It must never hold, give or write a number that is not finite, leave half a
// model on the disk, or answer differently for another number of threads.
package model
