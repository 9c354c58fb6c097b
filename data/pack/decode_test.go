package pack

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// The generated loops give what the plain ones give, for every length and to
// the bit, and touch nothing else.
func TestGeneratedLoopsEqualPlainOnes(t *testing.T) {
	if !accelerated {
		t.Skip("no AVX2 here")
	}
	r := rand.New(rand.NewPCG(5, 6))
	special := []float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, math.MaxFloat32, -1.5}
	for n := range 100 {
		low, high, from := make([]uint16, n), make([]uint8, n), make([]float32, n)
		for x := range n {
			low[x], high[x], from[x] = uint16(r.Uint32()), uint8(r.Uint32()), float32(r.NormFloat64())
			if r.IntN(4) == 0 {
				from[x] = special[r.IntN(len(special))]
			}
		}
		type result struct {
			narrow, wide []int32
			values       []uint64
		}
		run := func() (out result) {
			narrow, wide, values := make([]int32, n+20), make([]int32, n+20), make([]float64, n+20)
			for x := range narrow {
				narrow[x], wide[x], values[x] = -1, -1, -1
			}
			narrowColumns(narrow[:n], low)
			wideColumns(wide[:n], low, high)
			fromFloat32(values[:n], from)
			for _, v := range values {
				out.values = append(out.values, math.Float64bits(v))
			}
			out.narrow, out.wide = narrow, wide
			return out
		}
		fast := run()
		accelerated = false
		plain := run()
		accelerated = true
		if !slices.Equal(fast.narrow, plain.narrow) || !slices.Equal(fast.wide, plain.wide) || !slices.Equal(fast.values, plain.values) {
			t.Fatalf("%d numbers: %v, want %v", n, fast, plain)
		}
	}
}

// A fault within a loop, generated or plain, is an error too: here the row's
// length is still there, its entries are not.
func TestCutWithinABlock(t *testing.T) {
	for _, columns := range []int{20_000, 100_000} {
		for _, fast := range []bool{false, true} {
			if fast && !accelerated {
				continue
			}
			path := write(t, random(t, 3, columns, 0.9, single), WriterOptions{Rows: 4, Observed: blockEntries})
			f := opened(t, path)
			must.Do(t, readAll(f))
			reader := f.Reader()
			if _, _, err := reader.Append(0, nil, nil); err != nil {
				t.Fatal(err)
			}
			f.lastLook.Store(1 << 62) // as if just looked at
			record := f.records[0]
			entries := f.block(3, int64(record.idBytes), f.header.Observed)
			must.Do(t, os.Truncate(path, record.offset+int64(record.meta)+entries.low+8192))
			before := accelerated
			accelerated = accelerated && fast
			_, _, err := reader.Append(2, nil, nil)
			accelerated = before
			if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "block 0 (rows 0 to 2)") {
				t.Errorf("fast %v: %v", fast, err)
			}
		}
	}
}
