package ingest

import (
	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/data"
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
	key    key
	text   []byte
	number int32
}

func (l *lastID) is(k key, text []byte) bool {
	return l.key == k && (!k.long() || string(l.text) == string(text))
}

func (l *lastID) set(k key, text []byte, number int32) {
	l.key, l.number = k, number
	if k.long() {
		l.text = append(l.text[:0], text...)
	}
}

func (w *worker) run(b *batch) {
	w.lastRow.key, w.lastColumn.key = key{}, key{} // no id has this key
	b.lines = b.skip
	b.parse(w, b)
	w.settle(b)
	b.done <- struct{}{}
}

// columnOf finds the number of a column: −1 if it is new, and not ok if it is
// not known and must be.
func (w *worker) columnOf(b *batch, id []byte) (k key, number int32, ok bool) {
	k = keyOf(id)
	if w.lastColumn.is(k, id) {
		return k, w.lastColumn.number, true
	}
	number = w.columns.find(k, id)
	if number < 0 && w.fixed {
		w.unknownColumn(b, k, id)
		return k, number, false
	}
	return k, number, true
}

func (w *worker) unknownColumn(b *batch, k key, id []byte) {
	if !w.settings.DropUnknown {
		w.fail(b, "column "+data.Quote(string(id))+" is not in "+or(w.settings.Where, "the feature table"), "use --drop-unknown to leave such entries out")
		return
	}
	b.unknownEntries++
	if b.unknown.find(k, id) < 0 {
		b.unknown.add(k, string(id))
	}
}

// put keeps an entry; column and number are as columnOf gave them.
func (w *worker) put(b *batch, row []byte, rowKey key, column []byte, columnKey key, j int32, v float64) {
	if j == -1 {
		j = numberIn(b.newColumns, columnKey, column)
	}
	if columnKey != w.lastColumn.key || columnKey.long() {
		w.lastColumn.set(columnKey, column, j)
	}
	w.waiting = append(w.waiting, waiting{rowKey, row, j, v})
	if len(w.waiting) == cap(w.waiting) || w.fleeting || w.probe != nil {
		w.settle(b)
	}
}

// waiting is an entry whose row has not been looked up yet.
type waiting struct {
	key    key
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
	near, last := uint32(0), key{}
	for at := range w.waiting {
		if k := w.waiting[at].key; k != last {
			near |= slots[k.hash()&mask].number.Load()
			last = k
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
func numberIn(t *ids, k key, id []byte) int32 {
	number := t.find(k, id)
	if number < 0 {
		number = t.add(k, string(id))
	}
	return -2 - number
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
