// Package data holds the input: the partly observed matrix, the table of features
// of its columns, and their readers and writers.
//
// It takes text tables (comma, tab or semicolon; plain, gzip or zstd; a file or
// standard input) and gives Features tables, and a Matrix stored by rows; package
// data/ingest reads observed entries, in this and other forms. Everything it
// gives is finite, within bounds and free of duplicates, so no package that uses
// it has to check again. Entries may have weights; see IsWeighted.
//
// Every fault of the input is an *InputError that names the file, the line and
// what to do. It must never guess: an entry is either read exactly as written,
// or counted as left out because the caller asked for that, or an error. It must
// never hold a line longer than its limit, whatever the file contains.
package data
