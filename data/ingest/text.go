package ingest

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/textfile"
)

// chunkBytes is how much text a batch holds, but for its last line. Batches do
// not depend on the number of threads.
const chunkBytes = 1 << 20

// slack is the room behind the text of a batch, so that short ids can be read
// sixteen bytes at a time.
const slack = 16

// readText cuts the text into batches of whole lines.
func (in *input) readText(r io.Reader, p *pipe) error {
	text := r
	if in.part {
		if p.settings.asksForWeights() {
			in.weight, in.layout.width = weightColumn{true, 3, p.settings.Weight}, 4
		}
	} else {
		unpacked, release, err := textfile.Unpack(r, in.name)
		if err != nil {
			return err
		}
		defer release()
		text = unpacked
	}
	var rest []byte   // the beginning of a line
	var column []byte // Netflix: the column that the next batch begins in
	begun := in.part
	for done := false; !done; {
		b, err := p.next()
		if err != nil {
			return err
		}
		b.buffer = append(slices.Grow(b.buffer, chunkBytes+len(rest)+slack), rest...)
		var n int
		n, err = readFull(text, b.buffer[len(rest):len(rest)+chunkBytes])
		b.text = b.buffer[:len(rest)+n]
		rest = rest[:0]
		cut := bytes.LastIndexByte(b.text, '\n') + 1
		switch {
		case err == io.EOF:
			done = true
		case err != nil:
			b.text, b.broken, done = b.text[:cut], err, true
		case cut == 0 && len(b.text) > data.MaxRatingsLine+1:
			done = true // the parser will say that the line is too long
		default:
			rest = append(rest, b.text[cut:]...)
			b.text = b.text[:cut]
		}
		if !begun {
			if begun, err = in.begin(b, p.settings); err != nil {
				return err
			}
		}
		if in.format == Netflix {
			b.column = append(b.column, column...)
			column = columnAfter(b.text, column)
		}
		b.parse, b.end = in.parser(), done
		if !begun {
			b.parse = nothing
		}
		if err := p.emit(in, b); err != nil {
			return err
		}
	}
	return nil
}

// nothing is the parser of a batch before the first line: it has no text, and the
// layout is not known yet.
func nothing(*worker, *batch) {}

// readFull reads until the buffer is full or an error comes, which it gives as
// it is: unlike io.ReadFull it tells the end from compressed data cut short.
func readFull(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = r.Read(buffer[n:])
		n += more
	}
	return n, err
}

// eachLine hands the lines that are not blank to take, and stops at a fault.
// fast, if not nil, takes lines off the text for as long as it can.
func (w *worker) eachLine(b *batch, fast func(text []byte) []byte, take func(line []byte)) {
	for text := b.text; len(text) > 0 && b.fault == nil; {
		if fast != nil {
			if text = fast(text); len(text) == 0 {
				break
			}
		}
		line := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		b.lines++
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if textfile.Blank(line) {
			continue
		}
		if len(line) > data.MaxRatingsLine {
			b.fault = textfile.TooLong(b.file.name, b.lines, data.MaxRatingsLine)
			return
		}
		if err := textfile.CheckLine(b.file.name, b.lines, line); err != nil {
			errors.As(err, &b.fault)
			return
		}
		take(line)
	}
	if b.fault == nil && b.broken != nil {
		errors.As(textfile.ReadError(b.file.name, b.lines+1, b.broken), &b.fault)
	}
}

// entry takes an entry of three fields, and of the whole line if the file has
// weights. None of them may be needed after the batch.
func (w *worker) entry(b *batch, row, column, value []byte, line [][]byte) {
	key, j, ok := w.place(b, row, column)
	if !ok {
		return
	}
	if len(w.settings.Missing) > 0 && w.isMissing(value) {
		b.missing++
		return
	}
	v, wrong := textfile.ParseNumber(value)
	if wrong != "" {
		var boolean bool
		if v, boolean = textfile.Boolean(value); !boolean {
			b.fault = w.table(b).WrongValue(value, wrong)
			return
		}
		b.booleans++
	}
	if b.file.weight.is && !w.weightOf(b, line) {
		return
	}
	w.put(b, row, column, key, j, v)
}

// table is for its errors.
func (w *worker) table(b *batch) *textfile.Table {
	return b.file.table(b.lines)
}

func (in *input) table(line int) *textfile.Table {
	return &textfile.Table{LineReader: textfile.LineReader{Name: in.name, Line: line}, Delimiter: in.layout.delimiter, Least: 3}
}

