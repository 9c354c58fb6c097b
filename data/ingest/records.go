package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"optcomplete/data"
	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/internal/record"
	"optcomplete/internal/textfile"
)

// Tables by columns: Parquet and Arrow.

// recordRows is how many records of a table make a batch.
const recordRows = 1 << 16

// readParquet hands the records of a Parquet file to the pipe.
func (in *input) readParquet(p *pipe) error {
	file, err := os.Open(in.path)
	if err != nil {
		return textfile.OpenError(in.path, err)
	}
	defer file.Close()
	if record.OpenParquet == nil {
		return fault(in.name, 0, "is a Parquet file, which this program does not read", "write it as CSV")
	}
	table, err := record.OpenParquet(file, in.size)
	return in.readTable(table, err, p)
}

// readArrow hands the records of Arrow IPC to the pipe.
func (in *input) readArrow(r io.Reader, p *pipe) error {
	if record.OpenArrow == nil {
		return textfile.NoArrow(in.name)
	}
	table, err := record.OpenArrow(&counted{r, p})
	return in.readTable(table, err, p)
}

// readTable hands the records of a table to the pipe, once it was opened.
func (in *input) readTable(from record.Table, err error, p *pipe) error {
	if err != nil {
		return in.damaged(err)
	}
	defer from.Close()
	columns := from.Columns()
	at, parse, err := in.tableColumns(columns, p.settings)
	if err != nil {
		return err
	}
	for _, x := range at {
		if c := columns[x]; c.List || c.Nested {
			return fault(in.name, 0, "column "+data.Quote(c.Name)+" is nested", "name flat columns with Settings.RowName, Settings.ColumnName and Settings.ValueName")
		}
	}
	in.columnNames = lists.Each(at, func(x int) string { return columns[x].Name })
	begun, done, all := p.bytes, int64(0), from.Rows()
	var stopped error // by the pipe, not by the table
	err = from.Scan(p.ctx, at, max(64, 3*recordRows/max(len(at), 3)), func(batch []record.Vector) error {
		b, err := p.next()
		if err != nil {
			stopped = err
			return err
		}
		b.vectors, b.parse, b.note = batch, parse, in.note()
		if done += int64(batch[0].Len()); all >= 0 {
			p.bytes = begun + int64(float64(in.size)*float64(done)/float64(max(all, 1)))
		}
		stopped = p.emit(in, b)
		return stopped
	})
	if stopped == nil {
		stopped = p.ctx.Err()
	}
	if stopped != nil {
		return stopped
	}
	if err == nil && all >= 0 && done != all {
		err = fmt.Errorf("it holds %d records, but announces %d", done, all)
	}
	if err != nil {
		return in.damaged(err)
	}
	return nil
}

func (in *input) damaged(err error) error {
	if over := new(memory.OverError); errors.As(err, &over) {
		return textfile.ReadError(in.name, 0, err)
	}
	if unfit := new(record.UnfitError); errors.As(err, &unfit) {
		return fault(in.name, 0, err.Error(), unfit.Remedy)
	}
	return &data.InputError{File: in.name, Problem: "cannot be read as " + in.binary().called + ": " + err.Error(), Remedy: "check that the file is complete and not damaged", Err: err}
}

// tableColumns finds the columns of a table that matter, and what parses them: the
// row, the column and the value, or all of a wide matrix.
func (in *input) tableColumns(columns []record.Column, s *Settings) ([]int, func(*worker, *batch), error) {
	names := lists.Each(columns, func(c record.Column) string { return c.Name })
	at, err := in.recordColumns(names, s)
	if named := err == nil && in.layout.header; !named || in.asWide {
		if columns, wide, wrong := in.wideRecord(columns, s); wide || wrong != nil {
			if fault := in.noColumns("a wide matrix holds values only", s); wide && fault != nil {
				return nil, nil, fault
			}
			return columns, (*worker).parseWideRecord, wrong
		}
	}
	if err == nil && s.times {
		if fault := in.findTime(headerOf(names), 0, s); fault != nil {
			return nil, nil, fault
		}
		at = append(at, in.layout.time)
	}
	if err == nil {
		if fault := in.findWeights(headerOf(names), 0, at, s); fault != nil {
			return nil, nil, fault
		}
		if in.weight.is {
			at = append(at, in.weight.at)
		}
	}
	return at, (*worker).parseRecord, err
}

