package pass

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
)

// place is what a context says about readings.
type place struct {
	runner Runner
	counts *Counts
	label  string

	gathering *gathering // nil: readings are done as they are asked for
}

type key struct{}

func from(ctx context.Context) place {
	if p, ok := ctx.Value(key{}).(place); ok {
		return p
	}
	return place{runner: threads{}}
}

// WithRunner lets all readings under the context be executed by r.
func WithRunner(ctx context.Context, r Runner) context.Context {
	p := from(ctx)
	p.runner = r
	return context.WithValue(ctx, key{}, p)
}

// Remote tells whether readings under the context may be executed elsewhere: then
// data that are stored had better stay where they are.
func Remote(ctx context.Context) bool {
	_, here := from(ctx).runner.(threads)
	return !here
}

// Placer is a runner that can tell whether it would execute a reading elsewhere, of data
// that are stored there.
type Placer interface {
	Away(ctx context.Context, r Reading) bool
}

// Away tells whether a reading under the context would be executed elsewhere.
func Away(ctx context.Context, r Reading) bool {
	p, ok := from(ctx).runner.(Placer)
	return ok && p.Away(ctx, r)
}

// WithCounts counts all readings under the context. What counts before, if
// anything does, counts them too.
func WithCounts(ctx context.Context) (context.Context, *Counts) {
	p := from(ctx)
	p.counts = &Counts{of: map[string]int{}, above: p.counts}
	return context.WithValue(ctx, key{}, p), p.counts
}

// WithLabel counts all readings under the context by themselves, as "label: name":
// those of a sample are no readings of the data.
func WithLabel(ctx context.Context, label string) context.Context {
	p := from(ctx)
	p.label = label
	return context.WithValue(ctx, key{}, p)
}

// Label is what WithLabel said; empty: readings are of the data themselves.
func Label(ctx context.Context) string { return from(ctx).label }

// Counts is how many readings there were, and of what. A reading for several
// passes counts once, under all their names.
type Counts struct {
	mu    sync.Mutex
	of    map[string]int
	above *Counts
}

// Of is the number of readings by name.
func (c *Counts) Of() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.of)
}

// add counts a reading.
func (c *Counts) add(label string, tasks []*Task) {
	var names []string
	for _, t := range tasks {
		if name := NameOf(t.Pass); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names) // who asked first is chance
	name := strings.Join(names, ", ")
	if label != "" {
		name = label + ": " + name
	}
	for ; c != nil; c = c.above {
		c.mu.Lock()
		c.of[name]++
		c.mu.Unlock()
	}
}
