package ingest

import (
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/amount"
)

// maxValues is how many distinct values a pack lists at most.
const maxValues = 1 << 16

// values learns whether the values seen are few, and whether they all fit into
// float32. The zero value has seen none.
type values struct {
	recent  [256]uint64 // bits of a value that is in the set, 0 for none
	set     map[uint64]struct{}
	many    bool // more than a pack can list
	zero    bool // 0 was seen; it is in none of the above
	precise bool // some value is not a float32
}

func (s *values) add(v float64) {
	if s.many && s.precise {
		return
	}
	if v == 0 {
		s.zero = true
		return
	}
	bits := math.Float64bits(v)
	at := &s.recent[bits*0x9e3779b97f4a7c15>>56]
	if *at == bits {
		return
	}
	*at = bits
	s.precise = s.precise || float64(float32(v)) != v
	s.insert(bits)
}

func (s *values) insert(bits uint64) {
	if s.many {
		return
	}
	if s.set == nil {
		s.set = map[uint64]struct{}{}
	}
	s.set[bits] = struct{}{}
	if len(s.set) > maxValues {
		s.many, s.set = true, nil
	}
}

// join adds what another has seen.
func (s *values) join(other *values) {
	s.precise = s.precise || other.precise
	s.zero = s.zero || other.zero
	s.many = s.many || other.many
	for bits := range other.set {
		s.insert(bits)
	}
}

// list gives the distinct values, increasing; nil if they are many.
func (s *values) list() []float64 {
	var out []float64
	if s.zero {
		out = append(out, 0)
	}
	for bits := range s.set {
		out = append(out, math.Float64frombits(bits))
	}
	if s.many || len(out) > maxValues {
		return nil
	}
	slices.Sort(out)
	return out
}

// manyCodes is the part of the entries from which on a value that looks like a code for
// unknown is told.
const manyCodes = 0.01

// ends are the least and the largest of values. The zero value has seen none.
type ends struct{ low, high end }

// end is a value that none is beyond, how many are equal to it, and the one next to it.
// Where there is no next one it is the value itself.
type end struct {
	value, next float64
	count       int
}

func (e *ends) add(values []float64) {
	for _, v := range values {
		e.low.add(v, e.low.value-v)
		e.high.add(v, v-e.high.value)
	}
}

// add takes a value that is that far beyond the end.
func (e *end) add(v, beyond float64) {
	switch {
	case e.count == 0:
		*e = end{v, v, 1}
	case beyond == 0:
		e.count++
	case beyond > 0:
		*e = end{v, e.value, 1}
	case e.next == e.value || math.Abs(v-e.value) < math.Abs(e.next-e.value):
		e.next = v
	}
}

// warnings tells of an end that many of the entries have and that looks like a code for
// unknown: −1 below values from 0 to more than 1, or 9, 99, 999 and so on, of either sign,
// as far from all other values as those are from each other.
func (e *ends) warnings(entries int) (out []string) {
	tell := func(code *end, low, high float64) {
		nines := math.Log10(math.Abs(code.value) + 1)
		far := nines >= 1 && nines == math.Trunc(nines) && math.Abs(code.next-code.value) >= high-low
		if !far && (code.value != -1 || low < 0 || high <= 1) || low == high || float64(code.count) < manyCodes*float64(entries) {
			return
		}
		number := func(x float64) string { return string(data.AppendNumber(nil, x)) }
		out = append(out, fmt.Sprintf("%s of %s values are %s, and the others from %s to %s: if it means unknown, use Settings.Missing %[3]s",
			amount.Grouped(code.count), amount.Grouped(entries), number(code.value), number(low), number(high)))
	}
	tell(&e.low, e.low.next, e.high.value)
	tell(&e.high, e.low.value, e.high.next)
	return out
}