// headerOf is the names of columns as the fields of a header.
func headerOf(names []string) [][]byte {
	header := make([][]byte, len(names))
	for x := range names {
		header[x] = []byte(names[x])
	}
	return header
}

// note says how the table is understood, with the first batch.
func (in *input) note() string {
	if in.noted {
		return ""
	}
	in.noted = true
	return in.layout.taken
}

// recordColumns finds the row, the column and the value among the columns of a
// schema: by the names given, by "row", "column" and "value", by those of
// MovieLens, or else they are the first three.
func (in *input) recordColumns(names []string, s *Settings) ([]int, error) {
	header := headerOf(names)
	t := &textfile.Table{LineReader: textfile.LineReader{Name: in.name}}
	at, missing := t.Locate(header, s.names())
	if missing != nil && !s.named() {
		if known, ok := textfile.Roles(header, textfile.RowRole, textfile.ColumnRole, textfile.ValueRole); ok {
			at, missing = known, nil
		} else if len(names) >= 3 {
			at, missing = []int{0, 1, 2}, nil
			in.layout.called = [3]string(names[:3])
			in.layout.taken = fmt.Sprintf("%s: no columns are named row, column and value: %s is taken for the row, %s for the column and %s for the value (see Settings.RowName, Settings.ColumnName and Settings.ValueName; Settings.Format wide for a matrix with a column for each)",
				in.name, data.Quote(names[0]), data.Quote(names[1]), data.Quote(names[2]))
			return at, nil
		} else {
			missing.Problem, missing.Remedy = fmt.Sprintf("has %s where 3 are needed: row, column and value", textfile.Counted(len(names), "column")), ""
		}
	}
	if missing != nil {
		missing.Problem = strings.Replace(missing.Problem, "the header has", "the table has", 1)
		return nil, missing
	}
	in.layout.header = true // it names them
	in.layout.called = [3]string{names[at[0]], names[at[1]], names[at[2]]}
	return at, nil
}

// wideRecord tells whether a table is a wide matrix, and which column holds the
// ids of the rows. It is one if it is asked for, if most of its columns are known,
// if pandas wrote it with an index, or if its second column cannot hold ids.
func (in *input) wideRecord(of []record.Column, s *Settings) (columns []int, ok bool, err error) {
	if s.named() || len(of) < 2 {
		return nil, false, nil
	}
	row := max(0, slices.IndexFunc(of, func(c record.Column) bool { return c.Name == record.PandasIndex }))
	columns = []int{row}
	var names [][]byte
	var labels []string
	for x, c := range of {
		switch {
		case x == row:
		case c.Kind.IsNumber() && !c.List && !c.Nested && !c.Coded:
			columns, names = append(columns, x), append(names, []byte(c.Name))
		default:
			labels = append(labels, c.Name)
		}
	}
	known := mostlyKnown(names, s.Columns)
	sure := len(labels) == 0 && (of[row].Name == record.PandasIndex || len(of) > 3 && (of[columns[1]].Kind == record.Float || of[columns[1]].Kind == record.Number))
	if !in.asWide && !known && !sure {
		return nil, false, nil
	}
	if x := slices.IndexFunc(labels, func(name string) bool { return slices.Contains(s.Columns, name) }); x >= 0 || len(names) == 0 {
		return nil, false, fault(in.name, 0, "the table is no wide matrix: a column beside the rows' ids holds no numbers", "leave it out, or name Settings.RowName, Settings.ColumnName and Settings.ValueName")
	}
	in.layout.taken = fmt.Sprintf("%s is read as a wide matrix: a record for each row, with values of %s (%s, …); nulls are no entries%s",
		in.name, textfile.Counted(len(names), "column"), data.Quote(string(names[0])), leftOut(labels))
	return columns, true, nil
}

