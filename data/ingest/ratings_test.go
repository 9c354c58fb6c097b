package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"optcomplete/data"

	"optcomplete/internal/must"
	"optcomplete/internal/textfile"
)

// known are the columns of most tests.
var known = []string{"a", "b", "c"}

// readAs reads a text as if it stood in a file of that name, in the folder that
// the test is in.
func readAs(t testing.TB, name string, text []byte, s Settings) (*data.Ratings, *Report, error) {
	t.Helper()
	must.Do(t, os.WriteFile(name, text, 0o666))
	return Ratings(context.Background(), []string{name}, s)
}

// streamOf is a stream of one text.
func streamOf(name string, text io.Reader, s Settings) *stream {
	in := newStreamOf([]*input{{name: name, from: text}}, &s)
	return in
}

// readText reads a text with the known columns.
func readText(t testing.TB, text string, s Settings) (*data.Ratings, *Report, error) {
	t.Helper()
	if s.Columns == nil {
		s.Columns = known
	}
	return readAs(t, "r.csv", []byte(text), s)
}

// cells lists a ratings table as "row column value".
func cells(r *data.Ratings) []string {
	var out []string
	for i, id := range r.RowIDs {
		columns, values := r.Matrix().Row(i)
		for e, j := range columns {
			out = append(out, fmt.Sprint(id, " ", r.ColumnIDs[j], " ", values[e]))
		}
	}
	return out
}

