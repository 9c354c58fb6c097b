package service

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Predictions are read and written here without encoding/json, which takes most of the time
// of a batch. What the reader does not expect it leaves to encoding/json, and the writer gives
// the same text: both are tested against it.

// parse reads {"pairs": [{"row": TEXT, "column": TEXT}, …]} of plain texts. It tells whether
// the body was that, and otherwise changes nothing.
func (q *PredictRequest) parse(body []byte) bool {
	if !utf8.Valid(body) {
		return false
	}
	p := scanner{text: string(body)} // the ids are parts of it
	if !p.take('{') || p.word() != "pairs" || !p.take(':') || !p.take('[') {
		return false
	}
	pairs := make([]Pair, 0, min(len(body)/24, mostPairs)+1)
	for {
		var pair Pair
		if !p.take('{') {
			return false
		}
		for range 2 {
			to := &pair.Column
			switch key := p.word(); {
			case key == "row" && pair.Row == "":
				to = &pair.Row
			case key == "column" && pair.Column == "":
			default:
				return false
			}
			if !p.take(':') {
				return false
			}
			if *to = p.word(); *to == "" {
				return false
			}
			if pair.Row == "" || pair.Column == "" {
				if !p.take(',') {
					return false
				}
			}
		}
		pairs = append(pairs, pair)
		if !p.take('}') {
			return false
		}
		if !p.take(',') {
			break
		}
	}
	if p.take(']') && p.take('}') && !p.more() {
		q.Pairs = pairs
		return true
	}
	return false
}

// scanner reads a text of JSON.
type scanner struct {
	text string
	at   int
}

// more tells whether there is more than space.
func (p *scanner) more() bool {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\n', '\r', '\t':
			p.at++
		default:
			return true
		}
	}
	return false
}

func (p *scanner) take(c byte) bool {
	if p.more() && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// word reads a text without escapes; empty: there is none.
func (p *scanner) word() string {
	if !p.take('"') {
		return ""
	}
	rest := p.text[p.at:]
	end := strings.IndexByte(rest, '"')
	if end < 0 {
		return ""
	}
	for n := range end {
		if rest[n] < ' ' || rest[n] == '\\' {
			return ""
		}
	}
	p.at += end + 1
	return rest[:end]
}

// append writes an answer as encoding/json would.
func (a *PredictAnswer) append(out *bytes.Buffer) {
	b := append(out.AvailableBuffer(), `{"predictions":[`...)
	for n := range a.Predictions {
		p := &a.Predictions[n]
		if n > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"row":`...), p.Row)
		b = appendText(append(b, `,"column":`...), p.Column)
		b = appendNumber(append(b, `,"value":`...), p.Value)
		b = append(append(append(b, `,"basis":"`...), p.Basis.String()...), '"')
		for _, x := range []struct {
			name  string
			value *float64
		}{{"low", p.Low}, {"high", p.High}, {"count_low", p.CountLow}, {"count_high", p.CountHigh}} {
			if x.value != nil {
				b = appendNumber(append(append(append(b, `,"`...), x.name...), `":`...), *x.value)
			}
		}
		b = append(b, '}')
	}
	out.Write(append(b, "]}\n"...))
}

// appendText writes a text with its quotes.
func appendText(b []byte, text string) []byte {
	for n := range len(text) {
		if c := text[n]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(text) // texts alone
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// appendNumber writes a number that is finite, as encoding/json does: those of models are.
func appendNumber(b []byte, x float64) []byte {
	format := byte('f')
	if abs := max(x, -x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	from := len(b)
	b = strconv.AppendFloat(b, x, format, -1, 64)
	if format == 'e' { // e-09 is e-9
		if n := len(b); n-from >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
	}
	return b
}
