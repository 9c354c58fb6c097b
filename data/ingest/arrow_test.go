package ingest

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/held"
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
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		t.Fatal(err)
	}
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
			held.Put("ratings", content)
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
			held.Drop("ratings")
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
		held.Put("frame", content)
		_, _, err := Ratings(context.Background(), []string{"frame"}, Settings{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	held.Drop("frame")
}
