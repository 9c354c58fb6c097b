package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/internal/amount"
	"optcomplete/internal/random"
	"optcomplete/internal/textfile"
)

// LeftOut ends a warning that only says what was left out, because it says nothing of
// its own or because the user asked for that.
const LeftOut = ": left out"

// LeavesOut tells whether a warning only says what was left out. Nobody has to do
// anything about it.
func LeavesOut(warning string) bool { return strings.HasSuffix(warning, LeftOut) }

// Warnings names the features that cannot be distinguished from others or from nothing: zero
// in every column, or equal to another feature in every column. None is an error;
// each is worth knowing before a selection is read. A constant is no reason to warn:
// it is an intercept.
func (f *Features) Warnings() []string {
	m, p := f.Dims()
	if m == 0 {
		return nil
	}
	constant := make([]bool, p)
	hash := make([]uint64, p)
	for x := range constant {
		constant[x] = true
	}
	first := f.Row(0)
	for j := range m {
		for x, v := range f.Row(j) {
			constant[x] = constant[x] && v == first[x]
			hash[x] = random.Mix(hash[x] ^ math.Float64bits(v+0)) // −0 + 0 = 0
		}
	}
	var out []string
	byHash := make(map[uint64][]int, p) // features seen, one of each kind
	for x, name := range f.Names {
		if constant[x] && first[x] == 0 {
			out = append(out, fmt.Sprintf("feature %s is zero in every column: it can explain nothing", textfile.Quote(name)))
			continue
		}
		twin := -1
		for _, y := range byHash[hash[x]] {
			if f.equal(x, y) {
				twin = y
				break
			}
		}
		if twin >= 0 {
			out = append(out, fmt.Sprintf("feature %s equals feature %s in every column: a selection may show either", textfile.Quote(name), textfile.Quote(f.Names[twin])))
			continue
		}
		byHash[hash[x]] = append(byHash[hash[x]], x)
	}
	return out
}

// fewestColumns is the number of columns from which on Rare speaks.
const fewestColumns = 10

// Rare warns of those of some features that tell only one or two columns apart from the
// others. entries are those of each column: columns without any do not count.
func (f *Features) Rare(features, entries []int) (out []string) {
	var rows []int
	for j, n := range entries {
		if n > 0 {
			rows = append(rows, j)
		}
	}
	if len(rows) < fewestColumns {
		return nil
	}
	for _, x := range features {
		var first []float64
		for _, j := range rows[:5] { // where two differ, the middle one does not
			first = append(first, f.Row(j)[x])
		}
		slices.Sort(first)
		var apart []string
		for _, j := range rows {
			if f.Row(j)[x] != first[2] && len(apart) <= 2 {
				apart = append(apart, f.IDs[j])
			}
		}
		if n := len(apart); n == 1 || n == 2 {
			out = append(out, fmt.Sprintf("the selected feature %s tells only %s apart from the others: %s", textfile.Quote(f.Names[x]), amount.Of(n, "column", "columns"), textfile.QuoteList(apart)))
		}
	}
	return out
}

// equal tells whether two features have the same value in every column.
func (f *Features) equal(x, y int) bool {
	for j := range f.IDs {
		if row := f.Row(j); row[x] != row[y] {
			return false
		}
	}
	return true
}
