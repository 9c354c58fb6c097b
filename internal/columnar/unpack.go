package columnar

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"optcomplete/internal/memory"
	"optcomplete/internal/record"
)

// scratch is the memory for a page of a scan while it is decoded.
type scratch struct{ packed, plain []byte }

// fetch reads the bytes of a page, which are good until the next is fetched.
func (s *scratch) fetch(from io.ReaderAt, p *page) ([]byte, error) {
	s.packed = sized(s.packed, p.packed)
	if _, err := from.ReadAt(s.packed, p.at); err != nil {
		return nil, err
	}
	if p.checksum != 0 && p.checksum != crc32.ChecksumIEEE(s.packed) {
		return nil, fmt.Errorf("the page at byte %d has another checksum than it says", p.at)
	}
	return s.packed, nil
}

// unzstd may be used by many at once.
var unzstd = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

// unpack is the content of packed bytes. A page that unpacks to more than was
// announced is an error, and takes no memory for it.
func (s *scratch) unpack(codec format.CompressionCodec, packed []byte, announced int) ([]byte, error) {
	if announced == 0 || codec == format.Uncompressed {
		return packed, nil
	}
	if err := memory.Take(int64(announced)); err != nil {
		return nil, err
	}
	s.plain = sized(s.plain, announced)
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(packed); err != nil || n > announced {
			return nil, fmt.Errorf("a page unpacks to %d bytes, not %d (%v)", n, announced, err)
		}
		return snappy.Decode(s.plain, packed)
	case format.Zstd:
		decoder, err := unzstd()
		if err != nil {
			return nil, err
		}
		return decoder.DecodeAll(packed, s.plain[:0:announced])
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(packed, s.plain)
		return s.plain[:max(n, 0)], err
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return drain(r, s.plain)
	case format.Brotli:
		return drain(brotli.NewReader(bytes.NewReader(packed)), s.plain)
	}
	return nil, &record.UnfitError{Problem: fmt.Sprintf("it is compressed by %v, which is not known here", codec), Remedy: "write the file with another compression: zstd, snappy, gzip, brotli or LZ4_RAW"}
}

// drain reads all there is, if it fits.
func drain(r io.Reader, into []byte) ([]byte, error) {
	one := make([]byte, 1) // the end may come only after the last byte
	for n := 0; ; {
		to := into[n:]
		if len(to) == 0 {
			to = one
		}
		more, err := r.Read(to)
		if n += more; n > len(into) {
			return nil, fmt.Errorf("a page unpacks to more than %d bytes", len(into))
		}
		if err == io.EOF {
			return into[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
