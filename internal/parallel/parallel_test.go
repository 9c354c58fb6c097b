package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestEveryPartIsDoneOnce(t *testing.T) {
	for _, threads := range []int{0, 1, 3, 200} {
		var done [100]atomic.Int32
		err := Do(context.Background(), len(done), threads, func(int) func(int) error {
			return func(part int) error {
				done[part].Add(1)
				return nil
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for part := range done {
			if n := done[part].Load(); n != 1 {
				t.Errorf("%d threads: part %d was done %d times", threads, part, n)
			}
		}
	}
}

func TestErrorOfFirstPartIsReturned(t *testing.T) {
	fail := func(int) func(int) error {
		return func(part int) error {
			if part%2 == 1 {
				return fmt.Errorf("part %d", part)
			}
			return nil
		}
	}
	if err := Do(context.Background(), 10, 1, fail); err == nil || err.Error() != "part 1" {
		t.Errorf("the error is %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := Do(ctx, 10, 2, fail); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestZeroThreadsAreAllProcessors, as in every setting.
func TestZeroThreadsAreAllProcessors(t *testing.T) {
	most := 0
	var mu sync.Mutex
	if err := Do(context.Background(), 1000, 0, func(thread int) func(int) error {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, thread+1)
		return func(int) error { return nil }
	}); err != nil || most != runtime.GOMAXPROCS(0) {
		t.Errorf("%d threads started, %v", most, err)
	}
}
