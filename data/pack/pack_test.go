package pack

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/data/synth"
	"optcomplete/internal/sourcetest"
)

func write(t testing.TB, m *data.Matrix, o WriterOptions) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pack")
	_, columns := m.Dims()
	w, err := Create(path, ids("c", columns), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	err = data.ForEach(m, func(i int, columns []int32, values []float64) error {
		return w.Append("r"+strconv.Itoa(i), columns, values)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func ids(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = prefix + strconv.Itoa(i)
	}
	return out
}

func TestPackIsASource(t *testing.T) {
	made, err := synth.Generate(synth.Config{Rows: 60, Columns: 40, Features: 6, K: 3, Missing: 0.7, Noise: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(write(t, made.Ratings.Matrix, WriterOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sourcetest.Run(t, f, made.Ratings.Matrix)
	if !slices.Equal(f.RowIDs(), ids("r", 60)) || !slices.Equal(f.ColumnIDs(), ids("c", 40)) {
		t.Error("ids differ")
	}
}
