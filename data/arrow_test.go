package data

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	_ "optcomplete/data/arrowfile"
	"optcomplete/internal/columnar"
	"optcomplete/internal/must"
	"optcomplete/internal/record"
	"optcomplete/internal/textfile"
)

// holdTable holds a table of one of each type under the name "films".
func holdTable(t *testing.T, genres ...string) {
	t.Helper()
	category := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Int64}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "film", Type: arrow.PrimitiveTypes.Int64},
		{Name: "Runtime", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "Studio", Type: category, Nullable: true},
		{Name: "Genre", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		{Name: "Released", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "Colour", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{7, 8}, nil)
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{117.5, 0}, []bool{true, false})
	for _, studio := range []int64{20, 30} {
		must.Do(t, b.Field(2).(*array.Int64DictionaryBuilder).Append(studio))
	}
	list := b.Field(3).(*array.ListBuilder)
	list.Append(true)
	list.ValueBuilder().(*array.StringBuilder).AppendValues(genres, nil)
	list.AppendNull()
	b.Field(4).(*array.Date32Builder).Append(arrow.Date32FromTime(time.Date(1979, 5, 25, 0, 0, 0, 0, time.UTC)))
	b.Field(4).AppendNull()
	b.Field(5).(*array.BooleanBuilder).AppendValues([]bool{true, false}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	must.Do(t, w.Write(b.NewRecordBatch()))
	must.Do(t, w.Close())
	textfile.PutInMemory("films", out.Bytes())
	t.Cleanup(func() { textfile.DropFromMemory("films") })
}

// TestArrowTableIsReadAsText: a feature table in Arrow is the table of text that
// one would write, and says of its own what text does not show.
func TestArrowTableIsReadAsText(t *testing.T) {
	holdTable(t, "Horror", "Science fiction")
	got := must.Get(ReadRawTable("films", FeaturesOptions{}))(t)
	want := &RawTable{
		File: "films", IDs: []string{"7", "8"}, Lines: []int{1, 2},
		Names: []string{"Runtime", "Studio", "Genre", "Released", "Colour"},
		Cells: []string{"117.5", "20", "Horror|Science fiction", "1979-05-25", "1", "", "30", "", "", "0"},
		Kinds: []string{"", "text", "list", "date", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAPartOfAnArrowListWithTheSeparatorIsRefused(t *testing.T) {
	holdTable(t, "Horror|Comedy")
	_, err := ReadRawTable("films", FeaturesOptions{})
	if err == nil || !strings.Contains(err.Error(), `films:1: column "Genre": "Horror|Comedy" is a part of a list and has a | in it, which stands between parts (replace it by another character)`) {
		t.Error(err)
	}
}

// TestParquetTableIsReadAsText: a feature table in Parquet, with ids where pandas
// puts them.
func TestParquetTableIsReadAsText(t *testing.T) {
	var out bytes.Buffer
	w := columnar.NewWriter(&out, []columnar.Field{{Name: "Runtime", Kind: columnar.Float}, {Name: "Genre", Kind: columnar.Text}, {Name: record.PandasIndex, Kind: columnar.Text}})
	must.Do(t, w.WriteGroup([]float64{117.5, 90}, []string{"Horror", ""}, []string{"Alien", "Up"}))
	must.Do(t, w.Close())
	textfile.PutInMemory("films", out.Bytes())
	defer textfile.DropFromMemory("films")
	got := must.Get(ReadRawTable("films", FeaturesOptions{}))(t)
	if d := cmp.Diff([]string{"117.5", "Horror", "90", ""}, got.Cells); d != "" || got.IDs[0] != "Alien" || got.Names[1] != "Genre" {
		t.Errorf("%s %v %v", d, got.IDs, got.Names)
	}
	textfile.PutInMemory("films", out.Bytes()[:out.Len()-9])
	if _, err := ReadRawTable("films", FeaturesOptions{}); err == nil || !strings.Contains(err.Error(), "cannot be read as Parquet") {
		t.Errorf("a file cut off: %v", err)
	}
}
