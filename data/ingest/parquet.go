package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"optcomplete/data"
	"optcomplete/internal/columnar"
	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/internal/textfile"
)

// recordRows is how many records of a Parquet file make a batch.
const recordRows = 1 << 16

// readParquet hands the records of a Parquet file to the pipe.
func (in *input) readParquet(p *pipe) error {
	from, err := columnar.Open(in.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return textfile.OpenError(in.path, err)
	}
	if err != nil {
		return in.damaged(err)
	}
	defer from.Close()
	t := schema{names: lists.Each(from.Columns, func(c columnar.Column) string { return c.Name })}
	for _, c := range from.Columns {
		fraction := c.Kind == columnar.Float || c.Kind == columnar.Number
		t.fraction = append(t.fraction, fraction)
		t.numbers = append(t.numbers, !c.List && !c.Nested && (fraction || c.Kind == columnar.Int || c.Kind == columnar.Uint || c.Kind == columnar.Bool))
	}
	at, parse, err := in.tableColumns(t, p.settings)
	if err != nil {
		return err
	}
	for _, x := range at {
		if c := from.Columns[x]; c.List || c.Nested {
			return fault(in.name, 0, "column "+data.Quote(c.Name)+" is nested", "name flat columns with Settings.RowName, Settings.ColumnName and Settings.ValueName")
		}
	}
	begun, done := p.bytes, int64(0)
	var stopped error // by the pipe, not by the file
	err = from.Scan(p.ctx, at, rowsOf(at), func(batch []columnar.Vector) error {
		b, err := p.next()
		if err != nil {
			stopped = err
			return err
		}
		b.record, b.parse, b.note = from.Record(at, batch), parse, in.note()
		done += b.record.NumRows()
		p.bytes = begun + int64(float64(in.size)*float64(done)/float64(max(from.Rows(), 1)))
		stopped = p.emit(in, b)
		return stopped
	})
	if stopped == nil {
		stopped = p.ctx.Err()
	}
	if stopped != nil {
		return stopped
	}
	if err == nil && done != from.Rows() {
		err = fmt.Errorf("it holds %d records, but announces %d", done, from.Rows())
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
	if unfit := new(textfile.UnfitError); errors.As(err, &unfit) {
		return fault(in.name, 0, err.Error(), unfit.Remedy)
	}
	return &data.InputError{File: in.name, Problem: "cannot be read as " + in.binary().called + ": " + err.Error(), Remedy: "check that the file is complete and not damaged", Err: err}
}

// tableColumns finds the columns of a table that matter, and what parses them: the
// row, the column and the value, or all of a wide matrix.
func (in *input) tableColumns(t schema, s *Settings) ([]int, func(*worker, *batch), error) {
	at, err := in.recordColumns(t.names, s)
	if named := err == nil && in.layout.header; !named || in.asWide {
		if columns, wide, wrong := in.wideRecord(t, s); wide || wrong != nil {
			if fault := in.noColumns("a wide matrix holds values only", s); wide && fault != nil {
				return nil, nil, fault
			}
			return columns, (*worker).parseWideRecord, wrong
		}
	}
	if err == nil && s.times {
		if fault := in.findTime(headerOf(t.names), 0, s); fault != nil {
			return nil, nil, fault
		}
		at = append(at, in.layout.time)
	}
	if err == nil {
		if fault := in.findWeights(headerOf(t.names), 0, at, s); fault != nil {
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

// rowsOf is how many records make a batch.
func rowsOf(columns []int) int { return max(64, 3*recordRows/max(len(columns), 3)) }

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

// parseRecord takes the entries of a record.
func (w *worker) parseRecord(b *batch) {
	defer b.record.Release()
	defer func() {
		if r := recover(); r != nil {
			errors.As(b.file.damaged(broken(r)), &b.fault)
		}
	}()
	want := 3
	if w.settings.times || b.file.weight.is {
		want++
	}
	if b.record.NumCols() != int64(want) {
		errors.As(b.file.damaged(fmt.Errorf("a record has %d columns", b.record.NumCols())), &b.fault)
		return
	}
	rows, err := w.idsOf(b, 0, w.rows)
	if err == nil {
		var columns recordIDs
		if columns, err = w.idsOf(b, 1, w.columns); err == nil {
			w.fleeting = rows.fleeting || columns.fleeting
			w.records(b, rows, columns, b.record.Column(2))
			w.settle(b) // as long as the texts are there
			w.fleeting = false
			return
		}
	}
	errors.As(err, &b.fault)
}

func (w *worker) records(b *batch, rows, columns recordIDs, numbers arrow.Array) {
	value, err := numberOf(b.file, numbers)
	if err != nil {
		errors.As(err, &b.fault)
		return
	}
	var when func(int) (float64, bool, bool)
	if w.settings.times {
		if when, err = momentsOf(b.file, b.record.Column(3)); err != nil {
			errors.As(err, &b.fault)
			return
		}
	}
	var weight func(int) (float64, bool)
	if b.file.weight.is {
		if weight, err = weightsIn(b.file, b.record.Column(3)); err != nil {
			errors.As(err, &b.fault)
			return
		}
	}
	for x := range int(b.record.NumRows()) {
		b.lines++
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
		v, null := value(x)
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
			seconds, unknown, ok := when(x)
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
			number, null := weight(x)
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

// numberOf gives the values of an array as numbers.
func numberOf(in *input, from arrow.Array) (func(int) (v float64, null bool), error) {
	var of func(int) float64
	switch a := from.(type) {
	case *array.Float64:
		of = a.Value
	case *array.Float32:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Int8:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Int16:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Int32:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Int64:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Uint8:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Uint16:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Uint32:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Uint64:
		of = func(x int) float64 { return float64(a.Value(x)) }
	case *array.Float16:
		of = func(x int) float64 { return float64(a.Value(x).Float32()) }
	case *array.Boolean:
		of = func(x int) float64 {
			if a.Value(x) {
				return 1
			}
			return 0
		}
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		of = func(x int) float64 { return decimal(a.Value(x).ToString(scale)) }
	default:
		return nil, fault(in.name, 0, fmt.Sprintf("the values are %s, not numbers", inWords(from.DataType())), "name the column of the values with Settings.ValueName")
	}
	return func(x int) (float64, bool) {
		if from.IsNull(x) {
			return 0, true
		}
		return of(x), false
	}, nil
}

func decimal(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// inWords names a type for people.
func inWords(t arrow.DataType) string {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return "text"
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128, arrow.DECIMAL256:
		return "numbers with fractions"
	case arrow.BOOL:
		return "true or false"
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP, arrow.TIME32, arrow.TIME64:
		return "dates or times"
	case arrow.LIST, arrow.LARGE_LIST, arrow.STRUCT, arrow.MAP, arrow.FIXED_SIZE_LIST:
		return "lists or structures"
	}
	return "of a type unknown here"
}
