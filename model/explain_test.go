package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/model/diagnose"
	"optcomplete/model/store"
	"optcomplete/model/tables"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/spec"
)

// varianceOf divides the variance of the entries that a model was fitted on.
func varianceOf(m *model.Model, entries data.Source, threads int) (*result.Variance, error) {
	p, variance, err := diagnose.Variancing(context.Background(), m, entries, threads)
	if err != nil {
		return nil, err
	}
	part, err := pass.One[*pass.Sums](context.Background(), entries, threads, p)
	if err != nil {
		return nil, err
	}
	return variance(part), nil
}

// drawn is a model of any kind, with an encoding whose units are not 1.
func drawn(t *testing.T, rt *rapid.T) *model.Model {
	matrix, f := modeltest.Sparse(t, rt)
	m := modeltest.Built(t, matrix, f, rapid.SampledFrom(modeltest.EveryKind).Draw(rt, "kind"), rapid.SampledFrom(modeltest.EveryRefit).Draw(rt, "refit"))
	if rapid.Bool().Draw(rt, "encoded") {
		e := &encode.Encoding{Version: encode.Version}
		for x, name := range f.Names {
			e.Fields = append(e.Fields, encode.Field{Name: name, Type: encode.Numeric})
			e.Features = append(e.Features, encode.Feature{Name: name, Field: x, Part: encode.Value, Centre: float64(x) - 1, Scale: 2.5})
		}
		m.Summary.Encoding = e
	}
	m.Clip = &result.Range{Low: 2, High: 4}
	var err error
	if m.Summary.Variance, err = varianceOf(m, matrix, 2); err != nil {
		rt.Fatal(err)
	}
	return m
}

func TestSumAddsUpInBothUnits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawn(t, rt)
		for _, row := range append(m.RowIDs, "nobody") {
			for _, column := range append(m.ColumnIDs, "nothing") {
				e := m.ExplainSum(row, column)
				sum := e.Mean + e.RowEffect + e.ColumnEffect
				for _, p := range e.Parts {
					sum += p.Part
					if d := p.PerUnit*(p.Value-p.Centre) - p.Part; math.Abs(d) > 1e-9*(1+math.Abs(p.PerUnit)) {
						rt.Fatalf("%s: %v × (%v − %v) is not %v", p.Name, p.PerUnit, p.Value, p.Centre, p.Part)
					}
				}
				a := m.Answer(row, column)
				if math.Abs(sum-e.Sum) > 1e-9*(1+math.Abs(sum)) || e.Sum != a.Unclipped || e.Prediction != a.Value || e.Basis != a.Basis {
					rt.Fatalf("%s, %s: parts add up to %v in %+v, the answer is %+v", row, column, sum, e, a)
				}
			}
		}
	})
}

func TestExplanationsAreFinite(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawn(t, rt)
		// encoding/json refuses a number that is not finite.
		if _, err := json.Marshal(m.Explain()); err != nil {
			rt.Fatal(err)
		}
		for i, row := range append(m.RowIDs, "nobody") {
			if i == len(m.RowIDs) {
				i = -1
			}
			e := must.Get(m.ExplainRow(row, m.Recommend(i, nil, 3)))(rt)
			if _, err := json.Marshal(e); err != nil {
				rt.Fatal(err)
			}
			if len(e.Top) != min(3, len(m.ColumnIDs)) {
				rt.Fatalf("%d items for %d columns", len(e.Top), len(m.ColumnIDs))
			}
		}
		if v := m.Summary.Variance; v != nil {
			sum := v.Rows + v.Columns + v.Rest
			for _, x := range v.Terms {
				sum += x
			}
			if math.Abs(sum-1) > 1e-9*(1+math.Abs(v.Rest)) {
				rt.Fatalf("the shares add up to %v: %+v", sum, v)
			}
		}
	})
}

// The rest's share is what the residuals say.
func TestVarianceLeavesTheResiduals(t *testing.T) {
	matrix, f := testkit.Drawn(t, 80, 12, 3, 0.7, 4)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	v := must.Get(varianceOf(m, matrix, 3))(t)
	mean, n := 0.0, 0.0
	each := func(do func(value, prediction float64)) {
		for i := range m.RowIDs {
			at, values := matrix.Row(i)
			for x, c := range at {
				do(values[x], m.AnswerAt(i, int(c)).Unclipped)
			}
		}
	}
	each(func(value, _ float64) { mean, n = mean+value, n+1 })
	mean /= n
	square, left, bias := 0.0, 0.0, 0.0
	each(func(value, prediction float64) {
		square += (value - mean) * (value - mean)
		left += (value - prediction) * (value - prediction)
		bias += value - prediction
	})
	left -= bias * bias / n
	if math.Abs(v.Rest-left/square) > 1e-9 || v.Rest <= 0 || v.Rest >= 1 {
		t.Errorf("rest %v, residuals say %v", v.Rest, left/square)
	}
	other, _ := varianceOf(m, matrix, 1)
	if !cmp.Equal(v, other) {
		t.Error("threads change the shares")
	}
}

