package display

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"optcomplete/internal/progress"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		elapsed     time.Duration
		want        string
	}{
		{0, 100, time.Second, "  0 %, 0 rows/s"},
		{340_000, 1_000_000, 10 * time.Second, " 34 %, 34 k rows/s, 20 s left"},
		{999_999, 1_000_000, 10 * time.Second, " 99 %, 100 k rows/s, 1 s left"},
		{1_000_000, 1_000_000, 10 * time.Second, "100 %, 100 k rows/s, 0 s left"},
		{1_200_000, 1_000_000, 10 * time.Second, "100 %, 120 k rows/s, 0 s left"},
		{1_000_000, 1_000_000_000, time.Second, "  0 %, 1 M rows/s, 17 min left"},
		{5_000_000, 0, 2 * time.Second, "5 M rows, 2.5 M rows/s"},
		{1, 1_000_000, time.Minute, "  0 %, 0.017 rows/s, long left"},
	} {
		if got := Text(c.done, c.total, "rows", c.elapsed); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestLinesNowAndThen(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, Settings{After: time.Nanosecond, Every: time.Hour})
	task := progress.Start(progress.NewContext(context.Background(), d), "Packing", 100, "entries")
	time.Sleep(time.Millisecond)
	for range 100 {
		task.Add(1)
	}
	task.Done()
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "Packing    1 %, ") {
		t.Errorf("%q", text)
	}
}

// TestUncountedWorkIsShown: on a terminal also what says nothing until it is done.
func TestUncountedWorkIsShown(t *testing.T) {
	if text := Text(0, 0, "", 3500*time.Millisecond); text != "3 s" {
		t.Errorf("%q", text)
	}
	d := New(io.Discard, Settings{Bars: true, After: time.Nanosecond})
	work := d.Start("Trying gamma 1", 0, "").(*task)
	defer work.Done()
	for shown := false; !shown; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		shown = work.bar != nil
		d.mu.Unlock()
	}
}

func TestQuickWorkIsNotShown(t *testing.T) {
	var out bytes.Buffer
	task := New(&out, Settings{Bars: true}).Start("Pass", 10, "rows")
	task.Add(10)
	task.Done()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}

func TestNothingWithoutADisplay(t *testing.T) {
	task := progress.Start(context.Background(), "Pass", 10, "rows")
	task.Add(10)
	task.Done()
	var out bytes.Buffer
	d := New(&out, Settings{None: true, After: 1})
	task = d.Start("Pass", 10, "rows")
	task.Add(10)
	task.Done()
	d.Write([]byte("text\n"))
	if out.String() != "text\n" {
		t.Errorf("%q", out.String())
	}
}

// TestBarsLeaveTheTextWhole: every line that is written while bars are drawn
// arrives whole and in order, and no bar is left when the work is done.
func TestBarsLeaveTheTextWhole(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, Settings{Bars: true, After: time.Nanosecond})
	var both sync.WaitGroup
	task := d.Start("Pass", 1000, "rows")
	for range 2 {
		both.Go(func() {
			for range 100 {
				time.Sleep(time.Millisecond)
				task.Add(5)
			}
		})
	}
	var lines []string
	for i := range 20 {
		time.Sleep(5 * time.Millisecond)
		lines = append(lines, strings.Repeat("x", i)+"|")
		d.Write([]byte(lines[i] + "\n"))
	}
	both.Wait()
	task.Done()
	task.Done()
	d.Write([]byte("after\n"))
	text := out.String()
	at := 0
	for _, line := range append(lines, "after") {
		i := strings.Index(text[at:], line+"\n")
		if i < 0 {
			t.Fatalf("%q is not whole or not in its place:\n%q", line, text)
		}
		at += i
	}
	if !strings.Contains(text, "Pass  [") || !strings.Contains(text, "left") {
		t.Errorf("no bar:\n%q", text)
	}
	if rest := text[strings.LastIndex(text, "\x1b["):]; strings.Contains(rest, "Pass") {
		t.Errorf("a bar is left: %q", rest)
	}
}
