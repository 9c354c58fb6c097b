package ingest

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"

	"optcomplete/internal/random"
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
	key    uint64
	number atomic.Uint32 // 1 more than the text's; 0: the place is free
}

// longKey marks the key of a text that does not fit into it.
const longKey = 1 << 63

// seed makes long texts' keys differ from run to run. Numbers do not depend on it.
var seed = maphash.MakeSeed()

// keyOf packs a text of up to 7 bytes into a word that no other text has, and
// hashes a longer one.
func keyOf(text []byte) uint64 {
	n := len(text)
	if n > 7 {
		return maphash.Bytes(seed, text) | longKey
	}
	if cap(text) >= 8 {
		// Whatever stands behind the text is masked off.
		return shortKey(binary.LittleEndian.Uint64(text[:8]), n)
	}
	key := uint64(n) << 56
	for i, b := range text {
		key |= uint64(b) << (8 * i)
	}
	return key
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
func (t *ids) find(key uint64, text []byte) int32 {
	slots := *t.slots.Load()
	mask := uint64(len(slots) - 1)
	for at := random.Mix(key) & mask; ; at = (at + 1) & mask {
		s := &slots[at]
		number := s.number.Load()
		if number == 0 {
			return -1
		}
		if s.key == key && (key&longKey == 0 || (*t.texts.Load())[number-1] == string(text)) {
			return int32(number - 1)
		}
	}
}

// add numbers a text that has none.
func (t *ids) add(key uint64, text string) int32 {
	slots := *t.slots.Load()
	if 2*(t.count+1) > len(slots) {
		slots = t.grow(slots)
	}
	(*t.texts.Load())[t.count] = text
	t.count++
	t.size += int64(len(text))
	insert(slots, key, uint32(t.count))
	return int32(t.count - 1)
}

func insert(slots []slot, key uint64, number uint32) {
	mask := uint64(len(slots) - 1)
	at := random.Mix(key) & mask
	for slots[at].number.Load() != 0 {
		at = (at + 1) & mask
	}
	slots[at].key = key
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
	key := keyOf(bytes)
	if found := t.find(key, bytes); found >= 0 {
		return found
	}
	return t.add(key, text)
}

// all lists the texts by number.
func (t *ids) all() []string { return (*t.texts.Load())[:t.count:t.count] }

func (t *ids) text(number int32) string { return (*t.texts.Load())[number] }

// bytes is about what the table occupies.
func (t *ids) bytes() int64 {
	return 16*int64(len(*t.slots.Load())) + 16*int64(len(*t.texts.Load())) + t.size + 8*int64(t.count)
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
