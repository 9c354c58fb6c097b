package ingest

import (
	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// batch is a piece of the input. The reading goroutine fills its first part, a
// worker parses that into the second, and the merging goroutine takes it from there.
type batch struct {
	file   *input
	parse  func(*worker, *batch)
	buffer []byte            // memory of text
	text   []byte            // whole lines
	column []byte            // Netflix: the column of the first lines
	record arrow.RecordBatch // Parquet
	rows   [2]int            // packs: from, to
	skip   int               // lines of the file between the batch before and this one
	read   int64             // bytes of all inputs read so far
	broken error             // why nothing could be read after it
	end    bool              // this is the last batch of its file
	note   string            // how its beginning was understood, if that is in doubt

	// entries have final numbers, or −2−k for the k-th of the new ids.
	entries             []data.Entry
	newRows, newColumns *ids
	lines               int // lines, or records
	given, missing      int // entries of the input, those with a missing value
	unknownEntries      int
	unknown             *ids             // columns that are not known
	fault               *data.InputError // its line counts from the batch's first
	hits                []int            // lines with the entry that is looked for
	done                chan struct{}
}

// batchBytes is about what a batch takes: its text, and 16 bytes for an entry of
// 12 to 16 characters.
const batchBytes = 5 * chunkBytes / 2

func newBatch() *batch {
	return &batch{newRows: newIDs(), newColumns: newIDs(), unknown: newIDs(), done: make(chan struct{}, 1)}
}

// reset makes the batch ready to be filled again; its memory stays.
func (b *batch) reset() {
	b.newRows.clear()
	b.newColumns.clear()
	b.unknown.clear()
	*b = batch{buffer: b.buffer[:0], column: b.column[:0], entries: b.entries[:0], hits: b.hits[:0],
		newRows: b.newRows, newColumns: b.newColumns, unknown: b.unknown, done: b.done}
}

// worker parses batches, one after another. All workers share the settings and
// the numbers of known ids.
type worker struct {
	settings      *Settings
	rows, columns *ids
	fixed         bool // other columns are not taken
	values        values
	probe         *data.Entry // look for this row and column and keep nothing

	waiting  []waiting // of cap maxWaiting
	fleeting bool      // ids do not outlive the next one: nothing may wait
	near     uint32    // keeps the compiler from leaving a loop out

	lastRow, lastColumn lastID
	fields              [][]byte  // of one line
	scratch             [2][]byte // ids that have to be put together
	columnsOf           []int32   // of one row of a pack
	valuesOf            []float64
}

// lastID is the id of the entry before, which files often repeat.
type lastID struct {
	key    uint64
	text   []byte
	number int32
}

func (l *lastID) is(key uint64, text []byte) bool {
	return l.key == key && (key&longKey == 0 || string(l.text) == string(text))
}

func (l *lastID) set(key uint64, text []byte, number int32) {
	l.key, l.number = key, number
	if key&longKey != 0 {
		l.text = append(l.text[:0], text...)
	}
}

func (w *worker) run(b *batch) {
	w.lastRow.key, w.lastColumn.key = 0, 0 // no text has this key
	b.lines = b.skip
	b.parse(w, b)
	w.settle(b)
	b.done <- struct{}{}
}

// columnOf finds the number of a column: −1 if it is new, and not ok if it is
// not known and must be.
func (w *worker) columnOf(b *batch, id []byte) (key uint64, number int32, ok bool) {
	key = keyOf(id)
	if w.lastColumn.is(key, id) {
		return key, w.lastColumn.number, true
	}
	number = w.columns.find(key, id)
	if number < 0 && w.fixed {
		w.unknownColumn(b, key, id)
		return key, number, false
	}
	return key, number, true
}

func (w *worker) unknownColumn(b *batch, key uint64, id []byte) {
	if !w.settings.DropUnknown {
		w.fail(b, "column "+data.Quote(string(id))+" is not in "+or(w.settings.Where, "the feature table"), "use --drop-unknown to leave such entries out")
		return
	}
	b.unknownEntries++
	if b.unknown.find(key, id) < 0 {
		b.unknown.add(key, string(id))
	}
}

// put keeps an entry; column and number are as columnOf gave them.
func (w *worker) put(b *batch, row []byte, rowKey uint64, column []byte, columnKey uint64, j int32, v float64) {
	if j == -1 {
		j = numberIn(b.newColumns, columnKey, column)
	}
	if columnKey != w.lastColumn.key || columnKey&longKey != 0 {
		w.lastColumn.set(columnKey, column, j)
	}
	w.waiting = append(w.waiting, waiting{rowKey, row, j, v})
	if len(w.waiting) == cap(w.waiting) || w.fleeting || w.probe != nil {
		w.settle(b)
	}
}

// waiting is an entry whose row has not been looked up yet.
type waiting struct {
	key    uint64
	row    []byte
	column int32
	value  float64
}

// maxWaiting is how many entries are looked up together.
const maxWaiting = 64

// settle looks up the rows of the entries that wait, and keeps them. Looking for
// many at once lets the processor wait for memory, where the table is large, for
// all of them at the same time: the first loop only asks for it.
func (w *worker) settle(b *batch) {
	slots := *w.rows.slots.Load()
	mask := uint64(len(slots) - 1)
	near, last := uint32(0), uint64(0)
	for at := range w.waiting {
		if key := w.waiting[at].key; key != last {
			near |= slots[random.Mix(key)&mask].number.Load()
			last = key
		}
	}
	w.near = near
	for at := range w.waiting {
		e := &w.waiting[at]
		i := w.lastRow.number
		if !w.lastRow.is(e.key, e.row) {
			if i = w.rows.find(e.key, e.row); i < 0 {
				i = numberIn(b.newRows, e.key, e.row)
			}
			w.lastRow.set(e.key, e.row, i)
		}
		w.keep(b, i, e.column, e.value)
	}
	w.waiting = w.waiting[:0]
}

// keep keeps an entry by its numbers.
func (w *worker) keep(b *batch, i, j int32, v float64) {
	if w.probe != nil {
		if i == w.probe.Row && j == w.probe.Column {
			b.hits = append(b.hits, b.lines)
		}
		return
	}
	if v == 0 {
		v = 0 // −0 and 0 are one value
	}
	w.values.add(v)
	b.entries = append(b.entries, data.Entry{Row: i, Column: j, Value: v})
}

// numberIn gives −2−k for the k-th new id of a batch.
func numberIn(t *ids, key uint64, id []byte) int32 {
	k := t.find(key, id)
	if k < 0 {
		k = t.add(key, string(id))
	}
	return -2 - k
}

// fail ends the batch with a fault on its current line.
func (w *worker) fail(b *batch, problem, remedy string) {
	b.fault = fault(b.file.name, b.lines, problem, remedy)
}

func (w *worker) isMissing(value []byte) bool {
	for _, token := range w.settings.Missing {
		if string(value) == token {
			return true
		}
	}
	return false
}
