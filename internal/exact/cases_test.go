package exact_test

import (
	"encoding/csv"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"optcomplete/formulation"
	"optcomplete/internal/exact"
	"optcomplete/internal/must"
)

// hard are kinds of data on which certificates were false once, with the method
// that made them so. Each draws an instance of its kind.
var hard = []struct {
	name   string
	folder string // of the instance that was found first
	best   float64
	method formulation.Method
	k      int
	gamma  float64
	draw   func(r *rand.Rand) *exact.Instance
}{
	{"film features in raw units", "optimal-with-open-gap-10", 1.2890689517725396e-06, formulation.Certified{}, 5, 1e6, films},
	{"units from 1e-8 to 1e8, values mostly 0", "certified-not-optimal-5144", 0.0345969449, formulation.Certified{}, 4, 100, units},
	{"constants of 1e6 and 1e-6, one row", "cutplanes-9057", 2.7258367, formulation.CutPlanes{}, 6, 1e4, constants},
	{"features that differ in the seventh digit", "optcomplete-never-ends-1534", math.NaN(), formulation.OptComplete{Certify: true}, 2, 1e12, offsets},
	{"products of nearly constant features", "twosided-883", 0.1487369, formulation.Certified{}, 3, 100, nearlyConstant},
}

// TestHardKinds draws instances of the kinds that were wrong once: all of them are
// solved to the end.
func TestHardKinds(t *testing.T) {
	for _, kind := range hard {
		t.Run(kind.name, func(t *testing.T) {
			seeds(t, 6, kind.name+": certificate", func(seed uint64, r *rand.Rand) (claim, *exact.Instance, *big.Float, *big.Float) {
				in := kind.draw(r)
				in.K, in.Gamma = kind.k, kind.gamma
				return ended(t, in, kind.method)
			})
		})
	}
}

// TestKnownCases tries the instances that were found first, where they are at
// hand: beside the checkout.
func TestKnownCases(t *testing.T) {
	for _, kind := range hard {
		t.Run(kind.folder, func(t *testing.T) {
			dir := filepath.Join("..", "..", "..", "shared", "cases", kind.folder)
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("no %s here; TestHardKinds draws others like it", dir)
			}
			in := read(t, dir)
			in.K, in.Gamma = kind.k, kind.gamma
			got, _, own, best := ended(t, in, kind.method)
			new(tally).judge(t, 0, got, in, own, best)
			if least, _ := best.Float64(); math.Abs(least-kind.best) > 1e-7*kind.best {
				t.Errorf("the least cost is %v, not %v", least, kind.best)
			}
		})
	}
}

// ended fits an instance, which must end with a proof.
func ended(t *testing.T, in *exact.Instance, method formulation.Method) (got claim, _ *exact.Instance, own, best *big.Float) {
	t.Helper()
	if in.RowFeatures != nil {
		got, _, own, best = products(t, in)
	} else {
		settings := paper(in)
		settings.Method = method
		fitted := must.Get(formulation.Fit(t.Context(), problem(in), settings))(t)
		got, own, best = of(&fitted.Summary), in.Cost(selection(features(in), fitted.Summary.Selected)), exact.Best(in.P, in.K, nil, in.Cost)
	}
	if got.status != "optimal" {
		t.Errorf("ended with %+v", got)
	}
	return got, in, own, best
}

// observed fills an instance with entries.
func observed(rows int, features [][]float64, value func(row, column int) (x float64, ok bool)) *exact.Instance {
	in := &exact.Instance{Rows: rows, Columns: len(features), P: len(features[0]), Features: features}
	for i := range rows {
		for c := range features {
			if x, ok := value(i, c); ok {
				in.Entries = append(in.Entries, exact.Entry{Row: i, Column: c, Value: x})
			}
		}
	}
	return in
}

