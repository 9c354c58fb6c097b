// Package ingest reads observed entries in the formats that people have, as one
// stream in the order of the input: CSV and TSV (plain, gzip, zstd, standard
// input), Parquet (a file or a folder of parts), Arrow, Matrix Market, the
// Netflix Prize files, MovieLens, packs.
//
// It takes paths and Settings and gives either a *data.Ratings in memory
// (Ratings) or a pack on disk (Pack), which may be larger than memory. Rows come
// in the canonical order of their ids (data.CompareIDs); columns too, unless they
// are given. So neither the order of the input nor its format changes anything.
//
// The input is cut into batches that several goroutines parse. Ids get their
// numbers, and entries their places, in one goroutine that takes the batches in
// order, so the result never depends on the number of threads or on the memory
// allowed.
//
// Every fault of the input is a *data.InputError that names the file, the line
// and what to do. It must never guess, never lose an entry without counting it,
// and never leave a temporary file behind.
package ingest
