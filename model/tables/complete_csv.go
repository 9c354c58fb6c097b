package tables

import (
	"io"
	"math"
	"strconv"
	"strings"

	"optcomplete/model"
)

type csvEncoder struct {
	m       *model.Model
	rows    []int
	w       io.Writer
	format  Format
	mark    bool     // of observed cells
	columns [][]byte // every column's id, quoted, between its two commas
}

var _ encoder = (*csvEncoder)(nil)

func newCSVEncoder(m *model.Model, rows []int, w io.Writer, format Format, mark bool) (*csvEncoder, error) {
	e := &csvEncoder{m: m, rows: rows, w: w, format: format, mark: mark, columns: make([][]byte, len(m.ColumnIDs))}
	for j, id := range m.ColumnIDs {
		e.columns[j] = append(appendField([]byte{','}, format.cell(id)), ',')
	}
	header := "row,column,value\n"
	if mark {
		header = "row,column,value,observed\n"
	}
	_, err := io.WriteString(w, header)
	return e, err
}

func (e *csvEncoder) prepare(j *job) {
	j.text = j.text[:0]
	var row []byte
	at := 0
	for _, i := range e.rows[j.rowLo:j.rowHi] {
		row = appendField(row[:0], e.format.cell(e.m.RowIDs[i]))
		for c := j.columnLo; c < j.columnHi; c++ {
			j.text = append(j.text, row...)
			j.text = append(j.text, e.columns[c]...)
			j.text = appendNumber(j.text, j.values[at])
			if e.mark {
				j.text = append(j.text, ',', '0'+byte(j.observed[at]))
			}
			j.text = append(j.text, '\n')
			at++
		}
	}
}

func (e *csvEncoder) write(j *job) error {
	_, err := e.w.Write(j.text)
	return err
}

func (e *csvEncoder) close() error { return nil }

// appendField appends a CSV field (RFC 4180), quoted if it has to be. Outer
// spaces are quoted too, because some readers trim them.
func appendField(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && s == strings.TrimSpace(s) {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

// appendNumber appends the shortest decimal that reads back as the same number,
// with an exponent only for very large and very small ones.
func appendNumber(b []byte, x float64) []byte {
	format := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, x, format, -1, 64)
}
