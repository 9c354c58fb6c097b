package ingest

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"optcomplete/data"
)

// recordIDs are the ids in a column of a record.
type recordIDs struct {
	number   func(x int) int32        // the number of an id, where it is known without its text; else −1
	text     func(x int) []byte       // strings as they are, integers in decimal; empty for none
	learn    func(x int, text []byte) // remember the number of an id that was looked at
	fleeting bool                     // a text holds until the next one
}

func unknownNumber(int) int32 { return -1 }

func learnNothing(int, []byte) {}

// memo is what a worker knows about a dictionary: the numbers of its texts, so that
// each is looked up once and not for every entry.
type memo struct {
	of      arrow.ArrayData
	numbers []int32 // −1: not known yet
}

// idsOf gives the ids of a column of the batch's record, which the table numbers.
func (w *worker) idsOf(b *batch, column int, known *ids) (recordIDs, error) {
	from := b.record.Column(column)
	d, ok := from.(*array.Dictionary)
	if !ok {
		return w.plainIDs(b, from, column, known)
	}
	inner, err := w.plainIDs(b, d.Dictionary(), column, known)
	if err != nil {
		return inner, err
	}
	m := &w.memos[column]
	if m.of != d.Dictionary().Data() {
		*m = memo{of: d.Dictionary().Data(), numbers: make([]int32, d.Dictionary().Len())}
		for x := range m.numbers {
			m.numbers[x] = -1
		}
	}
	none := d.NullN() > 0
	return recordIDs{
		number: func(x int) int32 {
			if none && d.IsNull(x) {
				return -1
			}
			return m.numbers[d.GetValueIndex(x)]
		},
		text: func(x int) []byte {
			if d.IsNull(x) {
				return nil
			}
			return inner.text(d.GetValueIndex(x))
		},
		learn: func(x int, text []byte) {
			// A number of the stream is final; one of this batch is not.
			m.numbers[d.GetValueIndex(x)] = known.find(keyOf(text), text)
		},
		fleeting: inner.fleeting,
	}, nil
}

// plainIDs gives the ids of an array that is no dictionary.
func (w *worker) plainIDs(b *batch, from arrow.Array, column int, known *ids) (recordIDs, error) {
	var of func(x int) []byte
	switch a := from.(type) {
	case *array.String:
		if a.Len() > 0 {
			of = textsIn(a.ValueOffsets(), a.ValueBytes())
		}
	case *array.LargeString:
		if a.Len() > 0 {
			of = textsIn(a.ValueOffsets(), a.ValueBytes())
		}
	case *array.Binary:
		of = a.Value
	case *array.FixedSizeBinary:
		of = a.Value
	case *array.Int8:
		return w.wholeIDs(from, column, known, func(x int) int64 { return int64(a.Value(x)) }), nil
	case *array.Int16:
		return w.wholeIDs(from, column, known, func(x int) int64 { return int64(a.Value(x)) }), nil
	case *array.Int32:
		return w.wholeIDs(from, column, known, func(x int) int64 { return int64(a.Value(x)) }), nil
	case *array.Int64:
		return w.wholeIDs(from, column, known, a.Value), nil
	case *array.Uint8:
		return w.wholeIDs(from, column, known, func(x int) int64 { return int64(a.Value(x)) }), nil
	case *array.Uint16:
		return w.wholeIDs(from, column, known, func(x int) int64 { return int64(a.Value(x)) }), nil
	case *array.Uint32:
		return w.wholeIDs(from, column, known, func(x int) int64 { return int64(a.Value(x)) }), nil
	case *array.Uint64:
		ids := w.wholeIDs(from, column, known, nil)
		ids.number, ids.text = unknownNumber, w.present(from, func(x int) []byte {
			w.scratch[column] = strconv.AppendUint(w.scratch[column][:0], a.Value(x), 10)
			return w.scratch[column]
		})
		return ids, nil
	default:
		return recordIDs{}, fault(b.file.name, 0, fmt.Sprintf("column %s holds %s, which are no ids", data.Quote(b.record.ColumnName(column)), inWords(from.DataType())),
			"ids are strings or integers; name the columns with Settings.RowName, Settings.ColumnName and Settings.ValueName")
	}
	return recordIDs{number: unknownNumber, text: w.present(from, of), learn: learnNothing}, nil
}

// textsIn gives the texts that stand between offsets.
func textsIn[T int32 | int64](offsets []T, bytes []byte) func(x int) []byte {
	return func(x int) []byte { return bytes[offsets[x]-offsets[0] : offsets[x+1]-offsets[0]] }
}

// wholeIDs gives the ids of whole numbers.
func (w *worker) wholeIDs(from arrow.Array, column int, known *ids, of func(x int) int64) recordIDs {
	none := from.NullN() > 0
	return recordIDs{
		number: func(x int) int32 {
			if none && from.IsNull(x) {
				return -1
			}
			return known.decimals.at(uint64(of(x)))
		},
		text: w.present(from, func(x int) []byte {
			w.scratch[column] = strconv.AppendInt(w.scratch[column][:0], of(x), 10)
			return w.scratch[column]
		}),
		learn:    learnNothing,
		fleeting: true,
	}
}

// present is nothing where an array has none.
func (w *worker) present(from arrow.Array, of func(x int) []byte) func(x int) []byte {
	if from.NullN() == 0 {
		return of
	}
	return func(x int) []byte {
		if from.IsNull(x) {
			return nil
		}
		return of(x)
	}
}
