package evaluate

import (
	"fmt"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// splitStream keeps the random numbers of a split apart from those that other
// packages draw from the same seed.
const splitStream = 0x73706c6974 // "split"

// Split holds out each observed entry with probability share, in [0,1], by a
// hash of the seed and the entry's position in row-major order. Every entry is
// in exactly one of the two matrices, which have the shape of m.
func Split(m *data.Matrix, share float64, seed uint64) (train, held *data.Matrix) {
	if !(share >= 0 && share <= 1) {
		panic(fmt.Sprintf("evaluate: the share to hold out is %v, not in [0,1]", share))
	}
	out := func(at int) bool {
		return random.Unit(random.Hash(seed, splitStream, uint64(at))) < share
	}
	train = m.Filter(func(at int) bool { return !out(at) })
	held = m.Filter(out)
	return train, held
}

// foldStream keeps folds and repeated hold-outs apart from other splits.
const (
	foldStream   = 0x666f6c64   // "fold"
	repeatStream = 0x7265706561 // "repea"
)

// Fold is part f of a K-fold split: every observed entry is held out in exactly
// one of the folds, by a hash of the seed and its position.
func Fold(m *data.Matrix, f, folds int, seed uint64) (train, held *data.Matrix) {
	if f < 0 || f >= folds {
		panic(fmt.Sprintf("evaluate: fold %d of %d", f, folds))
	}
	out := func(at int) bool {
		return int(random.Unit(random.Hash(seed, foldStream, uint64(at)))*float64(folds)) == f
	}
	return m.Filter(func(at int) bool { return !out(at) }), m.Filter(out)
}

// Repeat is one of several hold-outs of a fifth, each drawn by itself.
func Repeat(m *data.Matrix, number int, seed uint64) (train, held *data.Matrix) {
	return Split(m, 0.2, random.Hash(seed, repeatStream, uint64(number)))
}
