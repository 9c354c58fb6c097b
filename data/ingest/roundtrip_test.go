package ingest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// anyID draws ids that text can hold, many of them awkward.
func anyID() *rapid.Generator[string] {
	awkward := rapid.SampledFrom([]string{
		"a,b", `"`, `""`, `say "x"`, " a", "a ", "\t", "a\tb", ";;", "ünï", "映画", "🎬", "row", "column", "value", "1", "NaN", "-", "\ufeff", "\v", "PAR1", "BZh",
	})
	text := rapid.StringN(1, 8, 32).Filter(func(s string) bool {
		_, err := data.AppendField(nil, s)
		return err == nil
	})
	return rapid.OneOf(awkward, text)
}

func anyNumber() *rapid.Generator[float64] {
	finite := rapid.Float64().Filter(func(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) })
	return rapid.OneOf(finite, rapid.SampledFrom([]float64{0, 3.5, -1, 1e21, 1e-9, math.SmallestNonzeroFloat64, math.MaxFloat64}))
}

func TestRatingsSurviveWritingAndReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.SliceOfNDistinct(anyID(), 1, 6, rapid.ID[string]).Draw(t, "ids")
		m := len(columns)
		rows := rapid.SliceOfNDistinct(anyID(), 1, 6, rapid.ID[string]).Draw(t, "rows")
		slices.SortFunc(rows, data.CompareIDs)
		var entries []data.Entry
		for i := range rows {
			for _, j := range rapid.SliceOfNDistinct(rapid.IntRange(0, m-1), 1, m, rapid.ID[int]).Draw(t, "columns") {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: anyNumber().Draw(t, "value")})
			}
		}
		matrix := must.Get(data.NewMatrix(len(rows), m, entries))(t)
		want := data.NewRatings(matrix, rows, columns)
		var text bytes.Buffer
		must.Do(t, data.WriteRatings(&text, want))
		got, report, err := streamOf("r.csv", bytes.NewReader(text.Bytes()), Settings{Columns: columns}).ratings(context.Background())
		if err != nil {
			t.Fatalf("%v in %q", err, text.String())
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(data.Matrix{}, data.Ratings{}), cmpopts.IgnoreTypes(data.Known{}, (*data.Keys)(nil))); d != "" {
			t.Fatal(d)
		}
		if report.Lines != len(entries) || report.Entries != len(entries) {
			t.Fatalf("%d entries are reported as %+v", len(entries), report)
		}
	})
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"row,column,value\nu,a,1\nv,b,2\n", "u\ta\t1\n", "\"u\"\"\",\"a\",1e3\r\n", "\ufeffu;a;1", "u,a,?\nu,b,NaN",
		"\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd", "x,y,z\n", "value,column,row\n1,c,u\n",
	} {
		f.Add([]byte(seed), false, "")
		f.Add([]byte(seed), true, "?")
	}
	f.Fuzz(func(t *testing.T, text []byte, drop bool, missing string) {
		options := Settings{Columns: known, DropUnknown: drop, Format: CSV}
		if missing != "" {
			options.Missing = []string{missing}
		}
		got, report, err := streamOf("r.csv", bytes.NewReader(text), options).ratings(context.Background())
		if err != nil {
			inputError(t, err)
			return
		}
		rows, columns := got.Dims()
		if rows != len(got.RowIDs) || columns != 3 || got.Observed() != report.Entries || report.Lines != report.Entries+report.Missing+report.UnknownEntries {
			t.Fatalf("%d×%d, %+v", rows, columns, report)
		}
		for i := range rows {
			at, values := got.Matrix().Row(i)
			if len(at) == 0 || !slices.IsSorted(at) || slices.ContainsFunc(values, func(v float64) bool { return v-v != 0 }) {
				t.Fatalf("row %d is %v %v", i, at, values)
			}
		}
		var again bytes.Buffer
		must.Do(t, data.WriteRatings(&again, got))
		second, _, err := streamOf("r.csv", &again, Settings{Columns: known}).ratings(context.Background())
		if err != nil || !slices.Equal(cells(got), cells(second)) {
			t.Fatalf("%v: %v became %v", err, cells(got), cells(second))
		}
	})
}

func inputError(t *testing.T, err error) {
	t.Helper()
	var input *data.InputError
	if !errors.As(err, &input) || input.Problem == "" || !strings.HasPrefix(err.Error(), input.File) {
		t.Fatalf("%v is no complete *InputError", err)
	}
}
