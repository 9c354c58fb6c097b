package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// manyEntries is a text of entries in no order, larger than a few batches, with
// ids of all lengths.
func manyEntries(count, rows, columns int) string {
	s := random.New(3)
	var out strings.Builder
	for _, e := range s.Perm(rows * columns)[:count] {
		i, j := e/columns, e%columns
		// Rows of very different length, so that buckets are too.
		if i%7 != 0 && j%5 != 0 {
			continue
		}
		fmt.Fprintf(&out, "%s,%s,%v\n", strings.Repeat("u", i%11)+fmt.Sprint(i), fmt.Sprint("film ", j), float64(s.Intn(1000))/8)
	}
	return out.String()
}

func TestSamePackForAnyThreadsAndMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "r.csv", manyEntries(600_000, 5_000, 200))
	var want string
	for _, s := range []Settings{{Threads: 1}, {Threads: 3}, {Threads: 2, Memory: 1}, {Threads: 1, Memory: 14 << 20, Temp: "temp"}} {
		must.Do(t, os.MkdirAll("temp", 0o777))
		done := must.Get(Pack(context.Background(), []string{"r.csv"}, "r.pack", s))(t)
		if (done.Spilled > 0) != (s.Memory > 0) {
			t.Errorf("%+v: %d bytes did not fit into memory", s, done.Spilled)
		}
		got := read(t, "r.pack")
		if want == "" {
			want = got
		} else if got != want {
			t.Errorf("%+v gives another pack", s)
		}
	}
	if left, _ := filepath.Glob(".r*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if left, _ := os.ReadDir("temp"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// What is in it is what a plain map says.
	got, _, err := Ratings(context.Background(), []string{"r.pack"}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(read(t, "r.csv")), "\n") {
		lines = append(lines, strings.ReplaceAll(line, ",", " "))
	}
	all := cells(got)
	slices.Sort(lines)
	slices.Sort(all)
	if !slices.Equal(lines, all) {
		t.Errorf("%d entries became %d others", len(lines), len(all))
	}
}

// TestSortingEqualsAMap compares with the simplest program that does the same.
func TestSortingEqualsAMap(t *testing.T) {
	t.Chdir(t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		type cell struct{ row, column string }
		var rows, columns []string
		given := map[cell][]float64{}
		var text strings.Builder
		for range rapid.IntRange(1, 60).Draw(t, "entries") {
			c := cell{fmt.Sprint("r", rapid.IntRange(0, 5).Draw(t, "row")), fmt.Sprint("c", rapid.IntRange(0, 5).Draw(t, "column"))}
			v := float64(rapid.IntRange(-3, 3).Draw(t, "value"))
			if !slices.Contains(rows, c.row) {
				rows = append(rows, c.row)
			}
			if !slices.Contains(columns, c.column) {
				columns = append(columns, c.column)
			}
			given[c] = append(given[c], v)
			fmt.Fprintf(&text, "%s,%s,%v\n", c.row, c.column, v)
		}
		how := rapid.SampledFrom([]Duplicates{First, Last, Mean}).Draw(t, "duplicates")
		slices.Sort(rows)
		slices.Sort(columns)
		var want []string
		for _, i := range rows {
			for _, j := range columns {
				if list := given[cell{i, j}]; list != nil {
					v := list[0]
					switch how {
					case Last:
						v = list[len(list)-1]
					case Mean:
						v = 0
						for _, x := range list {
							v += x
						}
						v /= float64(len(list))
					}
					want = append(want, fmt.Sprint(i, " ", j, " ", v))
				}
			}
		}
		sink := &buckets{}
		if rapid.Bool().Draw(t, "spill") {
			sink.spill, sink.budget = &spill{path: "r.csv"}, func() int64 { return 4000 }
			defer sink.spill.close()
		}
		got, _, err := streamOf("r.csv", strings.NewReader(text.String()), Settings{Duplicates: how}).ratingsIn(context.Background(), sink)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, cells(got)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestDuplicatesNameBothPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a.csv", "row,column,value\nu,a,1\nv,a,2\n")
	put(t, "b.tsv", "v\tb\t1\n\nu\ta\t2\n")
	const remedy = " (keep one of the two lines, or choose with Settings.Duplicates first, last or mean)"
	_, _, err := Ratings(context.Background(), []string{"a.csv", "b.tsv"}, Settings{})
	if want := `b.tsv:3: row "u", column "a" was already given in a.csv on line 2` + remedy; err == nil || err.Error() != want || !errors.Is(err, data.ErrDuplicate) {
		t.Errorf("got %v\nwant %v", err, want)
	}
	if _, err := Pack(context.Background(), []string{"a.csv"}, "a.pack", Settings{}); err != nil {
		t.Fatal(err)
	}
	_, err = Pack(context.Background(), []string{"b.tsv", "a.pack"}, "c.pack", Settings{})
	if want := `a.pack: row "u", column "a" was already given in b.tsv on line 3` + remedy; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %v", err, want)
	}
	_, _, err = streamOf("stdin", strings.NewReader("u,a,1\nu,a,2\n"), Settings{}).ratings(context.Background())
	if err == nil || !strings.HasPrefix(err.Error(), `stdin: row "u", column "a" is given twice (keep one`) {
		t.Errorf("got %v", err)
	}
	// In another batch, far behind.
	long := manyEntries(400_000, 4_000, 100)
	lines := strings.Count(long, "\n")
	first, _, _ := strings.Cut(long, "\n")
	put(t, "long.csv", long+first+"\n")
	_, _, err = Ratings(context.Background(), []string{"long.csv"}, Settings{})
	if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("long.csv:%d: ", lines+1)) || !strings.Contains(err.Error(), "was already given on line 1 (") {
		t.Errorf("got %v, want line %d", err, lines+1)
	}
	if _, err := os.Stat("c.pack"); err == nil {
		t.Error("a pack was written in spite of the error")
	}
}

