package pack

import "fmt"

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
		before, ordered := int32(-1), true
		if f.wide() {
			for y, high := range v.high[lo:hi] {
				c := int32(high)<<16 | int32(low[y])
				ordered = ordered && c > before
				before = c
			}
		} else {
			for _, c := range low {
				ordered = ordered && int32(c) > before
				before = int32(c)
			}
		}
		if !ordered || int(before) >= f.columns {
			return fmt.Sprintf("the columns of row %d are out of order, or beyond the last", v.first+x)
		}
	}
	switch most := 0; f.values {
	case Dictionary8:
		for _, code := range v.value {
			most = max(most, int(code))
		}
		if len(v.value) > 0 && most >= f.header.Distinct {
			return fmt.Sprintf("it has value %d of a dictionary of %d", most, f.header.Distinct)
		}
	case Dictionary16:
		for _, code := range view[uint16](v.value) {
			most = max(most, int(code))
		}
		if len(v.value) > 0 && most >= f.header.Distinct {
			return fmt.Sprintf("it has value %d of a dictionary of %d", most, f.header.Distinct)
		}
	case Float32:
		for _, value := range view[float32](v.value) {
			if value-value != 0 {
				return fmt.Sprintf("it has the value %v", value)
			}
		}
	case Float64:
		for _, value := range view[float64](v.value) {
			if value-value != 0 {
				return fmt.Sprintf("it has the value %v", value)
			}
		}
	}
	return ""
}
