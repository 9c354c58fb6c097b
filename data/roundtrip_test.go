package data

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/internal/must"
)

// anyID draws ids that text can hold, many of them awkward.
func anyID() *rapid.Generator[string] {
	awkward := rapid.SampledFrom([]string{
		"a,b", `"`, `""`, `say "x"`, " a", "a ", "\t", "a\tb", ";;", "ünï", "映画", "🎬", "row", "column", "value", "1", "NaN", "-", "\ufeff", "\v", "PAR1", "BZh",
	})
	text := rapid.StringN(1, 8, 32).Filter(func(s string) bool {
		_, err := AppendField(nil, s)
		return err == nil
	})
	return rapid.OneOf(awkward, text)
}

func anyNumber() *rapid.Generator[float64] {
	finite := rapid.Float64().Filter(func(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) })
	return rapid.OneOf(finite, rapid.SampledFrom([]float64{0, 3.5, -1, 1e21, 1e-9, math.SmallestNonzeroFloat64, math.MaxFloat64}))
}

func drawFeatures(t *rapid.T) *Features {
	ids := rapid.SliceOfNDistinct(anyID(), 1, 6, rapid.ID[string]).Draw(t, "ids")
	names := rapid.SliceOfNDistinct(anyID(), 1, 6, rapid.ID[string]).Draw(t, "names")
	size := len(ids) * len(names)
	return NewFeatures(ids, names, rapid.SliceOfN(anyNumber(), size, size).Draw(t, "values"))
}

func TestFeaturesSurviveWritingAndReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawFeatures(t).canonical()
		var text bytes.Buffer
		must.Do(t, WriteFeatures(&text, want))
		got, err := readFeatures(bytes.NewReader(text.Bytes()), "f.csv", FeaturesOptions{})
		if err != nil {
			t.Fatalf("%v in %q", err, text.String())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestWhatTextCannotHoldIsNotWritten(t *testing.T) {
	for _, id := range []string{"", "a\nb", "a\rb", "a\x00", "\xff"} {
		f := NewFeatures([]string{id}, []string{"f"}, []float64{1})
		if err := WriteFeatures(&bytes.Buffer{}, f); err == nil {
			t.Errorf("%q was written", id)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreReturned(t *testing.T) {
	f := NewFeatures([]string{"a", "b", "c"}, []string{"one"}, []float64{1, 1, 1})
	if err := WriteFeatures(fullDisk{}, f); err == nil {
		t.Error("WriteFeatures says nothing of a full disk")
	}
	matrix := must.Get(NewMatrix(1, 3, []Entry{{0, 0, 1}}))(t)
	if err := WriteRatings(fullDisk{}, NewRatings(matrix, []string{"u"}, f.IDs)); err == nil {
		t.Error("WriteRatings says nothing of a full disk")
	}
}

func FuzzReadFeatures(f *testing.F) {
	for _, seed := range []string{"id,f\nx,1\n", "id\tf\tg\nx\t1\t2\n", "id;f\n\"x\";\"1\"\n", "id,f\nx,\n", "id,,\n", "\x1f\x8b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := readFeatures(bytes.NewReader(text), "f.csv", FeaturesOptions{})
		if err != nil {
			inputError(t, err)
			return
		}
		m, p := got.Dims()
		if m == 0 || p == 0 || len(got.Values) != m*p {
			t.Fatalf("%d columns, %d features, %d values", m, p, len(got.Values))
		}
		got.Warnings()
		var again bytes.Buffer
		must.Do(t, WriteFeatures(&again, got))
		second, err := readFeatures(&again, "f.csv", FeaturesOptions{})
		if d := cmp.Diff(got, second); err != nil || d != "" {
			t.Fatalf("%v %s", err, d)
		}
	})
}

func inputError(t *testing.T, err error) {
	t.Helper()
	var input *InputError
	if !errors.As(err, &input) || input.Problem == "" || !strings.HasPrefix(err.Error(), input.File) {
		t.Fatalf("%v is no complete *InputError", err)
	}
}
