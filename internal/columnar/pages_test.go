package columnar

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/format"

	"optcomplete/internal/must"
)

// TestPagesUnpackToWhatTheyAnnounce: and to less, which some programs write, but
// not to more, by any compression.
func TestPagesUnpackToWhatTheyAnnounce(t *testing.T) {
	content := bytes.Repeat([]byte("abcd"), 1<<16)
	for codec, by := range map[format.CompressionCodec]compress.Compression{
		format.Snappy: compress.Codecs.Snappy, format.Gzip: compress.Codecs.Gzip, format.Brotli: compress.Codecs.Brotli,
		format.Zstd: compress.Codecs.Zstd, format.Lz4Raw: compress.Codecs.Lz4Raw,
	} {
		packed := must.Get(compress.GetCodec(by))(t).Encode(nil, content)
		for _, announced := range []int{len(content), len(content) + 5} {
			got, err := new(scratch).unpack(codec, packed, announced)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%v, %d announced: %d bytes, %v", codec, announced, len(got), err)
			}
		}
		for _, announced := range []int{len(content) - 1, 100} {
			if got, err := new(scratch).unpack(codec, packed, announced); err == nil {
				t.Errorf("%v: %d bytes where %d were announced", codec, len(got), announced)
			}
		}
		if got, err := new(scratch).unpack(codec, packed[:len(packed)/2], len(content)); err == nil {
			t.Errorf("%v: half of it is %d bytes", codec, len(got))
		}
	}
	for _, codec := range []format.CompressionCodec{format.LZO, format.Lz4} {
		if _, err := new(scratch).unpack(codec, content, 10); err == nil || !strings.Contains(err.Error(), "compressed by "+codec.String()+",") {
			t.Error(err)
		}
	}
}

// TestRunsTakeNoMemoryForWhatTheyAnnounce: a few bytes may announce billions.
func TestRunsTakeNoMemoryForWhatTheyAnnounce(t *testing.T) {
	run := append(binary.AppendUvarint(nil, 2<<30), 1) // one value, again and again
	if _, err := levelsOf(run, format.RLE, 1, 10); err == nil {
		t.Error("levels were read")
	}
	if _, err := placesOf(append([]byte{1}, run...), 10, 2); err == nil {
		t.Error("places were read")
	}
	if _, err := flags(format.RLE, append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...), 10); err == nil {
		t.Error("flags were read")
	}
	deltas := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), 1<<30)
	if _, err := encodingOf(format.DeltaBinaryPacked, deltas, 10); err == nil {
		t.Error("differences were read")
	}
}

// TestLevelsOfOldPrograms have no length before them.
func TestLevelsOfOldPrograms(t *testing.T) {
	want := []uint8{0, 3, 1, 2, 3, 0, 1}
	data := must.Get((&bitpacked.Encoding{BitWidth: 2}).EncodeLevels(nil, want))(t)
	got, rest, err := levelsBefore(append(data, "rest"...), format.BitPacked, 3, len(want))
	if err != nil || !slices.Equal(got, want) || string(rest) != "rest" {
		t.Errorf("%v, %q, %v", got, rest, err)
	}
}

// TestFootersThatCannotBe are errors, and say what is wrong.
func TestFootersThatCannotBe(t *testing.T) {
	content := written(t)
	end := len(content)
	for want, change := range map[string]func([]byte){
		"encrypted":                func(b []byte) { copy(b[end-4:], secret) },
		"begin and end with PAR1":  func(b []byte) { b[0] = 'X' },
		"announces 4294967295 byt": func(b []byte) { binary.LittleEndian.PutUint32(b[end-8:], 1<<32-1) },
		"cannot be understood":     func(b []byte) { binary.LittleEndian.PutUint32(b[end-8:], 9) },
	} {
		damaged := bytes.Clone(content)
		change(damaged)
		if err := readAll(damaged); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	if _, err := new(scratch).fetch(bytes.NewReader(content), &page{packed: 8, checksum: 1}); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Error(err)
	}
}
