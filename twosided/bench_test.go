package twosided

import (
	"context"
	"fmt"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/spec"
)

// large makes a problem of so many rows with about each entries of 5000 columns,
// in which five products and one-sided terms and much noise make the values.
func large(n, each, p1, p2 int) Problem {
	rng := random.New(11)
	const m = 5000
	table := func(rows, features int, id, name string) *data.Features {
		f := &data.Features{}
		for i := range rows {
			f.IDs = append(f.IDs, fmt.Sprintf("%s%d", id, i))
			for range features {
				f.Values = append(f.Values, rng.Normal())
			}
		}
		for j := range features {
			f.Names = append(f.Names, fmt.Sprintf("%s%d", name, j))
		}
		return f
	}
	rows, columns := table(n, p1, "r", "x"), table(m, p2, "c", "b")
	start := make([]int, n+1)
	var column []int32
	var value []float64
	for i := range n {
		x := rows.Row(i)
		for e := range each {
			j := (e*m + rng.Intn(m)) / each
			if at := len(column); at > start[i] && column[at-1] >= int32(j) {
				continue
			}
			b := columns.Row(j)
			column = append(column, int32(j))
			value = append(value, x[0]*b[0]-x[1]*b[1]+0.7*x[2]*b[0]+0.5*x[3]*b[3]+0.3*x[0]*b[4]+3*rng.Normal())
		}
		start[i+1] = len(column)
	}
	matrix, err := data.NewMatrixByRows(m, start, column, value)
	if err != nil {
		panic(err)
	}
	return Problem{Ratings: data.NewRatings(matrix, rows.IDs, columns.IDs), Columns: columns, Rows: rows}
}

// BenchmarkFit has the sizes: 10⁷ entries with 20 × 40 features, and
// 5000 products, whose G is kept whole if that is quick. What is not proven in
// twenty seconds reports its gap: of eight products three are pure noise.
func BenchmarkFit(b *testing.B) {
	for _, c := range []struct {
		name            string
		n, each, p1, p2 int
		gamma           float64
		constants       bool
		heredity        Heredity
	}{
		{"10M entries, 20x40", 100_000, 100, 20, 40, 1e-5, false, NoHeredity},
		{"10M entries, 20x40, strong heredity", 100_000, 100, 20, 40, 1e-5, true, StrongHeredity},
		{"10M entries, 20x40, gamma auto", 100_000, 100, 20, 40, 0, false, NoHeredity},
		{"1M entries, 50x100", 20_000, 50, 50, 100, 1e-4, false, NoHeredity},
		{"2M entries, 50x100, on demand", 200_000, 10, 50, 100, 1e-5, false, NoHeredity},
	} {
		b.Run(c.name, func(b *testing.B) {
			problem := large(c.n, c.each, c.p1, c.p2)
			b.ResetTimer()
			for range b.N {
				fitted := must.Get(Fit(context.Background(), problem, Settings{
					K:          8,
					Statistics: spec.Statistics{Gamma: c.gamma},
					Constants:  c.constants,
					Heredity:   c.heredity,
					Limits:     spec.Limits{TimeLimit: 20 * time.Second},
				}))(b)
				b.ReportMetric(100*fitted.Summary.Gap, "gap_%")
				b.ReportMetric(float64(fitted.Summary.Nodes), "nodes")
				b.ReportMetric(fitted.Summary.Seconds.Certify, "certify_s")
			}
		})
	}
}
