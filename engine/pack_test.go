package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/data/pack"
	"optcomplete/internal/must"
)

// ratingLines are entries as lines, in no order.
func ratingLines(value func(r *rand.Rand) string) (lines []string) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 1500 {
		for _, j := range r.Perm(90)[:r.IntN(60)] {
			lines = append(lines, fmt.Sprintf("user%d\tfilm %d\t%s", i, j, value(r)))
		}
	}
	r.Shuffle(len(lines), func(x, y int) { lines[x], lines[y] = lines[y], lines[x] })
	return lines
}

var (
	texts = []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.String, arrow.BinaryTypes.String}
	typed = []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64}
)

// packOn packs lines on a fake cluster, as CSV if the types are texts.
func packOn(t *testing.T, f *fake, output string, settings ingest.Settings) (done *ingest.Packing, why, said string, err error) {
	t.Helper()
	var log strings.Builder
	s, err := Connect(context.Background(), Settings{Address: f.address, Program: os.Args[0], Least: 1, Tasks: 3, Version: "test", Log: func(line string) { log.WriteString(line + "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	format := "parquet"
	if f.types[2] == arrow.BinaryTypes.String {
		format = "csv"
	}
	done, why, err = s.Pack(context.Background(), []Table{{Path: "/t." + format, Format: format}}, output, 1<<15, 2, settings)
	return done, why, log.String(), err
}

// TestPackedOnAClusterAsHere: the bytes of a folder packed here, whatever the values, and
// whatever tasks are repeated; nothing is left of other attempts.
func TestPackedOnAClusterAsHere(t *testing.T) {
	for name, c := range map[string]struct {
		types []arrow.DataType
		value func(r *rand.Rand) string
		also  string
	}{
		"stars":   {texts, func(r *rand.Rand) string { return fmt.Sprint(1 + r.IntN(5)) }, "user 007\tfilm 1\t-0"},
		"singles": {typed, func(r *rand.Rand) string { return fmt.Sprint(float64(r.Float32())) }, "ü\tfilm 1\t1.0E-5"},
		"weights": {append([]arrow.DataType{arrow.BinaryTypes.String}, texts...), func(r *rand.Rand) string { return fmt.Sprintf("%d\t%v", 1+r.IntN(5), r.Float32()) }, "user 007\tfilm 1\t-0\t0"},
		"doubles": {texts, func(r *rand.Rand) string { return fmt.Sprint(r.Float64()) }, `a"b,c` + "\tfilm 1\tyes"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.types, f.twice = c.types, true
			f.table = append(ratingLines(c.value), c.also)
			dir := t.TempDir()
			done, why, log, err := packOn(t, f, filepath.Join(dir, "there.packs"), ingest.Settings{})
			if err != nil || why != "" {
				t.Fatal(why, err)
			}
			var csv strings.Builder
			csv.WriteString(strings.Join(tableNames[:len(c.types)], "\t") + "\n")
			for _, line := range f.table {
				csv.WriteString(strings.Replace(line, `a"b,c`, `"a""b,c"`, 1) + "\n")
			}
			here := filepath.Join(dir, "here.tsv")
			must.Do(t, os.WriteFile(here, []byte(csv.String()), 0o600))
			want := must.Get(ingest.Pack(context.Background(), []string{here}, filepath.Join(dir, "here.pack"), ingest.Settings{}))(t)
			whole := must.Get(pack.Open(filepath.Join(dir, "here.pack")))(t)
			defer whole.Close()
			if _, err := pack.WriteShards(context.Background(), whole, filepath.Join(dir, "here.packs"), 1<<15, 2); err != nil {
				t.Fatal(err)
			}
			sameFolders(t, filepath.Join(dir, "here.packs"), filepath.Join(dir, "there.packs"))
			if done.Weighted != want.Weighted || done.Zeros != want.Zeros || done.Rows != want.Rows || done.Columns != want.Columns || done.Entries != want.Entries || done.Lines != want.Lines {
				t.Errorf("%+v, and here %+v", done, want)
			}
			if !strings.Contains(log, "Spark has repeated tasks: 3") || strings.Contains(log, "started again") {
				t.Error(log)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("%v are left", left)
			}
		})
	}
}

// sameFolders wants the same files in both, of the same bytes.
func sameFolders(t *testing.T, a, b string) {
	t.Helper()
	one, err := os.ReadDir(a)
	if err != nil || len(one) < 4 {
		t.Fatalf("%s holds %v: %v", a, one, err)
	}
	if two, _ := os.ReadDir(b); len(two) != len(one) {
		t.Fatalf("%s holds %v, and %s %v", a, one, b, two)
	}
	for _, e := range one {
		x, _ := os.ReadFile(filepath.Join(a, e.Name()))
		y, err := os.ReadFile(filepath.Join(b, e.Name()))
		if err != nil || string(x) != string(y) {
			t.Errorf("%s differs: %v", e.Name(), err)
		}
	}
}

// TestPackingThatTheClusterCannotDo is told, so that it is done here; what is wrong with
// the entries is an error of the input.
func TestPackingThatTheClusterCannotDo(t *testing.T) {
	one := []string{"u\ta\t1", "v\ta\t2"}
	for name, c := range map[string]struct {
		table    []string
		types    []arrow.DataType
		settings ingest.Settings
		change   func(string) string
		why      string
		input    string
	}{
		"duplicates": {table: one, settings: ingest.Settings{Duplicates: ingest.Last}, why: "merged"},
		"rounded":    {table: one, settings: ingest.Settings{Float32: true}, why: "rounded"},
		"types":      {table: one, types: []arrow.DataType{arrow.BinaryTypes.String, arrow.FixedWidthTypes.Date32, arrow.PrimitiveTypes.Float64}, why: "usual types"},
		"not seen": {table: one, why: "do not see the folder", change: func(line string) string {
			if f := strings.Split(line, "\t"); f[1] == kindPacked {
				return answerOf("-1", kindMissing, "no such folder")
			}
			return line
		}},
		"twice":     {table: append(one, "u\ta\t3"), input: `row "u", column "a" is given twice`},
		"not UTF-8": {table: append(one, "w\uFFFD\ta\t1"), input: "not UTF-8"},
		"no number": {table: append(one, "w\ta\tx"), input: `"x"`},
		"no column": {table: one, settings: ingest.Settings{Columns: []string{"b"}}, input: `column "a" is not in the feature table`},
		"nothing":   {table: []string{`u` + "\ta\t\\N"}, settings: ingest.Settings{Missing: []string{""}}, input: "1 are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.table, f.types, f.change = c.table, texts, c.change
			if c.types != nil {
				f.types = c.types
			}
			dir := t.TempDir()
			done, why, _, err := packOn(t, f, filepath.Join(dir, "x.packs"), c.settings)
			if done != nil || c.why == "" != (why == "") || !strings.Contains(why, c.why) {
				t.Errorf("why: %q", why)
			}
			var wrong *data.InputError
			if c.input != "" && (!errors.As(err, &wrong) || !strings.Contains(strings.ReplaceAll(err.Error(), "\u201d", `"`), c.input)) || c.input == "" && err != nil {
				t.Errorf("the error is %v", err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%v are left", left)
			}
		})
	}
}

func TestAttempts(t *testing.T) {
	for thread, want := range map[string]int{
		"Thread[#45,Executor task launch worker for task 3.0 in stage 2.0 (TID 5),5,main]": 0,
		"Thread[Executor task launch worker for task 13.1 in stage 22.0 (TID 9),5,main]":   1,
		"Thread[Executor task launch worker for task 0.1 in stage 22.2 (TID 9),5,main]":    3,
		"Thread[main,5,main]": 0,
		"":                    0,
	} {
		if got := attemptOf(thread); got != want {
			t.Errorf("%s: %d", thread, got)
		}
	}
}