// recordIDs are the ids in a column of a batch: strings as they are, integers in
// decimal.
type recordIDs struct {
	*record.Vector
	known    *ids
	numbers  []int32 // of the texts of a dictionary, so that each is looked up once and not for every entry; −1: not known yet
	scratch  *[]byte
	fleeting bool // a text holds until the next one
}

// memo is what a worker knows about a dictionary.
type memo struct {
	of      *record.Vector
	numbers []int32
}

// idsOf gives the ids of a column of the batch, which the table numbers.
func (w *worker) idsOf(b *batch, column int, known *ids) (recordIDs, *data.InputError) {
	r := recordIDs{Vector: &b.vectors[column], known: known, scratch: &w.scratch[column]}
	r.fleeting = r.Kind != record.Text
	if r.fleeting && r.Kind != record.Int && r.Kind != record.Uint {
		return r, fault(b.file.name, 0, fmt.Sprintf("column %s holds %s, which are no ids", data.Quote(b.file.columnNames[column]), inWords(r.Kind)),
			"ids are strings or integers; name the columns with Settings.RowName, Settings.ColumnName and Settings.ValueName")
	}
	if r.Known != nil {
		m := &w.memos[column]
		if m.of != r.Known {
			*m = memo{r.Known, slices.Repeat([]int32{-1}, r.Known.Len())}
		}
		r.numbers = m.numbers
	}
	return r, nil
}

// number is the number of an id, where it is known without its text; else −1.
func (r *recordIDs) number(x int) int32 {
	switch {
	case r.Null != nil && r.Null[x]:
		return -1
	case r.numbers != nil:
		return r.numbers[r.Codes[x]]
	case r.fleeting:
		return r.known.decimals.at(uint64(r.Ints[x]))
	}
	return -1
}

// text is an id; empty for none.
func (r *recordIDs) text(x int) []byte {
	v, x, null := r.At(x)
	switch {
	case null:
		return nil
	case v.Kind == record.Text:
		return v.Text(x)
	case v.Kind == record.Uint:
		*r.scratch = strconv.AppendUint((*r.scratch)[:0], uint64(v.Ints[x]), 10)
	default:
		*r.scratch = strconv.AppendInt((*r.scratch)[:0], v.Ints[x], 10)
	}
	return *r.scratch
}

// learn remembers the number of an id that was looked at.
func (r *recordIDs) learn(x int, text []byte) {
	if r.numbers != nil { // a number of the stream is final; one of this batch is not
		r.numbers[r.Codes[x]] = r.known.find(keyOf(text), text)
	}
}

// numberOf is value x of a vector of numbers.
func numberOf(v *record.Vector, x int) (number float64, null bool) {
	if v, x, null = v.At(x); null {
		return 0, true
	}
	return v.Float(x), false
}

// areNumbers refuses a column that holds none.
func areNumbers(in *input, what string, v *record.Vector, remedy string) *data.InputError {
	if v.Kind.IsNumber() {
		return nil
	}
	return fault(in.name, 0, fmt.Sprintf("the %s are %s, not numbers", what, inWords(v.Kind)), remedy)
}

// parseRecord takes the entries of a batch.
func (w *worker) parseRecord(b *batch) {
	rows, wrong := w.idsOf(b, 0, w.rows)
	if wrong == nil {
		var columns recordIDs
		if columns, wrong = w.idsOf(b, 1, w.columns); wrong == nil {
			w.fleeting = rows.fleeting || columns.fleeting
			w.records(b, &rows, &columns, &b.vectors[2])
			w.settle(b) // as long as the texts are there
			w.fleeting = false
			return
		}
	}
	b.fault = wrong
}

