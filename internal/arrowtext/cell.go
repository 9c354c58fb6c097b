package arrowtext

import (
	"bytes"
	"fmt"
	"math"
	"optcomplete/internal/textfile"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// kindOf tells what a type holds; false if it has no text.
func kindOf(t arrow.DataType) (textfile.Kind, bool) {
	switch t.ID() {
	case arrow.DICTIONARY:
		inner, ok := kindOf(t.(*arrow.DictionaryType).ValueType)
		return textfile.Category, ok && (inner == textfile.Unknown || inner == textfile.Date)
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST:
		inner, ok := kindOf(t.(arrow.ListLikeType).Elem())
		return textfile.List, ok && inner != textfile.List
	case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
		return textfile.Date, true
	case arrow.NULL, arrow.BOOL, arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW,
		arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128, arrow.DECIMAL256:
		return textfile.Unknown, true
	}
	return textfile.Unknown, false
}

// cell appends the text of a record's cell.
type cell func(x int, to []byte) ([]byte, error)

// cellOf gives the cells of an array whose type kindOf knows.
func cellOf(from arrow.Array) cell {
	of := filled(from)
	return func(x int, to []byte) ([]byte, error) {
		if from.IsNull(x) {
			return to, nil
		}
		return of(x, to)
	}
}

// filled gives those of the cells that are not null.
func filled(from arrow.Array) cell {
	switch a := from.(type) {
	case *array.String:
		return text(a.Value)
	case *array.LargeString:
		return text(a.Value)
	case *array.StringView:
		return text(a.Value)
	case *array.Boolean:
		return whole(func(x int) int64 {
			if a.Value(x) {
				return 1
			}
			return 0
		})
	case *array.Int8:
		return whole(a.Value)
	case *array.Int16:
		return whole(a.Value)
	case *array.Int32:
		return whole(a.Value)
	case *array.Int64:
		return whole(a.Value)
	case *array.Uint8:
		return whole(a.Value)
	case *array.Uint16:
		return whole(a.Value)
	case *array.Uint32:
		return whole(a.Value)
	case *array.Uint64:
		return func(x int, to []byte) ([]byte, error) { return strconv.AppendUint(to, a.Value(x), 10), nil }
	case *array.Float16:
		return number(func(x int) float64 { return float64(a.Value(x).Float32()) })
	case *array.Float32:
		return number(func(x int) float64 { return float64(a.Value(x)) })
	case *array.Float64:
		return number(a.Value)
	case *array.Date32:
		return func(x int, to []byte) ([]byte, error) { return a.Value(x).ToTime().AppendFormat(to, "2006-01-02"), nil }
	case *array.Date64:
		return func(x int, to []byte) ([]byte, error) { return a.Value(x).ToTime().AppendFormat(to, "2006-01-02"), nil }
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		return func(x int, to []byte) ([]byte, error) {
			return a.Value(x).ToTime(unit).AppendFormat(to, "2006-01-02"), nil
		}
	case *array.Dictionary:
		inner := cellOf(a.Dictionary())
		return func(x int, to []byte) ([]byte, error) { return inner(a.GetValueIndex(x), to) }
	case array.ListLike:
		return list(a)
	}
	return func(x int, to []byte) ([]byte, error) { return append(to, from.ValueStr(x)...), nil } // decimals
}

func text(of func(int) string) cell {
	return func(x int, to []byte) ([]byte, error) {
		value := of(x)
		if !utf8.ValidString(value) {
			return nil, fmt.Errorf("a text is not UTF-8")
		}
		return append(to, value...), nil
	}
}

func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](of func(int) T) cell {
	return func(x int, to []byte) ([]byte, error) { return strconv.AppendInt(to, int64(of(x)), 10), nil }
}

// number gives numbers; NaN is what frames have where nothing is known.
func number(of func(int) float64) cell {
	return func(x int, to []byte) ([]byte, error) {
		value := of(x)
		if math.IsNaN(value) {
			return to, nil
		}
		format := byte('f')
		if size := math.Abs(value); size != 0 && (size < 1e-6 || size >= 1e21) {
			format = 'e'
		}
		return strconv.AppendFloat(to, value, format, -1, 64), nil
	}
}

// list puts the parts of a list together. One that has the separator in it would
// be taken for two.
func list(a array.ListLike) cell {
	part := cellOf(a.ListValues())
	return func(x int, to []byte) ([]byte, error) {
		start, end := a.ValueOffsets(x)
		for at := start; at < end; at++ {
			if at > start {
				to = append(to, Separator)
			}
			before := len(to)
			var err error
			if to, err = part(int(at), to); err != nil {
				return nil, err
			}
			if bytes.IndexByte(to[before:], Separator) >= 0 {
				return nil, &textfile.UnfitError{Problem: fmt.Sprintf("%q is a part of a list and has a %c in it, which stands between parts", to[before:], Separator), Remedy: "replace it by another character"}
			}
		}
		return to, nil
	}
}
