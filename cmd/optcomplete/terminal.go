package main

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// usualWidth is that of help and of the log where there is no terminal to ask.
const usualWidth = 80

// terminal is what an output can show.
type terminal struct {
	is    bool // bars may be drawn
	color bool
	width int
}

// terminalOf looks at an output. Colours are for terminals, and not where the
// environment has NO_COLOR (https://no-color.org).
func terminalOf(w io.Writer) terminal {
	t := terminal{width: usualWidth}
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !cwriter.IsTerminal(int(file.Fd())) {
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

// style colours text where colours are shown.
func (t terminal) style(code, text string) string {
	if !t.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
