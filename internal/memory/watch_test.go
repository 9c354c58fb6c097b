package memory

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestWatch: readers are told once more is taken than allowed, before a large piece is
// taken, and nothing any more when the watch ends. Of two watches the larger counts.
func TestWatch(t *testing.T) {
	if Check() != nil || Take(1<<40) != nil {
		t.Fatal("something is refused although nobody watches")
	}
	end := Watch(256 << 20)
	if err := Take(128 << 20); err != nil {
		t.Errorf("half of what is allowed is refused: %v", err)
	}
	over := new(OverError)
	if err := Take(1 << 30); !errors.As(err, &over) || !errors.As(Check(), &over) || !strings.Contains(over.Error(), "256M") {
		t.Errorf("four times what is allowed: %v, then %v", err, Check())
	}
	more := Watch(4 << 30)
	if err := Take(1 << 30); err != nil {
		t.Errorf("what the larger of two watches allows is refused: %v", err)
	}
	more()
	end()
	end()
	if Check() != nil || Take(1<<40) != nil {
		t.Error("the watch goes on after its end")
	}
}

// TestWatchSees: what was taken piece by piece is seen too, garbage is not held against
// anyone.
func TestWatchSees(t *testing.T) {
	defer Watch(64 << 20)()
	for range 300 {
		garbage = make([]byte, 1<<20)
	}
	if err := Take(large); err != nil {
		t.Errorf("garbage counts: %v", err)
	}
	var kept [][]byte
	for range 100 {
		kept = append(kept, make([]byte, 1<<20))
	}
	for began := time.Now(); Check() == nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("100 MiB are not seen where 64 are allowed")
		}
	}
	garbage = kept[0]
}

var garbage []byte
