package diagnose_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/model/diagnose"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// scored sets the metrics that Diagnose wants.
func scored(m *model.Model, train, held *data.Matrix) {
	rmse := func(d *data.Matrix) float64 {
		sum, n, x := 0.0, 0, make([]float64, 1)
		for i := range m.RowIDs {
			at, values := d.Row(i)
			for e, c := range at {
				m.PredictRow(i, []int32{c}, x)
				sum, n = sum+(values[e]-x[0])*(values[e]-x[0]), n+1
			}
		}
		return math.Sqrt(sum / float64(max(n, 1)))
	}
	m.Summary.Train.RMSE = rmse(train)
	if held != nil {
		m.Summary.Holdout = &result.Metrics{RMSE: rmse(held)}
	}
}

func diagnosed(t testing.TB, m *model.Model, train, held *data.Matrix, threads int) *result.Diagnostics {
	t.Helper()
	scored(m, train, held)
	d := must.Get(diagnose.Of(context.Background(), m, looked(t, train, held), threads))(t)
	return d
}

// looked is all entries, to be looked at.
func looked(t testing.TB, train, held *data.Matrix) diagnose.Looked {
	t.Helper()
	survey, err := pass.Survey(context.Background(), train, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := diagnose.Looked{On: train}
	if l.Train, err = diagnose.ValuesOf(context.Background(), train, survey, 2); err == nil && held != nil {
		l.On = held
		l.Held, err = diagnose.ValuesOf(context.Background(), held, survey, 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSampleOfAllRowsIsAllRows: a sample's rows are looked up where they are, and it
// is said that it is one.
func TestSampleOfAllRowsIsAllRows(t *testing.T) {
	matrix, f := testkit.Drawn(t, 60, 12, 3, 0.5, 4)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	want := diagnosed(t, m, matrix, nil, 2)
	l := looked(t, matrix, nil)
	var err error
	for i := range m.RowIDs {
		if i%2 == 0 {
			l.Rows = append(l.Rows, i)
		}
	}
	if l.On, err = data.Collect(matrix, l.Rows); err != nil {
		t.Fatal(err)
	}
	half := must.Get(diagnose.Of(context.Background(), m, l, 2))(t)
	if half.Sample == nil || half.Sample.Rows != 30 || half.Sample.Entries != l.On.Observed() || want.Sample != nil || half.Fingerprint != want.Fingerprint {
		t.Errorf("sample %+v, all %+v", half.Sample, want.Sample)
	}
	for _, e := range half.Examples {
		if i, _ := m.Row(e.Explanation.Row); i%2 != 0 {
			t.Errorf("row %d is no row of the sample", i)
		}
		for _, c := range e.Cases {
			i, _ := m.Row(e.Explanation.Row)
			j, _ := m.Column(c.Sum.Column)
			at, values := matrix.Row(i)
			if x := slices.Index(at, int32(j)); x < 0 || values[x] != c.Observed {
				t.Errorf("row %d, column %d: observed %v", i, j, c.Observed)
			}
		}
	}
	l.Rows = l.Rows[:0:0]
	for i := range m.RowIDs {
		l.Rows = append(l.Rows, i)
	}
	l.On = matrix
	all := must.Get(diagnose.Of(context.Background(), m, l, 2))(t)
	all.Sample = nil
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// TestDiagnosticsAgreeWithALoop over all entries, on whatever data.
func TestDiagnosticsAgreeWithALoop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		matrix, f := modeltest.Sparse(t, rt)
		m := modeltest.Built(t, matrix, f, rapid.SampledFrom(modeltest.EveryKind).Draw(rt, "kind"), spec.LearnedPrior)
		d := diagnosed(t, m, matrix, nil, 2)
		k, x := m.K(), make([]float64, 1)
		units := m.Units()
		type sums struct {
			n                 int
			sum, square       float64
			values, predicted float64
		}
		byEntries, all := map[int32]*sums{}, &sums{}
		byTerm := make([]map[int]*sums, k)
		for f := range byTerm {
			byTerm[f] = map[int]*sums{}
		}
		put := func(s *sums, r, v, p float64) {
			s.n, s.sum, s.square, s.values, s.predicted = s.n+1, s.sum+r, s.square+r*r, s.values+v, s.predicted+p
		}
		for i := range m.RowIDs {
			at, values := matrix.Row(i)
			for e, c := range at {
				m.PredictRow(i, []int32{c}, x)
				r := values[e] - x[0]
				put(all, r, values[e], x[0])
				if byEntries[int32(len(at))] == nil {
					byEntries[int32(len(at))] = &sums{}
				}
				put(byEntries[int32(len(at))], r, values[e], x[0])
				for f := range k {
					raw := units.Raw(f, m.Features[int(c)*k+f])
					for b, bin := range d.ByTerm[f].Bins {
						if raw >= bin.Low && raw <= bin.High {
							if byTerm[f][b] == nil {
								byTerm[f][b] = &sums{}
							}
							put(byTerm[f][b], r, values[e], x[0])
						}
					}
				}
			}
		}
		check := func(what string, b result.Bin, s *sums) {
			if s == nil {
				s = &sums{}
			}
			n := float64(max(s.n, 1))
			if b.Entries != s.n || !near(b.Mean, s.sum/n) || !near(b.RMSE, math.Sqrt(s.square/n)) {
				rt.Fatalf("%s: %+v, want %+v", what, b, s)
			}
		}
		for f := range k {
			for b, bin := range d.ByTerm[f].Bins {
				check("by term", bin, byTerm[f][b])
			}
		}
		for _, bin := range d.ByEntries {
			s := &sums{}
			for n, part := range byEntries {
				if float64(n) >= bin.Low && float64(n) <= bin.High {
					s.n, s.sum, s.square = s.n+part.n, s.sum+part.sum, s.square+part.square
				}
			}
			check("by entries", bin, s)
		}
		counted := func(bars []result.Bar) (n int) {
			for _, b := range bars {
				n += b.Count
			}
			return n
		}
		if counted(d.Values) != all.n || counted(d.RowEntries) != len(m.RowIDs) || counted(d.ColumnEntries) != len(m.ColumnIDs) {
			rt.Fatalf("%d values, %d rows, %d columns counted", counted(d.Values), counted(d.RowEntries), counted(d.ColumnEntries))
		}
		n, predicted, observed := 0, 0.0, 0.0
		for _, g := range d.Calibration {
			n, predicted, observed = n+g.Entries, predicted+g.Predicted*float64(g.Entries), observed+g.Observed*float64(g.Entries)
		}
		if n != all.n || !near(predicted, all.predicted) || !near(observed, all.values) {
			rt.Fatalf("calibration of %d entries: %v and %v, want %+v", n, predicted, observed, all)
		}
		residuals := 0
		for _, c := range d.Residuals.Counts {
			residuals += c
		}
		if len(d.Residuals.Counts) > 0 && residuals != all.n {
			rt.Fatalf("%d residuals of %d", residuals, all.n)
		}
		m.Summary.Diagnostics = d
		must.Do(rt, m.Summary.WriteJSON(discard{}))
	})
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// parted divides the entries of a matrix in two.
func parted(t testing.TB, m *data.Matrix, seed uint64) (a, b *data.Matrix) {
	t.Helper()
	keep := func(want bool) *data.Matrix {
		return m.Filter(func(row int, column int32) bool {
			return (random.Unit(random.Hash(seed, uint64(row), uint64(column))) < 0.7) == want
		})
	}
	return keep(true), keep(false)
}

func TestThreadsGiveSameDiagnostics(t *testing.T) {
	matrix, f := testkit.Drawn(t, 1500, 12, 4, 0.5, 3)
	train, held := parted(t, matrix, 1)
	m := modeltest.Built(t, train, f, spec.Full, spec.LearnedPrior)
	want := diagnosed(t, m, train, held, 1)
	for _, threads := range []int{2, 7} {
		if diff := cmp.Diff(want, diagnosed(t, m, train, held, threads)); diff != "" {
			t.Errorf("%d threads: %s", threads, diff)
		}
	}
	if want.On != "holdout" || len(want.Examples) != 3 || len(want.Calibration) < 10 {
		t.Errorf("on %s: %d examples, %d groups", want.On, len(want.Examples), len(want.Calibration))
	}
	if a, b := want.Calibration[0].Entries, want.Calibration[len(want.Calibration)-1].Entries; a > 3*b || b > 3*a {
		t.Errorf("groups of %d and %d entries", a, b)
	}
}

// Another split of the same entries has the same fingerprint, another value not.
func TestFingerprintIsOfTheEntries(t *testing.T) {
	matrix, f := testkit.Drawn(t, 60, 12, 4, 0.5, 3)
	fingerprint := func(matrix *data.Matrix, seed uint64) (all, held string) {
		train, rest := parted(t, matrix, seed)
		d := diagnosed(t, modeltest.Built(t, train, f, spec.Full, spec.LearnedPrior), train, rest, 1)
		return d.Fingerprint, d.HoldoutFingerprint
	}
	all, held := fingerprint(matrix, 1)
	other, otherHeld := fingerprint(matrix, 2)
	if all != other || held == otherHeld {
		t.Errorf("two splits: %s and %s, of the part held out %s and %s", all, other, held, otherHeld)
	}
	changed, _ := fingerprint(matrix.Map(func(i int, c int32, v float64) float64 {
		if i == 7 {
			return v + 1e-12
		}
		return v
	}), 1)
	if changed == all {
		t.Error("other values have the same fingerprint")
	}
}

// A constant feature has an effect to show: that of its value.
func TestStepOfAConstantFeature(t *testing.T) {
	matrix, f := testkit.Drawn(t, 40, 12, 3, 0.5, 3)
	for j := range f.IDs {
		f.Values[j*3+1] = 2
	}
	m := modeltest.Built(t, matrix, f, spec.Paper, spec.LeastSquares)
	d := diagnosed(t, m, matrix, nil, 1)
	if term := d.Terms[1]; term.Step != 2 || term.PerStep != 2*term.Population || term.StepSpread.SD == 0 {
		t.Errorf("%+v", term)
	}
	if term := d.Terms[0]; !near(term.PerStep, term.PerSD) {
		t.Errorf("per step %v, per standard deviation %v", term.PerStep, term.PerSD)
	}
}

// BenchmarkDiagnose tells what the diagnostics of a fit cost, for each entry.
func BenchmarkDiagnose(b *testing.B) {
	matrix, f := testkit.Drawn(b, 20_000, 200, 5, 0.2, 3)
	m := modeltest.Built(b, matrix, f, spec.Full, spec.LearnedPrior)
	scored(m, matrix, nil)
	for b.Loop() {
		if _, err := diagnose.Of(context.Background(), m, looked(b, matrix, nil), 2); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(matrix.Observed()), "ns/entry")
}
