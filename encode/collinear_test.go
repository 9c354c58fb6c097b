package encode

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/random"
	_ "optcomplete/internal/steadyseed"
)

// numbersTable makes a table of numbers by a function of item and field.
func numbersTable(m, p int, cell func(j, f int) float64) *data.RawTable {
	ids, names, cells := make([]string, m), make([]string, p), make([]string, 0, m*p)
	for f := range names {
		names[f] = fmt.Sprintf("x%d", f)
	}
	for j := range ids {
		ids[j] = fmt.Sprintf("%06d", j)
		for f := range p {
			cells = append(cells, number(cell(j, f)))
		}
	}
	return data.NewRawTable("numbers.csv", ids, names, cells)
}

// TestCombinationsAreFoundAndTrue plants a combination of random features and
// looks for it, with few items and with enough to add them up in buckets.
func TestCombinationsAreFoundAndTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(3, 9).Draw(t, "p")
		m := rapid.SampledFrom([]int{20, 400}).Draw(t, "m")
		seed := rapid.Uint64().Draw(t, "seed")
		terms := rapid.IntRange(2, p-1).Draw(t, "terms")
		planted := rapid.Bool().Draw(t, "planted")
		stream := random.New(seed)
		x := make([]float64, m*p)
		for j := range m {
			sum := 3.0
			for f := range p {
				x[j*p+f] = math.Round(1000*stream.Normal()) / 8
				if f < terms {
					sum += float64(f-2) * x[j*p+f]
					if f == 2 {
						sum += 7 * x[j*p+f]
					}
				}
			}
			if planted {
				x[j*p+p-1] = sum
			}
		}
		_, _, report, err := Learn(t.Context(), numbersTable(m, p, func(j, f int) float64 { return x[j*p+f] }), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !planted {
			if len(report.Collinear) > 0 {
				t.Fatalf("%v among random features", report.Collinear)
			}
			return
		}
		if len(report.Collinear) != 1 {
			t.Fatalf("%d combinations, not 1", len(report.Collinear))
		}
		c := report.Collinear[0]
		if c.Feature != fmt.Sprintf("x%d", p-1) || len(c.Terms) != terms || math.Abs(c.Constant-3) > 1e-4 {
			t.Fatalf("found %v", c)
		}
		for f, term := range c.Terms {
			want := float64(f - 2)
			if f == 2 {
				want = 7
			}
			if term.Feature != fmt.Sprintf("x%d", f) || math.Abs(term.Coefficient-want) > 1e-6 {
				t.Fatalf("term %d is %v", f, term)
			}
		}
	})
}

func TestRareLevelsAreNotTakenForCombinations(t *testing.T) {
	// Each field is 1 in one item: in most samples of the items they are all 0.
	table := numbersTable(5000, 12, func(j, f int) float64 { return truth(j == 17*f+3) })
	_, _, report, err := Learn(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings) > 0 {
		t.Error(report.Warnings)
	}
}

func TestMoreFeaturesThanItemsIsSaidOnce(t *testing.T) {
	stream := random.New(1)
	_, _, report, err := Learn(t.Context(), numbersTable(5, 9, func(j, f int) float64 { return stream.Normal() }), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "there are as many features (9) as items (5) or more: every feature is a combination of others"; len(report.Warnings) != 1 || report.Warnings[0] != want {
		t.Errorf("%q, want %q", report.Warnings, want)
	}
}

func BenchmarkLearn(b *testing.B) {
	stream := random.New(1)
	table := numbersTable(10000, 300, func(j, f int) float64 { return stream.Normal() })
	for b.Loop() {
		if _, _, _, err := Learn(b.Context(), table, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
