// Package store keeps a model in a directory that anyone can open: model.json,
// rows.parquet, columns.parquet and seen.parquet, readable in pandas, polars, R or
// DuckDB.
//
// Save writes it whole or not at all, with the checksums of all files; Load
// refuses files that have changed since, and names the file. A RowFile takes the
// rows of a fit as they are fitted; RowShards let a cluster write them, in several
// files that a rows.json lists, and a model that has those is like any other. SaveSealed and ReadSealed serve the other
// packages that keep a model.
package store
