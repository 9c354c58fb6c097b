package selection

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestClockDivides: a third for the choice, the search without what is reserved, and
// nothing at all once the time is over.
func TestClockDivides(t *testing.T) {
	clock := NewClock(time.Hour, time.Now().Add(-30*time.Minute))
	ctx, cancel := clock.Choice(context.Background())
	defer cancel()
	if end, ok := ctx.Deadline(); !ok || end.After(clock.end.Add(-19*time.Minute)) || end.Before(clock.end.Add(-21*time.Minute)) {
		t.Errorf("the choice ends %v before the end", clock.end.Sub(end))
	}
	if left := clock.Search(10 * time.Minute); left > 20*time.Minute || left < 19*time.Minute {
		t.Errorf("the search has %v", left)
	}
	over := NewClock(time.Second, time.Now().Add(-time.Hour))
	ctx, cancel = over.Before(context.Background(), time.Second)
	defer cancel()
	if over.Search(0) != time.Nanosecond || !errors.Is(Why(ctx, ctx.Err()), ErrOver) {
		t.Errorf("after the end: %v, %v", over.Search(0), Why(ctx, ctx.Err()))
	}
	none := NewClock(0, time.Time{})
	ctx, cancel = none.Choice(context.Background())
	defer cancel()
	if _, limited := ctx.Deadline(); limited || none.Search(time.Minute) != 0 {
		t.Error("without a limit there is one")
	}
}
