package pass

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"

	"optcomplete/data"
)

// Together does several things at once and reads the data for them together: when
// all that are not done want a reading, those of the same source become one. Their
// results are what they would be one after the other. The errors are returned once
// all have ended.
func Together(ctx context.Context, do ...func(ctx context.Context) error) error {
	g := &gathering{busy: len(do)}
	p := from(ctx)
	p.gathering = g
	ctx = context.WithValue(ctx, key{}, p)
	failed := make([]error, len(do))
	var wg sync.WaitGroup
	for x, f := range do {
		wg.Go(func() {
			defer g.left()
			failed[x] = f(ctx)
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// gathering is what several goroutines want to be read.
type gathering struct {
	mu     sync.Mutex
	busy   int // that are not done, waiting or not
	wanted []*want
}

// want is a reading that somebody waits for.
type want struct {
	ctx    context.Context
	source data.Source
	label  string
	run    func(ctx context.Context, more []*Task) error
	tasks  []*Task
	err    error
	done   chan struct{}
}

// read waits until all want something, and reads.
func (g *gathering) read(w *want) error {
	w.done = make(chan struct{})
	g.mu.Lock()
	g.wanted = append(g.wanted, w)
	g.flush()
	g.mu.Unlock()
	<-w.done
	return w.err
}

// left says that one of them is done.
func (g *gathering) left() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy--
	g.flush()
}

// flush reads what is wanted if nobody is left who could want more. The lock is
// held.
func (g *gathering) flush() {
	if len(g.wanted) == 0 || len(g.wanted) < g.busy {
		return
	}
	wanted := g.wanted
	g.wanted = nil
	go func() {
		for len(wanted) > 0 {
			same, others := wanted[:1:1], []*want(nil)
			for _, w := range wanted[1:] {
				if w.label == same[0].label && sameSource(w.source, same[0].source) {
					same = append(same, w)
				} else {
					others = append(others, w)
				}
			}
			readAll(same)
			wanted = others
		}
	}()
}

// readAll reads a source once for all that want it. Where that fails, each is read
// by itself: one's error is not the other's. Who has a sink was given a part of the
// rows already, and has the error.
func readAll(wanted []*want) {
	ctx, cancel := anyOf(wanted)
	defer cancel()
	var more []*Task
	for _, w := range wanted[1:] {
		more = append(more, w.tasks...)
	}
	err := wanted[0].run(ctx, more)
	for x, w := range wanted {
		if w.err = err; err != nil && len(wanted) > 1 && !slices.ContainsFunc(w.tasks, func(t *Task) bool { return t.Sink != nil }) {
			w.err = wanted[x].run(w.ctx, nil)
		}
		close(w.done)
	}
}

// anyOf is a context that ends when those of all have ended.
func anyOf(wanted []*want) (context.Context, func()) {
	if len(wanted) == 1 {
		return wanted[0].ctx, func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(wanted[0].ctx))
	var stops []func() bool
	left := len(wanted)
	var mu sync.Mutex
	for _, w := range wanted {
		stops = append(stops, context.AfterFunc(w.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

func sameSource(a, b data.Source) bool {
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && t.Comparable() && a == b
}
