package pass

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"

	"optcomplete/data"
)

// Fingerprint is a hash of all observed entries, and the same wherever they are read.
func Fingerprint(ctx context.Context, s data.Source, threads int) (string, error) {
	all := sha256.New()
	if data.IsWeighted(s) {
		all.Write([]byte("weight"))
	}
	err := Stream(ctx, s, threads, hashing{}, func(part *hashes) error {
		all.Write(part.Sums)
		return nil
	})
	return fmt.Sprintf("%x", all.Sum(nil)[:16]), err
}

// hashing is the pass of Fingerprint.
type hashing struct{}

// Start makes a worker.
func (hashing) Start(*Input) (Worker, error) { return &hasher{hash: sha256.New()}, nil }

// hashes are those of chunks of rows, one after the other.
type hashes struct{ Sums []byte }

// Merge puts the others behind.
func (h *hashes) Merge(o Part) { h.Sums = append(h.Sums, o.(*hashes).Sums...) }

type hasher struct {
	hash hash.Hash
	ints []byte
}

func (w *hasher) Add(c *Chunk) error {
	for i := c.First; i < c.End; i++ {
		columns, values := c.Row(i)
		w.ints = binary.LittleEndian.AppendUint64(w.ints[:0], uint64(len(columns)))
		for _, j := range columns {
			w.ints = binary.LittleEndian.AppendUint32(w.ints, uint32(j))
		}
		for _, v := range values {
			w.ints = binary.LittleEndian.AppendUint64(w.ints, math.Float64bits(v))
		}
		for _, v := range c.Weights(i) {
			w.ints = binary.LittleEndian.AppendUint64(w.ints, math.Float64bits(v))
		}
		w.hash.Write(w.ints)
	}
	return nil
}

func (w *hasher) Part() (Part, error) {
	sum := w.hash.Sum(nil)
	w.hash.Reset()
	return &hashes{sum}, nil
}

func init() { Register("fingerprint", hashing{}, new(hashes)) }
