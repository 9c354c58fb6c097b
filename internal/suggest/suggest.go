// Package suggest finds the word that was meant by a mistyped one.
package suggest

import (
	"fmt"
	"strings"
)

// Nearest returns the candidate that is nearest to a word, or "" where none is
// near enough to be what was meant. Letters that are wrong, missing, too many
// or swapped with their neighbour count one each, and up to a third of the word
// may be wrong; case does not count. Of field=level the level alone is enough. Of
// equals the first is taken.
func Nearest(word string, candidates []string) string {
	typed := []rune(strings.ToLower(word))
	best, nearest := max(1, len(typed)/3)+1, ""
	for _, c := range candidates {
		_, level, _ := strings.Cut(c, "=")
		for _, meant := range []string{c, level} {
			if d := distance(typed, []rune(strings.ToLower(meant)), best); meant != "" && d < best {
				best, nearest = d, c
			}
		}
	}
	return nearest
}

// Hint is `did you mean "x"?`, or "" where nothing is near.
func Hint(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// After is the hint in brackets with a space before it, to end an error with, or
// "" where nothing is near.
func After(word string, candidates []string) string {
	if hint := Hint(word, candidates); hint != "" {
		return " (" + hint + ")"
	}
	return ""
}

// distance is the Damerau–Levenshtein distance in which no letter is edited
// twice (optimal string alignment), or most if it is at least that.
func distance(a, b []rune, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	// Rows i−2, i−1 and i of the table of distances between beginnings.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], most)
}
