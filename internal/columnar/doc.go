// Package columnar reads and writes Parquet files, column by column.
//
// A Writer takes whole row groups: slices of texts, whole numbers or numbers,
// or Coded texts, which are a few texts and their places. A File tells its
// Columns, reads one of them (Floats), or scans several together in batches of
// rows (Scan), each as a Vector.
//
// It must never crash the process for what is in a file: sizes that a file
// announces are compared with the file itself before anything is allocated, and
// whatever the library underneath panics with becomes an error. It knows
// nothing of what the columns mean.
//
// Why parquet-go. The Parquet of arrow-go needs Arrow's compute kernels and its
// remote calls, whether they are used or not: with it the program had 61 MB and
// took 140 s of processor time to compile; see docs/benchmarks.md for what it is now.
package columnar
