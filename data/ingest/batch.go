package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/record"
	"optcomplete/internal/suggest"
	"optcomplete/internal/textfile"
)

// batch is a piece of the input. The reading goroutine fills its first part, a
// worker parses that into the second, and the merging goroutine takes it from there.
type batch struct {
	file    *input
	parse   func(*worker, *batch)
	buffer  []byte          // memory of text
	text    []byte          // whole lines
	column  []byte          // Netflix: the column of the first lines
	vectors []record.Vector // tables by columns
	rows    [2]int          // packs: from, to
	skip    int             // lines of the file between the batch before and this one
	read    int64           // bytes of all inputs read so far
	broken  error           // why nothing could be read after it
	end     bool            // this is the last batch of its file
	note    string          // how its beginning was understood, if that is in doubt

	// entries have final numbers, or −2−k for the k-th of the new ids.
	entries             []data.Entry
	newRows, newColumns *ids
	lines               int // lines, or records
	given, missing      int // entries of the input, those with a missing value
	zeros               int // those left out for the weight 0
	unknownEntries      int
	strange             *data.InputError // of the first such entry, where it is a fault
	booleans            int              // values such as yes and no
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

	waiting  []waiting             // of cap maxWaiting
	texts    [maxWaiting][2][]byte // row and column of those that wait, where a key is long
	fleeting bool                  // texts do not outlive the next one: they cannot wait

	lastRow, lastColumn lastID
	fields              [][]byte  // of one line
	scratch             [2][]byte // ids that have to be put together
	memos               [2]memo   // of the dictionaries of rows and columns
	columnsOf           []int32   // of one row of a pack
	valuesOf            []float64
	weightsOf           []float64
	weight              float64   // of the entry at hand
	more                []float64 // those of the entries that wait
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
	if b.strange != nil {
		b.fault = b.strange
		if b.unknownEntries == b.given {
			b.fault.Problem += ", nor is any other" + noneKnown(b.unknown.all(), w.settings.Columns)
			b.fault.Remedy = "the ids must be the same on both sides"
			if w.settings.Where == "" {
				b.fault.Remedy += "; Settings.ID names the field of the table that has them"
			}
		}
	}
	b.done <- struct{}{}
}

// place takes the ids of an entry of a text: the number of its column, as columnOf
// finds it; not ok if the entry is left out, or a fault.
func (w *worker) place(b *batch, row, column []byte) (k key, number int32, ok bool) {
	b.given++
	if len(row) == 0 || len(column) == 0 {
		b.fault = w.table(b).EmptyID(len(row) == 0)
		return k, 0, false
	}
	return w.columnOf(b, column)
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
		w.unknownColumn(b, k, id, "")
		return k, number, false
	}
	return k, number, true
}

// unknownColumn counts an entry of a column that is not known. If that is a fault, it is
// one of the whole batch, which shows whether any column is known.
func (w *worker) unknownColumn(b *batch, k key, id []byte, where string) {
	if !w.settings.DropUnknown && b.strange == nil {
		remedy := "use Settings.DropUnknown to leave such entries out"
		if len(id) >= fewestLetters {
			if near := suggest.Hint(string(id), w.settings.Columns); near != "" {
				remedy = near + " Or " + remedy
			}
		}
		b.strange = fault(b.file.name, b.lines, where+"column "+data.Quote(string(id))+" is not in "+cmp.Or(w.settings.Where, "the feature table"), remedy)
	}
	b.unknownEntries++
	if b.unknown.find(k, id) < 0 {
		b.unknown.add(k, string(id))
	}
}

// fewestLetters is the length of an id from which on one that is alike may be meant.
const fewestLetters = 4

// noneKnown shows some ids of either side, where no column is known.
func noneKnown(ids, known []string) string {
	ids = ids[:min(3, len(ids))]
	text := fmt.Sprintf(": here are %s, and there %s", data.QuoteList(ids), data.QuoteList(known[:min(3, len(known))]))
	var near []string
	for _, id := range ids {
		if other := suggest.Nearest(id, known); other != "" && (len(id) >= fewestLetters || strings.EqualFold(id, other)) {
			near = append(near, data.Quote(id)+" is near "+data.Quote(other))
		}
	}
	if len(near) > 0 {
		text += "; " + strings.Join(near, ", ")
	}
	return text
}

