package ingest

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

// ids numbers texts from 0 in the order in which they are added. One goroutine
// adds; any number may find at the same time. A text being added is found with
// its number or not yet, never with another.
type ids struct {
	slots atomic.Pointer[[]slot]   // open addressing; the length is a power of two
	keys  atomic.Pointer[[]key]    // by number, of full capacity: only those below count are set
	texts atomic.Pointer[[]string] // likewise
	count int
	size  int64 // bytes of the texts

	decimals *decimals // nil means none: for tables that live long
}

// slot is one place of the table: the upper half of a hash, and 1 more than the
// number of its text; 0 if the place is free. It is written after the key and the
// text of that number, and does not change afterwards.
type slot struct{ atomic.Uint64 }

// perText is how many slots there are for a text at least: small slots allow
// many, so that most texts stand where the search for them begins.
const perText = 4

// key stands for a text: a short one as it is, so that no other text has its
// key, and a longer one by a hash. The zero key is that of no text but the empty.
type key struct{ low, high uint64 }

// shortText is the most bytes that fit into a key beside their number, which is
// its highest byte.
const shortText = 15

// longKey is the high word of the key of a text that does not fit.
const longKey = 1 << 63

// long tells that texts must be compared where their keys are equal.
func (k key) long() bool { return k.high == longKey }

// hash is where the search for a key begins: the two halves of a product, as in
// wyhash.
func (k key) hash() uint64 {
	high, low := bits.Mul64(k.low^0x9e3779b97f4a7c15, k.high^0xbf58476d1ce4e5b9)
	return high ^ low
}

// seed makes long texts' keys differ from run to run. Numbers do not depend on it.
var seed = maphash.MakeSeed()

func keyOf(text []byte) key {
	n := len(text)
	if n > shortText {
		return key{maphash.Bytes(seed, text), longKey}
	}
	if cap(text) > shortText {
		// Whatever stands behind the text is masked off.
		text = text[:shortText+1]
		return shortKey(binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:]), n)
	}
	var padded [shortText + 1]byte
	copy(padded[:], text)
	return shortKey(binary.LittleEndian.Uint64(padded[:]), binary.LittleEndian.Uint64(padded[8:]), n)
}

// shortKey is the key of the first n of 16 bytes; n is at most shortText.
func shortKey(low, high uint64, n int) key {
	if n <= 8 {
		return key{low & (1<<(8*n) - 1), uint64(n) << 56}
	}
	return key{low, high&(1<<(8*n-64)-1) | uint64(n)<<56}
}

// appendText gives the text of a key that is not long.
func (k key) appendText(to []byte) []byte {
	n := int(k.high >> 56)
	to = binary.LittleEndian.AppendUint64(to, k.low)
	to = binary.LittleEndian.AppendUint64(to, k.high)
	return to[:len(to)-16+n]
}

// firstSlots is the size of a new table.
const firstSlots = 1 << 10

func newIDs() *ids {
	t := &ids{}
	slots, keys, texts := make([]slot, firstSlots), make([]key, firstSlots/perText), make([]string, firstSlots/perText)
	t.slots.Store(&slots)
	t.keys.Store(&keys)
	t.texts.Store(&texts)
	return t
}

// find gives the number of a text whose key is known; −1 if it has none.
func (t *ids) find(k key, text []byte) int32 {
	slots, hash := *t.slots.Load(), k.hash()
	mask := uint64(len(slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := slots[at].Load()
		if s == 0 {
			return -1
		}
		if number := int32(uint32(s) - 1); s>>32 == hash>>32 && (*t.keys.Load())[number] == k && (!k.long() || t.text(number) == string(text)) {
			return number
		}
	}
}

// glance finds a small number, or a short text that stands where the search for
// it begins, as most do; −1 if it must be looked for. For tables with decimals.
func (t *ids) glance(k key) int32 {
	if number := t.decimals.find(k); number >= 0 {
		return number
	}
	slots, hash := *t.slots.Load(), k.hash()
	s := slots[hash&uint64(len(slots)-1)].Load()
	if s>>32 == hash>>32 && s != 0 && !k.long() {
		if number := int32(uint32(s) - 1); (*t.keys.Load())[number] == k {
			return number
		}
	}
	return -1
}

// add numbers a text that has none.
func (t *ids) add(k key, text string) int32 {
	slots := *t.slots.Load()
	if perText*(t.count+1) > len(slots) {
		slots = t.grow(slots)
	}
	(*t.keys.Load())[t.count], (*t.texts.Load())[t.count] = k, text
	t.count++
	t.size += int64(len(text))
	insert(slots, k.hash(), t.count)
	if t.decimals != nil {
		t.decimals.add((*t.keys.Load())[:t.count])
	}
	return int32(t.count - 1)
}

func insert(slots []slot, hash uint64, number int) {
	mask := uint64(len(slots) - 1)
	at := hash & mask
	for slots[at].Load() != 0 {
		at = (at + 1) & mask
	}
	slots[at].Store(hash>>32<<32 | uint64(number))
}

func (t *ids) grow(old []slot) []slot {
	size := 2 * len(old)
	keys, texts, slots := make([]key, size/perText), make([]string, size/perText), make([]slot, size)
	copy(texts, *t.texts.Load())
	copy(keys, *t.keys.Load())
	for number := range t.count {
		insert(slots, keys[number].hash(), number+1)
	}
	t.keys.Store(&keys)
	t.texts.Store(&texts)
	t.slots.Store(&slots)
	return slots
}

// number gives a text's number, a new one if it has none. For the adding
// goroutine only.
func (t *ids) number(text string) int32 {
	bytes := []byte(text)
	k := keyOf(bytes)
	if found := t.find(k, bytes); found >= 0 {
		return found
	}
	return t.add(k, text)
}

// all lists the texts by number.
func (t *ids) all() []string { return (*t.texts.Load())[:t.count:t.count] }

func (t *ids) text(number int32) string { return (*t.texts.Load())[number] }

// bytes is about what the table occupies.
func (t *ids) bytes() int64 {
	return t.decimals.bytes() + 8*int64(len(*t.slots.Load())) + 32*int64(len(*t.texts.Load())) + t.size + 8*int64(t.count)
}

// clear empties the table. Nobody may be using it.
func (t *ids) clear() {
	if t.count == 0 {
		return
	}
	clear(*t.slots.Load())
	clear((*t.texts.Load())[:t.count])
	t.count, t.size = 0, 0
}

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
