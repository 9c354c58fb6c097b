package textfile

import "bytes"

// DetectDelimiter finds what separates the fields of a table whose first line
// this is and that has at least this many fields. A tab seldom stands in text, so
// enough tabs decide; else the more frequent of comma and semicolon; where there are
// neither, spaces. What stands in quotes does not count.
func DetectDelimiter(line []byte, fields int) byte {
	var tabs, commas, semicolons, spaces int
	quoted := false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '\t':
			tabs++
		case b == ',':
			commas++
		case b == ';':
			semicolons++
		case b == ' ':
			spaces++
		}
	}
	switch {
	case tabs >= fields-1:
		return '\t'
	case semicolons > commas:
		return ';'
	case commas == 0 && spaces >= fields-1:
		return ' '
	default:
		return ','
	}
}

// SplitFault says why a line cannot be split; "" when it can.
type SplitFault string

// What can be wrong with the quotes of a line.
const (
	NotClosed   SplitFault = "a quoted field is not closed on its line"
	AfterQuotes SplitFault = "text follows the closing quote of a field"

	// QuoteRemedy says what to do about either.
	QuoteRemedy = `write a quote within a quoted field as ""`
)

// Split appends the fields of a line to fields. Spaces around a field are not
// part of it unless they stand in quotes; a quote within an unquoted field is
// an ordinary character. Quoted fields are unescaped in place.
// Several spaces count as one where spaces separate the fields.
func Split(line []byte, delimiter byte, fields [][]byte) ([][]byte, SplitFault) {
	if delimiter == ' ' {
		line = Trim(line)
	}
	if bytes.IndexByte(line, '"') < 0 {
		begin := 0
		for at, b := range line {
			if b == delimiter {
				if delimiter != ' ' || at > begin {
					fields = append(fields, Trim(line[begin:at]))
				}
				begin = at + 1
			}
		}
		return append(fields, Trim(line[begin:])), ""
	}
	for {
		rest := skipSpaces(line, delimiter)
		var field []byte
		var fault SplitFault
		if len(rest) > 0 && rest[0] == '"' {
			field, rest, fault = unquote(rest)
			rest = skipSpaces(rest, delimiter)
			if fault == "" && len(rest) > 0 && rest[0] != delimiter {
				fault = AfterQuotes
			}
		} else if at := bytes.IndexByte(rest, delimiter); at >= 0 {
			field, rest = Trim(rest[:at]), rest[at:]
		} else {
			field, rest = Trim(rest), nil
		}
		if fault != "" {
			return fields, fault
		}
		fields = append(fields, field)
		if len(rest) == 0 {
			return fields, ""
		}
		if line = rest[1:]; delimiter == ' ' {
			line = bytes.TrimLeft(line, " ")
		}
	}
}

// unquote reads a field that begins with a quote and gives the text in it and
// what follows the closing quote.
func unquote(text []byte) (field, rest []byte, fault SplitFault) {
	to := 0
	for at := 1; at < len(text); at++ {
		if text[at] == '"' {
			if at+1 == len(text) || text[at+1] != '"' {
				return text[:to], text[at+1:], ""
			}
			at++
		}
		text[to] = text[at]
		to++
	}
	return nil, nil, NotClosed
}

func space(b byte) bool { return b == ' ' || b == '\t' }

func skipSpaces(text []byte, delimiter byte) []byte {
	for len(text) > 0 && space(text[0]) && text[0] != delimiter {
		text = text[1:]
	}
	return text
}

// Trim takes the spaces and tabs around a field away.
func Trim(field []byte) []byte {
	for len(field) > 0 && space(field[0]) {
		field = field[1:]
	}
	for len(field) > 0 && space(field[len(field)-1]) {
		field = field[:len(field)-1]
	}
	return field
}
