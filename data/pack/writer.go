package pack

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"optcomplete/data"
	"optcomplete/internal/atomicfile"
)

// WriterOptions are the options of Create. The zero value gives a correct pack;
// the rest saves the writer from guessing.
type WriterOptions struct {
	// Rows is the expected number of rows, and Observed that of entries; 0 means
	// unknown. Together they set the number of rows per block.
	Rows, Observed int

	// Values are the distinct values, if they are known and at most 65536. Nil
	// means unknown: they are collected from the first million entries on. A
	// value that is not among them may still come.
	Values []float64

	// Float32 rounds the values to float32.
	Float32 bool

	// Weighted: the entries have weights, and rows are added with AppendWeighed.
	Weighted bool

	// Metadata is kept with the pack for its readers: at most 500 keys; may be nil.
	Metadata map[string]string
}

const (
	// blockEntries is how many entries a block aims at: some 50 to 150 kB, which
	// are checked as a whole when one of the block's rows is first read. Smaller
	// blocks read less for a sample of rows, larger ones frame less: the frame of
	// this size is 0.04 bytes an entry.
	blockEntries = 1 << 14

	// trialEntries is how many entries are seen before the encoding is chosen.
	trialEntries = 1 << 20

	// dictionaryUse is how often a value must occur, on average over those
	// entries, for a dictionary of more than 256 values. A value in it costs
	// eight bytes once, and saves two or six at each use.
	dictionaryUse = 4
)

// Writer writes a pack row by row. After an error, only Abort is of use.
type Writer struct {
	path      string
	columnIDs []string
	options   WriterOptions

	trial  *trial  // the first rows, until the encoding is chosen
	stream *stream // then the rest goes here,
	file   *atomicfile.Pending
	err    error

	rounded []float64 // scratch
}

// Create begins a pack; nothing is visible at path until Close. The ids must
// be distinct and UTF-8, as those of the rows; that they are distinct is not
// checked.
func Create(path string, columnIDs []string, o WriterOptions) (*Writer, error) {
	switch {
	case !littleEndian:
		return nil, errors.New("pack: packs are little-endian, and this machine is not")
	case len(columnIDs) > MaxColumns:
		return nil, fmt.Errorf("pack: %d columns are more than the %d that a pack can have", len(columnIDs), MaxColumns)
	case len(o.Values) > Dictionary16.most():
		return nil, fmt.Errorf("pack: %d distinct values are more than the %d that can be listed", len(o.Values), Dictionary16.most())
	}
	for _, v := range o.Values {
		if v-v != 0 {
			return nil, fmt.Errorf("pack: %v is among the distinct values, but is not a finite number", v)
		}
	}
	for key, value := range o.Metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(value) || key == arrowMark {
			return nil, fmt.Errorf("pack: the metadata %q: %q is not UTF-8, or has a key that is taken", key, value)
		}
	}
	if len(o.Metadata) > maxMetadata {
		return nil, fmt.Errorf("pack: %d keys of metadata are more than the %d a pack can have", len(o.Metadata), maxMetadata)
	}
	text := 0
	for at, id := range columnIDs {
		if !utf8.ValidString(id) {
			return nil, fmt.Errorf("pack: the id %q of column %d is not UTF-8", id, at)
		}
		if text += len(id); text > math.MaxInt32 {
			return nil, fmt.Errorf("pack: the column ids have more than %d bytes", math.MaxInt32)
		}
	}
	// The file is begun at once: a folder that cannot be written to is better
	// known before the rows are made.
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, columnIDs: columnIDs, options: o, file: file, trial: newTrial()}
	if o.Values != nil && o.Rows > 0 && o.Observed > 0 {
		if err := w.choose(); err != nil {
			w.Abort()
			return nil, err
		}
	}
	return w, nil
}

// Append adds a row, the rows in their final order, its columns increasing.
// The slices are not kept.
func (w *Writer) Append(rowID string, columns []int32, values []float64) error {
	return w.AppendWeighed(rowID, columns, values, nil)
}

// AppendWeighed is Append for entries that have weights.
func (w *Writer) AppendWeighed(rowID string, columns []int32, values, weights []float64) error {
	if len(columns) != len(values) {
		panic("pack: columns and values are not of one length")
	}
	if w.options.Weighted && len(weights) != len(values) || !w.options.Weighted && len(weights) > 0 {
		panic("pack: values and weights are not of one length")
	}
	if w.err == nil {
		w.err = w.append(rowID, columns, values, weights)
	}
	return w.err
}

func (w *Writer) append(rowID string, columns []int32, values, weights []float64) error {
	for x, weight := range weights {
		if !data.ValidWeight(weight) {
			return fmt.Errorf("pack: row %q, column %d has %s", rowID, columns[x], data.InvalidWeight(weight))
		}
	}
	before, m := int32(-1), int32(len(w.columnIDs))
	for x, c := range columns {
		if c <= before || c >= m {
			return fmt.Errorf("pack: row %q has column %d after column %d of %d", rowID, c, before, m)
		}
		before = c
		if v := values[x]; v-v != 0 { // NaN and the infinities
			return fmt.Errorf("pack: row %q, column %q has the value %v, which is not a finite number", rowID, w.columnIDs[c], v)
		}
	}
	if !utf8.ValidString(rowID) {
		return fmt.Errorf("pack: the row id %q is not UTF-8", rowID)
	}
	if len(rowID) > blockLimit {
		return fmt.Errorf("pack: the row id %.40q… has %d bytes, but at most %d fit in a block", rowID, len(rowID), blockLimit)
	}
	if w.options.Float32 {
		w.rounded = append(w.rounded[:0], values...)
		values = w.rounded
		for x, v := range values {
			if values[x] = float64(float32(v)); math.IsInf(values[x], 0) {
				return fmt.Errorf("pack: row %q, column %q has the value %v, which is too large for float32", rowID, w.columnIDs[columns[x]], v)
			}
		}
	}
	if w.trial == nil {
		return w.put(rowID, columns, values, weights)
	}
	w.trial.add(rowID, columns, values, weights)
	if len(w.trial.columns) >= trialEntries || len(w.trial.ids) >= trialEntries {
		return w.choose()
	}
	return nil
}

