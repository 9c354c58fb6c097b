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
	texts atomic.Pointer[[]string] // by number, of full capacity: only those below count are set
	count int
	size  int64 // bytes of the texts
}

// slot is one place of the table. Its key is written before its number, and
// neither changes afterwards.
type slot struct {
	key    key
	number atomic.Uint32 // 1 more than the text's; 0: the place is free
}

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
	slots, texts := make([]slot, firstSlots), make([]string, firstSlots/2)
	t.slots.Store(&slots)
	t.texts.Store(&texts)
	return t
}

// find gives the number of a text whose key is known; −1 if it has none.
func (t *ids) find(k key, text []byte) int32 {
	slots := *t.slots.Load()
	mask := uint64(len(slots) - 1)
	for at := k.hash() & mask; ; at = (at + 1) & mask {
		s := &slots[at]
		number := s.number.Load()
		if number == 0 {
			return -1
		}
		if s.key == k && (!k.long() || (*t.texts.Load())[number-1] == string(text)) {
			return int32(number - 1)
		}
	}
}

// add numbers a text that has none.
func (t *ids) add(k key, text string) int32 {
	slots := *t.slots.Load()
	if 2*(t.count+1) > len(slots) {
		slots = t.grow(slots)
	}
	(*t.texts.Load())[t.count] = text
	t.count++
	t.size += int64(len(text))
	insert(slots, k, uint32(t.count))
	return int32(t.count - 1)
}

func insert(slots []slot, k key, number uint32) {
	mask := uint64(len(slots) - 1)
	at := k.hash() & mask
	for slots[at].number.Load() != 0 {
		at = (at + 1) & mask
	}
	slots[at].key = k
	slots[at].number.Store(number)
}

func (t *ids) grow(old []slot) []slot {
	texts := make([]string, len(old))
	copy(texts, *t.texts.Load())
	t.texts.Store(&texts)
	slots := make([]slot, 2*len(old))
	for i := range old {
		if number := old[i].number.Load(); number != 0 {
			insert(slots, old[i].key, number)
		}
	}
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
	return 24*int64(len(*t.slots.Load())) + 16*int64(len(*t.texts.Load())) + t.size + 8*int64(t.count)
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
