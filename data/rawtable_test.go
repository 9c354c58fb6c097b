package data

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadRawTableKeepsTheText(t *testing.T) {
	for name, text := range map[string]string{
		"commas": "film,Genres,Year\nx,Drama|Crime,\"2,5\"\n\n\"y, z\",,  1990 \n",
		"tabs":   "\ufefffilm\tGenres\tYear\r\nx\tDrama|Crime\t2,5\r\n\r\ny, z\t\t1990",
	} {
		got, err := readRawTable(strings.NewReader(text), "f.csv", FeaturesOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := &RawTable{
			File: "f.csv", IDs: []string{"x", "y, z"}, Names: []string{"Genres", "Year"},
			Cells: []string{"Drama|Crime", "2,5", "", "1990"}, Lines: []int{2, 4},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff([]string{"", "1990"}, got.Row(1)); d != "" {
			t.Errorf("%s: row 1: %s", name, d)
		}
	}
}

func TestReadRawTableIsAsStrictAsReadFeatures(t *testing.T) {
	for _, text := range []string{
		"", "id,f\n", "id\nx\n", "id,f,g,f\nx,1,2,3\n", "id,f,\nx,1,2\n", "id,f\nx,1\ny,2\n\nx,3\n",
		"id,f\nx,1\n,2\n", "id,f\nx,1\ny,2,3\n", "id,f,g\nx,1\n", "id,f\nx,1\n\"y,2\nz,3\n",
		"id,f\nx\x00,1\n", "id,f\nx,1\ny,\xc3\x28\n", "PAR1\x15\x00\x15\x00\x15",
	} {
		_, want := readFeatures(strings.NewReader(text), "f.csv", FeaturesOptions{})
		_, got := readRawTable(strings.NewReader(text), "f.csv", FeaturesOptions{})
		var input *InputError
		if !errors.As(got, &input) {
			t.Errorf("%q: %v is no *InputError", text, got)
			continue
		}
		if got.Error() != want.Error() {
			t.Errorf("%q: %v, but ReadFeatures says %v", text, got, want)
		}
	}
}

func TestParseNumberIsTheReaders(t *testing.T) {
	for text, want := range map[string]string{
		"2.5": "", "1e3": "", "2,5": "is not a number|write decimals with a point",
		"0x10": "is not a number|", "inf": "is not a finite number|", "1e999": "is too large for a number|",
	} {
		_, problem, remedy := ParseNumber(text)
		if problem != "" {
			problem += "|" + remedy
		}
		if problem != want {
			t.Errorf("%q: %q, want %q", text, problem, want)
		}
	}
}