// choose ends the trial: the encoding and the rows per block are set, and the
// rows so far are written.
func (w *Writer) choose() error {
	t := w.trial
	w.trial = nil
	values := t.encoding()
	if w.options.Values != nil {
		values = Dictionary8
		if len(w.options.Values) > Dictionary8.most() {
			values = Dictionary16
		}
	}
	rows, observed := w.options.Rows, w.options.Observed
	if rows <= 0 || observed <= 0 {
		rows, observed = len(t.ids), len(t.columns)
	}
	if err := w.begin(values, rowsPerBlock(rows, observed)); err != nil {
		return err
	}
	for x, id := range t.ids {
		lo, hi := t.start[x], t.start[x+1]
		var weights []float64
		if w.options.Weighted {
			weights = t.weights[lo:hi]
		}
		if err := w.put(id, t.columns[lo:hi], t.values[lo:hi], weights); err != nil {
			return err
		}
	}
	return nil
}

// rowsPerBlock is the power of two that brings a block closest to blockEntries
// from below.
func rowsPerBlock(rows, observed int) int {
	per := 1
	for per < maxRowsInBlock && 2*per*observed <= blockEntries*rows {
		per *= 2
	}
	return per
}

// begin starts the stream on the file, which is empty.
func (w *Writer) begin(values Encoding, rowsPerBlock int) (err error) {
	w.stream, err = newStream(w.file, shape{len(w.columnIDs), values, w.options.Weighted}, rowsPerBlock, w.columnIDs, w.options.Metadata)
	if err != nil {
		return writeError(w.path, w.stream.at, err)
	}
	if w.stream.dictionary != nil {
		for _, v := range w.options.Values {
			if w.options.Float32 {
				v = float64(float32(v))
			}
			w.stream.dictionary.code(v)
		}
	}
	return nil
}

// put writes a row. When the encoding turns out too small, or the blocks too
// large, the pack is begun again from what has been written.
func (w *Writer) put(id string, columns []int32, values, weights []float64) error {
	for {
		err := w.stream.append(id, columns, values, weights)
		next, per := w.stream.values, w.stream.rowsPerBlock
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errEncoding):
			next = w.stream.wider(values)
		case errors.Is(err, errBlock):
			// The largest power of two that the block at hand would fill.
			for per > w.stream.blockRows() {
				per /= 2
			}
		default:
			return writeError(w.path, w.stream.at, err)
		}
		if err := w.again(next, per); err != nil {
			return err
		}
	}
}

// wider is the encoding after w's that may hold more.
func (w *stream) wider(values []float64) Encoding {
	switch w.values {
	case Dictionary8:
		return Dictionary16
	case Dictionary16:
		for _, list := range [][]float64{w.dictionary.values, values} {
			for _, v := range list {
				if !isFloat32(v) {
					return Float64
				}
			}
		}
		return Float32
	default:
		return Float64
	}
}

// again copies the pack so far into a new one with another encoding or other
// blocks, which takes its place.
func (w *Writer) again(values Encoding, rowsPerBlock int) error {
	old := w.file
	if err := w.stream.finish(); err != nil {
		return writeError(w.path, w.stream.at, err)
	}
	defer old.Abort()
	written, err := open(w.path, old.File)
	if err != nil {
		return err
	}
	defer written.Close()
	if w.file, err = atomicfile.Create(w.path); err != nil {
		w.file = old
		return err
	}
	if err := w.begin(values, rowsPerBlock); err != nil {
		return err
	}
	return data.ForEachWeighed(written, func(i int, columns []int32, values, weights []float64) error {
		id, err := written.RowID(i)
		if err != nil {
			return err
		}
		return w.put(id, columns, values, weights)
	})
}

// Close completes the pack and puts it in its place. If it fails, what stood
// there still does, and nothing is left behind.
func (w *Writer) Close() error {
	defer w.Abort()
	if w.err == nil {
		if err := w.close(); err != nil {
			w.err = err
			return err
		}
		return nil
	}
	return w.err
}

func (w *Writer) close() error {
	if w.trial != nil {
		if err := w.choose(); err != nil {
			return err
		}
	}
	if err := w.stream.finish(); err != nil {
		return writeError(w.path, w.stream.at, err)
	}
	if err := w.file.Commit(); err != nil {
		return writeError(w.path, w.stream.at, err)
	}
	return nil
}

// Abort gives the pack up and leaves nothing behind. It does nothing after Close.
func (w *Writer) Abort() {
	w.file.Abort()
	if w.err == nil {
		w.err = fmt.Errorf("writing %s: %w", w.path, ErrClosed)
	}
}