func TestFaultsNameTheLineInAnyBatch(t *testing.T) {
	t.Chdir(t.TempDir())
	long := manyEntries(400_000, 4_000, 100)
	lines := strings.Count(long, "\n")
	for _, threads := range []int{1, 3} {
		_, _, err := readAs(t, "r.csv", []byte(long+"u,film 1,wrong\nu,film 1,later\n"), Settings{Threads: threads})
		if want := fmt.Sprintf(`r.csv:%d: value "wrong" is not a number (use Settings.Missing wrong to treat it as unknown)`, lines+1); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	whole := gzipped(t, long)
	_, _, err := readAs(t, "r.csv.gz", []byte(whole[:len(whole)/2]), Settings{})
	if err == nil || !strings.Contains(err.Error(), ": ends in the middle of its compressed data") {
		t.Errorf("got %v", err)
	}
}

func TestInterruptLeavesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "r.csv", manyEntries(400_000, 4_000, 100))
	put(t, "r.pack", "good")
	for _, phase := range []Phase{Reading, Writing} {
		ctx, cancel := context.WithCancel(context.Background())
		s := Settings{Memory: 1, Progress: func(done, total int64, p Phase) {
			if p == phase {
				cancel()
			}
		}}
		if _, err := Pack(ctx, []string{"r.csv"}, "r.pack", s); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", phase, err)
		}
		if got := read(t, "r.pack"); got != "good" {
			t.Errorf("%s: the old content is gone", phase)
		}
		if left, _ := os.ReadDir("."); len(left) != 2 {
			t.Errorf("%s: %v is left", phase, left)
		}
	}
}

func TestProgressReachesTheEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	text := manyEntries(300_000, 3_000, 100)
	put(t, "r.csv", text)
	last := map[Phase][2]int64{}
	s := Settings{Progress: func(done, total int64, p Phase) {
		if done < last[p][0] || done > total {
			t.Errorf("%s: %d of %d after %d", p, done, total, last[p][0])
		}
		last[p] = [2]int64{done, total}
	}}
	if _, err := Pack(context.Background(), []string{"r.csv"}, "r.pack", s); err != nil {
		t.Fatal(err)
	}
	if size := int64(len(text)); last[Reading] != [2]int64{size, size} || last[Writing][0] != last[Writing][1] {
		t.Errorf("%v of %d bytes", last, size)
	}
}

