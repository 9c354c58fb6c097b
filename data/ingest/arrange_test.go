package ingest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/must"
)

// TestOrderOfLinesChangesNothing packs the same entries in several orders, with
// all of them in memory and with nearly none, and compares the bytes.
func TestOrderOfLinesChangesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	const rows, columns = 5000, 300
	var lines []string
	for i := range rows {
		for e := range 1 + i%7 {
			lines = append(lines, fmt.Sprintf("user%d,%d,%d.%d", i, (i*31+e*17)%columns, e, i%10))
		}
	}
	lines = append(lines, "user1,0,0.1", "user1,0,0.2", "user1,0,0.3")
	var want []byte
	for x := range 4 {
		if x > 0 {
			rng := rand.New(rand.NewPCG(1, uint64(x)))
			rng.Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
		}
		put(t, "r.csv", strings.Join(lines, "\n")+"\n")
		for _, memory := range []int64{0, 1} {
			done := must.Get(Pack(context.Background(), []string{"r.csv"}, "r.pack", Settings{Memory: memory, Duplicates: Mean}))(t)
			got := []byte(read(t, "r.pack"))
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("order %d with %d bytes spilled gives another pack", x, done.Spilled)
			}
		}
	}
	ratings, _, err := Ratings(context.Background(), []string{"r.pack"}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(ratings.RowIDs[:3], ratings.RowIDs[rows-1], ratings.ColumnIDs[9:11]); got != "[user0 user1 user2]user4999[9 10]" {
		t.Errorf("the ids are %s", got)
	}
}

// TestOldPackIsReadInOrder reads a pack whose rows and columns stand in another
// order than that of their ids.
func TestOldPackIsReadInOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	w := must.Get(pack.Create("old.pack", []string{"c10", "c2", "c1"}, pack.WriterOptions{}))(t)
	for _, row := range []struct {
		id      string
		columns []int32
		values  []float64
	}{{"u10", []int32{0, 1, 2}, []float64{10, 2, 1}}, {"u9", []int32{0}, []float64{7}}} {
		must.Do(t, w.Append(row.id, row.columns, row.values))
	}
	must.Do(t, w.Close())
	want := "[u9 c10 7 u10 c1 1 u10 c2 2 u10 c10 10]"
	for _, columns := range [][]string{nil, {"c1", "c2", "c3", "c10"}} {
		stored, report, ok, err := Stored("old.pack", Settings{Columns: columns})
		if err != nil || !ok || len(report.Notes) != 1 {
			t.Fatalf("%v, %v, %+v", ok, err, report)
		}
		if got := fmt.Sprint(cells(inMemory(t, stored))); got != want {
			t.Errorf("with columns %v got %s", columns, got)
		}
		read, _, err := Ratings(context.Background(), []string{"old.pack"}, Settings{Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(cells(read)); got != want {
			t.Errorf("read into memory with columns %v got %s", columns, got)
		}
	}
}

func inMemory(t *testing.T, r *data.Ratings) *data.Ratings {
	t.Helper()
	matrix := must.Get(data.Collect(r.Source(), nil))(t)
	return r.With(matrix)
}
