package evaluate

import (
	"context"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/pass"
)

// TrialEntries is how many entries choices are made on, at most: of larger data, some
// rows.
const TrialEntries = 800_000

const sampleStream = 0x67616d6d61 // "gamma"

// Samples are nested samples of the rows of a matrix, chosen by a hash of the seed
// and their ids, with about the given numbers of entries; the last is the matrix itself if
// the sizes reach that far. Rows without entries are left out.
func Samples(m *data.Matrix, sizes []int, seed uint64) ([]*data.Matrix, error) {
	n, _ := m.Dims()
	keys := data.KeysOf(m)
	type row struct {
		draw uint64
		at   int
	}
	var rows []row
	for i := range n {
		if m.Entries(i) > 0 {
			rows = append(rows, row{random.Hash(seed, sampleStream, keys.Row(i)), i})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		switch {
		case a.draw != b.draw:
			if a.draw < b.draw {
				return -1
			}
			return 1
		}
		return a.at - b.at
	})
	var samples []*data.Matrix
	for _, size := range sizes {
		if size >= m.Observed() {
			samples = append(samples, m)
			break
		}
		entries, count := 0, 0
		for count < len(rows) && entries < size {
			entries += m.Entries(rows[count].at)
			count++
		}
		at := make([]int, count)
		for x := range at {
			at[x] = rows[x].at
		}
		slices.Sort(at)
		sample, err := data.Collect(m, at)
		if err != nil {
			return nil, err
		}
		samples = append(samples, sample)
	}
	return samples, nil
}

// validationStream keeps the validation part apart from a hold-out of the same
// seed: the same entries would be in both otherwise.
const validationStream = 0x76616c6964 // "valid"

// Part is a training and a validation part of a matrix.
type Part struct{ Train, Held data.Source }

// Validation divides the entries into a part to train on and a share (zero means
// 0.2) to validate on. Data with more than the given number of entries are sampled
// by rows, to about that many; zero takes all.
func Validation(ctx context.Context, m data.Source, share float64, entries int, seed uint64, threads int) (Part, error) {
	if entries > 0 {
		var err error
		if m, err = SampleRows(ctx, m, entries, seed, threads); err != nil {
			return Part{}, err
		}
	}
	if share == 0 {
		share = 0.2
	}
	train, held, err := Split(ctx, m, share, random.Hash(seed, validationStream), threads)
	return Part{train, held}, err
}

// SampleRows keeps whole rows, chosen by a hash of the seed and their ids, with about the
// given number of entries together, in memory. The matrix keeps its shape.
func SampleRows(ctx context.Context, s data.Source, entries int, seed uint64, threads int) (*data.Matrix, error) {
	share := 1.0
	if observed := s.Observed(); observed > entries {
		share = float64(entries) / float64(observed)
	} else if all, ok := s.(*data.Matrix); ok {
		return all, nil
	}
	return pass.Collect(context.WithoutCancel(ctx), s, threads, "sample of rows", rowSample{shareKeys(s), seed, share})
}
