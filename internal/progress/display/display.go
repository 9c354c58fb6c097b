// Package display shows how far long work has come, with its rate and the time
// that is left: a bar on a terminal, a line now and then elsewhere. Work that is
// done soon is never shown.
//
// A [Display] belongs to one output; everything else that is written there goes
// through it ([Display.Write]), so that bars and text do not disturb each other.
package display

import (
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"optcomplete/internal/progress"
)

// Settings say how progress is shown. The zero value shows lines.
type Settings struct {
	Bars  bool          // draw bars: the output is a terminal
	After time.Duration // work that is done sooner is not shown; zero means 0.5 s for bars, Every for lines
	Every time.Duration // between two lines of one task; zero means 10 s
	None  bool          // show nothing; Write still writes
}

// Display shows the progress of tasks on one output. Its methods may be called
// by any number of goroutines.
type Display struct {
	out io.Writer
	Settings

	mu    sync.Mutex
	bars  *mpb.Progress // while there are any
	shown int           // bars that are drawn
}

// New makes a display on an output.
func New(out io.Writer, s Settings) *Display {
	if s.Every == 0 {
		s.Every = 10 * time.Second
	}
	if s.After == 0 {
		s.After = s.Every
		if s.Bars {
			s.After = 500 * time.Millisecond
		}
	}
	return &Display{out: out, Settings: s}
}

// Write writes whole lines, above the bars if there are any.
func (d *Display) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bars != nil {
		if n, err := d.bars.Write(p); err == nil {
			return n, nil
		}
	}
	return d.out.Write(p)
}

// task is a piece of work that is shown.
type task struct {
	display     *Display
	label, unit string
	total       int64
	start       time.Time
	done        atomic.Int64
	look        atomic.Int64 // time since start at which to show it again
	bar         *mpb.Bar
	due         *time.Timer // on a terminal: when it is shown at the latest
	over        bool
}

var _ progress.Reporter = (*Display)(nil)

// Start begins a piece of work; see progress.Reporter.
func (d *Display) Start(label string, total int64, unit string) progress.Task {
	if d.None {
		return progress.None{}
	}
	t := &task{display: d, label: label, unit: unit, total: total, start: time.Now()}
	t.look.Store(int64(d.After))
	if d.Bars { // long work is shown even before any part of it is done
		t.due = time.AfterFunc(d.After, func() { t.progressed(t.done.Load()) })
	}
	return t
}

// Add tells that n more are done.
func (t *task) Add(n int64) {
	t.progressed(t.done.Add(n))
}

// To tells that this many are done in all.
func (t *task) To(done int64) {
	t.done.Store(done)
	t.progressed(done)
}

func (t *task) progressed(done int64) {
	now := time.Since(t.start)
	look := t.look.Load()
	if int64(now) < look {
		return
	}
	next := now + t.display.Every
	if t.display.Bars {
		next = now + 100*time.Millisecond
	}
	if t.look.CompareAndSwap(look, int64(next)) {
		t.show(done, now)
	}
}

func (t *task) show(done int64, now time.Duration) {
	d := t.display
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.over {
		return
	}
	if !d.Bars {
		fmt.Fprintf(d.out, "%s  %s\n", t.label, Text(done, t.total, t.unit, now))
		return
	}
	if t.bar == nil {
		if d.bars == nil {
			d.bars = mpb.New(mpb.WithOutput(d.out), mpb.WithAutoRefresh())
		}
		d.shown++
		t.bar = d.bars.New(t.total, mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
			mpb.BarRemoveOnComplete(), mpb.BarWidth(24),
			mpb.PrependDecorators(decor.Name(t.label+" ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				return Text(t.done.Load(), t.total, t.unit, time.Since(t.start))
			})))
	}
	t.bar.SetCurrent(done)
}

// Done ends the work, finished or not. What was shown on a terminal is removed.
func (t *task) Done() {
	d := t.display
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.over {
		return
	}
	t.over = true
	if t.due != nil {
		t.due.Stop()
	}
	if t.bar == nil {
		return
	}
	t.bar.Abort(true)
	t.bar.Wait()
	if d.shown--; d.shown == 0 {
		d.bars.Wait()
		d.bars = nil
	}
}

// Text says how far work has come: "34 %, 1.2 M rows/s, 12 s left". Of work that is
// not counted it says how long it has taken: "3 s".
func Text(done, total int64, unit string, elapsed time.Duration) string {
	rate := float64(done) / max(elapsed.Seconds(), 1e-9)
	speed := fmt.Sprintf("%s %s/s", short(rate), unit)
	if total <= 0 && unit == "" {
		return fmt.Sprintf("%.0f s", math.Floor(elapsed.Seconds()))
	}
	if total <= 0 {
		return fmt.Sprintf("%s %s, %s", short(float64(done)), unit, speed)
	}
	part := fmt.Sprintf("%3.0f %%, %s", math.Floor(100*float64(min(done, total))/float64(total)), speed)
	if done <= 0 {
		return part
	}
	left := time.Duration(float64(max(total-done, 0)) / rate * float64(time.Second))
	return part + ", " + remaining(left) + " left"
}

// short prints a count in at most six letters.
func short(x float64) string {
	for _, s := range []struct {
		size float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e4, " k"}} {
		if x >= s.size {
			scale := min(s.size, 1e12)
			if s.name == " k" {
				scale = 1e3
			}
			return fmt.Sprintf("%.3g%s", x/scale, s.name)
		}
	}
	if x >= 100 || x == math.Trunc(x) {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// remaining prints a time as one would say it.
func remaining(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds()))
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", math.Ceil(d.Minutes()))
	case d < 1000*time.Hour:
		return fmt.Sprintf("%.0f h", math.Ceil(d.Hours()))
	}
	return "long"
}
