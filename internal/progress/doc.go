// Package progress lets long work report how far it has come. Work finds its
// reporter in the context:
//
//	task := progress.Start(ctx, "Packing", entries, "entries")
//	defer task.Done()
//	…
//	task.Add(n) // from any goroutine
//
// Without a reporter all of this does nothing. Package display shows progress as
// bars or lines.
package progress

import "context"

// Reporter receives pieces of work: the label says what it is, total how much
// there is (0: unknown) and unit of what ("": it is not counted).
type Reporter interface {
	Start(label string, total int64, unit string) Task
}

// Task is a piece of work. Its methods may be called by any number of
// goroutines.
type Task interface {
	Add(n int64)   // n more are done
	To(done int64) // this many are done in all
	Done()         // it is over, finished or not; calling it again does nothing
}

type key struct{}

// NewContext gives a context a reporter; nil: none.
func NewContext(ctx context.Context, r Reporter) context.Context {
	return context.WithValue(ctx, key{}, r)
}

// Start begins a piece of work, for the context's reporter if it has one.
func Start(ctx context.Context, label string, total int64, unit string) Task {
	if r, ok := ctx.Value(key{}).(Reporter); ok {
		return r.Start(label, total, unit)
	}
	return None{}
}

// None is a task without a reporter.
type None struct{}

func (None) Add(int64) {}
func (None) To(int64)  {}
func (None) Done()     {}
