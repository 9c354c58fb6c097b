package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"optcomplete/engine/internal/connect"
	"optcomplete/pass"
)

// missingError is of executors that cannot see the data.
type missingError struct{ text string }

func (e *missingError) Error() string { return e.text }

// workerError is what a worker says went wrong with its work.
type workerError struct{ text string }

func (e *workerError) Error() string { return e.text }

// again tells whether asking once more may help.
func again(err error) bool {
	var work *workerError
	var from *connect.Error
	switch {
	case errors.As(err, &work), errors.Is(err, errCommand):
		return false
	case errors.As(err, &from):
		return from.Code != connect.Unauthenticated && from.Code != connect.PermissionDenied
	}
	return true
}

// broke tells whether a session is lost: the connection broke, or another server stands
// there, which does not know the session's table.
func (s *Spark) broke(err error) bool {
	var from *connect.Error
	return errors.As(err, &from) && (from.Code == connect.Unavailable || strings.Contains(from.Message, "INVALID_HANDLE") || strings.Contains(from.Message, "NOT_FOUND") && strings.Contains(from.Message, s.table))
}

// gathered is what the answers to a query held.
type gathered struct {
	seals   *sealer    // of the question
	version string     // of the program that was sent
	program string     // and its checksum
	plan    *pass.Plan // nil: nothing was asked for
	level   int        // of the runs of items that come; see runLevel
	parts   map[int]bool
	results *pass.Results // where parts are merged as they come, or given to sinks in order
	broken  error         // of a sink: asking again does not help
	hellos  []Hello
	missing error
	failed  error
	bytes   int64
	retried int // earlier attempts of the tasks that answered, as Spark counts them
	// other takes answers of kinds that are none of a reading; may be nil
	other func(kind string, content []byte) error
}

// newGathered waits for the answers to a reading.
func newGathered(r pass.Reading, plan *pass.Plan, tasks int) *gathered {
	sinks := make([]bool, len(r.Tasks))
	for x, t := range r.Tasks {
		sinks[x] = t.Sink != nil
	}
	return &gathered{plan: plan, level: runLevel(plan.Items(), tasks, plan.Large(), sinks), parts: map[int]bool{}, results: plan.NewResults(r.Tasks)}
}

// again waits for the answers to the same reading once more. Parts that came are kept:
// sinks may have had them.
func (g *gathered) again() { g.hellos, g.missing, g.failed = nil, nil, nil }

// take reads a batch of answers. The same item may come twice.
func (g *gathered) take(r arrow.RecordBatch) error {
	item, ok := r.Column(0).(*array.Int32)
	kind, ok2 := r.Column(1).(*array.String)
	body, ok3 := r.Column(2).(*array.String)
	if !ok || !ok2 || !ok3 {
		return errors.New("the executors' answers cannot be understood")
	}
	for x := range int(r.NumRows()) {
		if r.NumCols() > 3 && kind.Value(x) == kindHello {
			g.retried += attemptOf(r.Column(3).ValueStr(x))
		}
		if err := g.add(int(item.Value(x)), kind.Value(x), body.Value(x)); err != nil {
			return err
		}
	}
	return nil
}

// add takes one answer.
func (g *gathered) add(item int, kind, body string) error {
	content, err := g.seals.open(item, kind, body)
	var forged *workerError
	if errors.As(err, &forged) {
		return err
	}
	if err != nil {
		return fmt.Errorf("an executor's answer cannot be understood: %w", err)
	}
	g.bytes += int64(len(content))
	switch kind {
	case kindHello:
		var h Hello
		if err := json.Unmarshal(content, &h); err != nil {
			return err
		}
		if len(g.hellos) > 0 && h.Platform != g.hellos[0].Platform {
			return &workerError{fmt.Sprintf("the executors differ: one has %s, another %s; results of both cannot be put together (use machines of one kind)", g.hellos[0].Platform, h.Platform)}
		}
		if len(g.hellos) > 0 && h.Version != g.hellos[0].Version {
			return &workerError{fmt.Sprintf("the executors differ: one has version %s of this program, another %s (end the older session)", g.hellos[0].Version, h.Version)}
		}
		if h.Version == g.version && h.Program != g.program {
			return &workerError{fmt.Sprintf("%s runs another program than the one that was sent to it: the fit ends, because its results could not be trusted (see docs/cluster.md, Security)", h.Executor)}
		}
		g.hellos = append(g.hellos, h)
	case kindParts:
		if g.plan != nil && item >= 0 && item < g.plan.Runs(g.level) {
			return g.part(item, content)
		}
	case kindDone, kindEcho:
	case kindMissing:
		g.missing = &missingError{string(content)}
	case kindError:
		if g.plan != nil || g.other != nil {
			g.failed = &workerError{string(content)}
		}
	default:
		if g.other == nil {
			return fmt.Errorf("an executor answers %q", kind)
		}
		return g.other(kind, content)
	}
	return nil
}

// taskName has the attempts in the name of a task's thread, as Spark gives it: "task 3.1
// in stage 7.0" is the second attempt of task 3, and stage 7.1 the second of stage 7.
var taskName = regexp.MustCompile(`task \d+\.(\d+) in stage \d+\.(\d+)`)

// attemptOf is how many attempts came before that of a thread.
func attemptOf(thread string) int {
	found := taskName.FindStringSubmatch(thread)
	if found == nil {
		return 0
	}
	task, _ := strconv.Atoi(found[1])
	stage, _ := strconv.Atoi(found[2])
	return task + stage
}

// part takes what an item gave, once.
func (g *gathered) part(item int, content []byte) error {
	if g.parts[item] {
		return nil
	}
	parts, err := pass.DecodeParts(content)
	if err != nil {
		return fmt.Errorf("an executor's answer cannot be understood: %w", err)
	}
	g.parts[item] = true
	g.broken = g.results.PutRun(g.level, item, parts)
	return g.broken
}

// complete tells what is lacking, for a driver of this version.
func (g *gathered) complete(version string) error {
	switch {
	case g.failed != nil:
		return g.failed
	case g.missing != nil:
		return g.missing
	case len(g.parts) != g.plan.Runs(g.level):
		return fmt.Errorf("%d of %d parts came back", len(g.parts), g.plan.Runs(g.level))
	}
	if len(g.hellos) == 0 {
		return errors.New("no executor says who it is")
	}
	if have := g.hellos[0].Version; have != version {
		return &workerError{fmt.Sprintf("the executors have version %s of this program, and this machine %s (give engine.Settings.Program a program of this version)", have, version)}
	}
	if want := platform(); g.hellos[0].Platform != want {
		return &workerError{fmt.Sprintf("the executors have %s, and this machine %s: their results differ in the last bits (run the fit on a machine like them)", g.hellos[0].Platform, want)}
	}
	return nil
}

func (g *gathered) executors() int {
	all := map[string]bool{}
	for _, h := range g.hellos {
		all[h.Executor] = true
	}
	return len(all)
}
