package main

import (
	"bytes"
	"testing"
)

// TestHarmless: nothing that a terminal would obey comes through but our own
// colours, however the text is cut.
func TestHarmless(t *testing.T) {
	text := "na\x1b[2Jme \x1b]52;c;eA==\x07 \u009b2J \u202egnp.exe\u202c é 電 \t\r\x7f\n" + (terminal{color: true}).style(green, "ok") + "\xfe"
	want := "na\\x1b[2Jme \\x1b]52;c;eA==\\x07 \\u009b2J \\u202egnp.exe\\u202c é 電 \t\\x0d\\x7f\n\x1b[32mok\x1b[0m\\xfe"
	for size := 1; size < len(text); size++ {
		var got bytes.Buffer
		out := &output{Writer: &got, shown: true}
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			if n, err := out.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if got.String() != want {
			t.Fatalf("in parts of %d:\n%q, want\n%q", size, got.String(), want)
		}
	}
	var raw bytes.Buffer
	(&output{Writer: &raw}).Write([]byte(text))
	if raw.String() != text {
		t.Errorf("what is no terminal got %q", raw.String())
	}
}
