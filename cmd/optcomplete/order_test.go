package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"optcomplete/internal/must"
)

// TestOrderAndFormatChangeNothing fits the same entries from every kind of file,
// with lines in several orders, and wants the same models to the last bit.
func TestOrderAndFormatChangeNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	runCommand(t, "synth", "--rows", "300", "--columns", "50", "--features", "8", "-k", "3", "--missing", "0.7", "--noise", "0.3", "-o", "made")
	ratings, features := linesOf(t, "made/ratings.csv"), linesOf(t, "made/features.csv")
	// A column without entries: a pack of the ratings alone does not know it.
	features = append(features, "c25b"+features[1][strings.IndexByte(features[1], ','):])
	people := []string{"row,age,size"}
	for i := range 300 {
		people = append(people, fmt.Sprintf("r%03d,%d,%d", i+1, i*7%30, i*i%11))
	}
	put(t, "ratings.csv", ratings)
	put(t, "features.csv", features)
	put(t, "people.csv", people)
	inputs := [][3]string{{"ratings.csv", "features.csv", "people.csv"}}
	for x := range 2 {
		rng := rand.New(rand.NewPCG(7, uint64(x)))
		var names [3]string
		for at, lines := range [][]string{ratings, features, people} {
			lines = slices.Clone(lines)
			rng.Shuffle(len(lines)-1, func(a, b int) { lines[a+1], lines[b+1] = lines[b+1], lines[a+1] })
			names[at] = fmt.Sprintf("shuffled%d-%d.csv", x, at)
			put(t, names[at], lines)
		}
		inputs = append(inputs, names)
	}
	other := inputs[2]
	zipped(t, "ratings.tsv.gz", strings.ReplaceAll(strings.Join(ratings, "\n"), ",", "\t"))
	writeParquet(t, "ratings.parquet", ratings[1:])
	runCommand(t, "pack", other[0], "-o", "plain.pack")
	runCommand(t, "pack", other[0], "--features", other[1], "-o", "known.pack", "--memory", "1M")
	for _, file := range []string{"ratings.tsv.gz", "ratings.parquet", "plain.pack", "known.pack"} {
		inputs = append(inputs, [3]string{file, other[1], other[2]})
	}
	for name, args := range map[string][]string{
		"paper": {"-k", "3", "--model", "paper"}, "pooled": {"-k", "3", "--model", "pooled"}, "full": {"-k", "3", "--gamma", "1"},
		"remainder":   {"-k", "2", "--residual-rank", "2"},
		"cutplanes":   {"-k", "2", "--model", "paper", "--method", "cutplanes", "--gamma", "1"},
		"optcomplete": {"-k", "2", "--model", "paper", "--method", "optcomplete", "--gamma", "1"},
		"twosided":    {"-k", "3", "--row-features"}, "softimpute": {"--method", "softimpute"}, "imc": {"--method", "imc"}, "effects": {"--method", "effects"},
	} {
		t.Run(name, func(t *testing.T) {
			var want map[string]string
			for _, in := range inputs {
				all := append([]string{"fit", in[0], "--features", in[1], "--holdout", "0.2", "--quiet", "-o", "model"}, args...)
				if name == "twosided" {
					all = append(all, in[2])
				}
				runCommand(t, all...)
				got := modelFiles(t, "model")
				if want == nil {
					want = got
				}
				for file := range want {
					if got[file] != want[file] {
						t.Errorf("%s of %s with %s is another%s", file, in[0], in[1], difference(want[file], got[file]))
					}
				}
			}
		})
	}
}

func runCommand(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("optcomplete", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

func put(t *testing.T, name string, lines []string) {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
}

func linesOf(t *testing.T, name string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(name))(t)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func zipped(t *testing.T, name, text string) {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	must.Do(t, z.Close())
	must.Do(t, os.WriteFile(name, out.Bytes(), 0o666))
}

// writeParquet writes lines of row,column,value, the last first.
func writeParquet(t *testing.T, name string, lines []string) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "row", Type: arrow.BinaryTypes.String}, {Name: "column", Type: arrow.BinaryTypes.String}, {Name: "value", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, line := range slices.Backward(lines) {
		fields := strings.Split(line, ",")
		b.Field(0).(*array.StringBuilder).Append(fields[0])
		b.Field(1).(*array.StringBuilder).Append(fields[1])
		must.Do(t, b.Field(2).AppendValueFromString(fields[2]))
	}
	file := must.Get(os.Create(name))(t)
	w, err := pqarrow.NewFileWriter(schema, file, nil, pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(b.NewRecordBatch())
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// modelFiles are the files of a model, without what tells times and the names of
// the input.
func modelFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(e.Name()) == ".json" {
			var all map[string]any
			must.Do(t, json.Unmarshal(text, &all))
			for _, key := range []string{"seconds", "settings", "trace", "master_seconds", "checksum"} {
				delete(all, key)
			}
			if text, err = json.MarshalIndent(all, "", " "); err != nil {
				t.Fatal(err)
			}
		}
		out[e.Name()] = string(text)
	}
	return out
}

// difference shows the first lines of two texts that differ.
func difference(a, b string) string {
	first, second := strings.Split(a, "\n"), strings.Split(b, "\n")
	for x := range min(len(first), len(second)) {
		if first[x] != second[x] && len(first[x])+len(second[x]) < 1000 {
			return ": " + strings.TrimSpace(first[x]) + ", then " + strings.TrimSpace(second[x])
		}
	}
	return ""
}