func TestRatingsForms(t *testing.T) {
	t.Chdir(t.TempDir())
	want := []string{"u a 1", "u b 2.5", "v c -3"}
	for name, c := range map[string]struct {
		text    string
		options Settings
	}{
		"header":             {"row,column,value\nu,a,1\nu,b,2.5\nv,c,-3\n", Settings{}},
		"other header":       {"user,film,stars\nu,a,1\nu,b,2.5\nv,c,-3\n", Settings{}},
		"no header":          {"u,a,1\nu,b,2.5\nv,c,-3\n", Settings{}},
		"no last end":        {"u,a,1\nu,b,2.5\nv,c,-3", Settings{}},
		"not sorted":         {"u,b,2.5\nv,c,-3\nu,a,1\n", Settings{}},
		"tabs":               {"u\ta\t1\nu\tb\t2.5\nv\tc\t-3\n", Settings{}},
		"semicolons":         {"row;column;value\nu;a;1\nu;b;2.5\nv;c;-3\n", Settings{}},
		"given delimiter":    {"u|a|1\nu|b|2.5\nv|c|-3\n", Settings{Delimiter: '|'}},
		"CRLF, mark, blanks": {"\ufeffrow,column,value\r\n\r\nu,a,1\r\nu,b,2.5\r\n  \r\nv,c,-3\r\n\r\n", Settings{}},
		"quotes":             {"row,column,value\n\"u\",a,\"1\"\n u , \"b\" ,2.5\nv,\"c\",-3\n", Settings{}},
		"spaces":             {"row, column, value\nu, a, 1\nu, b, 2.5\nv, c, -3\n", Settings{}},
		"exponents":          {"u,a,1e0\nu,b,25E-1\nv,c,-0.3e+1\n", Settings{}},
		"any order, more":    {"time,Value,row,column\n9,1,u,a\n9,2.5,u,b\n9,-3,v,c\n", Settings{}},
		"named":              {"stars,user,film,x\n1,u,a,\n2.5,u,b,\n-3,v,c,\n", Settings{RowName: "user", ColumnName: "film", ValueName: "stars"}},
		"partly named":       {"value,user,column,x\n1,u,a,\n2.5,u,b,\n-3,v,c,\n", Settings{RowName: "user"}},
		"missing":            {"u,a,1\nw,a,?\nu,b,2.5\nu,c,99\nv,c,-3\n", Settings{Missing: []string{"?", "99"}}},
		"missing first":      {"w,a,unknown\nu,a,1\nu,b,2.5\nv,c,-3\n", Settings{Missing: []string{"unknown"}}},
		"missing blank":      {"w,a,\nu,a,1\nu,b,2.5\nv,c,-3\n", Settings{Missing: []string{""}}},
		"unknown":            {"w,x,1\nu,a,1\nu,b,2.5\nu,y,1\nv,c,-3\n", Settings{DropUnknown: true}},
	} {
		got, report, err := readText(t, c.text, c.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, cells(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if report.Entries != 3 || report.Lines != report.Entries+report.Missing+report.UnknownEntries {
			t.Errorf("%s: the report does not add up: %+v", name, report)
		}
	}
}

func TestReportCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "row,column,value\nu,a,1\nu,x,1\nv,x,na\nv,y,2\nw,b,na\n\nw,z,5\nw,p,5\nw,q,5\nw,r,5\n"
	got, report, err := readText(t, text, Settings{Missing: []string{"na"}, DropUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	want := &Report{Lines: 9, Entries: 1, Missing: 1, UnknownEntries: 7, UnknownColumns: 6, UnknownExamples: []string{"x", "y", "z", "p", "q"}, Bytes: int64(len(text)), Called: [3]string{"row", "column", "value"}}
	if d := cmp.Diff(want, report); d != "" {
		t.Error(d)
	}
	if !slices.Equal(got.RowIDs, []string{"u"}) {
		t.Errorf("rows without entries are there: %v", got.RowIDs)
	}
}

func TestRatingsErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		text    string
		options Settings
		want    string
	}{
		{"", Settings{}, `r.csv: is empty (it must hold lines of row, column, value)`},
		{"\n \n", Settings{}, `r.csv: is empty (it must hold lines of row, column, value)`},
		{"row,column,value\n", Settings{}, `r.csv: has a header but no entries`},
		{"u,a,1\nu,b,n/a\n", Settings{}, `r.csv:2: value "n/a" is not a number (use Settings.Missing n/a to treat it as unknown)`},
		{"u,a,n/a\nu,b,1\n", Settings{}, `r.csv:1: value "n/a" is not a number (use Settings.Missing n/a to treat it as unknown)`},
		{"u,a,good\nu,b,1\n", Settings{}, `r.csv:1: value "good" is not a number (use Settings.Missing good to treat it as unknown)`},
		{"u,a,1\nu,b,not seen\n", Settings{}, `r.csv:2: value "not seen" is not a number (use Settings.Missing 'not seen' to treat it as unknown)`},
		{"u,a,NaN\n", Settings{}, `r.csv:1: value "NaN" is not a finite number (use Settings.Missing NaN to treat it as unknown)`},
		{"u,a,1\nu,b,-Infinity\n", Settings{}, `r.csv:2: value "-Infinity" is not a finite number (use Settings.Missing -Infinity to treat it as unknown)`},
		{"u,a,1\nu,b,+inf\n", Settings{}, `r.csv:2: value "+inf" is not a finite number (use Settings.Missing +inf to treat it as unknown)`},
		{"u,a,1\nu,b,1e999\n", Settings{}, `r.csv:2: value "1e999" is too large for a number`},
		{"u,a,1\nu,b,0x10\n", Settings{}, `r.csv:2: value "0x10" is not a number (use Settings.Missing 0x10 to treat it as unknown)`},
		{"u;a;1\nu;b;3,5\n", Settings{}, `r.csv:2: value "3,5" is not a number (write decimals with a point)`},
		{"u,a,1\nu,b,\n", Settings{}, `r.csv:2: the value is blank (leave the line out, or use Settings.Missing "" to treat it as unknown)`},
		{"u,a,1\n,b,1\n", Settings{}, `r.csv:2: the row id is empty (fill it in or leave the line out)`},
		{"u,a,1\nu,\"\",1\n", Settings{}, `r.csv:2: the column id is empty (fill it in or leave the line out)`},
		{"u,a,1\nu,b\n", Settings{}, `r.csv:2: the line has 2 fields where 3 are expected (fields are separated by commas)`},
		{"u,a,1\nu,b,1,2\n", Settings{}, `r.csv:2: the line has 4 fields where 3 are expected (quote fields that contain commas)`},
		{"hello\n", Settings{}, `r.csv:1: the line has 1 field where 3 are expected (fields are separated by commas)`},
		{"u,a,1,9\n", Settings{}, `r.csv:1: the line has 4 fields where 3 are expected (a header must name which are row, column and value (and weight, if there is one), or Settings.RowName, Settings.ColumnName and Settings.ValueName (and Settings.Weight) say which of its names are; Settings.Format movielens takes row, column, value, time; Settings.Format wide a matrix with a header of column ids)`},
		{"u,a,1\n\nu,x,1\n", Settings{}, `r.csv:3: column "x" is not in the feature table (use Settings.DropUnknown to leave such entries out)`},
		{"u,x,1\n", Settings{DropUnknown: true}, `r.csv: no entries are left: 1 are of columns without features, 0 are missing: here are "x", and there "a", "b", "c" (check that the column ids are those of the feature table)`},
		{"row,column,value\nu,a,1\n\nv,a,1\nu,a,2\n", Settings{}, `r.csv:5: row "u", column "a" was already given on line 2 (keep one of the two lines, or choose with Settings.Duplicates first, last or mean)`},
		{"u,a,1\nu,x,1\nu,b,1\nu,x,1\nu,b,2\n", Settings{DropUnknown: true}, `r.csv:5: row "u", column "b" was already given on line 3 (keep one of the two lines, or choose with Settings.Duplicates first, last or mean)`},
		{"u,a,1\nu,b,1\n", Settings{ValueName: "stars"}, `r.csv:1: the header has no column "row" (it has "u", "a", "1")`},
		{"row,row,column,value\n", Settings{ValueName: "value"}, `r.csv:1: the header has the column "row" twice (rename one of them)`},
		{"u,a,1\n\"u,b,1\nu,c,1\n", Settings{}, `r.csv:2: a quoted field is not closed on its line (write a quote within a quoted field as "")`},
		{"u,a,1\n\"u\"x,b,1\n", Settings{}, `r.csv:2: text follows the closing quote of a field (write a quote within a quoted field as "")`},
		{"u,a,1\nu,b\x00,1\n", Settings{}, `r.csv:2: holds a NUL byte (save the file as UTF-8 text)`},
		{"u,a,1\nu\xff,b,1\n", Settings{}, `r.csv:2: is not UTF-8 text (save the file as UTF-8)`},
		{"u,a,1\ru,b,1\n", Settings{}, `r.csv:1: holds a carriage return within the line (end lines with \n or \r\n)`},
		{"\xff\xfeu\x00", Settings{}, `r.csv: is UTF-16 text (save it as UTF-8)`},
		{"PK\x03\x04....", Settings{}, `r.csv: is a zip archive or a spreadsheet (unpack it, or save the sheet as CSV)`},
	} {
		_, _, err := readText(t, c.text, c.options)
		var input *data.InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %v is no *data.InputError", c.text, err)
			continue
		}
		if d := cmp.Diff(c.want, err.Error()); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
}

func TestTooManyRowsIsAnError(t *testing.T) {
	in := streamOf("r.csv", strings.NewReader("u,a,1\nv,a,1\nu,b,1\nw,a,1\n"), Settings{})
	in.maxIDs = 2
	_, _, err := in.ratings(context.Background())
	if err == nil || err.Error() != "r.csv:4: there are more than 2 rows or columns (split the input by rows)" {
		t.Errorf("got %v", err)
	}
}

// endless is a text of one line that does not end, and counts what is taken.
type endless struct{ taken int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.taken += len(p)
	if e.taken > 64<<20 {
		return 0, errors.New("read on after the limit")
	}
	return len(p), nil
}

func TestALongLineIsRefusedWithoutReadingIt(t *testing.T) {
	text := &endless{}
	_, _, err := streamOf("r.csv", io.MultiReader(strings.NewReader("u,a,1\n"), text), Settings{}).ratings(context.Background())
	if err == nil || !strings.HasPrefix(err.Error(), "r.csv:2: the line is longer than 1 MiB") || text.taken > 4<<20 {
		t.Errorf("got %v after %d bytes", err, text.taken)
	}
}

func TestLinesUpToTheLimitAreRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, length := range []int{textfile.BufferBytes - 1, textfile.BufferBytes, textfile.BufferBytes + 1, data.MaxRatingsLine} {
		id := strings.Repeat("x", length-len(",a,1"))
		for _, end := range []string{"", "\n", "\r\n"} {
			got, _, err := readText(t, id+",a,1"+end, Settings{})
			if err != nil || got.RowIDs[0] != id {
				t.Errorf("a line of %d bytes ending in %q: %v", length, end, err)
			}
			_, _, err = readText(t, "u,a,1\nx"+id+",b,1"+end, Settings{})
			if tooLong := length == data.MaxRatingsLine; (err != nil) != tooLong {
				t.Errorf("a line of %d bytes ending in %q: %v", length+1, end, err)
			}
		}
	}
}

