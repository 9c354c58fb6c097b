// Package browser opens pages in a headless Chromium, for tests.
//
// It takes HTML files and gives what a reader would meet: errors on the console,
// requests to the network, the picture, the printed page. It finds the browser by
// itself; Find says where it looked. It is a module of its own, so that nobody who
// uses optcomplete needs what drives a browser.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Programs are the names that Find looks for, after $OPTCOMPLETE_BROWSER.
var Programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Find finds the browser's program.
func Find() (string, error) {
	if program := os.Getenv("OPTCOMPLETE_BROWSER"); program != "" {
		return exec.LookPath(program)
	}
	for _, name := range Programs {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", fmt.Errorf("browser: none of %s is installed (scripts/install-browser.sh installs one, or name it in OPTCOMPLETE_BROWSER)", strings.Join(Programs, ", "))
}

// Browser is a running browser.
type Browser struct {
	ctx    context.Context
	cancel func()
}

// Start starts the browser; Close ends it.
func Start(ctx context.Context) (*Browser, error) {
	program, err := Find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // root in a container has none
		chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(60*time.Second),
	)
	allocated, stop := chromedp.NewExecAllocator(ctx, options...)
	// Chromium may be newer than the protocol here: what it adds is no error.
	tab, end := chromedp.NewContext(allocated, chromedp.WithErrorf(func(string, ...any) {}))
	b := &Browser{ctx: tab, cancel: func() { end(); stop() }}
	if err := chromedp.Run(tab); err != nil {
		b.cancel()
		return nil, fmt.Errorf("browser: %s: %w", program, err)
	}
	return b, nil
}

// Close ends the browser.
func (b *Browser) Close() { b.cancel() }

// View is how a page is looked at.
type View struct {
	Width, Height int  // in pixels; height 0 means 900
	Dark          bool // what the reader's system prefers
	Scale         float64
}

// Page is an open page.
type Page struct {
	ctx    context.Context
	cancel func()

	mu       sync.Mutex
	problems []string
	requests []string
}

// Open opens a file, or the address of a page.
func (b *Browser) Open(file string, view View) (*Page, error) {
	address := file
	if !strings.HasPrefix(file, "http://") {
		full, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		address = "file://" + full
	}
	if view.Height == 0 {
		view.Height = 900
	}
	if view.Scale == 0 {
		view.Scale = 1
	}
	tab, cancel := chromedp.NewContext(b.ctx)
	p := &Page{ctx: tab, cancel: cancel}
	chromedp.ListenTarget(tab, p.listen)
	scheme := "light"
	if view.Dark {
		scheme = "dark"
	}
	err := chromedp.Run(tab, network.Enable(), log.Enable(), runtime.Enable(),
		emulation.SetDeviceMetricsOverride(int64(view.Width), int64(view.Height), view.Scale, view.Width < 600),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(address))
	if err != nil {
		cancel()
		return nil, err
	}
	return p, nil
}

// Close closes the page.
func (p *Page) Close() { p.cancel() }

func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			p.problems = append(p.problems, fmt.Sprint("console: ", e.Type))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			p.problems = append(p.problems, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") {
			p.requests = append(p.requests, url)
		}
	}
}

// Problems are the errors and warnings of the page's console.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.problems...)
}

// Requests are what the page asked the network for.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.requests...)
}

// Type types a text into the element that a selector names.
func (p *Page) Type(selector, text string) error {
	return chromedp.Run(p.ctx, chromedp.SendKeys(selector, text, chromedp.ByQuery))
}

// Wait waits until a JavaScript expression holds.
func (p *Page) Wait(condition string) error {
	return chromedp.Run(p.ctx, chromedp.Poll(condition, nil, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(20*time.Second)))
}

// Eval evaluates JavaScript and stores its value.
func (p *Page) Eval(script string, value any) error {
	return chromedp.Run(p.ctx, chromedp.Evaluate(script, value))
}

// Focus moves the focus to the element that a selector names.
func (p *Page) Focus(selector string) error {
	return chromedp.Run(p.ctx, chromedp.Focus(selector, chromedp.ByQuery))
}

// Press presses a key where the focus is.
func (p *Page) Press(key string) error { return chromedp.Run(p.ctx, chromedp.KeyEvent(key)) }

// Click clicks the element that a selector names.
func (p *Page) Click(selector string) error {
	return chromedp.Run(p.ctx, chromedp.Click(selector, chromedp.ByQuery))
}

// Screenshot is a PNG of the whole page, or of its first this many pixels if height
// is not 0.
func (p *Page) Screenshot(height int) (png []byte, err error) {
	err = chromedp.Run(p.ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, _, _, _, size, err := page.GetLayoutMetrics().Do(ctx)
		if err != nil {
			return err
		}
		clip := &page.Viewport{Width: size.Width, Height: size.Height, Scale: 1}
		if height > 0 {
			clip.Height = min(clip.Height, float64(height))
		}
		png, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatPng).WithCaptureBeyondViewport(true).WithClip(clip).Do(ctx)
		return err
	}))
	return png, err
}

// PDF is the page printed on A4.
func (p *Page) PDF() (pdf []byte, err error) {
	err = chromedp.Run(p.ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		var err error
		pdf, _, err = page.PrintToPDF().WithPaperWidth(8.27).WithPaperHeight(11.69).WithPrintBackground(true).Do(ctx)
		return err
	}))
	return pdf, err
}
