package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Form is what a column holds, where its text alone does not show it.
type Form string

// The forms. Unknown leaves it to the text.
const (
	Unknown  Form = ""
	Category Form = "text"
	List     Form = "list"
	Day      Form = "date"
)

// Separator stands between the parts of a list.
const Separator = '|'

// textRows is how many records are read together.
const textRows = 1 << 12

// Texts gives the records of a table as text: numbers are the shortest decimals that
// read back as the same number; null and NaN are blank; dates are YYYY-MM-DD; lists have
// | between their parts. An index of pandas comes first.
type Texts struct {
	Names  []string // of the columns
	Forms  []Form   // of the columns
	Record int      // the number of the record given last, from 1

	next  func() ([]Vector, error, bool)
	stop  func()
	batch []Vector
	row   int // the next of the batch
	text  []byte
	ends  []int
}

// NewTexts reads a table. A column of a type that has no text is an error.
func NewTexts(from Table) (*Texts, error) {
	t := &Texts{}
	var order []int
	columns := from.Columns()
	for x, c := range columns {
		if c.Nested || c.Kind == Other {
			return nil, &UnfitError{fmt.Sprintf("column %q is nested, or of a type that has no text: a table may hold numbers, text, categories, lists and dates", c.Name), "leave it out, or make text or a number of it"}
		}
		if c.Name == PandasIndex { // which pandas writes last
			order = slices.Insert(order, 0, x)
		} else {
			order = append(order, x)
		}
	}
	for _, x := range order {
		c, form := &columns[x], Unknown
		switch {
		case c.List:
			form = List
		case c.Coded:
			form = Category
		case c.Kind == Date || c.Kind == Time:
			form = Day
		}
		t.Names, t.Forms = append(t.Names, c.Name), append(t.Forms, form)
	}
	t.next, t.stop = iter.Pull2(func(yield func([]Vector, error) bool) {
		err := from.Scan(context.Background(), order, textRows, func(batch []Vector) error {
			if !yield(batch, nil) {
				return io.EOF
			}
			return nil
		})
		if err != nil && err != io.EOF {
			yield(nil, err)
		}
	})
	return t, nil
}

// Next appends the fields of the next record, or gives io.EOF. They hold until
// the next call.
func (t *Texts) Next(fields [][]byte) (_ [][]byte, err error) {
	for len(t.batch) == 0 || t.row == t.batch[0].Rows() {
		var more bool
		if t.batch, err, more = t.next(); err != nil {
			return nil, err
		}
		if t.row = 0; !more {
			return nil, io.EOF
		}
	}
	t.Record++
	t.text, t.ends = t.text[:0], t.ends[:0]
	for f := range t.batch {
		if t.text, err = t.batch[f].appendText(t.row, t.text); err != nil {
			return nil, fmt.Errorf("column %q: %w", t.Names[f], err)
		}
		t.ends = append(t.ends, len(t.text))
	}
	t.row++
	start := 0
	for _, end := range t.ends {
		fields, start = append(fields, t.text[start:end]), end
	}
	return fields, nil
}

// Close ends the reading.
func (t *Texts) Close() { t.stop() }

// appendText appends the text of a row's cell. A part of a list that has the separator
// in it would be taken for two.
func (v *Vector) appendText(row int, to []byte) (_ []byte, err error) {
	if v.Ends == nil {
		return v.appendValue(row, to)
	}
	at := 0
	if v.Begins != nil {
		at = v.Begins[row]
	} else if row > 0 {
		at = v.Ends[row-1]
	}
	for begin := at; at < v.Ends[row]; at++ {
		if at > begin {
			to = append(to, Separator)
		}
		before := len(to)
		if to, err = v.appendValue(at, to); err != nil {
			return nil, err
		}
		if bytes.IndexByte(to[before:], Separator) >= 0 {
			return nil, &UnfitError{fmt.Sprintf("%q is a part of a list and has a %c in it, which stands between parts", to[before:], Separator), "replace it by another character"}
		}
	}
	return to, nil
}

func (v *Vector) appendValue(x int, to []byte) ([]byte, error) {
	v, x, null := v.At(x)
	switch {
	case null:
		return to, nil
	case v.Kind == Text:
		if !utf8.Valid(v.Text(x)) {
			return nil, errors.New("a text is not UTF-8")
		}
		return append(to, v.Text(x)...), nil
	case v.Kind == Date || v.Kind == Time:
		return v.Moment(x).AppendFormat(to, "2006-01-02"), nil
	case v.Kind == Uint:
		return strconv.AppendUint(to, uint64(v.Ints[x]), 10), nil
	case v.Kind == Int || v.Kind == Bool:
		return strconv.AppendInt(to, v.Ints[x], 10), nil
	}
	value := v.Floats[x]
	if math.IsNaN(value) { // what frames have where nothing is known
		return to, nil
	}
	format := byte('f')
	if size := math.Abs(value); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(to, value, format, -1, 64), nil
}