// put takes an entry, with the weight at hand if the file has weights; the
// column's key and number are as columnOf gave them.
func (w *worker) put(b *batch, row, column []byte, columnKey key, j int32, v float64) {
	rowKey := keyOf(row)
	long := rowKey.long() || columnKey.long()
	if long {
		w.texts[len(w.waiting)] = [2][]byte{row, column}
	}
	w.waiting = append(w.waiting, waiting{rowKey, columnKey, v, -1, j})
	if b.file.weight.is {
		w.more = append(w.more, w.weight)
	}
	if len(w.waiting) == maxWaiting || long && w.fleeting || w.probe != nil {
		w.settle(b)
	}
}

// waiting is an entry whose ids have not been looked up yet.
type waiting struct {
	row, column key
	value       float64
	i, j        int32 // numbers of the row and the column; −1 if not found yet
}

// maxWaiting is how many entries are looked up together.
const maxWaiting = 64

// settle looks up the ids of the entries that wait, and keeps them.
func (w *worker) settle(b *batch) {
	w.glance()
	for at := range w.waiting {
		e := &w.waiting[at]
		if e.i == -1 {
			e.i = w.lastRow.find(w.rows, b.newRows, e.row, w.texts[at][0])
		}
		if e.j == -1 {
			e.j = w.lastColumn.find(w.columns, b.newColumns, e.column, w.texts[at][1])
		}
		weight := 0.0
		if b.file.weight.is {
			weight = w.more[at]
		}
		w.keep(b, e.i, e.j, e.value, weight)
	}
	w.waiting, w.more = w.waiting[:0], w.more[:0]
}

// glance finds most ids that wait. As it does nothing else, the processor waits
// for memory, where a table is large, for many of them at the same time.
func (w *worker) glance() {
	last, i := key{}, int32(-1)
	for at := range w.waiting {
		e := &w.waiting[at]
		if e.row != last {
			last, i = e.row, w.rows.glance(e.row)
		}
		e.i = i
		if e.j == -1 {
			e.j = w.columns.glance(e.column)
		}
	}
}

// find gives the number of an id: that of the stream, or −2−k for the k-th of
// the batch's new ones.
func (l *lastID) find(known, fresh *ids, k key, text []byte) int32 {
	if l.is(k, text) {
		return l.number
	}
	number := known.find(k, text)
	if number < 0 {
		number = numberIn(fresh, k, text)
	}
	l.set(k, text, number)
	return number
}

// keep keeps an entry by the numbers of its row and column, and its weight, if
// the file has weights.
func (w *worker) keep(b *batch, i, j int32, v, weight float64) {
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
	if b.file.weight.is {
		b.entries = append(b.entries, data.Entry{Row: i, Column: j, Value: weight})
	}
}

// numberIn gives −2−k for the k-th new id of a batch. The text is only needed if
// the key is long.
func numberIn(t *ids, k key, text []byte) int32 {
	number := t.find(k, text)
	if number < 0 {
		var short [shortText + 1]byte
		if !k.long() {
			text = k.appendText(short[:0])
		}
		number = t.add(k, string(text))
	}
	return -2 - number
}

// fail ends the batch with a fault on its current line.
func (w *worker) fail(b *batch, problem, remedy string) {
	b.fault = fault(b.file.name, b.lines, problem, remedy)
}

// isMissing tells whether a value means unknown: by its text, or as the same number.
func (w *worker) isMissing(value []byte) bool {
	v, wrong := textfile.ParseNumber(value)
	return slices.ContainsFunc(w.settings.Missing, func(token string) bool {
		if wrong != "" {
			return string(value) == token
		}
		unknown, none := textfile.ParseNumber([]byte(token))
		return none == "" && v == unknown
	})
}
