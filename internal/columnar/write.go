package columnar

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"optcomplete/internal/record"
)

// The kinds of columns, and what they hold.
type (
	Kind   = record.Kind
	Vector = record.Vector
)

const (
	Text   = record.Text
	Int    = record.Int
	Uint   = record.Uint
	Float  = record.Float
	Bool   = record.Bool
	Number = record.Number
	Date   = record.Date
	Time   = record.Time
	Other  = record.Other
)

// Field is a column to write: Text, Int (of 32 bits) or Float.
type Field struct {
	Name string
	Kind Kind
}

// Coded are texts that occur again and again: cell x is Texts[Codes[x]]. The file
// holds each text that occurs once in a row group.
type Coded struct {
	Texts []string
	Codes []int32
}

// Writer writes a Parquet file by row groups.
type Writer struct {
	to     io.Writer
	at     int64 // bytes written
	fields []Field
	groups []format.RowGroup
	rows   int64
	packer *zstd.Encoder
	failed bool

	plain, packed []byte  // a page, before and after it is compressed
	place, codes  []int32 // of the texts in a dictionary; of the cells
}

const (
	magic  = "PAR1"
	secret = "PARE" // of an encrypted file
)

// NewWriter begins a file. What is written to w is complete after Close, which
// does not close w.
func NewWriter(w io.Writer, fields []Field) *Writer {
	for _, f := range fields {
		if f.Kind != Text && f.Kind != Int && f.Kind != Float {
			panic(fmt.Sprintf("columnar: a column of %v cannot be written", f.Kind))
		}
	}
	// The pages are of a megabyte, mostly of digits that look random: a higher
	// level takes longer and saves nothing.
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // of the options above, which do not change
	}
	return &Writer{to: w, fields: fields, packer: packer}
}

func (w *Writer) write(b []byte) error {
	n, err := w.to.Write(b)
	w.at += int64(n)
	w.failed = w.failed || err != nil
	return err
}

// begin writes what a file begins with, once.
func (w *Writer) begin() error {
	if w.at > 0 {
		return nil
	}
	return w.write([]byte(magic))
}

// WriteGroup writes a row group: for each field a []string, a []int32, a
// []float64 or a Coded, of equal lengths. Texts that are not UTF-8, which other
// programs reject, are mended.
func (w *Writer) WriteGroup(columns ...any) error {
	if len(columns) != len(w.fields) {
		panic(fmt.Sprintf("columnar: %d columns for %d fields", len(columns), len(w.fields)))
	}
	if cells(columns[0]) == 0 {
		return nil
	}
	if len(w.groups) == math.MaxInt16 {
		return fmt.Errorf("a Parquet file has at most %d row groups", math.MaxInt16)
	}
	if err := w.begin(); err != nil {
		return err
	}
	group := format.RowGroup{FileOffset: w.at, Ordinal: int16(len(w.groups))}
	for x, column := range columns {
		chunk, err := w.column(w.fields[x], column)
		if err != nil {
			return err
		}
		if x > 0 && chunk.NumValues != group.NumRows {
			panic(fmt.Sprintf("columnar: %d cells of %s, %d of the first column", chunk.NumValues, w.fields[x].Name, group.NumRows))
		}
		group.NumRows = chunk.NumValues
		group.TotalByteSize += chunk.TotalUncompressedSize
		group.TotalCompressedSize += chunk.TotalCompressedSize
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: *chunk})
	}
	w.groups = append(w.groups, group)
	w.rows += group.NumRows
	return nil
}

// cells is how many cells a column has.
func cells(column any) int {
	switch c := column.(type) {
	case []string:
		return len(c)
	case []int32:
		return len(c)
	case []float64:
		return len(c)
	case Coded:
		return len(c.Codes)
	}
	panic(fmt.Sprintf("columnar: a column of %T cannot be written", column))
}

// column writes the pages of a column of a row group.
func (w *Writer) column(f Field, column any) (*format.ColumnMetaData, error) {
	c := &chunk{w: w, meta: format.ColumnMetaData{
		Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{f.Name}, Codec: format.Zstd, Type: physical(f.Kind),
	}}
	var err error
	kind := Text
	switch cells := column.(type) {
	case []string:
		err = c.texts(cells)
	case []int32:
		kind, err = Int, c.ints(cells)
	case []float64:
		kind, err = Float, c.floats(cells)
	case Coded:
		err = c.coded(cells)
	}
	if kind != f.Kind {
		panic(fmt.Sprintf("columnar: %T for a column of %v", column, f.Kind))
	}
	return &c.meta, err
}

func physical(k Kind) format.Type {
	switch k {
	case Text:
		return format.ByteArray
	case Int:
		return format.Int32
	}
	return format.Double
}

// Close ends the file. It says nothing about a failure that WriteGroup told.
func (w *Writer) Close() error {
	if w.failed {
		return nil
	}
	if err := w.begin(); err != nil {
		return err
	}
	meta := format.FileMetaData{Version: 1, NumRows: w.rows, RowGroups: w.groups, CreatedBy: "optcomplete"}
	root := format.SchemaElement{Name: "schema"}
	root.NumChildren.Set(int32(len(w.fields)))
	meta.Schema = append(meta.Schema, root)
	for _, f := range w.fields {
		e := format.SchemaElement{Name: f.Name}
		e.Type.Set(physical(f.Kind))
		e.RepetitionType.Set(format.Required)
		switch f.Kind {
		case Text:
			e.ConvertedType.Set(deprecated.UTF8)
			e.LogicalType.Value = new(format.StringType)
		case Int:
			e.ConvertedType.Set(deprecated.Int32)
			e.LogicalType.Value = &format.IntType{BitWidth: 32, IsSigned: true}
		}
		meta.Schema = append(meta.Schema, e)
		meta.ColumnOrders = append(meta.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, magic...))
}

func float64Bytes(x float64) []byte {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
}

func int32Bytes(x int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(x)) }

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