// films: year, budget and revenue, the budget in another currency, …, and ratings
// from 1 to 10.
func films(r *rand.Rand) *exact.Instance {
	var features [][]float64
	for range 10 {
		budget := 1000 * math.Round(math.Exp(5+8*r.Float64()))
		revenue := 1000 * math.Round(budget*math.Exp(2*r.NormFloat64())/1000)
		features = append(features, []float64{float64(1950 + r.IntN(75)), budget, revenue, float64(80 + r.IntN(110)), float64(r.IntN(30000)),
			1000 * math.Round(0.92*budget/1000), math.Round(10*(3+6*r.Float64())) / 10, math.Round(1e4*r.Float64()) / 100})
	}
	return observed(12, features, func(int, int) (float64, bool) { return float64(1 + r.IntN(10)), r.IntN(20) > 0 })
}

func units(r *rand.Rand) *exact.Instance {
	var features [][]float64
	for range 3 {
		features = append(features, []float64{0, 1e-8 * r.NormFloat64(), 1e-4 * r.NormFloat64(), 1e-7 * r.NormFloat64(), 1, 4e7 * r.NormFloat64()})
	}
	return observed(4, features, func(int, int) (float64, bool) { return float64(r.IntN(4) / 3), r.IntN(4) > 0 })
}

func constants(r *rand.Rand) *exact.Instance {
	var features [][]float64
	for range 8 {
		features = append(features, []float64{r.NormFloat64(), r.NormFloat64(), -1e6, 1e-6, 0, -1e6, r.NormFloat64()})
	}
	return observed(1, features, func(_, c int) (float64, bool) { return float64(r.IntN(11) - 5), c != 3 && c != 5 })
}

func offsets(r *rand.Rand) *exact.Instance {
	var features [][]float64
	for range 6 {
		features = append(features, []float64{1e6 + r.NormFloat64(), 1e6 + r.NormFloat64(), 1e6 + r.NormFloat64()})
	}
	return observed(6, features, func(int, int) (float64, bool) { return 1e8 * r.NormFloat64(), r.IntN(4) > 0 })
}

func nearlyConstant(r *rand.Rand) *exact.Instance {
	var features [][]float64
	for range 4 {
		near := func(x float64) float64 { return x * (1 + 0.002*r.NormFloat64()) }
		features = append(features, []float64{near(100), near(1e7), near(1e5)})
	}
	in := observed(1, features, func(int, int) (float64, bool) { return max(0, r.NormFloat64()), true })
	in.RowFeatures = [][]float64{{0, 1e4 * (1 + r.Float64()), 1e6 * (1 + r.Float64())}}
	return in
}

// read takes an instance from the files of a folder.
func read(t *testing.T, dir string) *exact.Instance {
	t.Helper()
	table := func(name string) [][]string {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return nil
		}
		defer f.Close()
		lines := must.Get(csv.NewReader(f).ReadAll())(t)
		return lines[1:]
	}
	numbers := func(lines [][]string) (ids []string, values [][]float64) {
		for _, line := range lines {
			ids = append(ids, line[0])
			row := make([]float64, len(line)-1)
			for x := range row {
				var err error
				if row[x], err = strconv.ParseFloat(line[x+1], 64); err != nil {
					t.Fatal(err)
				}
			}
			values = append(values, row)
		}
		return ids, values
	}
	columns, features := numbers(table("f.csv"))
	rows, rowFeatures := numbers(table("x.csv"))
	in := &exact.Instance{Columns: len(columns), P: len(features[0]), Features: features, RowFeatures: rowFeatures}
	for _, line := range table("r.csv") {
		if !slices.Contains(rows, line[0]) {
			rows = append(rows, line[0])
		}
		value := must.Get(strconv.ParseFloat(line[2], 64))(t)
		in.Entries = append(in.Entries, exact.Entry{Row: slices.Index(rows, line[0]), Column: slices.Index(columns, line[1]), Value: value})
	}
	in.Rows = len(rows)
	return in
}