func TestRatingsFromFiles(t *testing.T) {
	const text = "u,a,1\nu,b,2.5\n"
	dir := t.TempDir()
	write := func(name string, pack func(io.Writer) io.WriteCloser) string {
		path := filepath.Join(dir, name)
		file := must.Get(os.Create(path))(t)
		w := pack(file)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		must.Do(t, errors.Join(w.Close(), file.Close()))
		return path
	}
	paths := []string{
		write("plain", func(w io.Writer) io.WriteCloser { return nopCloser{w} }),
		write("gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		write("zstd", func(w io.Writer) io.WriteCloser {
			z := must.Get(zstd.NewWriter(w))(t)
			return z
		}),
	}
	for _, path := range paths {
		got, _, err := Ratings(context.Background(), []string{path}, Settings{Columns: known})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if d := cmp.Diff([]string{"u a 1", "u b 2.5"}, cells(got)); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
	for _, path := range paths[1:] {
		packed := must.Get(os.ReadFile(path))(t)
		cut := path + ".cut"
		must.Do(t, os.WriteFile(cut, packed[:len(packed)-5], 0o600))
		var input *data.InputError
		if _, _, err := Ratings(context.Background(), []string{cut}, Settings{Columns: known}); !errors.As(err, &input) {
			t.Errorf("%s: %v is no *data.InputError", cut, err)
		}
	}
	_, _, err := Ratings(context.Background(), []string{filepath.Join(dir, "none")}, Settings{Columns: known})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("got %v", err)
	}
	if _, _, err := Ratings(context.Background(), []string{dir}, Settings{Columns: known}); err == nil || !strings.Contains(err.Error(), "is a folder without ratings") {
		t.Errorf("got %v", err)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestAnyColumnComesAfterTheKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	some := []string{"a", "b"}
	got, report, err := readText(t, "u,x,1\nu,b,2\nv,y,3\nv,x,4\n", Settings{Columns: some, AnyColumn: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "x", "y"}, got.ColumnIDs); diff != "" || report.Entries != 4 || len(some) != 2 {
		t.Errorf("%s %+v", diff, report)
	}
	if columns, values := got.Matrix().Row(1); !cmp.Equal(columns, []int32{2, 3}) || !cmp.Equal(values, []float64{4, 3}) {
		t.Errorf("row v: %v %v", columns, values)
	}
	_, _, err = readText(t, "u,x,1\nu,x,2\n", Settings{Columns: some, AnyColumn: true})
	if err == nil || !strings.Contains(err.Error(), `row "u", column "x" was already given on line 1`) {
		t.Errorf("a duplicate: %v", err)
	}
}

