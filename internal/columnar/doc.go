// Package columnar reads and writes Parquet files, column by column.
//
// A Writer takes whole row groups: slices of texts, whole numbers or numbers, or
// Coded texts, which are a few texts and their places. A File lists its Columns,
// reads one of them (Floats), or scans several together in batches of rows
// (Scan), each as a Vector.
//
// It must never crash the process because of what a file contains: it compares
// announced sizes with the file itself before it allocates anything, and turns
// any panic of the libraries underneath into an error. It does not know what the
// columns mean.
//
// The parts of Parquet come from libraries: metadata (Thrift) and encodings from
// packages of parquet-go, compression from those that are best at it. This package
// puts them together, for flat columns and plain lists, whole pages at a time. A
// file is written with pages of plain numbers and of dictionaries, compressed by
// zstd.
//
// Why not a library for whole files. They take and give a value at a time, which
// needs ten times as long to write, and they bring what is not used here: with the
// Parquet of arrow-go, which needs its compute kernels and remote calls, the program
// was 61 MB and took 140 s of processor time to compile; package parquet itself,
// which needs Protocol Buffers and geometry, is another sixth of what is left. Where
// it read files of other programs it also erred: runs of true and false, and LZ4.
package columnar
