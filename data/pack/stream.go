package pack

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// Why a stream cannot take a row: the pack must be begun again otherwise.
var (
	errEncoding = errors.New("pack: a value does not fit the encoding")
	errBlock    = errors.New("pack: the block is too large")
)

// blockLimit is the most bytes of a block before its number of rows is held
// for a wrong guess. A block of one row may be larger.
const blockLimit = 32 << 20

// stream writes a pack of one encoding and one number of rows per block. It
// holds one block in memory.
type stream struct {
	shape
	to           io.Writer
	at           int64  // bytes written
	crc          uint32 // of what was written since it was last set to 0
	rowsPerBlock int
	columnIDs    []string
	metadata     map[string]string
	dictionary   *dictionary // nil for numbers

	// The block at hand.
	idOffset []int32
	id       []byte
	start    []int32
	low      []uint16
	high     []uint8
	value8   []uint8
	value16  []uint16
	value32  []float32
	value64  []float64
	weights  []float64

	rows, observed int64
	min, max       float64
	startRegion    region
	records        []blockRecord
	batches        []arrowBlock
}

func newStream(to io.Writer, s shape, rowsPerBlock int, columnIDs []string, metadata map[string]string) (*stream, error) {
	w := &stream{shape: s, to: to, rowsPerBlock: rowsPerBlock, columnIDs: columnIDs, metadata: metadata,
		min: math.Inf(1), max: math.Inf(-1)}
	if most := s.values.most(); most > 0 {
		w.dictionary = newDictionary(most)
	}
	w.clear()
	start := append([]byte(arrowMagic), 0, 0)
	start = append(start, s.schemaMessage(metadata, int64(len(start)))...)
	err := w.write(start)
	w.startRegion = region{Bytes: w.at, CRC: w.crc}
	return w, err
}

func (w *stream) clear() {
	w.idOffset, w.id = append(w.idOffset[:0], 0), w.id[:0]
	w.start, w.low, w.high = append(w.start[:0], 0), w.low[:0], w.high[:0]
	w.value8, w.value16, w.value32, w.value64 = w.value8[:0], w.value16[:0], w.value32[:0], w.value64[:0]
	w.weights = w.weights[:0]
}

func (w *stream) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := w.to.Write(b)
	w.at += int64(n)
	w.crc = crc32.Update(w.crc, castagnoli, b)
	return err
}

// blockRows is the number of rows in the block at hand.
func (w *stream) blockRows() int { return len(w.start) - 1 }

