package regress

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/selection"
	"optcomplete/spec"
)

// study reads a table of testdata, without the columns left out, and keeps the
// rows for which keep is true.
func study(t *testing.T, file, target string, leave []string, keep func(row map[string]float64) bool) Problem {
	t.Helper()
	table := must.Get(data.ReadRows(filepath.Join("testdata", file), data.RowsOptions{}))(t)
	values := must.Get(table.Numbers())(t)
	var problem Problem
	n, p := table.Dims()
	for i := range n {
		row := map[string]float64{}
		for j, v := range values[i*p:][:p] {
			row[table.Names[j]] = v
		}
		if keep != nil && !keep(row) {
			continue
		}
		problem.Y = append(problem.Y, row[target])
		for _, name := range table.Names {
			if name != target && !slices.Contains(leave, name) {
				problem.X = append(problem.X, row[name])
			}
		}
	}
	for _, name := range table.Names {
		if name != target && !slices.Contains(leave, name) {
			problem.Names = append(problem.Names, name)
		}
	}
	return problem
}

// subset is the best selection of its size and its residual sum of squares.
type subset struct {
	features string
	rss      float64
}

// The best subsets of the two studies by least squares, for every size, found
// by trying all of them with another program. Those of the prostate study's training
// rows are nested, as The Elements of Statistical Learning, section 3.3.1, says;
// the full model's residual sums of squares are 29.43 there (table 3.2) and
// 1,263,986 in the diabetes study.
var (
	prostateTraining = []subset{
		{"lcavol", 44.5286},
		{"lcavol lweight", 37.0918},
		{"lcavol lweight svi", 34.9077},
		{"lcavol lweight lbph svi", 32.8150},
		{"lcavol lweight lbph svi pgg45", 32.0694},
		{"lcavol lweight lbph svi lcp pgg45", 30.5398},
		{"lcavol lweight age lbph svi lcp pgg45", 29.4373},
		{"lcavol lweight age lbph svi lcp gleason pgg45", 29.4264},
	}
	prostateAll = []subset{
		{"lcavol", 58.9148},
		{"lcavol lweight", 51.7422},
		{"lcavol lweight svi", 46.5684},
		{"lcavol lweight lbph svi", 45.5955},
		{"lcavol lweight age lbph svi", 44.4367},
		{"lcavol lweight age lbph svi pgg45", 43.7760},
		{"lcavol lweight age lbph svi lcp pgg45", 43.1076},
		{"lcavol lweight age lbph svi lcp gleason pgg45", 43.0584},
	}
	diabetes = []subset{
		{"bmi", 1719581.8108},
		{"bmi ltg", 1416694.0140},
		{"bmi bp ltg", 1362708.6937},
		{"bmi bp tc ltg", 1331431.4036},
		{"sex bmi bp hdl ltg", 1287881.1554},
		{"sex bmi bp tc ldl ltg", 1271493.9973},
		{"sex bmi bp tc ldl tch ltg", 1267807.8121},
		{"sex bmi bp tc ldl tch ltg glu", 1264714.5799},
		{"sex bmi bp tc ldl hdl tch ltg glu", 1264068.0964},
		{"age sex bmi bp tc ldl hdl tch ltg glu", 1263985.7856},
	}
)

// TestTextbookSubsets finds the known best subset of every size, with γ so large
// that the cost is that of least squares, and proves it.
func TestTextbookSubsets(t *testing.T) {
	training := func(row map[string]float64) bool { return row["train"] == 1 }
	for _, study := range []struct {
		name    string
		problem Problem
		want    []subset
	}{
		{"prostate, training rows", study(t, "prostate.csv", "lpsa", []string{"train"}, training), prostateTraining},
		{"prostate, all rows", study(t, "prostate.csv", "lpsa", []string{"train"}, nil), prostateAll},
		{"diabetes", study(t, "diabetes.csv", "progression", nil, nil), diabetes},
	} {
		path, err := Path(context.Background(), study.problem, Settings{K: len(study.want), Statistics: spec.Statistics{Gamma: 1e7 / float64(len(study.problem.Y))}}, selection.PathSettings{KMax: len(study.want)})
		if err != nil {
			t.Fatal(err)
		}
		if len(path.Points) != len(study.want) {
			t.Fatalf("%s: %d results", study.name, len(path.Points))
		}
		for i, want := range study.want {
			got := path.Points[i]
			if strings.Join(got.Selected, " ") != want.features {
				t.Errorf("%s, k = %d: %v, best is %s", study.name, i+1, got.Selected, want.features)
			}
			if rss := got.RMSE * got.RMSE * float64(got.Rows); math.Abs(rss-want.rss) > 1e-6*want.rss+6e-5 {
				t.Errorf("%s, k = %d: residual sum of squares %v, best is %v", study.name, i+1, rss, want.rss)
			}
			if got.Status != "optimal" || got.Gap > 1e-6 {
				t.Errorf("%s, k = %d: %s, gap %g", study.name, i+1, got.Status, got.Gap)
			}
		}
	}
}

// TestTextbookCoefficients compares the full model of the diabetes study with
// the published coefficients, which are those of columns of unit length.
func TestTextbookCoefficients(t *testing.T) {
	problem := study(t, "diabetes.csv", "progression", nil, nil)
	result := must.Get(Fit(context.Background(), problem, Settings{K: 10, Statistics: spec.Statistics{Gamma: 1}}))(t)
	published := []float64{-10.01, -239.82, 519.85, 324.38, -792.18, 476.74, 101.04, 177.06, 751.27, 67.63}
	n, p := len(problem.Y), len(problem.Names)
	for j, want := range published {
		mean, length := 0.0, 0.0
		for i := range n {
			mean += problem.X[i*p+j] / float64(n)
		}
		for i := range n {
			length += math.Pow(problem.X[i*p+j]-mean, 2)
		}
		if got := result.Coefficients[j] * math.Sqrt(length); math.Abs(got-want) > 0.006 {
			t.Errorf("%s: %.3f, published %.2f", problem.Names[j], got, want)
		}
	}
	if math.Abs(result.RSquared-0.5177) > 1e-4 {
		t.Errorf("R² %v, published 0.5177", result.RSquared)
	}
}
