package columnar

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/parquet-go/parquet-go"
)

// Vector is a run of values of one column. Of Texts, Ints and Floats the one
// that belongs to its kind has the values; a missing one is there as zero.
type Vector struct {
	Kind   Kind
	Null   []bool    // which values are missing; nil: none
	Ends   []int     // of a list: where the values of each row end; else nil
	Texts  []byte    // of Text, one after the other,
	Stops  []int     // and where each of them ends
	Ints   []int64   // of Int, Uint (its bits), Bool (0 or 1), Date and Time
	Floats []float64 // of Float and Number
}

// Len is the number of values.
func (v *Vector) Len() int { return max(len(v.Stops), len(v.Ints), len(v.Floats)) }

// Text is value x of a Text. It is a part of the vector's memory.
func (v *Vector) Text(x int) []byte {
	from := 0
	if x > 0 {
		from = v.Stops[x-1]
	}
	return v.Texts[from:v.Stops[x]:v.Stops[x]]
}

// cursor reads the values of a column in a row group, in order.
type cursor struct {
	column *Column
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buffer []parquet.Value
	unread []parquet.Value // of the buffer
}

func (f *File) cursor(group, column int) (*cursor, error) {
	c := &f.Columns[column]
	if c.Kind == Other {
		return nil, fmt.Errorf("column %q holds %v", c.Name, c.Kind)
	}
	chunk := f.file.RowGroups()[group].ColumnChunks()[c.leaf.Index()]
	if err := f.check(group, c.leaf.Index()); err != nil {
		return nil, fmt.Errorf("column %q: %w", c.Name, err)
	}
	return &cursor{column: c, pages: chunk.Pages(), buffer: make([]parquet.Value, 1024)}, nil
}

func (c *cursor) close() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	c.pages.Close()
}

// fill has values in unread, or an error: io.EOF after the last.
func (c *cursor) fill() error {
	for len(c.unread) == 0 {
		if c.values != nil {
			n, err := c.values.ReadValues(c.buffer)
			c.unread = c.buffer[:n]
			if err == io.EOF {
				c.values = nil
			} else if err != nil {
				return err
			} else if n == 0 {
				return io.ErrNoProgress
			}
			continue
		}
		if c.page != nil {
			parquet.Release(c.page)
			c.page = nil
		}
		page, err := c.pages.ReadPage()
		if err != nil {
			return err
		}
		c.page, c.values = page, page.Values()
	}
	return nil
}

// read appends the values of this many rows.
func (c *cursor) read(to *Vector, rows int) error {
	to.Kind = c.column.Kind
	for row := 0; row < rows || c.column.List; {
		err := c.fill()
		if err == io.EOF && c.column.List && row == rows {
			break
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		taken := 0
		for _, v := range c.unread {
			if row == rows && (!c.column.List || v.RepetitionLevel() == 0) {
				break
			}
			if c.column.List {
				if v.RepetitionLevel() == 0 {
					row++
					to.Ends = append(to.Ends, to.Len())
				}
				if v.IsNull() && !(c.column.leaf.Optional() && v.DefinitionLevel() == c.column.leaf.MaxDefinitionLevel()-1) {
					taken++ // no list, or an empty one: not a missing value of a list
					continue
				}
			} else {
				row++
			}
			c.append(to, v)
			taken++
			if c.column.List {
				to.Ends[len(to.Ends)-1] = to.Len()
			}
		}
		c.unread = c.unread[taken:]
		if row == rows && len(c.unread) > 0 {
			break
		}
	}
	return nil
}

// append adds one value.
func (c *cursor) append(to *Vector, v parquet.Value) {
	at := to.Len()
	null := v.IsNull()
	if null && to.Null == nil {
		to.Null = make([]bool, at, at+1024)
	}
	if to.Null != nil {
		to.Null = append(to.Null, null)
	}
	switch c.column.Kind {
	case Text:
		if !null {
			to.Texts = append(to.Texts, v.ByteArray()...)
		}
		to.Stops = append(to.Stops, len(to.Texts))
	case Float, Number:
		x := 0.0
		if !null {
			x = c.float(v)
		}
		to.Floats = append(to.Floats, x)
	default:
		var x int64
		if !null {
			x = c.whole(v)
		}
		to.Ints = append(to.Ints, x)
	}
}

func (c *cursor) whole(v parquet.Value) int64 {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return 1
		}
		return 0
	case parquet.Int32:
		if c.column.Kind == Uint {
			return int64(v.Uint32())
		}
		return int64(v.Int32())
	}
	if c.column.Kind == Time {
		if x := v.Int64(); x > math.MaxInt64/c.column.unit || x < math.MinInt64/c.column.unit {
			return 0
		}
		return v.Int64() * c.column.unit
	}
	return v.Int64()
}

func (c *cursor) float(v parquet.Value) float64 {
	switch v.Kind() {
	case parquet.Double:
		return v.Double()
	case parquet.Float:
		return float64(v.Float())
	case parquet.Int32:
		return decimal(big.NewInt(int64(v.Int32())), c.column.scale)
	case parquet.Int64:
		return decimal(big.NewInt(v.Int64()), c.column.scale)
	}
	bytes := v.ByteArray()
	if c.column.Kind == Float && len(bytes) == 2 {
		return half(binary.LittleEndian.Uint16(bytes))
	}
	unscaled := new(big.Int).SetBytes(bytes) // big-endian, two's complement
	if len(bytes) > 0 && bytes[0]&0x80 != 0 {
		unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return decimal(unscaled, c.column.scale)
}

// decimal is the number nearest to unscaled/10^scale.
func decimal(unscaled *big.Int, scale int) float64 {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(min(max(scale, 0), 400))), nil)
	x, _ := new(big.Rat).SetFrac(unscaled, power).Float64()
	return x
}

// half is the number of IEEE 754's binary16.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
