package pack

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Verify reads the whole pack, whatever was read before, and returns the error
// of the first damaged block. progress, if not nil, is called now and then with how
// many of how many bytes are done, by one goroutine at a time.
func (f *File) Verify(ctx context.Context, progress func(done, total int64)) error {
	if err := f.guard(-1, f.verifyDescription); err != nil {
		return f.failed(err)
	}
	var (
		next   atomic.Int64
		mutex  sync.Mutex
		done   int64
		failed error
		first  = f.blocks // the damaged block
		group  sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), f.blocks) {
		group.Go(func() {
			for {
				b := int(next.Add(1)) - 1
				mutex.Lock()
				stop := b >= first
				mutex.Unlock()
				if stop || ctx.Err() != nil {
					return
				}
				err := f.guard(b, func() error {
					v := f.body(b)
					f.touched[b].Store(0)
					return f.check(&v, headGood|entriesGood)
				})
				mutex.Lock()
				if err != nil && b < first {
					first, failed = b, f.failed(err)
				}
				done += f.records[b+1].offset - f.records[b].offset
				if progress != nil {
					progress(done, int64(len(f.bytes)))
				}
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	if failed != nil {
		return failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.unchanged(-1)
}

// verifyDescription checks again what Open has checked.
func (f *File) verifyDescription() error {
	if err := f.look(-1); err != nil {
		return err
	}
	again := &File{path: f.path, bytes: f.bytes}
	return again.load(true, nil)
}
