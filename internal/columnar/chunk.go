package columnar

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	pageValues = 1 << 17 // most values of a page,
	pageBytes  = 1 << 20 // and about how many bytes of text
	longText   = 64      // texts beyond these bytes are not written as a column's least or largest
)

// chunk is a column of a row group that is being written.
type chunk struct {
	w    *Writer
	meta format.ColumnMetaData
}

// page writes w.plain as a page of n values.
func (c *chunk) page(n int, header format.PageHeader) error {
	w := c.w
	w.packed = w.packer.EncodeAll(w.plain, w.packed[:0])
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(w.plain)), int32(len(w.packed))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		return err
	}
	at := w.at
	if header.Type == format.DictionaryPage {
		c.meta.DictionaryPageOffset = at
	} else {
		if c.meta.DataPageOffset == 0 {
			c.meta.DataPageOffset = at
		}
		c.meta.NumValues += int64(n)
	}
	c.meta.TotalUncompressedSize += int64(len(head) + len(w.plain))
	c.meta.TotalCompressedSize += int64(len(head) + len(w.packed))
	if err := w.write(head); err != nil {
		return err
	}
	return w.write(w.packed)
}

// data writes w.plain as a page of n cells.
func (c *chunk) data(n int, encoding format.Encoding) error {
	header := format.PageHeader{Type: format.DataPage}
	header.DataPageHeader.Set(format.DataPageHeader{NumValues: int32(n), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})
	return c.page(n, header)
}

func (c *chunk) texts(cells []string) error {
	plain, n := c.w.plain[:0], 0
	flush := func() error {
		c.w.plain = plain
		err := c.data(n, format.Plain)
		plain, n = plain[:0], 0
		return err
	}
	for _, text := range cells {
		plain = appendText(plain, text)
		if n++; n == pageValues || len(plain) >= pageBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	c.textRange(cells)
	if n > 0 {
		return flush()
	}
	return nil
}

func appendText(to []byte, text string) []byte {
	text = valid(text)
	return append(binary.LittleEndian.AppendUint32(to, uint32(len(text))), text...)
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// textRange tells the least and the largest text, where they are short.
func (c *chunk) textRange(texts []string) {
	if low, high := valid(slices.Min(texts)), valid(slices.Max(texts)); len(low) <= longText && len(high) <= longText {
		c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = []byte(low), []byte(high)
	}
}

func (c *chunk) ints(cells []int32) error {
	c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = int32Bytes(slices.Min(cells)), int32Bytes(slices.Max(cells))
	return paged(cells, func(part []int32) error {
		plain := c.w.plain[:0]
		for _, x := range part {
			plain = binary.LittleEndian.AppendUint32(plain, uint32(x))
		}
		c.w.plain = plain
		return c.data(len(part), format.Plain)
	})
}

func (c *chunk) floats(cells []float64) error {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range cells { // not a number is no part of the range
		if x < low {
			low = x
		}
		if x > high {
			high = x
		}
	}
	if low <= high {
		if low == 0 {
			low = math.Copysign(0, -1) // a zero may have either sign
		}
		if high == 0 {
			high = 0
		}
		c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = float64Bytes(low), float64Bytes(high)
	}
	return paged(cells, func(part []float64) error {
		plain := c.w.plain[:0]
		for _, x := range part {
			plain = binary.LittleEndian.AppendUint64(plain, math.Float64bits(x))
		}
		c.w.plain = plain
		return c.data(len(part), format.Plain)
	})
}

// coded writes the texts that occur as a dictionary, in their own order, and the
// cells as their places in it.
func (c *chunk) coded(cells Coded) error {
	w := c.w
	w.place = append(w.place[:0], make([]int32, len(cells.Texts))...)
	for _, code := range cells.Codes {
		w.place[code] = 1
	}
	occurring := make([]string, 0, len(cells.Texts))
	w.plain = w.plain[:0]
	for code, occurs := range w.place {
		if occurs != 0 {
			w.place[code] = int32(len(occurring))
			occurring = append(occurring, cells.Texts[code])
			w.plain = appendText(w.plain, cells.Texts[code])
		}
	}
	c.textRange(occurring)
	header := format.PageHeader{Type: format.DictionaryPage}
	header.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: int32(len(occurring)), Encoding: format.Plain})
	if err := c.page(len(occurring), header); err != nil {
		return err
	}
	c.meta.Encoding = append(c.meta.Encoding, format.RLEDictionary)
	places := new(rle.DictionaryEncoding)
	return paged(cells.Codes, func(part []int32) (err error) {
		w.codes = w.codes[:0]
		for _, code := range part {
			w.codes = append(w.codes, w.place[code])
		}
		if w.plain, err = places.EncodeInt32(w.plain, w.codes); err != nil {
			return err
		}
		return c.data(len(part), format.RLEDictionary)
	})
}

// paged gives the cells of a page at a time.
func paged[T any](cells []T, page func([]T) error) error {
	for lo := 0; lo < len(cells); lo += pageValues {
		if err := page(cells[lo:min(lo+pageValues, len(cells))]); err != nil {
			return err
		}
	}
	return nil
}
