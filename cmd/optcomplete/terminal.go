package main

import (
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// usualWidth is that of help and of the log where there is no terminal to ask.
const usualWidth = 80

// terminal is what an output can show.
type terminal struct {
	is    bool // bars may be drawn
	shown bool // somebody's screen shows what is written
	color bool
	width int
}

// terminalOf looks at an output. Colours are for terminals, and not where the
// environment has NO_COLOR (https://no-color.org).
func terminalOf(w io.Writer) terminal {
	t := terminal{width: usualWidth}
	file, ok := w.(*os.File)
	if !ok || !cwriter.IsTerminal(int(file.Fd())) {
		return t
	}
	t.shown = true
	if os.Getenv("TERM") == "dumb" {
		return t
	}
	t.is, t.color = true, os.Getenv("NO_COLOR") == ""
	if width, _, err := cwriter.GetSize(int(file.Fd())); err == nil && width > 0 {
		t.width = width
	}
	return t
}

// The colours in use, as ANSI codes.
const (
	bold   = "1"
	green  = "32"
	yellow = "33"
	red    = "31"
)

// escape stands for the beginning of one of our own escape sequences until
// output writes it. It is no UTF-8, so that no name can hold it.
const escape = "\xff"

// style colours text where colours are shown.
func (t terminal) style(code, text string) string {
	if !t.color || text == "" {
		return text
	}
	return escape + code + "m" + text + escape + "0m"
}

// output is where text goes. It remembers the first failure, so that no verb can
// miss it. On a terminal it shows control characters, such as those in a name
// that would clear the screen or fill the clipboard, and does not send them.
type output struct {
	io.Writer
	shown bool // to a terminal
	begun []byte
	err   error
}

func (o *output) Write(b []byte) (int, error) {
	text := b
	if o.shown {
		text, o.begun = harmless(append(o.begun, b...))
		o.begun = append([]byte(nil), o.begun...)
	}
	n, err := o.Writer.Write(text)
	if err != nil && o.err == nil {
		o.err = err
	}
	if o.shown && err == nil {
		n = len(b)
	}
	return min(n, len(b)), err
}

// harmless is text as a terminal may get it. rest is the beginning of a character
// whose end is still to come.
func harmless(b []byte) (text, rest []byte) {
	for len(b) > 0 {
		if !utf8.FullRune(b) {
			return text, b
		}
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size == 1 && b[0] == escape[0]:
			text = append(text, "\x1b["...)
		case r == utf8.RuneError && size == 1:
			text = fmt.Appendf(text, `\x%02x`, b[0])
		case r != '\n' && r != '\t' && (r < ' ' || r == 0x7f):
			text = fmt.Appendf(text, `\x%02x`, r)
		case r >= 0x80 && r < 0xa0, // further control characters
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // and those that turn the direction of writing
			text = fmt.Appendf(text, `\u%04x`, r)
		default:
			text = append(text, b[:size]...)
		}
		b = b[size:]
	}
	return text, nil
}
