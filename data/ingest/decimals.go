package ingest

import "sync/atomic"

// decimals is a table of the texts that are small whole numbers, as most ids
// are: the number of the text "123" stands at place 123. It is a tenth as large
// as the hash table, so that it stays in the caches, and nothing depends on it:
// what it does not have is looked for there.
type decimals struct {
	places atomic.Pointer[[]atomic.Uint32] // 1 more than the number of the text; 0: none
}

// firstDecimals is the size of a new table, and sparseDecimals how many places
// it has for a text at most beyond that.
const (
	firstDecimals  = 1 << 12
	sparseDecimals = 8
)

func newDecimals() *decimals {
	d := &decimals{}
	places := make([]atomic.Uint32, firstDecimals)
	d.places.Store(&places)
	return d
}

// find gives the number of a text by its key; −1 if it is not in the table.
func (d *decimals) find(k key) int32 {
	if value, ok := k.decimal(); ok {
		return d.at(value)
	}
	return -1
}

// at gives the number of the text of a whole number; −1 if it is not in the table.
func (d *decimals) at(value uint64) int32 {
	if places := *d.places.Load(); value < uint64(len(places)) {
		return int32(places[value].Load()) - 1
	}
	return -1
}

// add enters the last of keys, those of all texts by number, if it is a number
// and not too large. For the adding goroutine only.
func (d *decimals) add(keys []key) {
	value, ok := keys[len(keys)-1].decimal()
	if !ok || value >= uint64(firstDecimals+sparseDecimals*len(keys)) {
		return
	}
	places := *d.places.Load()
	if value < uint64(len(places)) {
		places[value].Store(uint32(len(keys)))
		return
	}
	size := len(places)
	for uint64(size) <= value {
		size *= 2
	}
	places = make([]atomic.Uint32, size)
	for number, k := range keys {
		if value, ok := k.decimal(); ok && value < uint64(size) {
			places[value].Store(uint32(number + 1))
		}
	}
	d.places.Store(&places)
}

func (d *decimals) bytes() int64 { return 4 * int64(len(*d.places.Load())) }

// decimal reads a text of 1 to 7 digits without needless zeros: no two of them
// are one number.
func (k key) decimal() (value uint64, ok bool) {
	n := k.high >> 56
	if n-1 > 6 || k.low&0xff == '0' && n > 1 {
		return 0, false
	}
	// The digits as the last of eight bytes, those before them zero.
	shift := 64 - 8*n
	x := (k.low ^ 0x30*ones) << shift
	if (x|(x+(0x80-10)*ones))&tops != 0 {
		return 0, false
	}
	// Pairs of digits, then of pairs, then of those (D. Lemire, "Quickly parsing
	// eight digits", 2018).
	x = x*10 + x>>8
	const pair = 0xff<<32 | 0xff
	return (x&pair*(1000000<<32|100) + x>>16&pair*(10000<<32|1)) >> 32, true
}
