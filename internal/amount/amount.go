// Package amount writes numbers of things for people: "1 row", "30,709 rows".
package amount

import "strconv"

// Of is a number of things: of one, or of many.
func Of(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Grouped prints an integer with commas.
func Grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
