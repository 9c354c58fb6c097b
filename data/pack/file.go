package pack

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"optcomplete/data"
)

// File is an open pack: a data.Source whose rows are read from the mapped file.
//
// A block is checked when it is first touched, its head (ids and row lengths)
// and its entries apart; a File never gives anything out of a block that failed.
// Entries and RowIDs cannot return an error: they give 0 and nil then, and Err
// says why, as does every attempt to read such a row.
type File struct {
	shape
	path         string
	file         *os.File
	bytes        []byte // mapped
	modified     time.Time
	header       header
	rows         int
	rowsPerBlock int
	shift        uint // rowsPerBlock is 1<<shift
	blocks       int
	records      []blockRecord     // blocks+1
	sum          [sha256.Size]byte // of the index, which has the checksums of all else
	dictionary   []float64         // as long as the codes can say, NaN beyond the distinct values

	chunks data.ChunkCache
	data.SurveyCache

	touched   []atomic.Uint32 // by block: headGood, entriesGood
	lastLook  atomic.Int64    // when the file was last asked for its size, by the monotonic clock
	failure   atomic.Pointer[error]
	isChanged atomic.Bool
	isClosed  atomic.Bool

	rowIDs    func() []string
	columnIDs func() []string
}

var _ data.Source = (*File)(nil)

// StartBytes is how many of its first bytes tell a pack.
const StartBytes = 4096

// IsPack tells whether a file that begins with these bytes, of which it needs
// StartBytes or the whole file, is a pack, of whatever version.
func IsPack(start []byte) bool {
	return bytes.HasPrefix(start, []byte(arrowMagic)) && bytes.Contains(start[:min(len(start), StartBytes)], []byte(arrowMark))
}