// TestCodesForUnknownAreTold: −1, 99 and the like that many entries have are told with
// the remedy, and the remedy leaves them out however they are written.
func TestCodesForUnknownAreTold(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		values string
		want   string
	}{
		{"-1 -1.0 -1 -1 0 3 4", "4 of 7 values are -1, and the others from 0 to 4: if it means unknown, use Settings.Missing -1"},
		{"3 -7.5 8 99 99", "2 of 5 values are 99, and the others from -7.5 to 8: if it means unknown, use Settings.Missing 99"},
		{"1 -999 3 5", "1 of 4 values are -999, and the others from 1 to 5: if it means unknown, use Settings.Missing -999"},
		{"-1 1 1 -1", ""},
		{"-1 0 1 1", ""},
		{"-1 -0.5 0 2", ""},
		{"7 9 8 1", ""},
		{"9 9 1", ""},
		{"99 95 90 12", ""},
	} {
		text := ""
		for i, v := range strings.Fields(c.values) {
			text += fmt.Sprintf("u%d,a,%s\n", i, v)
		}
		_, report, err := readText(t, text, Settings{})
		must.Do(t, err)
		if got := strings.Join(report.Warnings(), "; "); got != c.want {
			t.Errorf("%s: %q, not %q", c.values, got, c.want)
			continue
		}
		if _, code, found := strings.Cut(c.want, "Missing "); found {
			_, report, err = readText(t, text, Settings{Missing: []string{code}})
			must.Do(t, err)
			if w := report.Warnings(); len(w) != 1 || !data.LeavesOut(w[0]) {
				t.Errorf("%s with the remedy: %q", c.values, w)
			}
		}
	}
}