// parseDelimited takes lines of fields as the layout says.
func (w *worker) parseDelimited(b *batch) {
	l := &b.file.layout
	quoted := !l.double && (l.delimiter == ' ' || bytes.IndexByte(b.text, '"') >= 0) // spaces may stand several times
	var fast func([]byte) []byte
	if !quoted && w.plainLines(b.file) {
		fast = func(text []byte) []byte { return w.fastLines(b, text, l) }
	}
	w.eachLine(b, fast, func(line []byte) {
		fields := w.fields[:0]
		if quoted {
			var wrong textfile.SplitFault
			if fields, wrong = textfile.Split(line, l.delimiter, fields); wrong != "" {
				w.fail(b, string(wrong), textfile.QuoteRemedy)
				return
			}
		} else {
			begin := 0
			for at, c := range line {
				if c == l.delimiter {
					fields = append(fields, line[begin:at])
					begin = at + 1
				}
			}
			fields = append(fields, line[begin:])
		}
		w.fields = fields
		if len(fields) != l.width || l.double && !l.doubled(fields) {
			b.fault = w.table(b).WrongCount(l.count(fields), l.count(make([][]byte, l.width)))
			return
		}
		row, column, value := fields[l.row], fields[l.column], fields[l.value]
		if !quoted {
			row, column, value = textfile.Trim(row), textfile.Trim(column), textfile.Trim(value)
		}
		if w.settings.times {
			w.dated(b, row, column, value, textfile.Trim(fields[l.time]))
			return
		}
		w.entry(b, row, column, value, fields)
	})
}

// parseNetflix takes lines such as "1:", which name a column, and after each the
// lines of its entries: row, value and a date.
func (w *worker) parseNetflix(b *batch) {
	column := b.column
	w.eachLine(b, nil, func(line []byte) {
		if n := len(line) - 1; line[n] == ':' {
			column = textfile.Trim(line[:n])
			return
		}
		if len(column) == 0 {
			w.fail(b, "an entry comes before any column", `a line such as "1:" must name the column first`)
			return
		}
		first := bytes.IndexByte(line, ',')
		if first < 0 {
			b.fault = w.table(b).WrongCount(1, 3)
			return
		}
		row, value := line[:first], line[first+1:]
		var when []byte
		if second := bytes.IndexByte(value, ','); second >= 0 {
			if bytes.IndexByte(value[second+1:], ',') >= 0 {
				b.fault = w.table(b).WrongCount(bytes.Count(line, []byte{','})+1, 3)
				return
			}
			value, when = value[:second], value[second+1:]
		}
		if w.settings.times {
			w.dated(b, textfile.Trim(row), column, textfile.Trim(value), textfile.Trim(when))
			return
		}
		w.entry(b, textfile.Trim(row), column, textfile.Trim(value), nil)
	})
}

// columnAfter is the column that the lines behind a text belong to.
func columnAfter(text, before []byte) []byte {
	for end := len(text); end > 0; {
		at := bytes.LastIndexByte(text[:end], ':')
		if at < 0 {
			break
		}
		// The colon must be the last of its line.
		behind := bytes.TrimRight(text[at+1:min(len(text), at+3)], "\r")
		if len(behind) == 0 || behind[0] == '\n' {
			begin := bytes.LastIndexByte(text[:at], '\n') + 1
			return append(before[:0], textfile.Trim(text[begin:at])...)
		}
		end = at
	}
	return before
}

// parseMatrixMarket takes lines of two indices and a value.
func (w *worker) parseMatrixMarket(b *batch) {
	l := &b.file.layout
	w.eachLine(b, nil, func(line []byte) {
		if line[0] == '%' {
			return
		}
		fields := words(line, w.fields[:0])
		w.fields = fields
		if len(fields) != 3 {
			b.fault = w.table(b).WrongCount(len(fields), 3)
			b.fault.Remedy = "each entry is a row, a column and a value, with spaces between"
			return
		}
		if !index(fields[0], l.rows) || !index(fields[1], l.columns) {
			w.fail(b, "the entry "+data.Quote(string(line))+" is outside the matrix that the header announces", "indices count from 1; check that the file is complete and not damaged")
			return
		}
		w.entry(b, fields[0], fields[1], fields[2], nil)
	})
}

// words splits at spaces and tabs.
func words(line []byte, fields [][]byte) [][]byte {
	begin := -1
	for at, c := range line {
		if space := c == ' ' || c == '\t'; space && begin >= 0 {
			fields = append(fields, line[begin:at])
			begin = -1
		} else if !space && begin < 0 {
			begin = at
		}
	}
	if begin >= 0 {
		fields = append(fields, line[begin:])
	}
	return fields
}

// index tells whether a field is a number from 1 to most, in plain digits.
func index(field []byte, most int) bool {
	if len(field) == 0 || len(field) > 18 || field[0] == '0' {
		return false
	}
	n := 0
	for _, c := range field {
		if c < '0' || c > '9' {
			return false
		}
		n = 10*n + int(c-'0')
	}
	return n <= most
}
