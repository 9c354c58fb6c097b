package columnar

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"optcomplete/internal/must"
)

// written is a file of two row groups.
func written(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, []Field{{Name: "z", Kind: Text}, {Name: "a", Kind: Int}, {Name: "m", Kind: Float}, {Name: "c", Kind: Text}})
	texts := []string{"x", "längere Texte", ""}
	for lo := 0; lo < 6000; lo += 5000 {
		n := min(5000, 6000-lo)
		ids, ints, floats := make([]string, n), make([]int32, n), make([]float64, n)
		for i := range n {
			ids[i], ints[i], floats[i] = fmt.Sprint("id", lo+i), int32(lo-i), 1/float64(lo+i)
		}
		floats[0] = math.Inf(1)
		codes := make([]int32, n)
		for i := range codes {
			codes[i] = int32(i % 3)
		}
		must.Do(t, w.WriteGroup(ids, ints, floats, Coded{Texts: texts, Codes: codes}))
	}
	must.Do(t, w.Close())
	return out.Bytes()
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	content := written(t)
	f, err := NewFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() != 6000 || f.Groups() != 2 {
		t.Fatalf("%d rows in %d groups", f.Rows(), f.Groups())
	}
	var names []string
	for _, c := range f.Columns {
		names = append(names, fmt.Sprint(c.Name, ": ", c.Kind))
	}
	if diff := cmp.Diff([]string{"z: text", "a: whole numbers", "m: numbers", "c: text"}, names); diff != "" {
		t.Fatal(diff)
	}
	row := 0
	err = f.Scan(context.Background(), []int{3, 0, 1, 2}, 700, func(batch []Vector) error {
		for i := range batch[0].Len() {
			lo := row / 5000 * 5000
			at := row - lo
			want := fmt.Sprint([]string{"x", "längere Texte", ""}[at%3], " id", row, " ", lo-at)
			if got := fmt.Sprint(string(batch[0].Text(i)), " ", string(batch[1].Text(i)), " ", batch[2].Ints[i]); got != want {
				t.Fatalf("row %d is %q, not %q", row, got, want)
			}
			if value := 1 / float64(row); at > 0 && batch[3].Floats[i] != value {
				t.Fatalf("row %d has the value %v", row, batch[3].Floats[i])
			}
			row++
		}
		return nil
	})
	if err != nil || row != 6000 {
		t.Fatalf("%d rows, %v", row, err)
	}
	out := make([]float64, 1000)
	if err := f.Floats(1, 2, out); err != nil || out[999] != 1/5999.0 {
		t.Fatalf("%v, %v", out[999], err)
	}
	if err := f.Floats(1, 0, out); err == nil {
		t.Fatal("text was read as numbers")
	}
}

// TestTypesOfOtherPrograms reads lists, gaps, dates, moments and decimals.
func TestTypesOfOtherPrograms(t *testing.T) {
	type row struct {
		List []string  `parquet:"list,list"`
		Gap  *float64  `parquet:"gap,optional"`
		Day  int32     `parquet:"day,date"`
		At   time.Time `parquet:"at,timestamp(millisecond)"`
		Dec  int64     `parquet:"dec,decimal(2:10)"`
		Is   bool      `parquet:"is"`
		Big  uint64    `parquet:"big"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out)
	moment := time.Date(2020, 1, 2, 3, 4, 5, 6e6, time.UTC)
	x := 2.5
	if _, err := w.Write([]row{
		{List: []string{"a", "b"}, Gap: &x, Day: 3, At: moment, Dec: -150, Is: true, Big: math.MaxUint64},
		{}, {List: []string{"c"}, Dec: 199},
	}); err != nil {
		t.Fatal(err)
	}
	must.Do(t, w.Close())
	f, err := NewFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	err = f.Scan(context.Background(), []int{0, 1, 2, 3, 4, 5, 6}, 10, func(v []Vector) error {
		if !f.Columns[0].List || !slices.Equal(v[0].Ends, []int{2, 2, 3}) || string(v[0].Texts) != "abc" {
			t.Errorf("lists: %+v", v[0])
		}
		if !slices.Equal(v[1].Null, []bool{false, true, true}) || v[1].Floats[0] != 2.5 {
			t.Errorf("gaps: %+v", v[1])
		}
		if v[2].Kind != Date || v[2].Ints[0] != 3 || v[3].Kind != Time || !v[3].Moment(0).Equal(moment) {
			t.Errorf("dates: %+v %+v", v[2], v[3])
		}
		if !slices.Equal(v[4].Floats, []float64{-1.5, 0, 1.99}) || v[5].Ints[0] != 1 || uint64(v[6].Ints[0]) != math.MaxUint64 {
			t.Errorf("numbers: %+v %+v %+v", v[4], v[5], v[6])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// readAll reads a file as a whole, as far as it goes.
func readAll(content []byte) error {
	f, err := NewFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	for x := range f.Columns {
		if err := f.Scan(context.Background(), []int{x}, 1000, func([]Vector) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// TestDamageIsAnError flips bits all over a file, and cuts it: whatever is read
// then, nothing panics and nothing asks for more memory than the machine has.
func TestDamageIsAnError(t *testing.T) {
	content := written(t)
	for at := 0; at < len(content); at += 1 + at/100*37%191 {
		for _, flip := range []byte{1, 0xff} {
			damaged := bytes.Clone(content)
			damaged[at] ^= flip
			_ = readAll(damaged) // a flip in a value goes unnoticed here: callers have checksums
		}
	}
	for at := 0; at < len(content); at += 997 {
		if readAll(content[:at]) == nil {
			t.Errorf("a file cut after %d of %d bytes was read", at, len(content))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f))
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, content []byte) { _ = readAll(content) })
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
	path := filepath.Join(t.TempDir(), "x")
	must.Do(t, os.WriteFile(path, nil, 0o600))
	if _, err := Open(path); err == nil {
		t.Error("an empty file was opened")
	}
}
