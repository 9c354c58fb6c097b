package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

// splitStream keeps the random numbers of a split apart from those that other
// packages draw from the same seed.
const splitStream = 0x73706c6974 // "split"

// Split holds out each observed entry with probability share, in [0,1], by a
// hash of the seed and the ids of its row and column (data.Keys). Every entry is
// in exactly one of the two parts, which have the shape of s. It is one reading;
// of few entries two, because exactly the share of them is held out.
func Split(ctx context.Context, s data.Source, share float64, seed uint64, threads int) (train, held data.Source, err error) {
	checkShare(share)
	if few(s.Observed()) {
		all, err := pass.One[*pass.List](ctx, s, threads, draws{shareKeys(s), seed})
		if err != nil {
			return nil, nil, err
		}
		share = exactShare(share, all.Values)
	}
	out := splitting{Keys: shareKeys(s), Seed: seed, Share: share, Held: true}
	in := out
	in.Held = false
	parts, err := pass.Views(context.WithoutCancel(ctx), s, threads, "split", []pass.Transform{in}, []pass.Transform{out})
	if err != nil {
		return nil, nil, err
	}
	return parts[0], parts[1], nil
}

// draws is the number of every entry that decides which part it is in.
type draws struct {
	Keys *pass.Shared[data.KeyTable]
	Seed uint64
}

// Start makes a worker.
func (p draws) Start(*pass.Input) (pass.Worker, error) {
	keys := p.Keys.Get()
	return pass.EachRow(func() *pass.List { return new(pass.List) }, func(part *pass.List, i int, at []int32, _ []float64) error {
		for _, c := range at {
			part.Values = append(part.Values, drawOf(p.Seed, keys.Row(i), keys.Column(c)))
		}
		return nil
	}), nil
}

func init() { pass.Register("split", draws{}, new(pass.List)) }

func shareKeys(s data.Source) *pass.Shared[data.KeyTable] {
	return pass.Share(data.KeysOf(s).Table())
}

// splitting keeps the entries of one part of a split.
type splitting struct {
	Keys  *pass.Shared[data.KeyTable]
	Seed  uint64
	Share float64
	Held  bool // the part held out
}

// Drops is true.
func (t splitting) Drops() bool { return true }

// Apply keeps what is in the part.
func (t splitting) Apply(row int, columns []int32, values []float64) ([]int32, []float64) {
	keys := t.Keys.Get()
	to := 0
	for x, c := range columns {
		if isHeld(t.Share, t.Seed, keys.Row(row), keys.Column(c)) == t.Held {
			columns[to], values[to] = c, values[x]
			to++
		}
	}
	return columns[:to], values[:to]
}

func isHeld(share float64, seed, row, column uint64) bool { return drawOf(seed, row, column) < share }

// drawOf is the number in [0,1) that decides about an entry.
func drawOf(seed, row, column uint64) float64 {
	return random.Unit(random.Hash(seed, splitStream, row, column))
}

// few tells whether so few entries are split that chance may hold out far more or
// fewer than the share: of 24 entries a fifth may be one.
func few(entries int) bool { return entries <= 500 }

// exactShare is the share at which as many of the draws are below it as the given
// share says, rounded; at least one on either side, unless all or none are asked
// for. It sorts the draws.
func exactShare(share float64, draws []float64) float64 {
	if share == 0 || share == 1 || len(draws) < 2 {
		return share
	}
	slices.Sort(draws)
	return draws[min(max(int(math.Round(share*float64(len(draws)))), 1), len(draws)-1)]
}

// rowSample keeps whole rows, each with a probability, by a hash of its id.
type rowSample struct {
	Keys  *pass.Shared[data.KeyTable]
	Seed  uint64
	Share float64
}

// Drops is true.
func (t rowSample) Drops() bool { return true }

// KeepsRow draws the row or not.
func (t rowSample) KeepsRow(row int) bool {
	keys := t.Keys.Get()
	return random.Unit(random.Hash(t.Seed, sampleStream, keys.Row(row))) < t.Share
}

// Apply keeps what is left to it: rows that are not drawn are not even read.
func (t rowSample) Apply(_ int, columns []int32, values []float64) ([]int32, []float64) {
	return columns, values
}

// ReportRows is which rows a report looks at: all of a source with at most about so
// many entries, which are nil; else a sample, drawn by a hash of the seed and their
// ids.
func ReportRows(s data.Source, entries int, seed uint64) []int {
	share := float64(entries) / float64(s.Observed())
	if share >= 1 || s.Observed() == 0 {
		return nil
	}
	n, _ := s.Dims()
	rows, keys := []int{}, data.KeysOf(s)
	for i := range n {
		if random.Unit(random.Hash(seed, reportStream, keys.Row(i))) < share {
			rows = append(rows, i)
		}
	}
	return rows
}

const reportStream = 0x7265706f7274 // "report"

func init() {
	pass.RegisterTransform(splitting{})
	pass.RegisterTransform(rowSample{})
}

// SplitMatrix is Split of a matrix in memory, into two of them.
func SplitMatrix(m *data.Matrix, share float64, seed uint64) (train, held *data.Matrix) {
	checkShare(share)
	if few(m.Observed()) {
		n, _ := m.Dims()
		var draws []float64
		for i := range n {
			at, _ := m.Row(i)
			for _, c := range at {
				draws = append(draws, drawOf(seed, m.Keys().Row(i), m.Keys().Column(c)))
			}
		}
		share = exactShare(share, draws)
	}
	return matrixParts(m, heldOut(share, seed, m.Keys()))
}

func matrixParts(m *data.Matrix, out func(row int, column int32) bool) (train, held *data.Matrix) {
	return m.Filter(func(row int, column int32) bool { return !out(row, column) }), m.Filter(out)
}

// heldOut tells which entries a split holds out.
func heldOut(share float64, seed uint64, keys *data.Keys) func(row int, column int32) bool {
	checkShare(share)
	return func(row int, column int32) bool { return isHeld(share, seed, keys.Row(row), keys.Column(column)) }
}

func checkShare(share float64) {
	if !(share >= 0 && share <= 1) {
		panic(fmt.Sprintf("evaluate: the share to hold out is %v, not in [0,1]", share))
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