// append adds a valid row. After errEncoding or errBlock the row is not added,
// and the stream is otherwise as before.
func (w *stream) append(id string, columns []int32, values, weights []float64) error {
	if w.blockRows() > 0 && (len(w.low)+len(columns))*w.entryBytes()+len(w.id)+len(id) > blockLimit {
		return errBlock
	}
	if err := w.appendValues(values); err != nil {
		return err
	}
	w.weights = append(w.weights, weights...)
	var two []uint16
	w.low, two = extend(w.low, len(columns))
	for x, c := range columns {
		two[x] = uint16(c)
	}
	if w.wide() {
		var one []uint8
		w.high, one = extend(w.high, len(columns))
		for x, c := range columns {
			one[x] = uint8(c >> 16)
		}
	}
	low, high := w.min, w.max
	for _, v := range values { // twice as fast as min and max, which look for NaN
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	w.min, w.max = low, high
	w.id = append(w.id, id...)
	w.idOffset = append(w.idOffset, int32(len(w.id)))
	w.start = append(w.start, int32(len(w.low)))
	w.rows++
	w.observed += int64(len(columns))
	if w.blockRows() == w.rowsPerBlock {
		return w.flush()
	}
	return nil
}

// appendValues adds values, all or none.
func (w *stream) appendValues(values []float64) error {
	switch w.values {
	case Dictionary8:
		longer, to := extend(w.value8, len(values))
		if !encode(w.dictionary, to, values) {
			return errEncoding
		}
		w.value8 = longer
	case Dictionary16:
		longer, to := extend(w.value16, len(values))
		if !encode(w.dictionary, to, values) {
			return errEncoding
		}
		w.value16 = longer
	case Float32:
		longer, to := extend(w.value32, len(values))
		for x, v := range values {
			if !isFloat32(v) {
				return errEncoding
			}
			to[x] = float32(v)
		}
		w.value32 = longer
	default:
		w.value64 = append(w.value64, values...)
	}
	return nil
}

// extend gives a slice that is longer by n, and its new part.
func extend[T number](s []T, n int) (longer, added []T) {
	longer = slices.Grow(s, n)[:len(s)+n]
	return longer, longer[len(s):]
}

// flush writes the block at hand.
func (w *stream) flush() error {
	rows, idBytes, entries := w.blockRows(), int64(len(w.id)), int64(len(w.low))
	if rows == 0 {
		return nil
	}
	record := blockRecord{offset: w.at, before: w.observed - entries, idBytes: uint32(idBytes)}
	message := w.batchMessage(rows, idBytes, entries, w.at)
	record.meta = uint32(len(message))

	head := [][]byte{message, raw(w.idOffset), w.id}
	if w.wide() {
		head = append(head, make([]byte, (rows+7)/8), make([]byte, rows))
	}
	head = append(head, raw(w.start))
	body := [][]byte{raw(w.low)}
	if w.wide() {
		body = append(body, w.high)
	}
	switch w.values {
	case Dictionary8:
		body = append(body, w.value8)
	case Dictionary16:
		body = append(body, raw(w.value16))
	case Float32:
		body = append(body, raw(w.value32))
	default:
		body = append(body, raw(w.value64))
	}
	if w.weighted {
		body = append(body, raw(w.weights))
	}
	w.crc = 0
	if err := w.writeParts(head...); err != nil {
		return err
	}
	record.head, w.crc = w.crc, 0
	if err := w.writeParts(body...); err != nil {
		return err
	}
	record.entries = w.crc
	w.records = append(w.records, record)
	w.batches = append(w.batches, arrowBlock{record.offset, int32(record.meta), w.at - record.offset - int64(record.meta)})
	w.clear()
	return nil
}

// writeParts writes buffers, each padded.
func (w *stream) writeParts(parts ...[]byte) error {
	var zeros [align]byte
	for _, part := range parts {
		if err := w.write(part); err != nil {
			return err
		}
		if err := w.write(zeros[:padded(w.at)-w.at]); err != nil {
			return err
		}
	}
	return nil
}

// finish writes all that follows the rows: the last block, the dictionaries,
// the index and the Arrow footer.
func (w *stream) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	h := header{
		Rows: int(w.rows), Columns: w.columns, Observed: w.observed, RowsPerBlock: w.rowsPerBlock,
		Values: w.values, Weighted: w.weighted, Start: w.startRegion, Metadata: w.metadata,
	}
	if w.observed > 0 {
		h.Min, h.Max = w.min, w.max
	}
	w.records = append(w.records, blockRecord{offset: w.at, before: w.observed})
	dictionaries, err := w.writeTail(&h)
	if err != nil {
		return err
	}
	footer := w.footer(w.metadata, dictionaries, w.batches)
	h.Footer = region{Bytes: int64(len(footer)), CRC: checksum(footer)}

	var index []byte
	for _, r := range w.records {
		index = r.append(index)
	}
	readable, err := json.Marshal(&h)
	if err != nil {
		return err
	}
	// Blanks, so that the footer is aligned.
	unpadded := w.at + int64(len(index)+len(readable)+trailerBytes)
	readable = append(readable, bytes.Repeat([]byte{' '}, int(padded(unpadded)-unpadded))...)
	index = appendTrailer(append(index, readable...), len(readable), len(w.records), w.version())
	if err := w.write(index); err != nil {
		return err
	}
	return w.write(footer)
}

// writeTail writes the dictionaries and the end of the stream of messages.
func (w *stream) writeTail(h *header) ([]arrowBlock, error) {
	var dictionaries []arrowBlock
	h.Tail.Offset, w.crc = w.at, 0
	// put writes a dictionary, and says where its body begins.
	put := func(id int, length int64, parts ...[]byte) (at int64, err error) {
		body, buffers := int64(0), []buffer{{0, 0}}
		for _, p := range parts {
			buffers = append(buffers, buffer{body, int64(len(p))})
			body += padded(int64(len(p)))
		}
		message := dictionaryMessage(id, length, buffers, body, w.at)
		dictionaries = append(dictionaries, arrowBlock{w.at, int32(len(message)), body})
		at = w.at + int64(len(message))
		return at, w.writeParts(append([][]byte{message}, parts...)...)
	}
	offsets := make([]int32, 1, len(w.columnIDs)+1)
	var text []byte
	for _, id := range w.columnIDs {
		text = append(text, id...)
		offsets = append(offsets, int32(len(text)))
	}
	at, err := put(columnDictionary, int64(len(w.columnIDs)), raw(offsets), text)
	if err != nil {
		return nil, err
	}
	h.ColumnIDs = region{Offset: at, Bytes: padded(4*int64(len(offsets))) + int64(len(text))}
	if w.dictionary != nil {
		values := w.dictionary.values
		if at, err = put(valueDictionary, int64(len(values)), raw(values)); err != nil {
			return nil, err
		}
		h.Distinct, h.Distincts = len(values), region{Offset: at, Bytes: 8 * int64(len(values))}
	}
	err = w.writeParts(endOfStream)
	h.Tail.Bytes, h.Tail.CRC = w.at-h.Tail.Offset, w.crc
	return dictionaries, err
}
