// Command picture takes a picture of an HTML page, such as a report:
//
//	go -C tools/browser run ./picture -width 1200 -height 1500 -o "$PWD/docs/report.png" "$PWD/report.html"
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"optcomplete/internal/atomicfile"
	"optcomplete/tools/browser"
)

func main() {
	var view browser.View
	output := flag.String("o", "page.png", "file to write to")
	height := flag.Int("height", 0, "pixels from the top; 0: the whole page")
	flag.IntVar(&view.Width, "width", 1400, "width of the window in pixels")
	flag.BoolVar(&view.Dark, "dark", false, "as on a system that prefers dark pages")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := take(flag.Arg(0), *output, view, *height); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func take(file, output string, view browser.View, height int) error {
	b, err := browser.Start(context.Background())
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.Open(file, view)
	if err != nil {
		return err
	}
	defer page.Close()
	picture, err := page.Screenshot(height)
	if err != nil {
		return err
	}
	return atomicfile.File(output, func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}