func TestFullDiskSaysSo(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no device that is always full")
	}
	s := &spill{path: "x", file: full, buffer: make([]byte, 0, spillBuffer)}
	defer s.close()
	err = errors.Join(s.write(make([]data.Entry, spillBuffer/entryBytes)), s.flush())
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got %v", err)
	}
}

// TestSortedBucketsEqualSortedEntries sorts by buckets, also through the
// temporary file, and by comparison.
func TestSortedBucketsEqualSortedEntries(t *testing.T) {
	t.Chdir(t.TempDir())
	byPlace := func(a, b data.Entry) int {
		if a.Row != b.Row {
			return int(a.Row) - int(b.Row)
		}
		return int(a.Column) - int(b.Column)
	}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SampledFrom([]int{1, 3, 3000, 1 << 15}).Draw(t, "rows")
		columns := rapid.SampledFrom([]int{1, 5, 2048, 100_000, 1 << 30}).Draw(t, "columns")
		duplicates := rapid.SampledFrom([]Duplicates{Refuse, First, Last}).Draw(t, "duplicates")
		s := random.New(rapid.Uint64().Draw(t, "seed"))
		entries := make([]data.Entry, rapid.IntRange(1, 500).Draw(t, "entries"))
		for x := range entries {
			entries[x] = data.Entry{Row: int32(s.Intn(rows)), Column: int32(s.Intn(columns)), Value: float64(x)}
		}
		want := slices.Clone(entries)
		slices.SortStableFunc(want, byPlace)
		if rapid.Bool().Draw(t, "in order") {
			copy(entries, want)
		}
		var twice *data.Entry
		for x := 1; x < len(want); {
			if byPlace(want[x-1], want[x]) != 0 {
				x++
				continue
			}
			if twice == nil {
				twice = &data.Entry{Row: want[x].Row, Column: want[x].Column}
			}
			if duplicates == Last {
				want[x-1] = want[x]
			}
			want = slices.Delete(want, x, x+1)
		}
		sink := &buckets{}
		if rapid.Bool().Draw(t, "spill") {
			sink.spill, sink.budget = &spill{path: "r.csv"}, func() int64 { return 4000 }
			defer sink.spill.close()
		}
		half := len(entries) / 2
		must.Do(t, errors.Join(sink.add(entries[:half]), sink.add(entries[half:])))
		var got []data.Entry
		err := sink.eachBucket(context.Background(), rows, columns, nil, 2, duplicates, func(b *sorted) error {
			if b.twice != nil {
				if duplicates != Refuse || *b.twice != *twice {
					t.Fatalf("%v is given twice, not %v", *b.twice, twice)
				}
				return errFound
			}
			begin := 0
			for row, end := range b.ends {
				for x := begin; x < end; x++ {
					got = append(got, data.Entry{Row: int32(b.first + row), Column: b.columns[x], Value: b.values[x]})
				}
				begin = end
			}
			return nil
		})
		if duplicates == Refuse && twice != nil {
			if err != errFound {
				t.Fatalf("%v is given twice, and nothing said", *twice)
			}
			return
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: got %v\nwant %v", err, got, want)
		}
	})
}

// TestPackIsUsedWhereItIs holds that a pack is told from its beginning, whatever
// columns the features know beside its own.
func TestPackIsUsedWhereItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "r.csv", "row,column,value\na,x,1\na,y,2\nb,y,3\n")
	if _, err := Pack(context.Background(), []string{"r.csv"}, "r.pack", Settings{}); err != nil {
		t.Fatal(err)
	}
	ratings, _, ok, err := Stored("r.pack", Settings{Columns: []string{"w", "x", "y"}})
	if err != nil || !ok {
		t.Fatalf("the pack was not opened where it is (%v)", err)
	}
	if ratings.Matrix() != nil || ratings.Observed() != 3 || !slices.Equal(ratings.ColumnIDs, []string{"w", "x", "y"}) {
		t.Errorf("%d entries, columns %v, in memory %v", ratings.Observed(), ratings.ColumnIDs, ratings.Matrix())
	}
	for path, columns := range map[string][]string{"r.csv": {"x", "y"}, "r.pack": {"x"}, "none": nil} {
		if _, _, ok, err := Stored(path, Settings{Columns: columns}); err != nil || ok {
			t.Errorf("%s with columns %v: opened where it is (%v)", path, columns, err)
		}
	}
}
