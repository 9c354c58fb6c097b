// Package columnar reads and writes Parquet files, column by column.
//
// A Writer takes whole row groups: slices of texts, whole numbers or numbers, or
// Coded texts, which are a few texts and their places. A File lists its Columns,
// reads one of them (Floats), or scans several together in batches of rows
// (Scan), each as a Vector.
//
// It must never crash the process because of what a file contains: it compares
// announced sizes with the file itself before it allocates anything, and turns
// any panic of the library underneath into an error. It does not know what the
// columns mean.
//
// Files are written by this package itself, with pages of plain numbers and of
// dictionaries, compressed by zstd: a library that takes a value at a time needs
// ten times as long. They are read by parquet-go, which knows what other programs
// write.
//
// Why parquet-go. The Parquet of arrow-go needs Arrow's compute kernels and its
// remote calls, whether they are used or not: with it the program was 61 MB and
// took 140 s of processor time to compile; docs/benchmarks.md has the current
// figures.
package columnar
