package pack

import (
	"fmt"
	"math"

	"optcomplete/data"
)

// What of a block has been checked.
const (
	headGood    = 1
	entriesGood = 2
)

// blockView is the buffers of a block, in the map.
type blockView struct {
	number int // -1: none
	first  int // row
	offset []int32
	id     []byte
	start  []int32
	low    []uint16
	high   []uint8
	value  []byte
	weight []float64 // nil: there are none
}

// body gives the buffers of block b, unchecked.
func (f *File) body(b int) blockView {
	r := f.records[b]
	rows, entries := f.rowsIn(b), f.records[b+1].before-r.before
	l := f.block(rows, int64(r.idBytes), entries)
	body := f.bytes[r.offset+int64(r.meta):][:l.end]
	part := func(at, size int64) []byte { return body[at : at+size : at+size] }
	v := blockView{
		number: b,
		first:  b * f.rowsPerBlock,
		offset: view[int32](part(l.idOffset, 4*(int64(rows)+1))),
		id:     part(l.id, int64(r.idBytes)),
		start:  view[int32](part(l.start, 4*(int64(rows)+1))),
		low:    view[uint16](part(l.low, 2*entries)),
		value:  part(l.value, entries*int64(f.values.Bytes())),
	}
	if f.wide() {
		v.high = part(l.high, entries)
	}
	if f.weighted {
		v.weight = view[float64](part(l.weight, 8*entries))
	}
	return v
}

// check makes sure that what is wanted of a block is good; it looks only once.
func (f *File) check(v *blockView, want uint32) error {
	state := &f.touched[v.number]
	missing := want &^ state.Load()
	if missing == 0 {
		return nil
	}
	r := f.records[v.number]
	message := f.bytes[r.offset:f.records[v.number+1].offset]
	split := int(r.meta) + int(f.block(f.rowsIn(v.number), int64(r.idBytes), int64(len(v.low))).low)
	if missing&headGood != 0 {
		if got := checksum(message[:split]); got != r.head {
			return f.damaged(v.number, "is damaged: the checksum of its rows is %08x, not %08x", got, r.head)
		}
		if !increasing(v.offset, len(v.id)) || !increasing(v.start, len(v.low)) {
			return f.damaged(v.number, "is damaged: its rows overlap")
		}
	}
	if missing&entriesGood != 0 {
		if got := checksum(message[split:]); got != r.entries {
			return f.damaged(v.number, "is damaged: the checksum of its entries is %08x, not %08x", got, r.entries)
		}
		if problem := f.validEntries(v); problem != "" {
			return f.damaged(v.number, "is damaged: %s", problem)
		}
	}
	state.Or(missing)
	return nil
}

// increasing tells that offsets go from 0 to end without going back.
func increasing(offsets []int32, end int) bool {
	before := int32(0)
	for _, o := range offsets {
		if o < before {
			return false
		}
		before = o
	}
	return offsets[0] == 0 && int(before) == end
}

// validEntries says what in a block's entries no writer writes. Checksums tell
// damage; this is for packs made by a faulty program or in bad faith, so that no
// package that reads has to check again.
func (f *File) validEntries(v *blockView) (problem string) {
	for x := range len(v.start) - 1 {
		lo, hi := v.start[x], v.start[x+1]
		low := v.low[lo:hi]
		// Bit 31 of back is set once a column is not greater than the one before.
		before, back := int32(-1), int32(0)
		if f.wide() {
			for y, high := range v.high[lo:hi] {
				c := int32(high)<<16 | int32(low[y])
				back |= c - before - 1
				before = c
			}
		} else {
			for _, c := range low {
				back |= int32(c) - before - 1
				before = int32(c)
			}
		}
		if back < 0 || int(before) >= f.columns {
			return fmt.Sprintf("the columns of row %d are out of order, or beyond the last", v.first+x)
		}
	}
	for _, x := range v.weight {
		if !data.ValidWeight(x) {
			return fmt.Sprintf("it has the weight %v", x)
		}
	}
	switch f.values {
	case Dictionary8:
		if most := largest(v.value, math.MaxUint8); len(v.value) > 0 && int(most) >= f.header.Distinct {
			return fmt.Sprintf("it has value %d of a dictionary of %d", most, f.header.Distinct)
		}
	case Dictionary16:
		if most := largest(view[uint16](v.value), math.MaxUint16); len(v.value) > 0 && int(most) >= f.header.Distinct {
			return fmt.Sprintf("it has value %d of a dictionary of %d", most, f.header.Distinct)
		}
	// Without its sign, the bits of a number grow with it, and those of the
	// infinities and of what is no number are larger than all others.
	case Float32:
		if most := largest(view[uint32](v.value), math.MaxInt32); most >= math.Float32bits(float32(math.Inf(1))) {
			return fmt.Sprintf("it has the value %v", math.Float32frombits(most))
		}
	case Float64:
		if most := largest(view[uint64](v.value), math.MaxInt64); most >= math.Float64bits(math.Inf(1)) {
			return fmt.Sprintf("it has the value %v", math.Float64frombits(most))
		}
	}
	return ""
}

// largest is the largest of numbers, of whose bits those in mask count.
func largest[T uint8 | uint16 | uint32 | uint64](numbers []T, mask T) T {
	most := T(0)
	for _, x := range numbers {
		most = max(most, x&mask)
	}
	return most
}
