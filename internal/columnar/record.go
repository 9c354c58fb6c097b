package columnar

import (
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Record is a batch of a Scan of columns as an Arrow record, which shares its
// memory.
func (f *File) Record(columns []int, batch []Vector) arrow.RecordBatch {
	fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	rows := 0
	for x, column := range columns {
		arrays[x] = batch[x].array(&f.Columns[column])
		fields[x] = arrow.Field{Name: f.Columns[column].Name, Type: arrays[x].DataType(), Nullable: true}
		rows = arrays[x].Len()
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(rows))
}

// array is the vector as Arrow has it.
func (v *Vector) array(c *Column) arrow.Array {
	n := v.Len()
	valid, nulls := v.validity()
	var data *array.Data
	switch v.Kind {
	case Text:
		data = array.NewData(arrow.BinaryTypes.LargeString, n, []*memory.Buffer{valid, offsets(v.Stops), memory.NewBufferBytes(v.Texts)}, nil, nulls, 0)
	case Float, Number:
		data = array.NewData(arrow.PrimitiveTypes.Float64, n, []*memory.Buffer{valid, bytesOf(v.Floats)}, nil, nulls, 0)
	case Bool:
		bits := make([]byte, bitutil.BytesForBits(int64(n)))
		for x, is := range v.Ints {
			if is != 0 {
				bitutil.SetBit(bits, x)
			}
		}
		data = array.NewData(arrow.FixedWidthTypes.Boolean, n, []*memory.Buffer{valid, memory.NewBufferBytes(bits)}, nil, nulls, 0)
	case Date:
		days := make([]int32, n)
		for x, day := range v.Ints {
			days[x] = int32(min(max(day, math.MinInt32), math.MaxInt32))
		}
		data = array.NewData(arrow.FixedWidthTypes.Date32, n, []*memory.Buffer{valid, bytesOf(days)}, nil, nulls, 0)
	case Time:
		// In the unit of the file: nanoseconds would reach from 1677 to 2262 only.
		data = array.NewData(&arrow.TimestampType{Unit: c.unit, TimeZone: "UTC"}, n, []*memory.Buffer{valid, bytesOf(v.Ints)}, nil, nulls, 0)
	case Uint:
		data = array.NewData(arrow.PrimitiveTypes.Uint64, n, []*memory.Buffer{valid, bytesOf(v.Ints)}, nil, nulls, 0)
	default:
		data = array.NewData(arrow.PrimitiveTypes.Int64, n, []*memory.Buffer{valid, bytesOf(v.Ints)}, nil, nulls, 0)
	}
	if c.List {
		data = array.NewData(arrow.LargeListOf(data.DataType()), len(v.Ends), []*memory.Buffer{nil, offsets(v.Ends)}, []arrow.ArrayData{data}, 0, 0)
	}
	return array.MakeFromData(data)
}

// validity is the bitmap of what is there; nil if all is.
func (v *Vector) validity() (*memory.Buffer, int) {
	if v.Null == nil {
		return nil, 0
	}
	nulls := 0
	bits := make([]byte, bitutil.BytesForBits(int64(len(v.Null))))
	for x, missing := range v.Null {
		if missing {
			nulls++
		} else {
			bitutil.SetBit(bits, x)
		}
	}
	return memory.NewBufferBytes(bits), nulls
}

func offsets(ends []int) *memory.Buffer {
	all := make([]int64, 1, len(ends)+1)
	for _, end := range ends {
		all = append(all, int64(end))
	}
	return bytesOf(all)
}

// bytesOf is the memory of numbers.
func bytesOf[T int32 | int64 | float64](values []T) *memory.Buffer {
	if len(values) == 0 {
		return memory.NewBufferBytes(nil)
	}
	return memory.NewBufferBytes(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0]))))
}
