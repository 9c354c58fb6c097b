package ingest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/internal/random"
)

// benchEntries calls each for entries as people have them: ids of 4 to 7 digits
// and values with one decimal, in the order of time or sorted by row.
func benchEntries(count, rows, columns int, sorted bool, each func(row, column int, value float64)) {
	s := random.New(1)
	perRow := count / rows
	order := s.Perm(rows * perRow)
	for at := range order {
		e := at
		if !sorted {
			e = order[at]
		}
		i := e / perRow
		j := (e%perRow*(columns/perRow) + i) % columns
		each(100000+13*i, 1000+7*j, 0.5*float64(1+s.Intn(10)))
	}
}

func benchFile(b *testing.B, name string, sorted bool) (string, int64) {
	path := filepath.Join(b.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(file)
	fmt.Fprintln(w, "row,column,value")
	benchEntries(1<<21, 1<<14, 1<<13, sorted, func(row, column int, value float64) {
		fmt.Fprintf(w, "%d,%d,%.1f\n", row, column, value)
	})
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	file.Close()
	return path, info.Size()
}

func BenchmarkRatings(b *testing.B) {
	for _, sorted := range []bool{true, false} {
		b.Run(fmt.Sprintf("csv/sorted=%v", sorted), func(b *testing.B) {
			path, size := benchFile(b, "r.csv", sorted)
			b.SetBytes(size)
			for b.Loop() {
				if _, _, err := Ratings(context.Background(), []string{path}, Settings{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
