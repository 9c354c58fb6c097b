package milp

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// ErrNotFound is wrapped by every [NotFoundError].
var ErrNotFound = errors.New("milp: solver not found")

// NotFoundError means that the solver's program is not installed.
type NotFoundError struct {
	Solver  string
	Program string   // what was looked for
	Looked  []string // where
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("milp: %s: program %q not found in %s (scripts/install-solvers.sh installs highs, cbc and glpk; the solver embedded needs no program)",
		e.Solver, e.Program, strings.Join(e.Looked, ", "))
}

func (e *NotFoundError) Unwrap() error { return ErrNotFound }

// CrashError means that the program ended with an error of its own.
type CrashError struct {
	Solver string
	Code   int    // exit code
	Output string // the end of what it printed
}

func (e *CrashError) Error() string {
	return fmt.Sprintf("milp: %s failed with exit code %d%s", e.Solver, e.Code, tail(e.Output))
}

// KilledError means that a signal ended the program: often the system was out
// of memory.
type KilledError struct {
	Solver string
	Signal syscall.Signal
	Output string // the end of what it printed
}

func (e *KilledError) Error() string {
	return fmt.Sprintf("milp: %s was killed by a signal (%v)%s", e.Solver, e.Signal, tail(e.Output))
}

// HungError means that the program was still running long after its time limit.
// It and all it had started have been killed.
type HungError struct {
	Solver string
	After  time.Duration
	Output string // the end of what it printed
}

func (e *HungError) Error() string {
	return fmt.Sprintf("milp: %s was still running after %v and has been stopped%s", e.Solver, e.After.Round(time.Millisecond), tail(e.Output))
}

// GarbageError means that what the program wrote cannot be read as a solution.
type GarbageError struct {
	Solver string
	Reason string
	Output string // the end of what it printed or wrote
}

func (e *GarbageError) Error() string {
	return fmt.Sprintf("milp: cannot read the answer of %s: %s%s", e.Solver, e.Reason, tail(e.Output))
}

// AnswerError means that the program's answer was read, and is wrong: not a
// selection of K features, not the objective it claims.
type AnswerError struct {
	Solver string
	Reason string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("milp: %s gave a wrong answer: %s (another solver may do)", e.Solver, e.Reason)
}

// NotOptimalError means that the solver stopped before it had proved its answer
// optimal or within the gap.
type NotOptimalError struct {
	Solver   string
	Reason   string   // why it stopped
	Solution Solution // the verified answer so far; Selection is nil if there is none
	cause    error
}

func (e *NotOptimalError) Error() string {
	if e.Solution.Selection == nil {
		return fmt.Sprintf("milp: %s stopped without an answer: %s", e.Solver, e.Reason)
	}
	return fmt.Sprintf("milp: %s stopped at objective %.9g, bound %.9g: %s", e.Solver, e.Solution.Objective, e.Solution.Bound, e.Reason)
}

func (e *NotOptimalError) Unwrap() error { return e.cause }

// tail formats the last lines of a program's output for an error message.
func tail(output string) string {
	output = strings.TrimSpace(output)
	if output == "" {
		return ""
	}
	lines := strings.Split(output, "\n")
	if len(lines) > 5 {
		lines = lines[len(lines)-5:]
	}
	return ": " + strings.Join(lines, " | ")
}
