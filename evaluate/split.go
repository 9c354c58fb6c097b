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
// hash of the seed and the ids of its row and column (data.Keys). Every entry is in exactly one of the
// two parts, which have the shape of s.
func Split(s data.Source, share float64, seed uint64) (train, held data.Source, err error) {
	out := heldOut(share, seed, data.KeysOf(s))
	if train, err = data.Filter(s, func(row int, column int32) bool { return !out(row, column) }); err != nil {
		return nil, nil, err
	}
	held, err = data.Filter(s, out)
	return train, held, err
}

// SplitMatrix is Split of a matrix in memory, into two of them.
func SplitMatrix(m *data.Matrix, share float64, seed uint64) (train, held *data.Matrix) {
	return matrixParts(m, heldOut(share, seed, m.Keys()))
}

func matrixParts(m *data.Matrix, out func(row int, column int32) bool) (train, held *data.Matrix) {
	return m.Filter(func(row int, column int32) bool { return !out(row, column) }), m.Filter(out)
}

// heldOut tells which entries a split holds out.
func heldOut(share float64, seed uint64, keys *data.Keys) func(row int, column int32) bool {
	if !(share >= 0 && share <= 1) {
		panic(fmt.Sprintf("evaluate: the share to hold out is %v, not in [0,1]", share))
	}
	return func(row int, column int32) bool {
		return random.Unit(random.Hash(seed, splitStream, keys.Row(row), keys.Column(column))) < share
	}
}

// foldStream keeps folds and repeated hold-outs apart from other splits.
const (
	foldStream   = 0x666f6c64   // "fold"
	repeatStream = 0x7265706561 // "repea"
)

// Fold is part f of a K-fold split: every observed entry is held out in exactly
// one of the folds, by a hash of the seed and the ids of its row and column.
func Fold(m *data.Matrix, f, folds int, seed uint64) (train, held *data.Matrix) {
	if f < 0 || f >= folds {
		panic(fmt.Sprintf("evaluate: fold %d of %d", f, folds))
	}
	keys := m.Keys()
	return matrixParts(m, func(row int, column int32) bool {
		return int(random.Unit(random.Hash(seed, foldStream, keys.Row(row), keys.Column(column)))*float64(folds)) == f
	})
}

// Repeat is one of several hold-outs of a fifth, each drawn by itself.
func Repeat(m *data.Matrix, number int, seed uint64) (train, held *data.Matrix) {
	return SplitMatrix(m, 0.2, random.Hash(seed, repeatStream, uint64(number)))
}
