// Package pack is the on-disk form of a large observed matrix: a file that is
// mapped and not loaded, opens in milliseconds whatever its size, and in which
// any row is found at once.
//
// A Writer takes rows in their final order and gives a file; Open gives a
// data.Source over it. Values come back bit for bit. docs/formats.md has the
// format: an Arrow IPC file, which other programs read as such, with an index
// of its own that says where the blocks of rows are and what their checksums
// are.
//
// It must never give a wrong number: every byte is under a checksum, each block
// is checked when first touched, and a file that is damaged, cut short, of
// another version or changed while open is an error that names the block. It
// must never crash the process for what is in a file or becomes of it, nor leave
// anything half-written at a path.
//
// Why both Arrow and an index. Arrow alone lacks checksums and a place for them,
// and its Go library reads every row through interfaces and cannot map a file
// with dictionaries (v18.8.0). A format of our own alone would be no smaller:
// Arrow's frame is a few bytes in a thousand. So the file is Arrow to the world,
// and plain buffers to this package. Measured by the benchmarks of this package
// on one file of 10⁷ entries (500 a row, 10⁴ columns; ratings / float32), in
// processor time of one core of a busy machine of two:
//
//	                              ratings     float32
//	size, bytes an entry          BYTES8      BYTES32
//	a pass, this package          PASS8       PASS32 ns an entry
//	a pass, arrow-go              ARROW8      ARROW32 ns an entry
//	a pass over data.Matrix       MEMORY ns an entry
//
// Column numbers are two bytes, or two and one above 65,536 columns. Differences
// between columns would often fit in one, but no other program could read them.
package pack
