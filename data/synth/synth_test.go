package synth

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/data"
	"optcomplete/internal/must"
)

func generate(t testing.TB, c Config) *Instance {
	t.Helper()
	in := must.Get(Generate(c))(t)
	return in
}

func films(t testing.TB, viewers, number int) *Instance {
	t.Helper()
	in := must.Get(Films(1, viewers, number))(t)
	return in
}

func TestValidateSaysWhy(t *testing.T) {
	good := Config{Rows: 10, Columns: 10, Features: 5, K: 2, Missing: 0.5, Noise: 0.01}
	must.Do(t, good.Validate())
	for want, change := range map[string]func(*Config){
		"0 rows":        func(c *Config) { c.Rows = 0 },
		"-1 columns":    func(c *Config) { c.Columns = -1 },
		"0 features":    func(c *Config) { c.Features = 0 },
		"k = 6":         func(c *Config) { c.K = 6 },
		"k = 0":         func(c *Config) { c.K = 0 },
		"missing = 1":   func(c *Config) { c.Missing = 1 },
		"missing = NaN": func(c *Config) { c.Missing = math.NaN() },
		"noise = -1":    func(c *Config) { c.Noise = -1 },
		"noise = +Inf":  func(c *Config) { c.Noise = math.Inf(1) },
	} {
		c := good
		change(&c)
		if _, err := Generate(c); err == nil || !strings.HasPrefix(err.Error(), "synth: "+want+":") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if in, err := Generate(Config{Rows: 1, Columns: 1, Features: 1, K: 1, Missing: 0.999999}); err == nil || in != nil {
		t.Errorf("an empty matrix was generated: %v", err)
	}
	if _, err := Films(1, 0, 100); err == nil {
		t.Error("no viewers were generated")
	}
	if _, err := Films(1, 10, minFilms-1); err == nil {
		t.Error("too few films were generated")
	}
}

// Rows that are generated alone, last first, equal those of the whole.
func TestRowsInAnyOrderAreEqual(t *testing.T) {
	for name, in := range map[string]*Instance{
		"paper": generate(t, Config{Rows: 700, Columns: 40, Features: 12, K: 4, Missing: 0.8, Noise: 0.1, Seed: 3}),
		"full":  generate(t, Config{Rows: 30, Columns: 40, Features: 12, K: 4, Noise: 0.1, Seed: 3}),
		"films": films(t, 600, 60),
	} {
		for i := in.Rows - 1; i >= 0; i-- {
			columns, values := in.Ratings.Matrix().Row(i)
			again, same := in.Row(i)
			if !slices.Equal(columns, again) || !slices.Equal(values, same) {
				t.Fatalf("%s: row %d by itself differs", name, i)
			}
			u := in.Coefficients(i)
			for e, j := range columns {
				if values[e] != in.Noisy(i, int(j)) {
					t.Fatalf("%s: (%d,%d) is %v, Noisy says %v", name, i, j, values[e], in.Noisy(i, int(j)))
				}
				clean := 0.0
				for at, f := range in.Selected {
					clean += u[at] * in.Features.Row(int(j))[f]
				}
				if math.Abs(clean-in.NoiseFree(i, int(j))) > 1e-12 {
					t.Fatalf("%s: NoiseFree(%d,%d) is %v, want %v", name, i, j, in.NoiseFree(i, int(j)), clean)
				}
			}
		}
	}
}

// A larger instance of the same seed begins with the smaller one's rows.
func TestMoreRowsKeepTheFirst(t *testing.T) {
	small := generate(t, Config{Rows: 5, Columns: 30, Features: 8, K: 3, Missing: 0.5, Noise: 0.1, Seed: 8})
	large := generate(t, Config{Rows: 50, Columns: 30, Features: 8, K: 3, Missing: 0.5, Noise: 0.1, Seed: 8})
	for i := range small.Rows {
		a, x := small.Ratings.Matrix().Row(i)
		b, y := large.Ratings.Matrix().Row(i)
		if !slices.Equal(a, b) || !slices.Equal(x, y) {
			t.Fatalf("row %d changed", i)
		}
	}
}

func TestPaperStatistics(t *testing.T) {
	c := Config{Rows: 2000, Columns: 300, Features: 20, K: 5, Missing: 0.9, Noise: 0.5, Seed: 4}
	in := generate(t, c)
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s is %v, want %v ± %v", what, got, want, tolerance)
		}
	}
	near("the observed fraction", float64(in.Ratings.Observed())/(2000*300), 0.1, 0.002)
	near("the mean feature", mean(in.Features.Values), 0.5, 0.02)
	var u, residual, square []float64
	perColumn := make([]float64, c.Columns)
	for i := range c.Rows {
		u = append(u, in.Coefficients(i)...)
		columns, values := in.Ratings.Matrix().Row(i)
		for e, j := range columns {
			perColumn[j]++
			r := values[e] - in.NoiseFree(i, int(j))
			residual, square = append(residual, r), append(square, r*r)
		}
	}
	near("the mean coefficient", mean(u), 0.5, 0.01)
	near("the mean noise", mean(residual), 0, 0.01)
	near("the noise's variance", mean(square), 0.25, 0.01)
	// Every column is observed in about 200 of 2000 rows: the first and last too.
	for j, count := range perColumn {
		near(fmt.Sprint("the count of column ", j), count, 200, 75)
	}
	if len(in.Selected) != 5 || !slices.IsSorted(in.Selected) || len(slices.Compact(slices.Clone(in.Selected))) != 5 {
		t.Errorf("the selection is %v", in.Selected)
	}
	if in.Features.Names[0] != "f01" || in.Features.IDs[299] != "c300" || in.Ratings.RowIDs[0] != "r0001" {
		t.Errorf("names: %s %s %s", in.Features.Names[0], in.Features.IDs[299], in.Ratings.RowIDs[0])
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func TestTestEntriesAreTheMissingOnes(t *testing.T) {
	in := generate(t, Config{Rows: 20, Columns: 30, Features: 6, K: 2, Missing: 0.6, Noise: 0.1, Seed: 5})
	all := in.TestEntries(0)
	if len(all) != in.Unobserved() || len(all)+in.Ratings.Observed() != 600 {
		t.Fatalf("%d missing and %d observed of 600", len(all), in.Ratings.Observed())
	}
	seen := map[[2]int32]TestEntry{}
	for _, e := range all {
		columns, _ := in.Ratings.Matrix().Row(int(e.Row))
		if slices.Contains(columns, e.Column) {
			t.Fatalf("(%d,%d) is observed", e.Row, e.Column)
		}
		if e.Value != in.Noisy(int(e.Row), int(e.Column)) || e.NoiseFree != in.NoiseFree(int(e.Row), int(e.Column)) {
			t.Fatalf("(%d,%d) has other values", e.Row, e.Column)
		}
		seen[[2]int32{e.Row, e.Column}] = e
	}
	if len(seen) != len(all) {
		t.Fatalf("%d of %d are distinct", len(seen), len(all))
	}
	for _, limit := range []int{1, 50, len(all) - 1} {
		some := in.TestEntries(limit)
		if len(some) != limit || !cmp.Equal(some, in.TestEntries(limit)) {
			t.Fatalf("a limit of %d gives %d, or others each time", limit, len(some))
		}
		for at, e := range some {
			if seen[[2]int32{e.Row, e.Column}] != e {
				t.Fatalf("(%d,%d) is not among all", e.Row, e.Column)
			}
			if at > 0 && (some[at-1].Row > e.Row || some[at-1].Row == e.Row && some[at-1].Column >= e.Column) {
				t.Fatal("the entries are not in order")
			}
		}
	}
	if !cmp.Equal(all, in.TestEntries(len(all))) || !cmp.Equal(all, in.TestEntries(1e9)) {
		t.Error("a limit that is large enough does not give all")
	}
}

func TestWriteTestAndTruth(t *testing.T) {
	in := generate(t, Config{Rows: 20, Columns: 30, Features: 6, K: 2, Missing: 0.6, Noise: 0.1, Seed: 5})
	var text bytes.Buffer
	written, of, err := in.WriteTest(&text, 40)
	if err != nil || written != 40 || of != in.Unobserved() {
		t.Fatalf("%d of %d: %v", written, of, err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	e := in.TestEntries(40)[7]
	want := fmt.Sprintf("%s,%s,%v,%v", in.Ratings.RowIDs[e.Row], in.Features.IDs[e.Column], e.Value, e.NoiseFree)
	if len(lines) != 41 || lines[0] != TestColumns || lines[8] != want {
		t.Errorf("%d lines, %q, %q, want %q", len(lines), lines[0], lines[8], want)
	}
	got := must.Get(json.Marshal(in.Truth(written, of)))(t)
	names := fmt.Sprintf("[%q,%q]", in.Features.Names[in.Selected[0]], in.Features.Names[in.Selected[1]])
	wantJSON := fmt.Sprintf(`{"generator":"paper","seed":5,"rows":20,"columns":30,"features":6,"k":2,"missing":0.6,"noise":0.1,"observed":%d,"selected":%s,"test":{"file":"test.csv","entries":40,"of":%d,"columns":"row,column,value,noise_free"}}`,
		in.Ratings.Observed(), names, of)
	if d := cmp.Diff(wantJSON, string(got)); d != "" {
		t.Error(d)
	}
	if _, _, err := in.WriteTest(fullDisk{}, 0); err == nil {
		t.Error("WriteTest says nothing of a full disk")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// The same seed gives the same bytes on every machine. Run it with GOAMD64=v3 to
// see that a compiler that fuses products and sums changes nothing.
func TestGoldenBytes(t *testing.T) {
	ratings := must.Get(netflix(t, 50, 60, 5, 0.8, 42).Collect())(t)
	for name, c := range map[string]struct {
		in   *Instance
		want string
	}{
		"netflix": {ratings, "fdad0507059891684de98981e51fdeee2b666357907e0d9b1c058c4c93fad93b"},
		"paper":   {generate(t, Config{Rows: 50, Columns: 40, Features: 15, K: 5, Missing: 0.5, Noise: 0.01, Seed: 42}), "19141a0a8b5ddb86296025e1f9591672e5305e07af332a8b8e6a811de29b0169"},
		"films":   {films(t, 50, 60), "86628ae3e3eea727323911e0747426a43368c6eacb78cc699903871bf9293ff4"},
	} {
		hash := sha256.New()
		must.Do(t, errors.Join(data.WriteRatings(hash, c.in.Ratings), data.WriteFeatures(hash, c.in.Features)))
		if _, _, err := c.in.WriteTest(hash, 100); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(hash, c.in.SelectedNames())
		if got := fmt.Sprintf("%x", hash.Sum(nil)); got != c.want {
			t.Errorf("%s: the bytes changed: %s", name, got)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	c := Config{Rows: 20000, Columns: 1000, Features: 50, K: 5, Missing: 0.95, Noise: 0.01, Seed: 1}
	for b.Loop() {
		generate(b, c)
	}
}
