package textfile

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"optcomplete/internal/must"
)

// TestDamagedCompressionIsNamed: damaged, cut or too demanding data are not
// called empty, and not by words of the decompressor alone.
func TestDamagedCompressionIsNamed(t *testing.T) {
	text := []byte(strings.Repeat("row,column,value\nann,Heat,4\n", 5000))
	packed := func(options ...zstd.EOption) []byte {
		var b bytes.Buffer
		z := must.Get(zstd.NewWriter(&b, options...))(t)
		z.Write(text[:10]) // its size is not known in advance
		z.Flush()
		z.Write(text[10:])
		z.Close()
		return b.Bytes()
	}
	var zipped bytes.Buffer
	g := gzip.NewWriter(&zipped)
	g.Write(text)
	g.Close()
	changed := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xff
		return b
	}
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"window":       {packed(zstd.WithWindowSize(1 << 28)), "was compressed with a window of more than 128 MiB (unpack it, or compress it again with zstd --long=27 or less)"},
		"zstd, head":   {changed(packed(), 6), "damaged compressed data"},
		"zstd, cut":    {packed()[:7], "ends in the middle of its compressed data"},
		"zstd, middle": {changed(packed(), 60), "damaged compressed data"},
		"gzip, middle": {changed(zipped.Bytes(), 30), "damaged compressed data"},
		"gzip, cut":    {zipped.Bytes()[:9], "ends in the middle of its compressed data"},
		"gzip, end":    {changed(zipped.Bytes(), zipped.Len()-8), "damaged compressed data"},
	} {
		in := &Table{Least: 2}
		in.Name, in.Limit = "f", 1<<20
		err := WithTable(bytes.NewReader(c.content), in, func() error {
			for {
				if _, err := in.Next(); err != nil {
					return err
				}
			}
		})
		if err == nil || err == io.EOF || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzUnpack: whatever is compressed, or seems to be, is read or refused in
// words, within the memory of its window.
func FuzzUnpack(f *testing.F) {
	var z, g bytes.Buffer
	packer, _ := zstd.NewWriter(&z)
	packer.Write([]byte("row,column,value\nann,Heat,4\n"))
	packer.Close()
	zipper := gzip.NewWriter(&g)
	zipper.Write([]byte("row,column,value\nann,Heat,4\n"))
	zipper.Close()
	f.Add(z.Bytes())
	f.Add(g.Bytes())
	f.Add([]byte("row,column\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		in := &Table{Least: 2}
		in.Name, in.Limit = "f", 1<<16
		err := WithTable(bytes.NewReader(content), in, func() error {
			for range 1000 {
				if _, err := in.Next(); err != nil {
					return err
				}
			}
			return io.EOF
		})
		if err != io.EOF && !strings.HasPrefix(err.Error(), "f") {
			t.Errorf("%q", err)
		}
	})
}
