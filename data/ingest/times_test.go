package ingest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"optcomplete/internal/must"
)

func TestMomentsAreUnderstood(t *testing.T) {
	for text, want := range map[string]float64{
		"1262304000":                1262304000,
		"1262304000000":             1262304000,    // milliseconds
		"1262304000000000":          1262304000,    // microseconds
		"1262304000000000000":       1262304000,    // nanoseconds
		"978300760.5":               978300760.5,   // a fraction
		"-86400":                    -86400,        // before 1970
		"2010":                      1262304000,    // a year
		"20100101":                  1262304000,    // a day
		"20101399":                  20101399,      // no day
		"2010-01-01":                1262304000,    //
		"2010/1/1":                  1262304000,    //
		"1.1.2010":                  1262304000,    //
		"2010-01":                   1262304000,    //
		"2010-01-01 00:00:01":       1262304001,    //
		"2010-01-01T00:00:01.25":    1262304001.25, //
		"2010-01-01T01:00:00+01:00": 1262304000,    //
		"2010-01-01T00:00:00Z":      1262304000,    //
	} {
		if got, ok := moment(text); !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"last week", "01/02/2010", "13:00"} {
		if got, ok := moment(text); ok {
			t.Errorf("%s was taken for %v", text, got)
		}
	}
}

func TestTimesStandInThePlaceOfValues(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	stamps := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Millisecond})
	stamps.AppendValues([]arrow.Timestamp{1262304000000, 0, 1262390400000}, []bool{true, false, true})
	table := func(times arrow.Array) string {
		return parquetFile(t, []string{"timestamp", "user", "item", "rating"}, times, texts("a", "a", "b"), texts("x", "y", "y"), floats(nil, 1, 3, 2))
	}
	cases := map[string]struct {
		path     string
		settings Settings
	}{
		"csv":      {write("a.csv", "user,item,rating,date\na,x,1,2010-01-01\na,y,,2011-01-01\nb,x,2,\nb,y,2,2010-01-02\n"), Settings{Missing: []string{""}}},
		"quoted":   {write("q.csv", "user,item,rating,date\n\"a\",x,1,\"2010-01-01\"\n\"b\",y,2,\"2010-01-02\"\n"), Settings{}},
		"netflix":  {write("n.txt", "x:\na,1,2010-01-01\ny:\nb,2,2010-01-02\n"), Settings{}},
		"u.data":   {write("u.data", "a\tx\t1\t1262304000\nb\ty\t2\t1262390400\n"), Settings{Format: MovieLens}},
		"stamps":   {write("s.parquet", table(stamps.NewArray())), Settings{}},
		"seconds":  {write("i.parquet", table(floats([]bool{true, false, true}, 1262304000, 0, 1262390400))), Settings{}},
		"texts":    {write("t.parquet", table(texts("2010-01-01", "", "2010-01-02"))), Settings{}},
		"mean":     {write("d.csv", "user,item,rating,date\na,x,1,2009-01-01\na,x,3,2010-01-01\nb,y,2,2010-01-02\n"), Settings{Duplicates: Mean}},
		"by name":  {write("w.csv", "user,item,rating,date,seen\na,x,1,never,2010-01-01\nb,y,2,never,2010-01-02\n"), Settings{TimeName: "seen"}},
		"blank is": {write("b.csv", "user,item,rating,date\na,x,1,2010-01-01\nc,x,1,NA\nb,y,2,2010-01-02\n"), Settings{}},
	}
	for name, c := range cases {
		got, _, err := Times(context.Background(), []string{c.path}, c.settings)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n, m := got.Dims(); n != 2 || m != 2 || got.Observed() != 2 {
			t.Errorf("%s: %d × %d with %d times", name, n, m, got.Observed())
			continue
		}
		for i, want := range []float64{1262304000, 1262390400} {
			if at, times := got.Matrix().Row(i); len(at) != 1 || int(at[0]) != i || times[0] != want {
				t.Errorf("%s: row %d has %v at %v", name, i, times, at)
			}
		}
	}
	stamps.AppendValues([]arrow.Timestamp{253402300799000, -62135596800000, -9300000000000}, nil) // 9999, 1, 1675
	far, _, err := Times(context.Background(), []string{write("far.parquet", table(stamps.NewArray()))}, Settings{})
	if want := []string{"a x 2.53402300799e+11", "a y -6.21355968e+10", "b y -9.3e+09"}; err != nil || !slices.Equal(cells(far), want) {
		t.Errorf("%v, %v", far, err)
	}
	for name, path := range map[string]string{
		"-":         "-",
		"no header": write("h.csv", "a,x,1\n"),
		"mtx":       write("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"),
		"wide":      write("wide.csv", "id,c1,c2,c3,c4\na,1,2,3,4\nb,1,,3,4\n"),
		"none":      write("none.csv", "user,item,rating,date\na,x,1,\n"),
	} {
		if _, _, err := Times(context.Background(), []string{path}, Settings{}); err == nil {
			t.Errorf("%s: times were found", name)
		}
	}
}