func TestRecommendIsTheSortedRest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawn(t, rt)
		row := rapid.IntRange(-1, len(m.RowIDs)-1).Draw(rt, "row")
		top := rapid.IntRange(1, len(m.ColumnIDs)+1).Draw(rt, "top")
		var skip []int32
		var want []int
		for j := range m.ColumnIDs {
			if rapid.Bool().Draw(rt, "seen") {
				skip = append(skip, int32(j))
			} else {
				want = append(want, j)
			}
		}
		slices.SortStableFunc(want, func(a, b int) int {
			if x, y := m.AnswerAt(row, a).Unclipped, m.AnswerAt(row, b).Unclipped; x != y {
				if x > y {
					return -1
				}
				return 1
			}
			return 0
		})
		want = want[:min(top, len(want))]
		got := m.Recommend(row, skip, top)
		if len(got) != len(want) {
			rt.Fatalf("%d recommendations, want %d", len(got), len(want))
		}
		for x, r := range got {
			if r.Column != want[x] || r.Answer != m.AnswerAt(row, r.Column) {
				rt.Fatalf("place %d is %+v, want column %d", x, r, want[x])
			}
		}
	})
}

func TestRecommendAllIsEveryRow(t *testing.T) {
	matrix, f := testkit.Drawn(t, 700, 9, 3, 0.5, 4)
	m := modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
	skip := func(row int) []int32 {
		seen, _, _ := m.Seen(row)
		return seen
	}
	write := func(format tables.Format, threads int) []byte {
		var b bytes.Buffer
		must.Do(t, tables.RecommendAll(context.Background(), m, &b, format, model.RecommendSettings{Top: 3}, skip, threads))
		return b.Bytes()
	}
	text := write(tables.CSV, 2)
	if !bytes.Equal(text, write(tables.CSV, 1)) || !bytes.Equal(write(tables.Parquet, 3), write(tables.Parquet, 1)) {
		t.Error("threads change the file")
	}
	var want strings.Builder
	want.WriteString("row,rank,column,prediction\n")
	for i, id := range m.RowIDs {
		var one bytes.Buffer
		must.Do(t, tables.Recommendations(m, &one, tables.CSV, nil, id, m.Recommend(i, skip(i), 3)))
		want.WriteString(strings.TrimPrefix(one.String(), "row,rank,column,prediction\n"))
	}
	if diff := cmp.Diff(want.String(), string(text)); diff != "" {
		t.Error(diff)
	}
	path := filepath.Join(t.TempDir(), "all.parquet")
	must.Do(t, os.WriteFile(path, write(tables.Parquet, 2), 0o666))
	if table := modeltest.ReadParquet(t, path); int(table.NumRows()) != strings.Count(want.String(), "\n")-1 || table.NumCols() != 4 {
		t.Errorf("Parquet holds %d×%d", table.NumRows(), table.NumCols())
	}
}

func TestSeenSurvivesSaving(t *testing.T) {
	m := modeltest.Fitted(t) // with ids that are empty, quoted and of several lines
	got, err := store.Load(modeltest.Save(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.RowIDs {
		want, _, _ := m.Seen(i)
		seen, known, err := got.Seen(i)
		if err != nil || !known || !slices.Equal(want, seen) {
			t.Errorf("row %d has seen %v, %v, %v; want %v", i, seen, known, err, want)
		}
	}
	dir := modeltest.Save(t, m)
	must.Do(t, os.Remove(filepath.Join(dir, "seen.parquet")))
	if got, err = store.Load(dir); err != nil {
		t.Fatal(err)
	}
	if _, known, err := got.Seen(0); known || err != nil {
		t.Errorf("without the file: %v, %v", known, err)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "seen.parquet"), []byte("nonsense"), 0o666))
	if _, err = store.Load(dir); err == nil || !strings.Contains(err.Error(), "seen.parquet") {
		t.Errorf("a changed file: %v", err)
	}
	modeltest.Unseal(t, dir, 4) // a model that cannot know
	if got, err = store.Load(dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := got.Seen(0); err == nil || !strings.Contains(err.Error(), "seen.parquet") {
		t.Errorf("a damaged file: %v", err)
	}
}
