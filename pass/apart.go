package pass

import (
	"context"
	"fmt"
	"sync"

	"optcomplete/data"
)

// Apart runs readings by workers that know only what they are sent: goroutines of this
// process, which share the sources and nothing else. It shows that passes, transforms
// and parts can be sent.
type Apart struct {
	workers []apart
	mu      sync.Mutex // one reading at a time
	naming  sync.Mutex
	names   map[data.Source]string
	sources map[string]data.Source
}

// apart is what a worker has of the readings before.
type apart struct {
	memory *Memory
	sent   map[string]bool // shared values
}

// NewApart has this many workers.
func NewApart(workers int) *Apart {
	a := &Apart{names: map[data.Source]string{}, sources: map[string]data.Source{}}
	for range workers {
		a.workers = append(a.workers, apart{NewMemory(), map[string]bool{}})
	}
	return a
}

// name calls the sources by numbers.
func (a *Apart) name(base data.Source) (string, error) {
	a.naming.Lock()
	defer a.naming.Unlock()
	name, ok := a.names[base]
	if !ok {
		name = fmt.Sprintf("source %d", len(a.names))
		a.names[base], a.sources[name] = name, base
	}
	return name, nil
}

func (a *Apart) open(name string) (data.Source, error) {
	a.naming.Lock()
	defer a.naming.Unlock()
	return a.sources[name], nil
}

// Run executes a reading. A pass that reads another source while it is read, or
// from its sink, would wait for ever.
func (a *Apart) Run(ctx context.Context, r Reading) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Threads = len(a.workers)
	return r.execute(ctx, func(worker int, _ *Plan, _ []bool) (*Executor, error) {
		w := a.workers[worker]
		message, err := Encode(r, a.name, func(name string) bool {
			had := w.sent[name]
			w.sent[name] = true
			return had
		})
		if err != nil {
			return nil, err
		}
		plan, sinks, err := Decode(message, a.open, w.memory)
		if err != nil {
			return nil, err
		}
		return plan.NewExecutor(sinks)
	}, func(parts [][]Part) ([][]Part, error) {
		sent, err := EncodeParts(parts)
		if err != nil {
			return nil, err
		}
		return DecodeParts(sent)
	})
}
