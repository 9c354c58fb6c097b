package pack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/internal/must"
)

// A pack that shrinks under its readers is an error to them, not the end of the
// process: the pages that are gone answer with SIGBUS.
func TestCutWhileOpen(t *testing.T) {
	m := random(t, 400, 2000, 0.5, double)
	path := write(t, m, WriterOptions{Rows: 16, Observed: 16 * 1000})
	for _, touched := range []bool{false, true} {
		content := must.Get(os.ReadFile(path))(t)
		f := opened(t, path)
		if touched {
			must.Do(t, readAll(f))
		}
		r := f.Reader()
		f.lastLook.Store(1 << 62) // as if just looked at: only the fault can tell
		must.Do(t, os.Truncate(path, 8192))
		columns, values := []int32{5}, []float64{6}
		c, v, err := r.Append(399, columns, values)
		known := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "cut short while open") || !strings.Contains(err.Error(), "block ") {
				t.Errorf("%s, touched %v: %v", what, touched, err)
			}
		}
		known("reading", err)
		if len(c) != 1 || len(v) != 1 || c[0] != 5 || v[0] != 6 {
			t.Error("the slices given did not come back as they were")
		}
		if n := f.Entries(398); n != 0 {
			t.Errorf("%d entries in a row that is gone", n)
		}
		if f.RowIDs() != nil {
			t.Error("row ids that are gone")
		}
		known("Err", f.Err())
		if err := f.Verify(context.Background(), nil); !errors.Is(err, ErrChanged) {
			t.Errorf("verifying: %v", err)
		}
		if err := f.Close(); !errors.Is(err, ErrChanged) {
			t.Errorf("closing: %v", err)
		}
		must.Do(t, os.WriteFile(path, content, 0o666))
	}
}

func TestChangedWhileOpen(t *testing.T) {
	path := write(t, random(t, 50, 40, 0.5, double), WriterOptions{})
	f := opened(t, path)
	must.Do(t, readAll(f))
	file := must.Get(os.OpenFile(path, os.O_WRONLY, 0))(t)
	if _, err := file.WriteAt([]byte("overwritten"), f.header.Tail.Offset-100); err != nil {
		t.Fatal(err)
	}
	file.Close()
	// The clock of files may be coarse.
	must.Do(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Minute)))
	reader := f.Reader()
	time.Sleep(2 * lookEvery)
	if _, _, err := reader.Append(0, nil, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("reading: %v", err)
	}
	if err := f.Close(); !errors.Is(err, ErrChanged) {
		t.Errorf("closing: %v", err)
	}
}

// A pack that is replaced by another, as writers do, stays what it was for
// those who have it open.
func TestReplacedWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pack")
	m := random(t, 50, 40, 0.5, double)
	writeTo(t, path, m, WriterOptions{})
	f := opened(t, path)
	writeTo(t, path, random(t, 20, 10, 0.5, stars), WriterOptions{})
	time.Sleep(2 * lookEvery)
	if err := readAll(f); err != nil {
		t.Error(err)
	}
	if got, err := data.Collect(f, nil); err != nil || got.Observed() != m.Observed() {
		t.Errorf("%v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// full fails like a disk with so much room.
type full struct{ room int }
