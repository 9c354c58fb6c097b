// Package parallel shares work among goroutines so that nothing but its speed
// depends on how many there are.
//
// It takes a number of parts and a way to start a worker, and gives every part to
// some worker once, in order. What the parts give is the caller's to combine, in
// order of the parts. It must never leave a goroutine behind.
package parallel

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Do does the work for parts 0..parts−1, on this many goroutines (threads; 0 means
// as many as there are processors), each of which starts its own worker, until all
// is done, an error occurs or
// ctx ends. Of several errors the one of the first part is returned.
func Do(ctx context.Context, parts, threads int, start func(thread int) func(part int) error) error {
	threads = Threads(threads)
	var (
		next   atomic.Int64
		failed atomic.Bool
		others sync.WaitGroup
		mu     sync.Mutex
		first  error
		where  = math.MaxInt
	)
	run := func(thread int) {
		work := start(thread)
		for ctx.Err() == nil && !failed.Load() {
			part := int(next.Add(1)) - 1
			if part >= parts {
				return
			}
			if err := work(part); err != nil {
				failed.Store(true)
				mu.Lock()
				if part < where {
					first, where = err, part
				}
				mu.Unlock()
			}
		}
	}
	for thread := 1; thread < min(threads, parts); thread++ {
		others.Go(func() { run(thread) })
	}
	run(0)
	others.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
}

// Threads is the number of goroutines that a setting means: 0, as many as there are
// processors.
func Threads(setting int) int {
	if setting <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return setting
}

// Each calls do for 0..n−1, on this many goroutines.
func Each(n, threads int, do func(i int)) {
	_ = Do(context.Background(), n, threads, func(int) func(i int) error { // which has nothing to fail
		return func(i int) error {
			do(i)
			return nil
		}
	})
}
