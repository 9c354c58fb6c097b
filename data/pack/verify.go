package pack

import (
	"context"
	"sync"

	"optcomplete/internal/parallel"
)

// Verify reads the whole pack, whatever was read before, and returns the error
// of the first damaged block. progress, if not nil, is called now and then with how
// many of how many bytes are done, by one goroutine at a time.
func (f *File) Verify(ctx context.Context, progress func(done, total int64)) error {
	if err := f.guard(-1, f.verifyDescription); err != nil {
		return f.failed(err)
	}
	var mutex sync.Mutex
	var done int64
	err := parallel.Do(ctx, f.blocks, 0, func(int) func(b int) error {
		return func(b int) error {
			err := f.guard(b, func() error {
				v := f.body(b)
				f.touched[b].Store(0)
				return f.check(&v, headGood|entriesGood)
			})
			mutex.Lock()
			defer mutex.Unlock()
			done += f.records[b+1].offset - f.records[b].offset
			if progress != nil {
				progress(done, int64(len(f.bytes)))
			}
			return f.failed(err)
		}
	})
	if err != nil {
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
