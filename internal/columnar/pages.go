package columnar

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"optcomplete/internal/memory"
	"optcomplete/internal/record"
)

// Limits of a page that is believed. Programs write pages of about a megabyte
// and at most a few million values; a page that unpacks to much more than it
// has in the file is not one of theirs.
const (
	freeBytes  = 64 << 20 // bytes that any page may have once unpacked,
	mostRatio  = 10_000   // and above them this many times its bytes in the file
	freeValues = 1 << 24  // values that any page may have,
	mostValues = 64       // and above them this many for each of its unpacked bytes
)

// page is where a page is, and what it announces.
type page struct {
	kind             format.PageType
	at               int64 // of its bytes in the file
	packed, unpacked int   // bytes in the file, and when they are unpacked
	checksum         uint32
	values           int // with those that are missing
	encoding         format.Encoding

	// How levels are written, in the first version of a page; in the second, how
	// many bytes they have, which are not packed, and whether the values are.
	repetition, definition           format.Encoding
	repetitionBytes, definitionBytes int
	plain                            bool
}

// pages lists the pages of a column chunk, once what they announce agrees with
// each other and with the file. None of them has been read then.
func (f *File) pages(group, column int) ([]page, error) {
	of := &f.meta.RowGroups[group]
	if of.Columns[column].CryptoMetadata.Value != nil {
		return nil, encrypted("it")
	}
	meta := &of.Columns[column].MetaData
	start, size := meta.DataPageOffset, meta.TotalCompressedSize
	if d := meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	if start < 0 || size < 0 || start > f.size || size > f.size-start {
		return nil, fmt.Errorf("its %d bytes from byte %d are not within the file of %d", size, start, f.size)
	}
	if f.Columns[column].repeats == 0 && meta.NumValues != of.NumRows {
		return nil, fmt.Errorf("it announces %d values for %d rows", meta.NumValues, of.NumRows)
	}
	section := io.NewSectionReader(f.from, start, size)
	var at, values int64
	var pages []page
	buffer := bufio.NewReaderSize(nil, 512)
	for at < size && values < meta.NumValues {
		if _, err := section.Seek(at, io.SeekStart); err != nil {
			return nil, err
		}
		buffer.Reset(section)
		var header format.PageHeader
		compact := thrift.CompactProtocol{}
		if err := thrift.NewDecoder(compact.NewReader(buffer)).Decode(&header); err != nil {
			return nil, fmt.Errorf("a page cannot be understood: %w", err)
		}
		position, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		at = position - int64(buffer.Buffered())
		packed, unpacked := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
		if packed < 0 || packed > size-at || unpacked < 0 || unpacked > max(freeBytes, mostRatio*packed) {
			return nil, fmt.Errorf("a page announces %d bytes, and %d unpacked, where %d are left", packed, unpacked, size-at)
		}
		p := pageOf(&header)
		p.at = start + at
		at += packed
		if p.values < 0 || int64(p.values) > max(freeValues, mostValues*unpacked) {
			return nil, fmt.Errorf("a page announces %d values in %d bytes", p.values, unpacked)
		}
		if levels := int64(p.repetitionBytes) + int64(p.definitionBytes); p.repetitionBytes < 0 || p.definitionBytes < 0 || levels > min(packed, unpacked) {
			return nil, fmt.Errorf("a page of %d bytes announces levels of %d and %d", packed, p.repetitionBytes, p.definitionBytes)
		}
		if p.kind != format.DictionaryPage {
			values += int64(p.values)
		}
		pages = append(pages, p)
	}
	if values != meta.NumValues {
		return nil, fmt.Errorf("its pages hold %d values of %d", values, meta.NumValues)
	}
	return pages, nil
}

// pageOf is what the header of a page announces.
func pageOf(header *format.PageHeader) page {
	p := page{kind: header.Type, packed: int(header.CompressedPageSize), unpacked: int(header.UncompressedPageSize), checksum: uint32(header.CRC)}
	switch header.Type {
	case format.DictionaryPage:
		h := &header.DictionaryPageHeader.V
		p.values, p.encoding = int(h.NumValues), h.Encoding
	case format.DataPage:
		h := &header.DataPageHeader.V
		p.values, p.encoding = int(h.NumValues), h.Encoding
		p.repetition, p.definition = h.RepetitionLevelEncoding, h.DefinitionLevelEncoding
	case format.DataPageV2:
		h := &header.DataPageHeaderV2.V
		p.values, p.encoding = int(h.NumValues), h.Encoding
		p.repetitionBytes, p.definitionBytes = int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
		p.plain = h.IsCompressed.Valid && !h.IsCompressed.V
	}
	return p
}

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
