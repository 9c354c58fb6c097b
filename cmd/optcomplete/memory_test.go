package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"optcomplete/internal/columnar"
	"optcomplete/internal/must"
)

// TestSmallFilesThatUnpackToALotAreRefused: of every reader. Each file has less than
// half a megabyte and unpacks to some hundred megabytes; what is allowed is in the sentence, the
// exit code is that of bad input, and nothing is said in Go's words.
func TestSmallFilesThatUnpackToALotAreRefused(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const rows = 512
	long := strings.Repeat("x", 1<<20)
	ids, numbers := make([]string, rows), make([]float64, rows)
	for i := range ids {
		ids[i] = fmt.Sprintf("c%d", i)
	}
	same := columnar.Coded{Texts: []string{long}, Codes: make([]int32, rows)}
	parquet := func(name string, fields []columnar.Field, columns ...any) {
		var b bytes.Buffer
		w := columnar.NewWriter(&b, fields)
		must.Do(t, w.WriteGroup(columns...))
		must.Do(t, w.Close())
		must.Do(t, os.WriteFile(name, b.Bytes(), 0o666))
	}
	text := func(name string) columnar.Field { return columnar.Field{Name: name, Kind: columnar.Text} }
	number := func(name string) columnar.Field { return columnar.Field{Name: name, Kind: columnar.Float} }
	parquet("features.parquet", []columnar.Field{text("column"), text("txt"), number("a")}, ids, same, numbers)
	parquet("ratings.parquet", []columnar.Field{text("row"), text("column"), number("value")}, same, ids, numbers)
	writeArrow(t, "features.arrow", long, ids)
	packed := func(name, head, line string, times int) {
		to := must.Get(os.Create(name))(t)
		z := must.Get(zstd.NewWriter(to))(t)
		must.Get(io.WriteString(z, head))(t)
		for part := []byte(strings.Repeat(line, 1000)); times > 0; times -= 1000 {
			must.Get(z.Write(part))(t)
		}
		must.Do(t, z.Close())
		must.Do(t, to.Close())
	}
	ratings, features := "row,column,value\n", "column,a,b,c\n"
	for i := range 60 {
		ratings += fmt.Sprintf("r%d,c%d,%d\nr%d,c%d,%d\n", i%12, i%20, i%5, i%12, (i+7)%20, i%3)
		if i < 20 {
			features += fmt.Sprintf("c%d,%d,%d,%d\n", i, i%3, i%5, i*i%7)
		}
	}
	must.Do(t, os.WriteFile("ratings.csv", []byte(ratings), 0o666))
	must.Do(t, os.WriteFile("features.csv", []byte(features), 0o666))
	call := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run(append(args, "--quiet"), &stdout, &stderr)
		return code, stderr.String()
	}
	if code, text := call("fit", "ratings.csv", "--features", "features.csv", "-k", "1", "--gamma", "1", "--duplicates", "first", "-o", "m", "--proof", "p.jsonl"); code != exitDone {
		t.Fatal(text)
	}
	proof := must.Get(os.ReadFile("p.jsonl"))(t)
	packed("p.zst", string(proof[:bytes.IndexByte(proof, '\n')+1]), "{\"point\":[0,1,2],\"weights\":[1,1,1]}\n", 1_500_000)
	packed("twice.csv.zst", "row,column,value\n", "r1,c1,1\n", 5_000_000)
	packed("alternating.csv.zst", "row,column,value\n", "r1,c1,1\nr2,c1,1\n", 5_000_000)
	packed("wide.csv.zst", "column", ","+long[:1000], 200_000)
	for _, c := range []struct{ says, args string }{
		{"features.parquet: reading it takes more than the 64M", "features features.parquet"},
		{"features.parquet: reading it takes more than the 64M", "fit ratings.csv --features features.parquet -k 1"},
		{"ratings.parquet: reading it takes more than the 64M", "fit ratings.parquet --features features.csv --id column -k 1"},
		{"", "features features.arrow"}, // the texts are garbage at once: with luck they fit, and are no feature
		{"p.zst:", "verify m ratings.csv --features features.csv --duplicates first --proof p.zst"},
		{"twice.csv.zst:3: row \"r1\", column \"c1\" was already given on line 2", "fit twice.csv.zst --features features.csv -k 1"},
		{"reading it takes more than the 64M", "fit alternating.csv.zst --features features.csv -k 1"},
		{"", "features wide.csv.zst"},
		{"reading it takes more than the 64M", "predict m ratings.parquet"},
	} {
		code, text := call(append(strings.Fields(c.args), "--memory", "64M")...)
		if code != exitUsage || !strings.Contains(text, c.says) || strings.Count(strings.TrimSpace(text), "\n") > 0 || strings.Contains(text, "goroutine") {
			t.Errorf("%s: exit code %d, %s, want %q", c.args, code, text, c.says)
		}
	}
	for _, file := range must.Get(filepath.Glob("*"))(t) {
		if info := must.Get(os.Stat(file))(t); !info.IsDir() && info.Size() > 1<<19 {
			t.Errorf("%s has %d bytes", file, info.Size())
		}
	}
}

// writeArrow writes a table whose column of texts has one long one in every record.
func writeArrow(t *testing.T, name, long string, ids []string) {
	texts := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "column", Type: arrow.BinaryTypes.String}, {Name: "txt", Type: texts}}, nil)
	b := array.NewRecordBuilder(arrowmemory.DefaultAllocator, schema)
	b.Field(0).(*array.StringBuilder).AppendValues(ids, nil)
	coded := b.Field(1).(*array.BinaryDictionaryBuilder)
	for range ids {
		must.Do(t, coded.AppendString(long))
	}
	to := must.Get(os.Create(name))(t)
	w := ipc.NewWriter(to, ipc.WithSchema(schema), ipc.WithZstd())
	must.Do(t, w.Write(b.NewRecordBatch()))
	must.Do(t, w.Close())
	must.Do(t, to.Close())
}

// TestEveryReadingVerbTakesMemory: also that it is the one flag of that name.
func TestEveryReadingVerbTakesMemory(t *testing.T) {
	for _, verb := range newRoot(newCommon(io.Discard, io.Discard)).Commands() {
		if has := verb.Flags().Lookup("memory") != nil; slices.Contains(watched, verb.Name()) && !has {
			t.Errorf("%s has no --memory", verb.Name())
		}
	}
	code, text := exitUsage, new(bytes.Buffer)
	if got := run([]string{"features", "none.csv", "--memory", "much"}, io.Discard, text); got != code || !strings.Contains(text.String(), "--memory") {
		t.Errorf("exit code %d, %s", got, text)
	}
}
