package pack

import (
	"encoding/binary"
	"hash/crc32"
	"unsafe"
)

const (
	// MaxColumns is the most columns a pack can have: an index of three bytes.
	MaxColumns = 1 << 24

	maxNarrow      = 1 << 16 // columns whose index fits in two bytes
	maxRowsInBlock = 1 << 16
	maxMetadata    = 500 // keys; more would push the mark of a pack out of its start
	align          = 64  // of every buffer in the file
)

// Encoding is how the values of a pack are stored.
type Encoding string

// The encodings, smallest first. Each gives back every value bit for bit; the
// writer takes the first that can.
const (
	Dictionary8  Encoding = "dictionary8"  // a byte, the position among at most 256 distinct values
	Dictionary16 Encoding = "dictionary16" // two bytes, among at most 65536
	Float32      Encoding = "float32"      // every value is a float32
	Float64      Encoding = "float64"
)

// Bytes is the size of a value.
func (e Encoding) Bytes() int {
	switch e {
	case Dictionary8:
		return 1
	case Dictionary16:
		return 2
	case Float32:
		return 4
	case Float64:
		return 8
	}
	return 0
}

// most is the number of distinct values an encoding can hold; 0: any.
func (e Encoding) most() int {
	switch e {
	case Dictionary8:
		return 1 << 8
	case Dictionary16:
		return 1 << 16
	}
	return 0
}

// shape is what the layout of every block follows from.
type shape struct {
	columns  int
	values   Encoding
	weighted bool // entries have weights, each as float64
}

// wide tells that a column index takes three bytes: two low, one high.
func (s shape) wide() bool { return s.columns > maxNarrow }

func (s shape) columnBytes() int {
	if s.wide() {
		return 3
	}
	return 2
}

// entryBytes is what an entry takes.
func (s shape) entryBytes() int {
	bytes := s.columnBytes() + s.values.Bytes()
	if s.weighted {
		bytes += 8
	}
	return bytes
}

// The versions of the format: a program that knows no weights must not read a pack as if
// there were none. Both are written and read.
const (
	Version         = 1
	WeightedVersion = 2
)

// version is that of the format.
func (s shape) version() uint32 {
	if s.weighted {
		return WeightedVersion
	}
	return Version
}

// blockLayout is where the buffers of a block stand, from the start of its body.
// They are the buffers of an Arrow record batch in Arrow's order. Everything
// before low is the block's head: what is needed to find a row.
type blockLayout struct {
	idOffset        int64 // int32, rows+1
	id              int64 // bytes
	nulls, nullCode int64 // of the field that only carries the column ids; wide only
	start           int64 // int32, rows+1: the entries of row x are start[x]..start[x+1]
	low             int64 // uint16, the column or its low two bytes
	high            int64 // uint8, wide only
	value           int64
	weight          int64 // float64, where there are weights
	end             int64
}

func (s shape) block(rows int, idBytes, entries int64) blockLayout {
	at := int64(0)
	take := func(size int64) (start int64) {
		start = at
		at += padded(size)
		return start
	}
	var l blockLayout
	l.idOffset = take(4 * (int64(rows) + 1))
	l.id = take(idBytes)
	if s.wide() {
		l.nulls = take((int64(rows) + 7) / 8)
		l.nullCode = take(int64(rows))
	}
	l.start = take(4 * (int64(rows) + 1))
	l.low = take(2 * entries)
	if s.wide() {
		l.high = take(entries)
	}
	l.value = take(int64(s.values.Bytes()) * entries)
	if l.weight = at; s.weighted {
		take(8 * entries)
	}
	l.end = at
	return l
}

func padded(size int64) int64 { return (size + align - 1) &^ (align - 1) }

// blockRecord is a block's line in the index. The last line of the index is no
// block: it says where the blocks end, and how many entries there are in all.
type blockRecord struct {
	offset  int64  // of the block's message, from the start of the file
	before  int64  // entries in earlier blocks
	idBytes uint32 // of its rows' ids
	meta    uint32 // length of the message; the body follows
	head    uint32 // CRC-32C from the message to the first column index
	entries uint32 // CRC-32C from there to the end of the body
}

const recordBytes = 32

func (r blockRecord) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(r.offset))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.before))
	b = binary.LittleEndian.AppendUint32(b, r.idBytes)
	b = binary.LittleEndian.AppendUint32(b, r.meta)
	b = binary.LittleEndian.AppendUint32(b, r.head)
	return binary.LittleEndian.AppendUint32(b, r.entries)
}

func parseRecord(b []byte) blockRecord {
	return blockRecord{
		offset:  int64(binary.LittleEndian.Uint64(b)),
		before:  int64(binary.LittleEndian.Uint64(b[8:])),
		idBytes: binary.LittleEndian.Uint32(b[16:]),
		meta:    binary.LittleEndian.Uint32(b[20:]),
		head:    binary.LittleEndian.Uint32(b[24:]),
		entries: binary.LittleEndian.Uint32(b[28:]),
	}
}

// header is the readable part of the index.
type header struct {
	Rows         int      `json:"rows"`
	Columns      int      `json:"columns"`
	Observed     int64    `json:"observed"`
	RowsPerBlock int      `json:"rows_per_block"`
	Values       Encoding `json:"values"`
	Weighted     bool     `json:"weighted,omitempty"` // entries have weights
	Distinct     int      `json:"distinct"`           // values in the dictionary; 0 without one
	Min          float64  `json:"min"`
	Max          float64  `json:"max"`

	Start     region            `json:"start"`      // what precedes the blocks
	Tail      region            `json:"tail"`       // what follows them, up to the index
	Footer    region            `json:"footer"`     // what follows the index, up to the end of the file; its offset is left out
	ColumnIDs region            `json:"column_ids"` // within the tail: columns+1 int32, padding, then the text; no checksum of its own
	Distincts region            `json:"dictionary"` // within the tail: float64; no checksum of its own
	Metadata  map[string]string `json:"metadata,omitempty"`
}

// region is a part of the file.
type region struct {
	Offset int64  `json:"offset,omitempty"`
	Bytes  int64  `json:"bytes"`
	CRC    uint32 `json:"crc32c,omitempty"`
}

// The index ends with: length of the header, number of records, CRC-32C of all
// of the index before it, version, magic. Version and magic stay where they are
// in every version to come.
const (
	trailerBytes = 32
	magic        = "OPTCPACK"
)

func appendTrailer(index []byte, headerBytes, records int, version uint32) []byte {
	index = binary.LittleEndian.AppendUint64(index, uint64(headerBytes))
	index = binary.LittleEndian.AppendUint64(index, uint64(records))
	index = binary.LittleEndian.AppendUint32(index, checksum(index))
	index = binary.LittleEndian.AppendUint32(index, version)
	return append(index, magic...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// number is what a buffer of a pack holds.
type number interface {
	uint8 | uint16 | uint32 | uint64 | int32 | float32 | float64
}

// view gives the bytes of a buffer as numbers, without copying. The file is
// little-endian, and so is every machine that opens it (see Open); the writer
// aligns every buffer.
func view[T number](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}

// raw gives numbers as the bytes of a buffer, without copying.
func raw[T number](numbers []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*int(unsafe.Sizeof(one)))
}

var littleEndian = func() bool { x := uint16(1); return *(*byte)(unsafe.Pointer(&x)) == 1 }()
