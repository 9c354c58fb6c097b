package columnar

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
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
