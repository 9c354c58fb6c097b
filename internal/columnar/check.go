package columnar

import (
	"bufio"
	"errors"
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

// check compares what the pages of a column chunk announce with each other and
// with the file, before any of them is read.
func (f *File) check(group, column int) error {
	of := &f.file.Metadata().RowGroups[group]
	if column >= len(of.Columns) {
		return errors.New("it is missing in a row group")
	}
	meta := &of.Columns[column].MetaData
	start, size := meta.DataPageOffset, meta.TotalCompressedSize
	if d := meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	if start < 0 || size < 0 || start > f.file.Size() || size > f.file.Size()-start {
		return fmt.Errorf("its %d bytes from byte %d are not within the file of %d", size, start, f.file.Size())
	}
	if !f.isList(column) && meta.NumValues != of.NumRows {
		return fmt.Errorf("it announces %d values for %d rows", meta.NumValues, of.NumRows)
	}
	section := io.NewSectionReader(f.from, start, size)
	var at, values int64
	buffer := bufio.NewReaderSize(nil, 512)
	for at < size && values < meta.NumValues {
		if _, err := section.Seek(at, io.SeekStart); err != nil {
			return err
		}
		buffer.Reset(section)
		var header format.PageHeader
		compact := thrift.CompactProtocol{}
		if err := thrift.NewDecoder(compact.NewReader(buffer)).Decode(&header); err != nil {
			return fmt.Errorf("a page cannot be understood: %w", err)
		}
		position, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		at = position - int64(buffer.Buffered())
		packed, unpacked := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
		if packed < 0 || packed > size-at || unpacked < 0 || unpacked > max(freeBytes, mostRatio*packed) {
			return fmt.Errorf("a page announces %d bytes, and %d unpacked, where %d are left", packed, unpacked, size-at)
		}
		at += packed
		n := int64(0)
		switch header.Type {
		case format.DictionaryPage:
			n = int64(header.DictionaryPageHeader.V.NumValues)
		case format.DataPage:
			n = int64(header.DataPageHeader.V.NumValues)
			values += n
		case format.DataPageV2:
			n = int64(header.DataPageHeaderV2.V.NumValues)
			values += n
		}
		if n < 0 || n > max(freeValues, mostValues*unpacked) {
			return fmt.Errorf("a page announces %d values in %d bytes", n, unpacked)
		}
	}
	if values != meta.NumValues {
		return fmt.Errorf("its pages hold %d values of %d", values, meta.NumValues)
	}
	return nil
}

func (f *File) isList(leaf int) bool {
	for _, c := range f.Columns {
		if c.leaf.Index() == leaf {
			return c.leaf.MaxRepetitionLevel() > 0
		}
	}
	return false
}
