package pass

import (
	"context"

	"optcomplete/data"
	"optcomplete/internal/parallel"
)

// Pass describes what to compute of the rows of a source. See also Costly, Named,
// Sampling and Shown.
type Pass interface {
	// Start makes a worker for one goroutine. It is called once for each in every
	// reading, by that goroutine.
	Start(in *Input) (Worker, error)
}

// Worker computes parts of a pass from chunks of rows. If it has a method Release,
// that is called when the reading is over: the worker may then be used again.
type Worker interface {
	// Add takes a chunk. Chunks come in order, as far as they belong to one part.
	Add(c *Chunk) error

	// Part is of the chunks added since the last, and begins the next. It must not
	// use the memory of the one before.
	Part() (Part, error)
}

// Part is what some consecutive chunks add to the result of a pass.
type Part interface {
	// Merge adds the part of the chunks that follow. The other is not used again.
	Merge(after Part)
}

// Costly is a pass with parts that take long to make or to merge.
type Costly interface {
	// Cost is about how many entries can be read in that time; more of them are then
	// read for each part. It must depend on the pass and the data alone.
	Cost(in *Input) int
}

// Named is a pass that is not always called what it was registered as.
type Named interface {
	Name() string
}

// Sampling is a pass that needs some of the chunks only. Which must depend on the
// pass alone.
type Sampling interface {
	Takes(chunk int) bool
}

// Shown is a pass that may take long: its progress is shown under this label.
type Shown interface {
	Label() string
}

// Input is what a pass knows about the source before it is read.
type Input struct {
	Source data.Source // for its shape and the numbers of entries; not to be read
	Chunks []int       // see data.Chunks
	ID     string      // names the source, with its transforms, in a Memory
	Memory *Memory     // of a process that only executes; nil where the passes were made
}

// Work is how many entries and rows there are: what Cost is measured against.
func (in *Input) Work() int {
	n, _ := in.Source.Dims()
	return in.Source.Observed() + n
}

// Task is a pass and what becomes of its parts.
type Task struct {
	Pass Pass
	// Sink is given the parts in the order of the rows instead of merging them;
	// nil: they are merged to Result. An error ends the reading.
	Sink   func(Part) error
	Result Part
}

// Reading is one reading of a source, for some tasks.
type Reading struct {
	Source  data.Source
	Threads int // of this process; zero: all processors
	Tasks   []*Task
}

// Runner executes readings. The results must not depend on it.
type Runner interface {
	Run(ctx context.Context, r Reading) error
}

// Threads is the number of goroutines that a setting means: 0, all processors.
func Threads(setting int) int { return parallel.Threads(setting) }

// RunTasks reads the source once for all tasks, with the runner of the context.
func RunTasks(ctx context.Context, s data.Source, threads int, tasks ...*Task) error {
	here := from(ctx)
	run := func(ctx context.Context, more []*Task) error {
		tasks := append(tasks[:len(tasks):len(tasks)], more...)
		if here.counts != nil {
			here.counts.add(here.label, tasks)
		}
		return runAll(ctx, here.runner, Reading{Source: s, Threads: threads, Tasks: tasks})
	}
	if here.gathering != nil {
		return here.gathering.read(&want{ctx: ctx, source: s, label: here.label, tasks: tasks, run: run})
	}
	return run(ctx, nil)
}

// runAll lets the runner execute a reading, but for what cannot leave this process:
// that is read here, by itself.
func runAll(ctx context.Context, runner Runner, r Reading) error {
	var here, anywhere []*Task
	for _, t := range r.Tasks {
		if _, local := t.Pass.(Local); local {
			here = append(here, t)
		} else {
			anywhere = append(anywhere, t)
		}
	}
	if _, all := runner.(threads); all || len(here) == 0 {
		return runner.Run(ctx, r)
	}
	r.Tasks = here
	if err := ThreadRunner.Run(ctx, r); err != nil || len(anywhere) == 0 {
		return err
	}
	r.Tasks = anywhere
	return runner.Run(ctx, r)
}

// Run reads the source once for all passes, and gives their parts, merged.
func Run(ctx context.Context, s data.Source, threads int, passes ...Pass) ([]Part, error) {
	tasks := make([]*Task, len(passes))
	for x, p := range passes {
		tasks[x] = &Task{Pass: p}
	}
	if err := RunTasks(ctx, s, threads, tasks...); err != nil {
		return nil, err
	}
	parts := make([]Part, len(passes))
	for x, t := range tasks {
		parts[x] = t.Result
	}
	return parts, nil
}

// One reads the source for one pass.
func One[P Part](ctx context.Context, s data.Source, threads int, p Pass) (P, error) {
	t := &Task{Pass: p}
	if err := RunTasks(ctx, s, threads, t); err != nil {
		var none P
		return none, err
	}
	return t.Result.(P), nil
}

// Stream reads the source for one pass, and gives its parts to the sink in the
// order of the rows.
func Stream[P Part](ctx context.Context, s data.Source, threads int, p Pass, sink func(P) error) error {
	return RunTasks(ctx, s, threads, &Task{Pass: p, Sink: func(part Part) error { return sink(part.(P)) }})
}
