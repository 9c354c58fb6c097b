package pass

import (
	"context"
	"sync"

	"optcomplete/internal/parallel"
	"optcomplete/internal/progress"
)

// threads is ThreadRunner.
type threads struct{}

// ThreadRunner runs readings on goroutines of this process: the default.
var ThreadRunner Runner = threads{}

// Run executes a reading.
func (threads) Run(ctx context.Context, r Reading) error {
	return r.execute(ctx, func(_ int, plan *Plan, sinks []bool) (*Executor, error) { return plan.NewExecutor(sinks) },
		func(parts [][]Part) ([][]Part, error) { return parts, nil })
}

// execute runs a reading on goroutines, each with an executor of its own, and takes in
// what became of their parts.
func (r *Reading) execute(ctx context.Context, executor func(goroutine int, plan *Plan, sinks []bool) (*Executor, error), received func([][]Part) ([][]Part, error)) error {
	passes, sinks := r.split()
	plan := NewPlan(r.Source, passes, nil)
	results := plan.NewResults(r.Tasks)
	if plan.Items() == 0 {
		return plan.none(sinks, results)
	}
	show := r.progress(ctx)
	defer show.Done()
	var made sync.Mutex
	var executors []*Executor
	defer func() {
		for _, e := range executors {
			e.Release()
		}
	}()
	items, goroutines := plan.Items(), Threads(r.Threads)
	err := parallel.Do(ctx, items, goroutines, func(goroutine int) func(item int) error {
		e, failed := executor(goroutine, plan, sinks)
		if failed == nil {
			made.Lock()
			executors = append(executors, e)
			made.Unlock()
		}
		return func(item int) error {
			if failed != nil {
				return failed
			}
			results.Wait(item, 2*goroutines)
			parts, err := e.Do(ctx, item)
			if err == nil {
				parts, err = received(parts)
			}
			if err == nil {
				err = results.Put(item, parts)
			}
			if err != nil {
				results.End()
				return err
			}
			first, end := plan.Rows(item)
			show.Add(int64(end - first))
			return nil
		}
	})
	if err != nil {
		return err
	}
	results.Finish()
	return nil
}

// none is the result where there are no rows: the parts of no chunks.
func (p *Plan) none(sinks []bool, results *Results) error {
	e, err := p.NewExecutor(sinks)
	if err != nil {
		return err
	}
	defer e.Release()
	for x, t := range results.tasks {
		if t.Sink == nil {
			if t.Result, err = e.workers[x].Part(); err != nil {
				return err
			}
		}
	}
	return nil
}

// split is the passes of a reading, and which of them have sinks.
func (r *Reading) split() (passes []Pass, sinks []bool) {
	for _, t := range r.Tasks {
		passes, sinks = append(passes, t.Pass), append(sinks, t.Sink != nil)
	}
	return passes, sinks
}

// progress shows the reading, if one of its passes wants to be shown.
func (r *Reading) progress(ctx context.Context) progress.Task {
	for _, t := range r.Tasks {
		if s, ok := t.Pass.(Shown); ok {
			n, _ := r.Source.Dims()
			return progress.Start(ctx, s.Label(), int64(n), "rows")
		}
	}
	return progress.None{}
}