func (w *worker) records(b *batch, rows, columns *recordIDs, values *record.Vector) {
	if b.fault = areNumbers(b.file, "values", values, "name the column of the values with Settings.ValueName"); b.fault != nil {
		return
	}
	var when, weight *record.Vector
	if w.settings.times {
		when = &b.vectors[3]
		if when.Kind == record.Other {
			b.fault = fault(b.file.name, 0, fmt.Sprintf("the times are %s, which cannot be read as times", inWords(when.Kind)), "name the column of the times with Settings.TimeName")
			return
		}
	} else if b.file.weight.is {
		weight = &b.vectors[3]
		if b.fault = areNumbers(b.file, "weights", weight, "name the column of the weights with Settings.Weight, or none"); b.fault != nil {
			return
		}
	}
	line := 1
	if b.file.unnumbered() {
		line = 0
	}
	for x := range values.Len() {
		b.lines += line
		b.given++
		i, j := rows.number(x), columns.number(x)
		var row, column []byte
		var columnKey key
		known := i >= 0 && j >= 0
		if !known {
			row, column = rows.text(x), columns.text(x)
			if len(row) == 0 || len(column) == 0 {
				b.fault = w.table(b).EmptyID(len(row) == 0)
				return
			}
			if !utf8.Valid(row) || !utf8.Valid(column) {
				w.fail(b, "an id is not UTF-8 text", "write ids as text or integers")
				return
			}
			var ok bool
			if columnKey, j, ok = w.columnOf(b, column); !ok {
				if b.fault != nil {
					return
				}
				continue
			}
			columns.learn(x, column)
			rows.learn(x, row)
		}
		v, null := numberOf(values, x)
		if null || len(w.settings.Missing) > 0 || v-v != 0 {
			var text []byte
			if !null {
				text = data.AppendNumber(nil, v)
			}
			if w.isMissing(text) {
				b.missing++
				continue
			}
			if null || v-v != 0 {
				b.fault = w.table(b).WrongValue(text, textfile.NotFinite)
				return
			}
		}
		if when != nil {
			seconds, unknown, ok := momentIn(when, x)
			if unknown {
				b.missing++
				continue
			}
			if !ok {
				w.fail(b, "a time cannot be read", "times are dates, timestamps, or text such as 2024-01-31")
				return
			}
			v = seconds
		}
		if weight != nil {
			number, null := numberOf(weight, x)
			problem := ""
			if null {
				problem = "the weight is blank"
			}
			if !w.takes(b, number, problem) {
				if b.fault != nil {
					return
				}
				continue
			}
		}
		if !known {
			w.put(b, row, column, columnKey, j, v)
			continue
		}
		if len(w.waiting) > 0 {
			w.settle(b) // entries stay in their order
		}
		w.keep(b, i, j, v, w.weight)
	}
}

// parseWideRecord takes the records of a wide matrix: a row's id and its values.
func (w *worker) parseWideRecord(b *batch) {
	w.fleeting = true
	defer func() { w.fleeting = false }()
	rows, wrong := w.idsOf(b, 0, w.rows)
	if b.fault = wrong; wrong != nil {
		return
	}
	values := b.vectors[1:]
	for at := range rows.Len() {
		b.lines++
		row := rows.text(at)
		if len(row) == 0 {
			b.fault = w.table(b).EmptyID(true)
			return
		}
		for x := range values {
			v, null := numberOf(&values[x], at)
			if null || v != v {
				continue
			}
			b.given++
			column := []byte(b.file.columnNames[1+x])
			key, j, ok := w.columnOf(b, column)
			if b.fault != nil {
				return
			}
			if !ok {
				continue
			}
			if v-v != 0 {
				b.fault = w.table(b).WrongValue(data.AppendNumber(nil, v), textfile.NotFinite)
				return
			}
			w.put(b, row, column, key, j, v)
		}
	}
}

// inWords names a kind for people.
func inWords(k record.Kind) string {
	switch k {
	case record.Text:
		return "text"
	case record.Float, record.Number:
		return "numbers with fractions"
	case record.Bool:
		return "true or false"
	case record.Date, record.Time:
		return "dates or times"
	}
	return "of a type unknown here"
}
