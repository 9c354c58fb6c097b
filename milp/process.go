package milp

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is one run of a program.
type process struct {
	name  string // of the solver, for errors
	path  string
	args  []string
	dir   string
	limit time.Duration // 0 means none
}

// wait runs the program to its end and returns the end of what it printed. At
// the limit, or when the context ends, the program and everything it started
// are killed; nothing of them is left when wait returns.
func (p *process) wait(ctx context.Context) (string, error) {
	run := ctx
	if p.limit > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeout(ctx, p.limit)
		defer cancel()
	}
	start := time.Now()
	output := &ending{}
	cmd := exec.CommandContext(run, p.path, p.args...)
	cmd.Dir = p.dir
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = time.Second // for children that keep the output open
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	err := cmd.Run()
	if cmd.Process == nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("milp: %s stopped: %w", p.name, ctx.Err())
		}
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, syscall.ENOENT) {
			return "", &NotFoundError{Solver: p.name, Program: p.path}
		}
		return "", fmt.Errorf("milp: cannot start %s: %w", p.name, err)
	}
	_ = killGroup(cmd) // children that outlived the program
	printed := output.String()
	switch {
	case ctx.Err() != nil:
		return printed, fmt.Errorf("milp: %s stopped: %w", p.name, ctx.Err())
	case run.Err() != nil:
		return printed, &HungError{Solver: p.name, After: time.Since(start), Output: printed}
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return printed, nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return printed, fmt.Errorf("milp: %s: %w", p.name, err)
	}
	if signal, ok := signalOf(exit); ok {
		return printed, &KilledError{Solver: p.name, Signal: signal, Output: printed}
	}
	return printed, &CrashError{Solver: p.name, Code: exit.ExitCode(), Output: printed}
}

// ending keeps the last part of what is written to it.
type ending struct {
	mu   sync.Mutex
	data []byte
}

const keep = 1 << 18

func (e *ending) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.data = append(e.data, b...)
	if len(e.data) > 2*keep {
		e.data = append(e.data[:0], e.data[len(e.data)-keep:]...)
	}
	return len(b), nil
}

func (e *ending) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return string(e.data)
}
