package textfile

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// NumberFault says why a field is no finite number; "" when it is one.
type NumberFault string

// What can be wrong with a number.
const (
	NotNumber NumberFault = "is not a number"
	NotFinite NumberFault = "is not a finite number"
	TooLarge  NumberFault = "is too large for a number"
)

// exactPowers are the powers of ten that a float64 holds exactly.
var exactPowers = [23]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// ParseNumber reads a decimal number, correctly rounded. Hexadecimal numbers
// and digits grouped by underscores, which strconv would take, are refused.
func ParseNumber(field []byte) (float64, NumberFault) {
	if v, ok := parseShort(field); ok {
		return v, ""
	}
	return parseAny(field)
}

// parseShort reads [+-]digits[.digits] of at most 15 digits. Such a mantissa and
// a power of ten up to 22 are exact, so their quotient is rounded only once
// (Clinger, "How to read floating point numbers accurately", PLDI 1990).
func parseShort(field []byte) (value float64, ok bool) {
	negative := false
	if len(field) > 0 && (field[0] == '-' || field[0] == '+') {
		negative = field[0] == '-'
		field = field[1:]
	}
	if len(field) == 0 || len(field) > 16 {
		return 0, false
	}
	mantissa, digits, decimals := uint64(0), 0, -1
	for _, b := range field {
		switch {
		case b-'0' <= 9:
			mantissa = mantissa*10 + uint64(b-'0')
			digits++
			if decimals >= 0 {
				decimals++
			}
		case b == '.' && decimals < 0:
			decimals = 0
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > 15 {
		return 0, false
	}
	value = float64(mantissa)
	if decimals > 0 {
		value /= exactPowers[decimals]
	}
	if negative {
		value = -value
	}
	return value, true
}

func parseAny(field []byte) (float64, NumberFault) {
	for _, b := range field {
		if b-'0' > 9 && b != '.' && b != '-' && b != '+' && b != 'e' && b != 'E' {
			if spelledOut(field) {
				return 0, NotFinite
			}
			return 0, NotNumber
		}
	}
	v, err := strconv.ParseFloat(string(field), 64)
	switch {
	case err == nil:
		return v, ""
	case math.IsInf(v, 0):
		return 0, TooLarge
	default:
		return 0, NotNumber
	}
}

// spelledOut tells whether a field is one of the ways to write NaN or infinity.
func spelledOut(field []byte) bool {
	word := strings.ToLower(string(field))
	switch strings.TrimLeft(word, "+-") {
	case "nan", "inf", "infinity", "1.#inf", "1.#ind", "1.#qnan":
		return true
	}
	return false
}

// MissingWord tells whether a field is a usual way to say that nothing is known.
func MissingWord(field []byte) bool {
	switch strings.ToLower(string(field)) {
	case "", "n/a", "na", "#n/a", "null", "none", "nil", "missing", "-", "--", "?", ".", `\n`:
		return true
	}
	return false
}

// NumberRemedy says what to do about a field that is no number.
func NumberRemedy(field []byte) string {
	if bytes.IndexByte(field, ',') >= 0 {
		if _, fault := ParseNumber(bytes.Replace(field, []byte(","), []byte("."), 1)); fault == "" {
			return "write decimals with a point"
		}
	}
	return ""
}

// SafeCell is a cell of a table that people may open in a spreadsheet, such that
// it is not run as a formula there: a text that begins with = + - @, a tab or a
// carriage return, and is no number, gets an apostrophe before it, which
// spreadsheets take for "this is text"
// (https://owasp.org/www-community/attacks/CSV_Injection).
func SafeCell(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, fault := ParseNumber([]byte(text)); fault == "" {
		return text
	}
	return "'" + text
}
