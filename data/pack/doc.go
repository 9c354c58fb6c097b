// Package pack is the on-disk form of a large observed matrix: a file that is
// mapped, not loaded. It opens in milliseconds whatever its size, and any row in
// it is found at once.
//
// A Writer takes rows in their final order and gives a file; Open gives a
// data.Source over it. Values come back bit for bit. docs/formats.md has the
// format: an Arrow IPC file, which other programs read as such, with an index
// of its own that says where the blocks of rows are and what their checksums
// are.
//
// It must never give a wrong number: every byte is under a checksum, each block
// is checked when first touched, and a file that is damaged, cut short, of
// another version or changed while open is an error that names the block. It must
// never crash the process because of what a file contains or what happens to the
// file, nor leave anything half-written at a path.
//
// Why both Arrow and an index. Arrow has no place for checksums, and arrow-go
// v18.8.0 cannot map a file with dictionaries (it panics), so it copies every
// batch. A format of our own alone would hardly be smaller: Arrow's frame and the
// index together take 0.04 bytes per entry. So the file is Arrow to other
// programs, and plain buffers to this package. The benchmarks of this package
// measured, on 10⁷ entries, 500 per row, 10⁴ columns (medians of three, processor
// time of one core of a busy two-core machine):
//
//	                                      ratings   float32
//	bytes an entry, ids and all           3.08      6.08
//	pass, ns an entry                     0.86      0.71
//	first pass, which checks all blocks   2.1       2.3
//	pass with arrow-go, nothing checked   3.1       3.6
//	pass over a data.Matrix in memory     1.1       1.1
//
// Column numbers are two bytes, or two and one above 65,536 columns. Differences
// between columns would often fit in one, but no other program could read them.
package pack
