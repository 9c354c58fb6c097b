package ingest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/columnar"
	"optcomplete/internal/must"
	"optcomplete/internal/record"
)

// array is a .npy file as numpy.save writes it.
func arrayOf(t *testing.T, descr, shape string, fortran bool, values any) []byte {
	t.Helper()
	order := "False"
	if fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	var out bytes.Buffer
	out.WriteString("\x93NUMPY\x01\x00")
	must.Do(t, binary.Write(&out, binary.LittleEndian, uint16(len(header))))
	out.WriteString(header)
	bytes := binary.ByteOrder(binary.LittleEndian)
	if descr[0] == '>' {
		bytes = binary.BigEndian
	}
	must.Do(t, binary.Write(&out, bytes, values))
	return out.Bytes()
}

func archiveOf(t *testing.T, parts map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, content := range parts {
		w := must.Get(z.Create(name + ".npy"))(t)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, z.Close())
	return out.Bytes()
}

func TestNumpy(t *testing.T) {
	t.Chdir(t.TempDir())
	nan := math.NaN()
	want := []string{"1 2 4", "1 3 3.5", "2 1 -1"}
	text := func(s string) []byte { return arrayOf(t, "|S3", "()", false, []byte(s)) }
	shape := arrayOf(t, "<i8", "(2,)", false, []int64{2, 3})
	values := arrayOf(t, "<f8", "(3,)", false, []float64{4, 3.5, -1})
	for name, content := range map[string][]byte{
		"dense.npy":   arrayOf(t, "<f8", "(2, 3)", false, []float64{nan, 4, 3.5, -1, nan, nan}),
		"big.npy":     arrayOf(t, ">f4", "(2, 3)", false, []float32{float32(nan), 4, 3.5, -1, float32(nan), float32(nan)}),
		"fortran.npy": arrayOf(t, "<f8", "(2, 3)", true, []float64{nan, -1, 4, nan, 3.5, nan}),
		"alone.npz":   archiveOf(t, map[string][]byte{"arr_0": arrayOf(t, "<f8", "(2, 3)", false, []float64{nan, 4, 3.5, -1, nan, nan})}),
		"csr.npz": archiveOf(t, map[string][]byte{"format": text("csr"), "shape": shape, "data": values,
			"indices": arrayOf(t, "<i4", "(3,)", false, []int32{1, 2, 0}), "indptr": arrayOf(t, "<i4", "(3,)", false, []int32{0, 2, 3})}),
		"csc.npz": archiveOf(t, map[string][]byte{"format": text("csc"), "shape": shape, "data": arrayOf(t, "<f8", "(3,)", false, []float64{-1, 4, 3.5}),
			"indices": arrayOf(t, "<i4", "(3,)", false, []int32{1, 0, 0}), "indptr": arrayOf(t, "<i4", "(4,)", false, []int32{0, 1, 2, 3})}),
		"coo.npz": archiveOf(t, map[string][]byte{"format": text("coo"), "shape": shape, "data": values,
			"row": arrayOf(t, "<i8", "(3,)", false, []int64{0, 0, 1}), "col": arrayOf(t, "<i8", "(3,)", false, []int64{1, 2, 0})}),
	} {
		got, report, err := readAs(t, name, content, Settings{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, cells(got)); d != "" || len(report.Notes) != 1 {
			t.Errorf("%s: %s %q", name, d, report.Notes)
		}
		// Whatever is cut off or changed is an error, never a crash.
		for at := 0; at < len(content); at += 13 {
			broken := slices.Clone(content)
			broken[at] ^= 0x41
			readAs(t, name, broken, Settings{})
			if _, _, err := readAs(t, name, content[:at], Settings{}); err == nil {
				t.Errorf("%s cut off after %d of %d bytes is read", name, at, len(content))
			}
		}
	}
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"list.npy":  {arrayOf(t, "<f8", "(2,)", false, []float64{1, 2}), "an array of 1 dimension"},
		"text.npy":  {arrayOf(t, "<U3", "(1, 1)", false, []byte("abcabcabcabc")), "type U3"},
		"other.npz": {archiveOf(t, map[string][]byte{"a": shape, "b": shape}), "scipy.sparse.save_npz"},
		"bsr.npz":   {archiveOf(t, map[string][]byte{"format": text("dia"), "shape": shape, "data": values, "offsets": shape}), ".tocsr()"},
	} {
		if _, _, err := readAs(t, name, c.content, Settings{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWideParquet(t *testing.T) {
	t.Chdir(t.TempDir())
	nan := math.NaN()
	write := func(name, row string) {
		file := must.Get(os.Create(name))(t)
		w := columnar.NewWriter(file, []columnar.Field{{Name: "Alien", Kind: columnar.Float}, {Name: "Heat", Kind: columnar.Float}, {Name: "Up", Kind: columnar.Float}, {Name: row, Kind: columnar.Text}})
		must.Do(t, w.WriteGroup([]float64{nan, -1}, []float64{4, nan}, []float64{3.5, 2}, []string{"ann", "bob"}))
		must.Do(t, w.Close())
		must.Do(t, file.Close())
	}
	write("pandas.parquet", record.PandasIndex)
	got, report, err := Ratings(context.Background(), []string{"pandas.parquet"}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"ann Heat 4", "ann Up 3.5", "bob Alien -1", "bob Up 2"}, cells(got)); d != "" || len(report.Notes) != 1 {
		t.Errorf("%s %q", d, report.Notes)
	}
	write("other.parquet", "id") // the ids are not first: nothing says that they are ids
	if _, _, err := Ratings(context.Background(), []string{"other.parquet"}, Settings{}); err == nil {
		t.Error("a table whose first column holds fractions is read")
	}
}
