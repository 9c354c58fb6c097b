package memory

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// OverError is returned where reading on would take more memory than is allowed.
type OverError struct{ Allowed int64 }

func (e *OverError) Error() string {
	return fmt.Sprintf("reading it takes more than the %s of memory that are allowed", Format(e.Allowed))
}

// Remedy says what to do about it.
func (*OverError) Remedy() string {
	return "allow more with Settings.Memory, or give less; a small file that unpacks to this is damaged or hostile"
}

// watched is what the readers of this process ask. Of several watches the largest
// allowance counts.
var watched struct {
	over    atomic.Bool
	allowed atomic.Int64 // 0: any

	sync.Mutex
	watches []*watch
	looking bool
}

type watch struct{ allowed int64 }

const (
	lookEvery = 5 * time.Millisecond
	large     = 1 << 24 // bytes that Take looks for before they are taken
)

// Watch lets readers use so many bytes until the watch ends: Check and Take then
// give an OverError. It also lets garbage be collected more often as the limit comes near.
func Watch(allowed int64) (end func()) {
	w := &watch{allowed}
	watched.Lock()
	watched.watches = append(watched.watches, w)
	renew()
	if !watched.looking {
		watched.looking = true
		go look()
	}
	watched.Unlock()
	return sync.OnceFunc(func() {
		watched.Lock()
		defer watched.Unlock()
		for x := range watched.watches {
			if watched.watches[x] == w {
				watched.watches = append(watched.watches[:x], watched.watches[x+1:]...)
				break
			}
		}
		renew()
	})
}

// renew takes over what the watches allow.
func renew() {
	most := int64(0)
	for _, w := range watched.watches {
		most = max(most, w.allowed)
	}
	watched.allowed.Store(most)
	watched.over.Store(false)
	if most == 0 {
		most = math.MaxInt64
	}
	debug.SetMemoryLimit(most)
}

// look looks at the heap until no watch is left.
func look() {
	collected := time.Now()
	for !idle() {
		time.Sleep(lookEvery)
		if watched.over.Load() || heap() <= watched.allowed.Load() {
			continue
		}
		if time.Since(collected) > 20*lookEvery { // what is over may be garbage
			runtime.GC()
			collected = time.Now()
			exceeded(0)
		}
	}
}

// idle tells whether no watch is left, and then that nobody looks.
func idle() bool {
	watched.Lock()
	defer watched.Unlock()
	watched.looking = len(watched.watches) > 0
	return !watched.looking
}

// heap is how many bytes are on the heap, garbage that was not found yet included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(min(sample[0].Value.Uint64(), math.MaxInt64))
}

// exceeded tells whether so many bytes more would be too many, and remembers it.
func exceeded(more int64) bool {
	if allowed := watched.allowed.Load(); allowed > 0 && heap() > allowed-more {
		watched.over.Store(true)
	}
	return watched.over.Load()
}

// Check is an OverError once more memory was taken than a Watch allows. It costs
// next to nothing.
func Check() error {
	if !watched.over.Load() {
		return nil
	}
	return &OverError{watched.allowed.Load()}
}

// Take is an OverError where so many bytes more would be too many. It is to be asked
// before large pieces, and pieces of a size that a file announces, are taken.
func Take(bytes int64) error {
	allowed := watched.allowed.Load()
	if bytes < large || allowed == 0 {
		return Check()
	}
	if heap() > allowed-bytes {
		runtime.GC()
		if exceeded(bytes) {
			return &OverError{allowed}
		}
	}
	return Check()
}
