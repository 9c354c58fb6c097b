package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/gzip"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// put writes a file, and the folders that it is in.
func put(t testing.TB, path, text string) string {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func gzipped(t testing.TB, text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	must.Do(t, errors.Join(err, w.Close()))
	return out.String()
}

// parquetFile makes a Parquet file of columns: slices of what arrow knows.
func parquetFile(t testing.TB, names []string, columns ...arrow.Array) string {
	t.Helper()
	var fields []arrow.Field
	for x, c := range columns {
		fields = append(fields, arrow.Field{Name: names[x], Type: c.DataType(), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	record := array.NewRecordBatch(schema, columns, int64(columns[0].Len()))
	var out bytes.Buffer
	w := must.Get(pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(2)), pqarrow.DefaultWriterProps()))(t)
	must.Do(t, errors.Join(w.Write(record), w.Close()))
	return out.String()
}

func texts(values ...string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func whole(values ...int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func small(values ...int8) arrow.Array {
	b := array.NewInt8Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

// floats has a null where valid says so.
func floats(valid []bool, values ...float64) arrow.Array {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(values, valid)
	return b.NewArray()
}

func TestFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	// The same entries in every form: by column, as Netflix has them.
	want := []string{"6 1 3", "6 2 4", "8 1 5", "9 2 1"}
	rows, columns, numbers := whole(6, 8, 6, 9), whole(1, 1, 2, 2), floats(nil, 3, 5, 4, 1)
	const dates = "1:\n6,3,2005-09-06\n8,5,2005-05-13\n2:\n6,4,2005-10-19\n9,1,2004-01-02\n"
	for name, c := range map[string]struct {
		files    map[string]string
		settings Settings
		paths    []string // those of files if there is one
	}{
		"csv":            {files: map[string]string{"r.csv": "6,1,3\n8,1,5\n6,2,4\n9,2,1\n"}},
		"tsv":            {files: map[string]string{"r.tsv": "row\tcolumn\tvalue\n6\t1\t3\n8\t1\t5\n6\t2\t4\n9\t2\t1\n"}},
		"gzip":           {files: map[string]string{"r.csv.gz": gzipped(t, "6,1,3\n8,1,5\n6,2,4\n9,2,1\n")}},
		"two files":      {files: map[string]string{"r.csv": "6,1,3\n8,1,5\n", "s.tsv": "6\t2\t4\n9\t2\t1\n"}, paths: []string{"r.csv", "s.tsv"}},
		"mtx":            {files: map[string]string{"r.mtx": "%%MatrixMarket matrix coordinate integer general\n% by hand\n9 2 4\n6 1 3\n8 1  5\n\n6\t2 4\n9 2 1\n"}},
		"mtx real":       {files: map[string]string{"r": "%%matrixmarket MATRIX coordinate real general\r\n9 2 4\r\n6 1 3.0\r\n8 1 5e0\r\n6 2 4\r\n9 2 1\r\n"}},
		"netflix":        {files: map[string]string{"combined_data_1.txt": dates}},
		"netflix, any":   {files: map[string]string{"other.txt": dates}},
		"netflix, CRLF":  {files: map[string]string{"x": strings.ReplaceAll(dates, "\n", "\r\n")}},
		"netflix, parts": {files: map[string]string{"nf/combined_data_1.txt": dates[:18], "nf/combined_data_2.txt": "1:\n" + dates[18:], "nf/README": "x"}, paths: []string{"nf"}},
		"netflix, films": {files: map[string]string{"training_set/mv_0000001.txt": dates[:33], "training_set/mv_0000002.txt": dates[33:]}, paths: []string{"training_set"}},
		"u.data":         {files: map[string]string{"ml-100k/u.data": "6\t1\t3\t881250949\n8\t1\t5\t891717742\n6\t2\t4\t878887116\n9\t2\t1\t880606923\n"}, paths: []string{"ml-100k"}},
		"u.data, forced": {files: map[string]string{"x": "6\t1\t3\t881250949\n8\t1\t5\t891717742\n6\t2\t4\t878887116\n9\t2\t1\t880606923\n"}, settings: Settings{Format: MovieLens}},
		"ratings.dat":    {files: map[string]string{"ratings.dat": "6::1::3::978300760\n8::1::5::978302109\n6::2::4::978301968\n9::2::1::978300275\n"}},
		"ratings.csv":    {files: map[string]string{"ml/ratings.csv": "userId,movieId,rating,timestamp\n6,1,3.0,1\n8,1,5.0,2\n6,2,4.0,3\n9,2,1.0,4\n"}, paths: []string{"ml"}},
		"parquet":        {files: map[string]string{"r.parquet": parquetFile(t, []string{"row", "column", "value"}, rows, columns, numbers)}},
		"parquet, named": {files: map[string]string{"r.parquet": parquetFile(t, []string{"stars", "t", "user", "film"}, small(3, 5, 4, 1), numbers, texts("6", "8", "6", "9"), columns)},
			settings: Settings{RowName: "user", ColumnName: "film", ValueName: "stars"}},
		"parquet, order": {files: map[string]string{"r": parquetFile(t, []string{"value", "time", "column", "row"}, numbers, numbers, columns, rows)}},
		"parquet, three": {files: map[string]string{"r": parquetFile(t, []string{"a", "b", "c", "d"}, rows, columns, numbers, rows)}},
		"parquet, parts": {files: map[string]string{
			"p/part-0.parquet":     parquetFile(t, []string{"row", "column", "value"}, texts("6", "8"), texts("1", "1"), whole(3, 5)),
			"p/x/part-1.parquet":   parquetFile(t, []string{"row", "column", "value"}, whole(6, 9), small(2, 2), whole(4, 1)),
			"p/_metadata.parquet":  "not read",
			"p/.hidden.crc":        "not read",
			"p/_SUCCESS":           "",
			"p/x/.part-1.pq.crc":   "not read",
			"p/ratings/readme.txt": "not read",
		}, paths: []string{"p"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			paths := c.paths
			for file, text := range c.files {
				put(t, file, text)
				if c.paths == nil {
					paths = append(paths, file)
				}
			}
			got, report, err := Ratings(context.Background(), paths, c.settings)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, cells(got)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]string{"6", "8", "9"}, got.RowIDs); d != "" {
				t.Error("rows are not in the order of their first entry: ", d)
			}
			if report.Entries != 4 || report.Lines != 4 || report.Bytes == 0 {
				t.Errorf("%+v", report)
			}
			// And through a pack, and a pack of that pack.
			for n := range 2 {
				out := fmt.Sprint(n, ".pack")
				if _, err := Pack(context.Background(), paths, out, c.settings); err != nil {
					t.Fatal(err)
				}
				paths, c.settings = []string{out}, Settings{}
				again, report, err := Ratings(context.Background(), paths, Settings{})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(got, again, cmp.AllowUnexported(data.Matrix{}, data.Ratings{}), cmpopts.IgnoreTypes(data.Known{}, (*data.Keys)(nil))); d != "" || report.Entries != 4 {
					t.Errorf("pack %d: %s %+v", n, d, report)
				}
			}
			if first, second := read(t, "0.pack"), read(t, "1.pack"); first != second {
				t.Error("a pack of a pack is another")
			}
		})
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

func TestFormatErrors(t *testing.T) {
	const mtx = "%%MatrixMarket matrix coordinate real general\n"
	abc := []string{"row", "column", "value"}
	for _, c := range []struct {
		name, text, want string
		settings         Settings
	}{
		{"r.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", `r.mtx:1: the matrix has no values: it is a pattern (write it as real or integer, with a value in each line)`, Settings{}},
		{"r.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", `r.mtx:1: the values are "complex" (write them as real or integer)`, Settings{}},
		{"r.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n", `r.mtx:1: the matrix is stored as "symmetric": half of its entries are left out (write it as general, with every entry)`, Settings{}},
		{"r.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n", `r.mtx:1: the matrix is stored as "array", all entries one after another (write it as coordinate: only observed entries are wanted)`, Settings{}},
		{"r.mtx", mtx + "% c\n2 2\n", `r.mtx:3: the line with the sizes is "2 2" (it must hold the numbers of rows, columns and entries)`, Settings{}},
		{"r.mtx", mtx + "2 2 2\n1 1 5\n", `r.mtx: holds 1 entries, but its header announces 2 (check that the file is complete)`, Settings{}},
		{"r.mtx", mtx + "2 2 1\n1 1 5\n2 2 5\n", `r.mtx: holds 2 entries, but its header announces 1 (check that the file is complete)`, Settings{}},
		{"r.mtx", mtx + "2 2 1\n1 3 5\n", `r.mtx:3: the entry "1 3 5" is outside the matrix that the header announces (indices count from 1; check that the file is complete and not damaged)`, Settings{}},
		{"r.mtx", mtx + "2 2 1\n0 1 5\n", `r.mtx:3: the entry "0 1 5" is outside the matrix that the header announces (indices count from 1; check that the file is complete and not damaged)`, Settings{}},
		{"r.mtx", mtx + "2 2 1\n1 1 x\n", `r.mtx:3: value "x" is not a number (use Settings.Missing x to treat it as unknown)`, Settings{}},
		{"r.csv", "1,2,3\n", `r.csv:1: the file does not begin with a Matrix Market header (its first line must be such as "%%MatrixMarket matrix coordinate real general")`, Settings{Format: MatrixMarket}},
		{"n.txt", "1:\n6,3,2005-09-06\n7,\n", `n.txt:3: the value is blank (leave the line out, or use Settings.Missing "" to treat it as unknown)`, Settings{}},
		{"n.txt", "1:\n6,3,2005-09-06\n7\n", `n.txt:3: the line has 1 field where 3 are expected (fields are separated by commas)`, Settings{}},
		{"n.txt", "1:\n6,3,2005-09-06,x\n", `n.txt:2: the line has 4 fields where 3 are expected (quote fields that contain commas)`, Settings{}},
		{"n.txt", "6,3,2005-09-06\n", `n.txt:1: an entry comes before any column (a line such as "1:" must name the column first)`, Settings{Format: Netflix}},
		{"r.dat", "6::1::3::9\n6:1:3:9\n", `r.dat:2: the line has 2 fields where 4 are expected (fields are separated by ":")`, Settings{}},
		{"r.parquet", parquetFile(t, abc[:2], whole(1), whole(2)), `r.parquet: has 2 columns where 3 are needed: row, column and value`, Settings{}},
		{"r.parquet", parquetFile(t, abc, whole(1), whole(2), texts("x")), `r.parquet: the values are text, not numbers (name the column of the values with Settings.ValueName)`, Settings{}},
		{"r.parquet", parquetFile(t, abc, floats(nil, 1), whole(2), whole(3)), `r.parquet: column "row" holds numbers with fractions, which are no ids (ids are strings or integers; name the columns with Settings.RowName, Settings.ColumnName and Settings.ValueName)`, Settings{}},
		{"r.parquet", parquetFile(t, abc, whole(1), whole(2), whole(3)), `r.parquet: the table has no column "stars" (it has "row", "column", "value")`, Settings{ValueName: "stars"}},
		{"r.parquet", parquetFile(t, abc, whole(1, 1), whole(2, 3), floats([]bool{true, false}, 1, 0)), `r.parquet:2: the value is blank (leave the line out, or use Settings.Missing "" to treat it as unknown)`, Settings{}},
		{"r.parquet", parquetFile(t, abc, texts("u", ""), whole(2, 3), whole(1, 1)), `r.parquet:2: the row id is empty (fill it in or leave the line out)`, Settings{}},
		{"r.parquet", parquetFile(t, abc, whole(1, 1, 1, 1), whole(2, 3, 4, 3), whole(1, 1, 1, 1)), `r.parquet:4: row "1", column "3" was already given on record 2 (keep one of the two lines, or choose with Settings.Duplicates first, last or mean)`, Settings{}},
		{"r.parquet", "PAR1 cut short", `r.parquet: cannot be read as Parquet`, Settings{}},
		{"u.data", "1\t2\t3\t4\n1\t2\t3\n", `u.data:2: the line has 3 fields where 4 are expected (fields are separated by tabs)`, Settings{}},
	} {
		t.Chdir(t.TempDir())
		_, _, err := readAs(t, c.name, []byte(c.text), c.settings)
		var input *data.InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %v is no *InputError", c.text, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n%v\n%v", c.text, err, c.want)
		}
	}
}

func TestParquetMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	text := parquetFile(t, []string{"row", "column", "value"}, whole(1, 2, 3), whole(2, 2, 2), floats([]bool{true, false, true}, 4, 0, 99))
	got, report, err := readAs(t, "r.parquet", []byte(text), Settings{Missing: []string{"", "99"}})
	if err != nil || report.Missing != 2 || report.Entries != 1 {
		t.Fatalf("%v %+v", err, report)
	}
	if d := cmp.Diff([]string{"1 2 4"}, cells(got)); d != "" {
		t.Error(d)
	}
}

func TestPackOfUnknownColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "r.csv", "u,a,1\nv,x,1\nu,b,2\nw,x,3\nw,a,4\n")
	if _, err := Pack(context.Background(), []string{"r.csv"}, "r.pack", Settings{}); err != nil {
		t.Fatal(err)
	}
	_, _, err := Ratings(context.Background(), []string{"r.pack"}, Settings{Columns: []string{"b", "a"}})
	if err == nil || err.Error() != `r.pack: row "v": column "x" is not in the feature table (use Settings.DropUnknown to leave such entries out)` {
		t.Error(err)
	}
	got, report, err := Ratings(context.Background(), []string{"r.pack"}, Settings{Columns: []string{"b", "a"}, DropUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"u b 2", "u a 1", "w a 4"}, cells(got)); d != "" || report.UnknownEntries != 2 || report.UnknownColumns != 1 {
		t.Errorf("%s %+v", d, report)
	}
}
