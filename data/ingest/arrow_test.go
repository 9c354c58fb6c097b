package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	_ "optcomplete/data/arrowfile"
	_ "optcomplete/internal/columnar"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/internal/textfile"
)

// arrowBytes writes columns as Arrow IPC: a stream, or a file.
func arrowBytes(t testing.TB, asFile bool, names []string, columns ...arrow.Array) []byte {
	t.Helper()
	var fields []arrow.Field
	for x, c := range columns {
		fields = append(fields, arrow.Field{Name: names[x], Type: c.DataType(), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	record := array.NewRecordBatch(schema, columns, int64(columns[0].Len()))
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&out, ipc.WithSchema(schema))
	if asFile {
		var err error
		if w, err = ipc.NewFileWriter(&out, ipc.WithSchema(schema)); err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, errors.Join(w.Write(record), w.Close()))
	return out.Bytes()
}

func categories(t testing.TB, values []string, codes ...int8) arrow.Array {
	t.Helper()
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, small(codes...), texts(values...))
}

// TestArrowEqualsText: entries in Arrow, of whatever types and in whatever form,
// are those of the same CSV.
func TestArrowEqualsText(t *testing.T) {
	t.Chdir(t.TempDir())
	want, _, err := readText(t, "row,column,value\n7,b,1\n12,a,2.5\n7,a,-3\n", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	values := floats(nil, 1, 2.5, -3)
	for name, rows := range map[string]arrow.Array{"text": texts("7", "12", "7"), "whole": whole(7, 12, 7), "categories": categories(t, []string{"12", "7"}, 1, 0, 1)} {
		for _, asFile := range []bool{false, true} {
			// The columns stand in another order, with one more among them.
			content := arrowBytes(t, asFile, []string{"value", "when", "column", "row"}, values, whole(1, 2, 3), texts("b", "a", "a"), rows)
			textfile.PutInMemory("ratings", content)
			onDisk := put(t, filepath.Join(t.TempDir(), "ratings.arrow"), string(content))
			for _, path := range []string{"ratings", onDisk} {
				got, report, err := Ratings(context.Background(), []string{path}, Settings{})
				if err != nil {
					t.Fatal(name, err)
				}
				if diff := cmp.Diff(slices.Sorted(slices.Values(cells(want))), slices.Sorted(slices.Values(cells(got)))); diff != "" || report.Entries != 3 {
					t.Error(name, path, diff)
				}
			}
			textfile.DropFromMemory("ratings")
		}
	}
}

// TestArrowErrors: a fault of a table names it, the record and what to do.
func TestArrowErrors(t *testing.T) {
	names := []string{"row", "column", "value"}
	good := arrowBytes(t, false, names, texts("a"), texts("b"), floats(nil, 1))
	when := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Second})
	when.Append(1)
	for want, content := range map[string][]byte{
		"frame:2: the value is blank (leave the line out":                arrowBytes(t, false, names, texts("a", "a"), texts("b", "c"), floats([]bool{true, false}, 1, 0)),
		"frame:2: the row id is empty":                                   arrowBytes(t, false, names, texts("a", ""), texts("b", "c"), floats(nil, 1, 2)),
		`frame: column "row" holds dates or times`:                       arrowBytes(t, false, names, when.NewArray(), texts("b"), floats(nil, 1)),
		"frame: the values are text, not numbers":                        arrowBytes(t, false, names, texts("a"), texts("b"), texts("4")),
		"frame: has 2 columns where 3 are needed":                        arrowBytes(t, false, names, texts("a"), texts("b")),
		"frame: cannot be read as Arrow":                                 good[:len(good)-40],
		"frame:2: row \"a\", column \"b\" was already given on record 1": arrowBytes(t, false, names, texts("a", "a"), texts("b", "b"), floats(nil, 1, 2)),
	} {
		textfile.PutInMemory("frame", content)
		_, _, err := Ratings(context.Background(), []string{"frame"}, Settings{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	textfile.DropFromMemory("frame")
}

// TestArrowRemembersIDs: ids that are known from earlier batches are not looked
// up again, and that changes nothing: which of two entries is the first and which
// the last, entries of unknown columns, blanks.
func TestArrowRemembersIDs(t *testing.T) {
	const rows, columns, entries = 900, 40, 2*recordRows + 1000
	s := random.New(1)
	rowTexts, columnTexts := make([]string, rows), make([]string, columns)
	for i := range rowTexts {
		rowTexts[i] = fmt.Sprint(7 * i)
	}
	for j := range columnTexts {
		columnTexts[j] = fmt.Sprint(j)
	}
	var given [2][]string
	var codes [2][]int32
	var numbers [2][]int64
	var values []float64
	for range entries { // many of them twice
		i, j := s.Intn(rows), s.Intn(columns)
		given[0], given[1] = append(given[0], rowTexts[i]), append(given[1], columnTexts[j])
		codes[0], codes[1] = append(codes[0], int32(i)), append(codes[1], int32(j))
		numbers[0], numbers[1] = append(numbers[0], int64(7*i)), append(numbers[1], int64(j))
		values = append(values, float64(s.Intn(1000)))
	}
	dictionary := func(x int, values []string) arrow.Array {
		indices := array.NewInt32Builder(memory.DefaultAllocator)
		indices.AppendValues(codes[x], nil)
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, indices.NewArray(), texts(values...))
	}
	names := []string{"row", "column", "value"}
	forms := map[string][]byte{
		"text":       arrowBytes(t, false, names, texts(given[0]...), texts(given[1]...), floats(nil, values...)),
		"categories": arrowBytes(t, false, names, dictionary(0, rowTexts), dictionary(1, columnTexts), floats(nil, values...)),
		"whole":      arrowBytes(t, false, names, whole(numbers[0]...), whole(numbers[1]...), floats(nil, values...)),
	}
	for _, set := range []Settings{{Duplicates: First}, {Duplicates: Last}, {Duplicates: Last, Columns: columnTexts[:30], DropUnknown: true}} {
		set.Threads = 3
		var want *data.Ratings
		var wantReport *Report
		for _, name := range []string{"text", "categories", "whole"} {
			textfile.PutInMemory("frame", forms[name])
			got, report, err := Ratings(context.Background(), []string{"frame"}, set)
			if err != nil {
				t.Fatal(name, err)
			}
			if want == nil {
				want, wantReport = got, report
				continue
			}
			if !slices.Equal(cells(got), cells(want)) || report.Duplicates != wantReport.Duplicates || report.UnknownEntries != wantReport.UnknownEntries {
				t.Errorf("%s, %v: %d and %d entries left out, where text has %d and %d", name, set.Duplicates, report.Duplicates, report.UnknownEntries, wantReport.Duplicates, wantReport.UnknownEntries)
			}
		}
	}
	textfile.DropFromMemory("frame")
}
