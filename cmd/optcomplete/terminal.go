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
