package data

import (
	"cmp"
	"slices"
	"strings"
)

// CompareIDs is the canonical order of ids, the one that every reader gives to
// rows and columns, so that the order of the lines of a file changes nothing:
// byte by byte, but runs of digits by the number that they are, so that film2
// comes before film10. Ids that differ in leading zeros only come byte by byte.
func CompareIDs(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if !digit(x) || !digit(y) {
			if x != y {
				return cmp.Compare(x, y)
			}
			i, j = i+1, j+1
			continue
		}
		first, second := number(a[i:]), number(b[j:])
		i, j = i+len(first), j+len(second)
		first, second = strings.TrimLeft(first, "0"), strings.TrimLeft(second, "0")
		if c := cmp.Or(cmp.Compare(len(first), len(second)), strings.Compare(first, second)); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(a)-i, len(b)-j), strings.Compare(a, b))
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// number is the run of digits that a text begins with.
func number(text string) string {
	n := 0
	for n < len(text) && digit(text[n]) {
		n++
	}
	return text[:n]
}

// Order lists the positions of ids in their canonical order; nil if they stand in
// it.
func Order(ids []string) []int32 {
	if slices.IsSortedFunc(ids, CompareIDs) {
		return nil
	}
	// Most comparisons are of the first bytes after what all ids begin with.
	type place struct {
		key uint64
		at  int32
	}
	same := commonBeginning(ids)
	places := make([]place, len(ids))
	for at, id := range ids {
		places[at] = place{orderKey(id[same:]), int32(at)}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return CompareIDs(ids[a.at], ids[b.at])
	})
	order := make([]int32, len(ids))
	for x, p := range places {
		order[x] = p.at
	}
	return order
}

// commonBeginning is the number of bytes that all ids begin with, none of them a
// digit: what follows may be compared by itself.
func commonBeginning(ids []string) int {
	same := ids[0]
	for _, id := range ids[1:] {
		n := 0
		for n < len(same) && n < len(id) && same[n] == id[n] {
			n++
		}
		same = same[:n]
	}
	if at := strings.IndexFunc(same, func(r rune) bool { return '0' <= r && r <= '9' }); at >= 0 {
		return at
	}
	return len(same)
}

// orderKey is a number that never falls along the canonical order: the number
// that an id begins with, or its first bytes up to a digit.
func orderKey(id string) uint64 {
	const bytes = 8
	if id != "" && digit(id[0]) {
		const most = 1<<56 - 1
		value := uint64(0)
		for _, c := range []byte(number(id)) {
			if value = 10*value + uint64(c-'0'); value > most {
				value = most
				break
			}
		}
		return '0'<<56 | value
	}
	key := uint64(0)
	for x := range bytes {
		key <<= 8
		if x >= len(id) {
			continue
		}
		if digit(id[x]) {
			return (key | '0') << (8 * (bytes - 1 - x))
		}
		key |= uint64(id[x])
	}
	return key
}

// Ranks is the inverse of an order: the place of each position in it.
func Ranks(order []int32) []int32 {
	ranks := make([]int32, len(order))
	for place, at := range order {
		ranks[at] = int32(place)
	}
	return ranks
}
