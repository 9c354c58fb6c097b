package passtest

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"optcomplete/pass"
)

// Checking is a runner that executes every reading twice, on one thread and by workers
// that know nothing but what they are sent, and tells where their bits differ.
type Checking struct {
	t     *testing.T
	apart *pass.Apart
	mu    sync.Mutex
	seen  map[string]bool
}

// NewChecking checks until the test ends.
func NewChecking(t *testing.T) *Checking {
	c := &Checking{t: t, apart: pass.NewApart(2), seen: map[string]bool{}}
	return c
}

// Seen are the types of the passes that were checked.
func (c *Checking) Seen() map[string]bool { return c.seen }

// Away is true: everything is sent.
func (c *Checking) Away(context.Context, pass.Reading) bool { return true }

// Run executes a reading twice, and gives what one thread gave.
func (c *Checking) Run(ctx context.Context, r pass.Reading) error {
	sent, sentParts := again(r)
	sentErr := c.apart.Run(ctx, sent)
	here, hereParts := again(r)
	here.Threads = 1
	err := pass.ThreadRunner.Run(ctx, here)
	if (err == nil) != (sentErr == nil) && ctx.Err() == nil {
		c.t.Errorf("when sent the error is %v, here %v", sentErr, err)
	}
	if err != nil {
		return err
	}
	for x, task := range r.Tasks {
		name := TypeOf(task.Pass)
		c.mu.Lock()
		c.seen[name] = true
		c.mu.Unlock()
		if task.Sink == nil {
			task.Result = here.Tasks[x].Result
			(*sentParts[x]), (*hereParts[x]) = []pass.Part{sent.Tasks[x].Result}, []pass.Part{task.Result}
		}
		if len(*sentParts[x]) != len(*hereParts[x]) {
			c.t.Errorf("%s (%s): %d parts when sent, %d here", pass.NameOf(task.Pass), name, len(*sentParts[x]), len(*hereParts[x]))
			continue
		}
		for y, part := range *hereParts[x] {
			if sentErr == nil && !bytes.Equal(bits(c.t, part), bits(c.t, (*sentParts[x])[y])) {
				c.t.Errorf("%s (%s): other bits when sent", pass.NameOf(task.Pass), name)
			}
			if task.Sink != nil {
				if err := task.Sink(part); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// again is the reading with results of its own, and the parts that sinks would get.
func again(r pass.Reading) (pass.Reading, []*[]pass.Part) {
	parts := make([]*[]pass.Part, len(r.Tasks))
	tasks := make([]*pass.Task, len(r.Tasks))
	for x, task := range r.Tasks {
		parts[x] = new([]pass.Part)
		tasks[x] = &pass.Task{Pass: task.Pass}
		if task.Sink != nil {
			tasks[x].Sink = func(p pass.Part) error { *parts[x] = append(*parts[x], p); return nil }
		}
	}
	r.Tasks = tasks
	return r, parts
}

// TypeOf names the type of a pass, as "optcomplete/objective.evaluation".
func TypeOf(p pass.Pass) string {
	t := reflect.TypeOf(p)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return fmt.Sprintf("%s.%s", t.PkgPath(), t.Name())
}
