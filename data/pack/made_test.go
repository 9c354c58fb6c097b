package pack

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	_ "optcomplete/internal/steadyseed"
)

// ids makes distinct ids, not all of them plain.
func ids(prefix string, n int) []string {
	odd := []string{"", "Амели", "千と千尋", "a\nb", "naïve \"x\", y", "\U0001f3ac"}
	out := make([]string, n)
	for i := range out {
		out[i] = prefix + strconv.Itoa(i)
		if i < len(odd) {
			out[i] = odd[i]
		}
	}
	return out
}

func writeTo(t testing.TB, path string, m *data.Matrix, o WriterOptions) {
	t.Helper()
	rows, columns := m.Dims()
	w, err := Create(path, ids("c", columns), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	rowIDs := ids("r", rows)
	err = data.ForEachWeighed(m, func(i int, columns []int32, values, weights []float64) error {
		return w.AppendWeighed(rowIDs[i], columns, values, weights)
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, m *data.Matrix, o WriterOptions) string {
	path := filepath.Join(t.TempDir(), "x.pack")
	writeTo(t, path, m, o)
	return path
}

func opened(t testing.TB, path string) *File {
	t.Helper()
	f := must.Get(Open(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// random makes a matrix whose values come from value; every third row is empty.
func random(t testing.TB, rows, columns int, density float64, value func(*rand.Rand) float64) *data.Matrix {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	start, column, values := []int{0}, []int32{}, []float64{}
	for i := range rows {
		c := -1
		for i%3 != 1 {
			// Geometric gaps observe each column with that density.
			if c += 1 + int(math.Log(1-r.Float64())/math.Log(1-density)); c >= columns {
				break
			}
			column, values = append(column, int32(c)), append(values, value(r))
		}
		start = append(start, len(column))
	}
	m := must.Get(data.NewMatrixByRows(columns, start, column, values))(t)
	return m
}

// weighed gives every entry a weight of its own.
func weighed(t testing.TB, m *data.Matrix) *data.Matrix {
	t.Helper()
	weights := data.NoWeights(true)
	for e := range m.Observed() {
		weights = append(weights, float64(e+1)/float64(2+6*m.Observed()))
	}
	return must.Get(m.WithWeights(weights))(t)
}

func stars(r *rand.Rand) float64  { return float64(1+r.IntN(10)) / 2 }
func cents(r *rand.Rand) float64  { return float64(r.IntN(3000)) / 100 }
func single(r *rand.Rand) float64 { return float64(float32(r.NormFloat64())) }
func double(r *rand.Rand) float64 { return r.NormFloat64() }

// zeros are told apart by their bits alone.
func zeros(r *rand.Rand) float64 { return math.Copysign(0, float64(r.IntN(2))-0.5) }