// Open opens the pack at path. The file is mapped, not loaded: that takes
// milliseconds whatever its size. Where files cannot be mapped (systems other
// than Unix) it is read into memory.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		problem := "cannot be opened: " + errors.Unwrap(err).Error()
		if errors.Is(err, os.ErrNotExist) {
			problem = "there is no such file"
		}
		return nil, &data.InputError{File: path, Problem: problem, Err: err}
	}
	f, err := open(path, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

// open opens a pack and keeps the file, which Close closes.
func open(path string, file *os.File) (*File, error) {
	if !littleEndian {
		return nil, errors.New("pack: packs are little-endian, and this machine is not")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file, modified: info.ModTime()}
	notPack := func(problem string) error {
		return &data.InputError{File: path, Problem: problem, Remedy: "make a pack of it with: optcomplete pack", Err: ErrNotPack}
	}
	if !info.Mode().IsRegular() {
		return nil, notPack("is not a regular file, so it is no pack")
	}
	start := make([]byte, StartBytes)
	n, err := file.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch start = start[:n]; {
	case !bytes.HasPrefix(start, []byte(arrowMagic)):
		return nil, notPack("is not a pack")
	case info.Size() > math.MaxInt:
		return nil, notPack("is larger than this machine can address")
	}
	if f.bytes, err = mapFile(file, int(info.Size())); err != nil {
		return nil, fmt.Errorf("opening %s: cannot map the file: %w", path, err)
	}
	if err = f.guard(-1, func() error { return f.load(IsPack(start), notPack) }); err != nil {
		unmap(f.bytes)
		return nil, err
	}
	f.rowIDs, f.columnIDs = sync.OnceValue(f.readRowIDs), sync.OnceValue(f.readColumnIDs)
	return f, nil
}

// load reads and checks everything but the blocks.
func (f *File) load(marked bool, notPack func(string) error) error {
	size := int64(len(f.bytes))
	cut := func(format string, args ...any) error {
		if !marked {
			return notPack("is an Arrow file, but not a pack")
		}
		return f.damaged(-1, format, args...)
	}
	const ending = 4 + len(arrowMagic)
	if size < trailerBytes+int64(ending) || string(f.bytes[size-int64(len(arrowMagic)):]) != arrowMagic {
		return cut("is not at the end of the file: the file was cut short")
	}
	footer := int64(binary.LittleEndian.Uint32(f.bytes[size-int64(ending):])) + int64(ending)
	end := size - footer // of the index
	if end < trailerBytes {
		return cut("is damaged: the Arrow footer has %d bytes", footer)
	}
	trailer := f.bytes[end-trailerBytes : end]
	if string(trailer[24:]) != magic {
		return cut("is damaged: its mark is missing")
	}
	version := binary.LittleEndian.Uint32(trailer[20:])
	if version < Version || version > WeightedVersion {
		return &data.InputError{File: f.path, Problem: fmt.Sprintf("is a pack of version %d, but this program reads versions %d to %d", version, Version, WeightedVersion),
			Remedy: "use the program that wrote it, or pack the data again", Err: ErrVersion}
	}
	headerBytes, records := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	room := uint64(end - trailerBytes)
	if headerBytes > room || records > (room-headerBytes)/recordBytes || records == 0 {
		return f.damaged(-1, "is damaged: it has %d blocks and %d bytes", records, headerBytes)
	}
	begin := end - trailerBytes - int64(headerBytes) - int64(records)*recordBytes
	index := f.bytes[begin:end]
	if got, want := checksum(index[:len(index)-16]), binary.LittleEndian.Uint32(trailer[16:]); got != want {
		return f.damaged(-1, "is damaged: its checksum is %08x, not %08x", got, want)
	}
	f.sum = sha256.Sum256(index)
	table := index[:records*recordBytes]
	if err := json.Unmarshal(index[len(table):len(index)-trailerBytes], &f.header); err != nil {
		return f.damaged(-1, "is damaged: %v", err)
	}
	f.weighted = f.header.Weighted
	f.records = make([]blockRecord, records)
	for x := range f.records {
		f.records[x] = parseRecord(table[x*recordBytes:])
	}
	if problem := f.consistent(begin, end); problem != "" || f.version() != version {
		problem = cmp.Or(problem, "its version is not that of its entries")
		return f.damaged(-1, "is damaged: %s", problem)
	}
	f.header.Footer.Offset = end
	for _, r := range []region{f.header.Start, f.header.Tail, f.header.Footer} {
		if got := checksum(f.bytes[r.Offset : r.Offset+r.Bytes]); got != r.CRC {
			return f.damaged(-1, "is damaged at byte %d: its checksum is %08x, not %08x", r.Offset, got, r.CRC)
		}
	}
	if problem := f.loadTail(); problem != "" {
		return f.damaged(-1, "is damaged: %s", problem)
	}
	return nil
}

// consistent sets what follows from the header and the table of blocks, and
// says what in them contradicts itself or the file, which has its index from
// begin to end. After it, every buffer of every block lies within the file.
func (f *File) consistent(begin, end int64) (problem string) {
	h := &f.header
	per := h.RowsPerBlock
	switch {
	case h.Rows < 0 || h.Columns < 0 || h.Columns > MaxColumns || h.Observed < 0:
		return fmt.Sprintf("it says %d × %d with %d entries", h.Rows, h.Columns, h.Observed)
	case per < 1 || per > maxRowsInBlock || bits.OnesCount(uint(per)) != 1:
		return fmt.Sprintf("it says %d rows per block", per)
	case h.Values.Bytes() == 0:
		return fmt.Sprintf("the encoding %q is unknown", h.Values)
	}
	f.columns, f.values = h.Columns, h.Values
	f.rows, f.rowsPerBlock, f.shift = h.Rows, per, uint(bits.TrailingZeros(uint(per)))
	f.blocks = h.Rows / per
	if h.Rows%per != 0 {
		f.blocks++
	}
	last := len(f.records) - 1
	if f.blocks != last {
		return fmt.Sprintf("it says %d blocks, but has %d", f.blocks, last)
	}
	size := int64(len(f.bytes))
	switch {
	case h.Start.Offset != 0 || h.Start.Bytes < 0 || h.Start.Bytes != f.records[0].offset:
		return "the blocks do not begin where the start ends"
	case h.Tail.Offset < h.Start.Bytes || h.Tail.Offset != f.records[last].offset || h.Tail.Bytes < 0 || h.Tail.Bytes != begin-h.Tail.Offset:
		return "the blocks do not end where the tail begins"
	case h.Footer.Bytes != size-end:
		return fmt.Sprintf("it says a footer of %d bytes, but %d follow", h.Footer.Bytes, size-end)
	case f.records[0].before != 0 || f.records[last].before != h.Observed:
		return fmt.Sprintf("the blocks have %d entries, but it says %d", f.records[last].before, h.Observed)
	}
	for b, r := range f.records[:last] {
		next := f.records[b+1]
		length, entries := next.offset-r.offset, next.before-r.before
		if r.offset < 0 || r.offset%align != 0 || length < 0 || next.offset > size || entries < 0 || entries > math.MaxInt32 || entries > length {
			return fmt.Sprintf("block %d has %d entries in %d bytes at byte %d", b, entries, length, r.offset)
		}
		if l := f.block(f.rowsIn(b), int64(r.idBytes), entries); r.meta%8 != 0 || (r.offset+int64(r.meta))%align != 0 || int64(r.meta)+l.end != length {
			return fmt.Sprintf("block %d should have %d bytes, but has %d", b, int64(r.meta)+l.end, length)
		}
	}
	f.touched = make([]atomic.Uint32, f.blocks)
	return ""
}

// loadTail copies the dictionary and checks the column ids.
func (f *File) loadTail() (problem string) {
	h := &f.header
	for _, r := range []region{h.ColumnIDs, h.Distincts} {
		if r.Bytes < 0 || r.Bytes > 0 && (r.Offset%align != 0 || r.Offset < h.Tail.Offset || r.Offset > h.Tail.Offset+h.Tail.Bytes-r.Bytes) {
			return fmt.Sprintf("%d bytes at byte %d are not in the tail", r.Bytes, r.Offset)
		}
	}
	offsets, text := f.columnText()
	if offsets == nil {
		return "the column ids do not fit"
	}
	before := int32(0)
	for _, o := range offsets {
		if o < before {
			return "the column ids overlap"
		}
		before = o
	}
	if offsets[0] != 0 || int(before) != len(text) {
		return "the column ids do not fit"
	}
	most := h.Values.most()
	if h.Distinct < 0 || h.Distinct > most || h.Distincts.Bytes != 8*int64(h.Distinct) {
		return fmt.Sprintf("a dictionary of %d values does not fit the encoding %s", h.Distinct, h.Values)
	}
	f.dictionary = make([]float64, most)
	var distinct []float64
	if h.Distinct > 0 {
		distinct = view[float64](f.bytes[h.Distincts.Offset:][:h.Distincts.Bytes])
	}
	for x := copy(f.dictionary, distinct); x < most; x++ {
		f.dictionary[x] = math.NaN()
	}
	for _, v := range distinct {
		if v-v != 0 {
			return fmt.Sprintf("the dictionary holds %v", v)
		}
	}
	return ""
}

// columnText is the offsets and the bytes of the column ids; nil if there is no
// room for them.
func (f *File) columnText() (offsets []int32, text []byte) {
	h := &f.header
	size := padded(4 * (int64(h.Columns) + 1))
	if h.ColumnIDs.Bytes < size {
		return nil, nil
	}
	b := f.bytes[h.ColumnIDs.Offset:][:h.ColumnIDs.Bytes]
	return view[int32](b[:4*(h.Columns+1)]), b[size:]
}

// rowsIn is the number of rows of block b.
func (f *File) rowsIn(b int) int { return min(f.rowsPerBlock, f.rows-b*f.rowsPerBlock) }

// Dims returns the number of rows and of columns.
func (f *File) Dims() (rows, columns int) { return f.rows, f.columns }

// Observed returns the number of observed entries.
func (f *File) Observed() int { return int(f.header.Observed) }

// Chunks is those it is read in; see data.Chunked.
func (f *File) Chunks() []int { return f.chunks.Of(f) }

// Close unmaps the file. It reports ErrChanged if the file is no longer what
// was opened, so that what was read last is not to be trusted.
func (f *File) Close() error {
	if f.isClosed.Swap(true) {
		return nil
	}
	err := f.unchanged(-1)
	return errors.Join(err, unmap(f.bytes), f.file.Close())
}

// Err returns the first failure of this File's methods and readers, or nil.
func (f *File) Err() error {
	if p := f.failure.Load(); p != nil {
		return *p
	}
	return nil
}

// Info is what a pack says about itself without reading its entries.
type Info struct {
	Path         string            `json:"path"`
	Version      int               `json:"version"`
	Bytes        int64             `json:"bytes"`
	Rows         int               `json:"rows"`
	Columns      int               `json:"columns"`
	Observed     int               `json:"observed"`
	RowsPerBlock int               `json:"rows_per_block"`
	Blocks       int               `json:"blocks"`
	ColumnBytes  int               `json:"column_bytes"`       // of an entry
	Encoding     Encoding          `json:"encoding"`           // of the values
	ValueBytes   int               `json:"value_bytes"`        // of an entry
	Weighted     bool              `json:"weighted,omitempty"` // entries have weights
	Min          float64           `json:"min"`                // 0 without entries
	Max          float64           `json:"max"`
	Values       []float64         `json:"values,omitempty"` // the distinct values, increasing, with those announced to the writer; nil if they are not listed
	Metadata     map[string]string `json:"metadata,omitempty"`
}

// Info describes the pack.
func (f *File) Info() Info {
	h := &f.header
	values := slices.Sorted(slices.Values(f.dictionary[:h.Distinct]))
	return Info{Path: f.path, Version: int(f.version()), Weighted: h.Weighted, Bytes: int64(len(f.bytes)), Rows: f.rows, Columns: f.columns, Observed: f.Observed(),
		RowsPerBlock: f.rowsPerBlock, Blocks: f.blocks, ColumnBytes: f.columnBytes(), Encoding: h.Values, ValueBytes: h.Values.Bytes(),
		Min: h.Min, Max: h.Max, Values: values, Metadata: h.Metadata}
}
