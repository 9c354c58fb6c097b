package ingest

import (
	"math"
	"slices"
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
