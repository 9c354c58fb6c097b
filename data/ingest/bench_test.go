package ingest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// benchSet is entries as people have them: ids of 4 to 6 digits and values with
// one decimal, in the order of time or sorted by row.
func benchSet(sorted bool) []data.Entry {
	const rows, columns, perRow = 1 << 14, 1 << 13, 1 << 6
	s := random.New(1)
	order := s.Perm(rows * perRow)
	out := make([]data.Entry, len(order))
	for at, e := range order {
		if sorted {
			e = at
		}
		i := e / perRow
		j := (e%perRow*(columns/perRow) + i) % columns
		out[at] = data.Entry{Row: int32(100000 + 13*i), Column: int32(1000 + 7*j), Value: 0.5 * float64(1+s.Intn(10))}
	}
	return out
}

// benchText writes entries with a line for each.
func benchText(head, line string, entries []data.Entry) string {
	var out bytes.Buffer
	out.WriteString(head)
	for _, e := range entries {
		fmt.Fprintf(&out, line, e.Row, e.Column, e.Value)
	}
	return out.String()
}

func benchNetflix(entries []data.Entry) string {
	var out bytes.Buffer
	for at, e := range entries {
		if at%1000 == 0 {
			fmt.Fprintf(&out, "%d:\n", e.Column)
		}
		fmt.Fprintf(&out, "%d,%d,2005-09-06\n", at, 1+at%5)
	}
	return out.String()
}

func benchParquet(b *testing.B, entries []data.Entry) string {
	schema := arrow.NewSchema([]arrow.Field{{Name: "row", Type: arrow.PrimitiveTypes.Int32}, {Name: "column", Type: arrow.PrimitiveTypes.Int32}, {Name: "value", Type: arrow.PrimitiveTypes.Float64}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, e := range entries {
		builder.Field(0).(*array.Int32Builder).Append(e.Row)
		builder.Field(1).(*array.Int32Builder).Append(e.Column)
		builder.Field(2).(*array.Float64Builder).Append(e.Value)
	}
	var out bytes.Buffer
	w := must.Get(pqarrow.NewFileWriter(schema, &out, nil, pqarrow.DefaultWriterProps()))(b)
	must.Do(b, w.Write(builder.NewRecordBatch()))
	must.Do(b, w.Close())
	return out.String()
}

// benchArrow writes entries as Arrow, with ids of a kind.
func benchArrow(b *testing.B, kind string, entries []data.Entry) string {
	columns := [2]arrow.Array{}
	for x := range columns {
		id := func(e data.Entry) int64 { return int64([]int32{e.Row, e.Column}[x]) }
		text := func(e data.Entry) string { return fmt.Sprint([]string{"viewer", "film"}[x], id(e)) }
		switch kind {
		case "whole":
			to := array.NewInt64Builder(memory.DefaultAllocator)
			for _, e := range entries {
				to.Append(id(e))
			}
			columns[x] = to.NewArray()
		case "text":
			to := array.NewLargeStringBuilder(memory.DefaultAllocator)
			for _, e := range entries {
				to.Append(text(e))
			}
			columns[x] = to.NewArray()
		default:
			to := array.NewDictionaryBuilder(memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
			for _, e := range entries {
				must.Do(b, to.AppendString(text(e)))
			}
			columns[x] = to.NewArray()
		}
	}
	var values []float64
	for _, e := range entries {
		values = append(values, e.Value)
	}
	return string(arrowBytes(b, false, []string{"row", "column", "value"}, columns[0], columns[1], floats(nil, values...)))
}

// BenchmarkRatings reads a million entries into memory from every format; MB are
// those of the file. Compare Mentries/s between formats.
func BenchmarkRatings(b *testing.B) {
	time, byRow := benchSet(false), benchSet(true)
	csv := benchText("row,column,value\n", "%d,%d,%.1f\n", time)
	for _, c := range []struct{ name, file, text string }{
		{"csv", "r.csv", csv},
		{"csv sorted by row", "r.csv", benchText("row,column,value\n", "%d,%d,%.1f\n", byRow)},
		{"csv, quoted ids", "r.csv", benchText("row,column,value\n", "\"%d\",\"%d\",%.1f\n", time)},
		{"csv, long ids", "r.csv", benchText("row,column,value\n", "viewer-%d,film-%d,%.1f\n", time)},
		{"csv.gz", "r.csv.gz", gzipped(b, csv)},
		{"movielens", "ratings.dat", benchText("", "%d::%d::%.1f::978300760\n", time)},
		{"mtx", "r.mtx", benchText(fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n1000000 1000000 %d\n", len(time)), "%d %d %.1f\n", time)},
		{"netflix", "combined_data_1.txt", benchNetflix(time)},
		{"parquet", "r.parquet", benchParquet(b, time)},
		{"arrow", "r.arrow", benchArrow(b, "whole", time)},
		{"arrow, text", "r.arrow", benchArrow(b, "text", time)},
		{"arrow, categories", "r.arrow", benchArrow(b, "categories", time)},
	} {
		b.Run(c.name, func(b *testing.B) {
			benchRead(b, put(b, filepath.Join(b.TempDir(), c.file), c.text), len(time))
		})
	}
	b.Run("pack", func(b *testing.B) {
		dir := b.TempDir()
		if _, err := Pack(context.Background(), []string{put(b, filepath.Join(dir, "r.csv"), csv)}, filepath.Join(dir, "r.pack"), Settings{}); err != nil {
			b.Fatal(err)
		}
		benchRead(b, filepath.Join(dir, "r.pack"), len(time))
	})
}

func benchRead(b *testing.B, path string, entries int) {
	info := must.Get(os.Stat(path))(b)
	b.SetBytes(info.Size())
	for b.Loop() {
		if _, _, err := Ratings(context.Background(), []string{path}, Settings{Duplicates: Last}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(entries)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
}

// BenchmarkPack packs a million entries, MB being those of the CSV file, in memory
// and with all of them through the temporary file.
func BenchmarkPack(b *testing.B) {
	dir := b.TempDir()
	const short, long, lens = "%d,%d,%.1f\n", "viewer%d,film%d,%.1f\n", "%d,%d,%.1f,1112486027\n"
	for _, c := range []struct {
		name, head, line string
		sorted           bool
		memory           int64
	}{
		{"sorted", "row,column,value\n", short, true, 0},
		{"any order", "row,column,value\n", short, false, 0},
		{"any order, spilled", "row,column,value\n", short, false, 1},
		{"long ids, sorted", "row,column,value\n", long, true, 0},
		{"long ids, any order", "row,column,value\n", long, false, 0},
		{"movielens, sorted", "userId,movieId,rating,timestamp\n", lens, true, 0},
	} {
		text := benchText(c.head, c.line, benchSet(c.sorted))
		path := put(b, filepath.Join(dir, "r.csv"), text)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Pack(context.Background(), []string{path}, filepath.Join(dir, "r.pack"), Settings{Memory: c.memory}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
