package textfile

import (
	"context"
	"io"
	"os"
)

// Interruptible is what is read, until the context ends; that may be nil. The
// reading of a pipe ends then even while nothing comes.
func Interruptible(ctx context.Context, from io.Reader) io.Reader {
	if ctx == nil || ctx.Done() == nil {
		return from
	}
	if file, ok := from.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return &asking{ctx, from}
		}
	}
	return &waiting{ctx: ctx, from: from}
}

// asking asks before each read.
type asking struct {
	ctx  context.Context
	from io.Reader
}

func (a *asking) Read(b []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.from.Read(b)
}

// waiting reads in another goroutine, and waits for it or for the end of the context.
// A read that nobody waits for lasts as long as the process.
type waiting struct {
	ctx    context.Context
	from   io.Reader
	buffer []byte
	ready  chan read
}

type read struct {
	n   int
	err error
}

func (w *waiting) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if len(w.buffer) == 0 {
		w.buffer, w.ready = make([]byte, BufferBytes), make(chan read, 1)
	}
	part := w.buffer[:min(len(b), len(w.buffer))]
	go func() {
		n, err := w.from.Read(part)
		w.ready <- read{n, err}
	}()
	select {
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	case r := <-w.ready:
		return copy(b, part[:r.n]), r.err
	}
}
