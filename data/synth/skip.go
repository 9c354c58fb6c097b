package synth

import (
	"optcomplete/internal/random"
)

// skips draws the number of missing entries before the next observed one: at
// least g with probability μᵍ, so ⌊ln u / ln μ⌋ for u uniform on (0,1] (Devroye,
// "Non-uniform random variate generation", 1986, section X.2).
//
// Where all u that begin with the same bits give the same number, a table has
// it; the logarithm is needed for the others alone, 3 in 100 for μ = 0.95.
type skips struct {
	logMissing float64 // ln μ
	table      [1 << skipBits]int32
}

const skipBits = 12

func newSkips(missing float64) *skips {
	s := &skips{logMissing: random.Log(missing)}
	const cells = 1 << skipBits
	for c := range s.table {
		// The two ends of a cell, moved apart by more than Log can be wrong.
		least := random.Log(1-float64(c)/cells) / s.logMissing * (1 - 1e-12)
		most := random.Log(1-(float64(c+1)/cells-0x1p-53)) / s.logMissing * (1 + 1e-12)
		s.table[c] = -1
		if most < 1<<30 && int(least) == int(most) {
			s.table[c] = int32(least)
		}
	}
	return s
}

// of gives the number that 64 random bits stand for, at most limit.
func (s *skips) of(bits uint64, limit int) int {
	if g := s.table[bits>>(64-skipBits)]; g >= 0 {
		return min(int(g), limit)
	}
	return s.exactly(bits, limit)
}

func (s *skips) exactly(bits uint64, limit int) int {
	gap := random.Log(1-random.Unit(bits)) / s.logMissing
	if gap >= float64(limit) {
		return limit
	}
	return int(gap)
}
