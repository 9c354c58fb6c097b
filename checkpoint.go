package optcomplete

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"runtime"
	"strings"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/internal/kernel"
	"optcomplete/internal/parallel"
)

// openCheckpoint opens the memory of this run.
func openCheckpoint(ctx context.Context, problem Problem, settings *Settings) (*checkpoint.Store, error) {
	entries, err := entriesHash(ctx, problem.Ratings.Source(), settings.Threads)
	if err != nil {
		return nil, err
	}
	return checkpoint.Open(settings.Checkpoint, fingerprint(problem, settings, entries))
}

// fingerprint tells runs apart that may not share answers: by data, settings,
// program and the kind of machine, whose arithmetic may round differently.
// Limits, threads and near-ties are left out: they change no answer.
func fingerprint(problem Problem, s *Settings, entries string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	n, m := problem.Ratings.Dims()
	line("optcomplete %s %s vectors %v", Version, runtime.GOARCH, kernel.Accelerated())
	line("data %d × %d, %d entries %s", n, m, problem.Ratings.Observed(), entries)
	line("features %s", featuresHash(problem.Features))
	line("k %d", s.K)
	line("model %v refit %v", s.Model, s.Refit)
	line("gamma %v %v shrinkage %v %v", s.Gamma, s.Gamma0, s.RowShrinkage, s.ColumnShrinkage)
	line("always %q never %q start %q", s.Always, s.Never, s.Start)
	line("holdout %v seed %d", s.Holdout, s.Seed)
	line("sampling %d", s.Sampling)
	return b.String()
}

func featuresHash(f *data.Features) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", f.IDs, f.Names)
	numbers(h, f.Values)
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// entriesHash is a hash of all observed entries.
func entriesHash(ctx context.Context, s data.Source, threads int) (string, error) {
	n, _ := s.Dims()
	const parts = 64
	sums := make([][]byte, parts)
	err := parallel.Do(ctx, parts, threads, func(int) func(part int) error {
		r := data.NewRowReader(s)
		return func(part int) error {
			h := sha256.New()
			var ints []byte
			for i := part * n / parts; i < (part+1)*n/parts; i++ {
				columns, values, err := r.Row(i)
				if err != nil {
					return err
				}
				ints = binary.LittleEndian.AppendUint64(ints[:0], uint64(len(columns)))
				for _, c := range columns {
					ints = binary.LittleEndian.AppendUint32(ints, uint32(c))
				}
				h.Write(ints)
				numbers(h, values)
			}
			sums[part] = h.Sum(nil)
			return nil
		}
	})
	h := sha256.New()
	for _, sum := range sums {
		h.Write(sum)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), err
}

func numbers(h hash.Hash, values []float64) {
	b := make([]byte, 0, 4096)
	for x, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		if len(b) >= 4088 || x == len(values)-1 {
			h.Write(b)
			b = b[:0]
		}
	}
}

// remember lets the checkpoint, if there is one, answer for the oracle.
func (t *task) remember(s *selector, label string, c choices) {
	if t.memory != nil {
		s.oracle = t.memory.Oracle(s.oracle, fmt.Sprintf("%s k %d gamma %v %v shrinkage %v %v", label, t.find.K, c.gamma, c.gamma0, c.row, c.column))
	}
}

// keptChoices is choices as a checkpoint keeps them.
type keptChoices struct {
	Gamma, Gamma0, Row, Column float64
	Path                       json.RawMessage
}

// chosen is choose, remembered.
func (t *task) chosen(ctx context.Context, train data.Source, s *Settings) (choices, error) {
	if t.memory == nil {
		return t.choose(ctx, train, s)
	}
	var c choices
	answer, err := t.memory.Do([]byte("choices"), func() (b []byte, err error) {
		if c, err = t.choose(ctx, train, s); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err // what an interrupt left is not to be kept
		}
		path, err := json.Marshal(c.gammaPath)
		if err != nil {
			return nil, err
		}
		return json.Marshal(keptChoices{c.gamma, c.gamma0, c.row, c.column, path})
	})
	if ctx.Err() != nil {
		return c, nil // the best so far
	}
	if err != nil {
		return c, err
	}
	var kept keptChoices
	if err := json.Unmarshal(answer, &kept); err != nil {
		return c, err
	}
	c = choices{gamma: kept.Gamma, gamma0: kept.Gamma0, row: kept.Row, column: kept.Column, fixed: s.ColumnShrinkage > 0}
	return c, json.Unmarshal(kept.Path, &c.gammaPath)
}
