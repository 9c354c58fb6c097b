package selection

import (
	"context"
	"errors"
	"time"
)

// Clock divides the time limit of a whole fit: the choice of γ gets at most a third, time
// for what follows the search is kept, and the search gets the rest. A nil clock has no limit.
type Clock struct{ end time.Time }

// choiceShare is the part of what is left that the choice of γ gets at most: one in this many.
const choiceShare = 3

// ErrOver is why something was left out that nothing else depends on.
var ErrOver = errors.New("the time limit left no room for it")

// NewClock starts a clock at the moment that a limit counts from; zero: now. Without a
// limit there is no clock.
func NewClock(limit time.Duration, began time.Time) *Clock {
	if limit <= 0 {
		return nil
	}
	if began.IsZero() {
		began = time.Now()
	}
	return &Clock{began.Add(limit)}
}

// Left is what is left, at least 0.
func (c *Clock) Left() time.Duration { return max(time.Until(c.end), 0) }

// Over tells whether the time is up. Without a clock it never is.
func (c *Clock) Over() bool { return c != nil && c.Left() == 0 }

// Choice is the context for choosing γ.
func (c *Clock) Choice(ctx context.Context) (context.Context, context.CancelFunc) {
	if c == nil {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.Left()/choiceShare, ErrOver)
}

// Search is the limit of a search that leaves some time: at least a moment, and
// zero, none, for no clock.
func (c *Clock) Search(reserved time.Duration) time.Duration {
	if c == nil {
		return 0
	}
	return max(c.Left()-reserved, time.Nanosecond)
}

// Before is the context for what is to end so long before the end, and can be left
// out.
func (c *Clock) Before(ctx context.Context, reserved time.Duration) (context.Context, context.CancelFunc) {
	if c == nil {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, c.end.Add(-reserved), ErrOver)
}

// Why is the error to tell of work under such a context.
func Why(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(context.Cause(ctx), ErrOver) {
		return ErrOver
	}
	return err
}
