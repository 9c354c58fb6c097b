package textfile

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "optcomplete/internal/steadyseed"
)

func TestParseNumberEqualsStrconv(t *testing.T) {
	form := rapid.StringMatching(`[+-]?[0-9]{0,17}(\.[0-9]{0,17})?([eE][+-]?[0-9]{1,3})?`)
	rapid.Check(t, func(t *rapid.T) {
		text := form.Draw(t, "text")
		got, fault := ParseNumber([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		if (fault != "") != (err != nil) {
			t.Fatalf("%q: %q, strconv says %v", text, fault, err)
		}
		if err == nil && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

func TestParseNumberRefuses(t *testing.T) {
	for text, want := range map[string]NumberFault{
		"": NotNumber, ".": NotNumber, "-": NotNumber, "1.2.3": NotNumber, "1e": NotNumber, "1_000": NotNumber,
		"0x1p-2": NotNumber, "12a": NotNumber, "1 2": NotNumber, "−1": NotNumber,
		"nan": NotFinite, "-NaN": NotFinite, "Inf": NotFinite, "+INFINITY": NotFinite, "1e400": TooLarge, "-1e400": TooLarge,
	} {
		if _, got := ParseNumber([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		`a,b,c`:              {"a", "b", "c"},
		`,,`:                 {"", "", ""},
		`"a,b",c`:            {"a,b", "c"},
		`"a ""b""",c`:        {`a "b"`, "c"},
		`"",""`:              {"", ""},
		` " a " , b `:        {" a ", "b"},
		`5" disk,the "best"`: {`5" disk`, `the "best"`},
		`"a",`:               {"a", ""},
		"a\t, \tb":           {"a", "b"},
	} {
		fields, fault := Split([]byte(text), ',', nil)
		if got := strings.Join(Texts(fields), "|"); fault != "" || got != strings.Join(want, "|") || len(fields) != len(want) {
			t.Errorf("%q: %q, want %q (%s)", text, got, want, fault)
		}
	}
	if fields, fault := Split([]byte("\"a\"\t\t \"b\t\" "), '\t', nil); fault != "" || strings.Join(Texts(fields), "|") != "a||b\t" {
		t.Errorf("tabs: %q (%s)", fields, fault)
	}
}

func TestPrintableNeverMissesAByte(t *testing.T) {
	for length := range 20 {
		line := []byte(strings.Repeat("~", length))
		if !Printable(line) {
			t.Errorf("%d plain bytes are refused", length)
		}
		for at := range line {
			for b := range 256 {
				line[at] = byte(b)
				if got, want := Printable(line), b >= 14 && b < 128; got != want {
					t.Fatalf("byte %d at %d of %d: %v", b, at, length, got)
				}
			}
			line[at] = ' '
		}
	}
}
