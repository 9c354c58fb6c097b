package data

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseNumberEqualsStrconv(t *testing.T) {
	form := rapid.StringMatching(`[+-]?[0-9]{0,17}(\.[0-9]{0,17})?([eE][+-]?[0-9]{1,3})?`)
	rapid.Check(t, func(t *rapid.T) {
		text := form.Draw(t, "text")
		got, fault := parseNumber([]byte(text))
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
	for text, want := range map[string]numberFault{
		"": notNumber, ".": notNumber, "-": notNumber, "1.2.3": notNumber, "1e": notNumber, "1_000": notNumber,
		"0x1p-2": notNumber, "12a": notNumber, "1 2": notNumber, "−1": notNumber,
		"nan": notFinite, "-NaN": notFinite, "Inf": notFinite, "+INFINITY": notFinite, "1e400": tooLarge, "-1e400": tooLarge,
	} {
		if _, got := parseNumber([]byte(text)); got != want {
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
		fields, fault := split([]byte(text), ',', nil)
		if got := strings.Join(texts(fields), "|"); fault != "" || got != strings.Join(want, "|") || len(fields) != len(want) {
			t.Errorf("%q: %q, want %q (%s)", text, got, want, fault)
		}
	}
	if fields, fault := split([]byte("\"a\"\t\t \"b\t\" "), '\t', nil); fault != "" || strings.Join(texts(fields), "|") != "a||b\t" {
		t.Errorf("tabs: %q (%s)", fields, fault)
	}
}

func TestPrintableNeverMissesAByte(t *testing.T) {
	for length := range 20 {
		line := []byte(strings.Repeat("~", length))
		if !printable(line) {
			t.Errorf("%d plain bytes are refused", length)
		}
		for at := range line {
			for b := range 256 {
				line[at] = byte(b)
				if got, want := printable(line), b >= 14 && b < 128; got != want {
					t.Fatalf("byte %d at %d of %d: %v", b, at, length, got)
				}
			}
			line[at] = ' '
		}
	}
}
