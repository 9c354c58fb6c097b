package textfile

import "strings"

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
