package pack

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/internal/must"
)

// seeds are small packs of every encoding and both widths.
func seeds(t testing.TB) [][]byte {
	var out [][]byte
	for _, columns := range []int{3, maxNarrow + 1} {
		for _, value := range []func(*rand.Rand) float64{stars, single, double} {
			path := filepath.Join(t.TempDir(), "x.pack")
			w := must.Get(Create(path, make([]string, columns), WriterOptions{Rows: 2, Observed: blockEntries}))(t)
			r := rand.New(rand.NewPCG(1, 2))
			rows := 5
			if len(out)%3 > 0 {
				rows = 300 // enough distinct numbers for them not to be listed
			}
			for range rows {
				must.Do(t, w.Append("ab", []int32{0, 2}, []float64{value(r), value(r)}))
			}
			must.Do(t, w.Close())
			b := must.Get(os.ReadFile(path))(t)
			out = append(out, b)
		}
	}
	return out
}

// tryAll opens a file and reads everything. Whatever the bytes are, that must
// end in an error or in rows that are within bounds, in order and finite.
func tryAll(t *testing.T, content []byte) {
	path := filepath.Join(t.TempDir(), "x.pack")
	must.Do(t, os.WriteFile(path, content, 0o666))
	f, err := Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	f.ColumnIDs()
	f.RowIDs()
	f.Info()
	reader := f.Reader()
	n, m := f.Dims()
	observed := 0
	for i := range n {
		columns, values, err := reader.Append(i, nil, nil)
		if err != nil {
			return
		}
		if len(columns) != len(values) || len(columns) != f.Entries(i) {
			t.Fatalf("row %d: %d columns, %d values, %d entries", i, len(columns), len(values), f.Entries(i))
		}
		observed += len(columns)
		before := int32(-1)
		for x, c := range columns {
			if c <= before || int(c) >= m || values[x]-values[x] != 0 {
				t.Fatalf("row %d: column %d after %d of %d, value %v", i, c, before, m, values[x])
			}
			before = c
		}
	}
	if observed != f.Observed() {
		t.Fatalf("%d entries, but the pack says %d", observed, f.Observed())
	}
	if err := f.Verify(t.Context(), nil); err != nil {
		t.Fatalf("all was read, but %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	for _, b := range seeds(f)[:3] {
		f.Add(b[:min(len(b), 8<<10)])
		f.Add(b)
	}
	f.Add([]byte{})
	f.Fuzz(tryAll)
}

// FuzzSealed changes bytes of a pack and then makes all checksums right again:
// what is behind them must hold by itself.
func FuzzSealed(f *testing.F) {
	good := seeds(f)
	for kind := range good {
		for _, at := range []uint32{0, 700, 1300, 2000} {
			f.Add(uint8(kind), at, []byte{0xff, 0xff})
		}
		f.Add(uint8(kind), uint32(len(good[kind])-900), []byte(`9`))
	}
	f.Fuzz(func(t *testing.T, kind uint8, at uint32, change []byte) {
		content := bytes.Clone(good[int(kind)%len(good)])
		copy(content[int(at)%len(content):], change)
		tryAll(t, seal(content))
	})
}

// seal makes the checksums of a pack right, as far as its parts can be found.
func seal(content []byte) []byte {
	size := len(content)
	if size < trailerBytes+10 {
		return content
	}
	end := size - 10 - int(binary.LittleEndian.Uint32(content[size-10:]))
	if end < trailerBytes || end > size {
		return content
	}
	trailer := content[end-trailerBytes : end]
	headerBytes, records := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	if headerBytes > uint64(end) || records > uint64(end) || headerBytes+records*recordBytes+trailerBytes > uint64(end) {
		return content
	}
	begin := end - trailerBytes - int(headerBytes) - int(records)*recordBytes
	table := content[begin:][:records*recordBytes]
	sum := func(from, to int64) uint32 {
		if from < 0 || from > to || to > int64(size) {
			return 0
		}
		return checksum(content[from:to])
	}
	readable := table[len(table) : len(table)+int(headerBytes)]
	var h header
	if json.Unmarshal(readable, &h) == nil && h.Columns >= 0 && h.RowsPerBlock > 0 {
		s := shape{h.Columns, h.Values, h.Weighted}
		for b := range int(records) - 1 {
			r, next := parseRecord(table[b*recordBytes:]), parseRecord(table[(b+1)*recordBytes:])
			split := r.offset + int64(r.meta) + s.block(min(h.RowsPerBlock, h.Rows-b*h.RowsPerBlock), int64(r.idBytes), next.before-r.before).low
			r.head, r.entries = sum(r.offset, split), sum(split, next.offset)
			copy(table[b*recordBytes:], r.append(nil))
		}
		h.Start.CRC = sum(0, h.Start.Bytes)
		h.Tail.CRC = sum(h.Tail.Offset, h.Tail.Offset+h.Tail.Bytes)
		h.Footer.CRC = sum(int64(end), int64(size))
		// The readable part may change its length: then the rest moves.
		fresh, err := json.Marshal(&h)
		if err == nil {
			index := append(bytes.Clone(table), fresh...)
			index = appendTrailer(index, len(fresh), int(records), binary.LittleEndian.Uint32(trailer[20:]))
			copy(index[len(index)-len(magic):], trailer[24:])
			return append(append(bytes.Clone(content[:begin]), index...), content[end:]...)
		}
	}
	binary.LittleEndian.PutUint32(trailer[16:], checksum(content[begin:end-16]))
	return content
}

// A sealed pack is one that opens: the fuzzing reaches what it is meant to.
func TestSealedOpens(t *testing.T) {
	for _, b := range seeds(t) {
		at := bytes.Index(b, []byte("abab"))
		b[at] = 'x'
		path := filepath.Join(t.TempDir(), "x.pack")
		must.Do(t, os.WriteFile(path, seal(b), 0o666))
		if f := opened(t, path); f.RowIDs()[0] != "xb" {
			t.Error("not the id that was written")
		}
		tryAll(t, seal(b))
	}
}
