package modeltest

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/random"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/model/store"
	"optcomplete/result"
	"optcomplete/spec"
)

var EveryKind, EveryRefit = []spec.Kind{spec.Full, spec.Pooled, spec.Paper}, []spec.Refit{spec.LeastSquares, spec.Ridge, spec.LearnedPrior}

// Built fits a model of the kind on all features of a matrix.
func Built(t testing.TB, m *data.Matrix, f *data.Features, kind spec.Kind, refit spec.Refit) *model.Model {
	t.Helper()
	n, _ := m.Dims()
	k := len(f.Names)
	recipe := estimate.Recipe{Kind: kind, Refit: refit, Gamma: 0.7, RowShrinkage: 2, ColumnShrinkage: 3}
	parts, err := estimate.FitParts(context.Background(), m, f.Values, k, recipe)
	if err != nil {
		t.Fatal(err)
	}
	r := data.NewRatings(m, make([]string, n), f.IDs)
	for i := range r.RowIDs {
		r.RowIDs[i] = "r" + strconv.Itoa(i)
	}
	out, err := model.New(model.Summary{Model: kind.String(), Refit: refit, Gamma: 0.7, RowShrinkage: 2, ColumnShrinkage: 3}, r, f, testkit.All(k), parts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Sparse draws a matrix in which rows, columns or everything may lack entries.
func Sparse(t testing.TB, rt *rapid.T) (*data.Matrix, *data.Features) {
	n, m, p := rapid.IntRange(0, 6).Draw(rt, "rows"), rapid.IntRange(1, 6).Draw(rt, "columns"), rapid.IntRange(1, 5).Draw(rt, "p")
	share := rapid.SampledFrom([]float64{0, 0.1, 0.4, 1}).Draw(rt, "share")
	s := random.New(rapid.Uint64().Draw(rt, "seed"))
	binary := rapid.Bool().Draw(rt, "binary")
	values := make([]float64, m*p)
	for i := range values {
		if values[i] = s.Normal(); binary {
			values[i] = float64(s.Intn(2)) // constant and duplicate features are frequent
		}
	}
	same := rapid.Bool().Draw(rt, "one value")
	var entries []data.Entry
	for i := range n {
		for j := range m {
			if s.Float64() < share {
				e := data.Entry{Row: int32(i), Column: int32(j), Value: 3}
				if !same {
					e.Value += s.Normal()
				}
				entries = append(entries, e)
			}
		}
	}
	matrix, err := data.NewMatrix(n, m, entries)
	if err != nil {
		t.Fatal(err)
	}
	return matrix, testkit.FeaturesOf(m, p, values)
}

// Fitted makes a model of 7 rows, 5 columns and 3 of 4 features, with ids and
// names that files have trouble with.
func Fitted(t testing.TB) *model.Model {
	t.Helper()
	m, f := testkit.Drawn(t, 7, 5, 4, 0.7, 2)
	f.IDs = []string{"Alien", "say \"hi\"", "a,b", " padded", "Amélie\nLe fabuleux"}
	f.Names = []string{"row", "unused", "Entries", "R&B/α.β"}
	selected := []int{3, 0, 2}
	u, err := estimate.FitParts(context.Background(), m, estimate.Chosen(f, selected), len(selected), estimate.Recipe{Kind: spec.Paper})
	if err != nil {
		t.Fatal(err)
	}
	ratings := data.NewRatings(m, []string{"u1", "u,2", "", "ü4", "5", "06", "7\""}, f.IDs)
	summary := model.Summary{
		Method: "certified", Model: "paper", Gamma: 0.1 + 0.2, Certificate: result.Certificate{
			Cost: 1.25, Bound: 1.2, Gap: 0.04, Certified: true, Status: "gap", Cuts: 3, Nodes: 4, Passes: 5,
			NearTies: []result.NearTie{{Selected: []string{"row", "unused"}, Cost: 1.3}},
		},
		Seconds: result.Seconds{Load: 1, Select: 2, Certify: 3, Complete: 4, Total: 10},
		Holdout: &result.Metrics{Entries: 9, MAPE: result.RelativeOf(1. / 3), RMSE: 2, MAE: 1, MAPESkipped: 2}, Train: result.Metrics{Entries: 20, RMSE: 0.5},
		Seed: math.MaxUint64, Refit: spec.Ridge, Choice: spec.Choice{Always: []string{"row"}}, Version: "1.2.3",
		Settings: map[string]string{"scale": "none"}, Warnings: []string{"a < b & c"},
	}
	model, err := model.New(summary, ratings, f, selected, u)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

var Same = cmp.Options{cmpopts.IgnoreUnexported(model.Model{}), cmp.Comparer(func(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b)
})}

func Save(t *testing.T, m *model.Model) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	if err := store.Save(m, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Large has more rows than a row group.
func Large(t testing.TB, rows, columns, k int) *model.Model {
	t.Helper()
	_, f := testkit.Drawn(t, 1, columns, k, 1, 1)
	matrix, _ := data.NewMatrix(rows, columns, nil)
	r := data.NewRatings(matrix, make([]string, rows), f.IDs)
	u := make([]float64, rows*k)
	for i := range r.RowIDs {
		r.RowIDs[i] = "user" + strconv.Itoa(i)
		for f := range k {
			u[i*k+f] = math.Sin(float64(i*k + f))
		}
	}
	parts := &estimate.Parts{Coefficients: &estimate.RowMatrix{K: k, Values: u}}
	parts.Population, parts.NewColumn, parts.Typical = make([]float64, k+1), make([]float64, k+1), make([]float64, k)
	m, err := model.New(model.Summary{Model: "paper"}, r, f, testkit.All(k), parts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ReadParquet reads a file as any other program would, without this package.
func ReadParquet(t *testing.T, path string) arrow.Table {
	t.Helper()
	in, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Column returns the values of a column, by name.
func Column(t *testing.T, table arrow.Table, name string) (strs []string, ints []int32, floats []float64) {
	t.Helper()
	at := table.Schema().FieldIndices(name)
	if len(at) != 1 {
		t.Fatalf("%d columns are called %q in %v", len(at), name, table.Schema())
	}
	for _, c := range table.Column(at[0]).Data().Chunks() {
		switch c := c.(type) {
		case *array.String:
			for i := range c.Len() {
				strs = append(strs, c.Value(i))
			}
		case *array.Int32:
			ints = append(ints, c.Int32Values()...)
		case *array.Float64:
			floats = append(floats, c.Float64Values()...)
		default:
			t.Fatalf("column %q has type %v", name, c.DataType())
		}
	}
	return strs, ints, floats
}

// Unseal makes a saved model one of a version that had no checksums.
func Unseal(t *testing.T, dir string, version int) {
	t.Helper()
	path := filepath.Join(dir, "model.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), ",\n  \"files\": {")
	head = regexp.MustCompile(`"format_version": \d+`).ReplaceAllString(head, `"format_version": `+strconv.Itoa(version))
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(head, "\n}\n")+"\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}
