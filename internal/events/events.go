// Package events is what a verb has to say while it works, as a stream of values: the lines that
// people would read, the search, and its tasks. The pipe protocol sends them as lines of JSON
// (docs/protocol.md), and the page of a live fit shows them.
package events

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"time"

	"optcomplete/internal/progress"
	"optcomplete/result"
	"optcomplete/search"
)

// often is how much time passes between two events that only tell of progress.
const often = 100 * time.Millisecond

// Stream sends events. It may be used by any number of goroutines.
type Stream struct {
	ID   int // of the request that they are of
	Send func(Event)

	mu    sync.Mutex
	line  bytes.Buffer // without its end yet
	last  time.Time    // of the search
	tasks int
}

// Event is one of the lines of JSON that come before an answer.
type Event struct {
	ID    int    `json:"id"`
	Event string `json:"event"` // log, warning, search, units, gamma, point, task

	Text string `json:"text,omitempty"` // of log and warning

	// Of search: the state after what happened.
	Kind     string   `json:"kind,omitempty"`
	K        int      `json:"k,omitempty"`
	Cost     *float64 `json:"cost,omitempty"`
	Bound    *float64 `json:"bound,omitempty"`
	Gap      *float64 `json:"gap,omitempty"`
	Sampled  bool     `json:"sampled,omitempty"`
	Nodes    int      `json:"nodes,omitempty"`
	Open     int      `json:"open,omitempty"`
	Cuts     int      `json:"cuts,omitempty"`
	Passes   int      `json:"passes,omitempty"`
	Source   string   `json:"source,omitempty"`
	Seconds  float64  `json:"seconds,omitempty"`
	Selected []string `json:"selected,omitempty"` // of the incumbent, and of a point of a path

	// Of gamma: one that was tried.
	Units *result.Units `json:"units,omitempty"`
	Gamma float64       `json:"gamma,omitempty"`
	RMSE  float64       `json:"rmse,omitempty"`

	// Of point: a number of features, with K, Gap and Selected.
	Train      float64 `json:"train,omitempty"`
	Validation float64 `json:"validation,omitempty"` // 0: not known yet

	// Of task: a piece of work, and how far it is.
	Task  int    `json:"task,omitempty"`
	Label string `json:"label,omitempty"`
	Unit  string `json:"unit,omitempty"`
	Done  int64  `json:"done,omitempty"`
	Total int64  `json:"total,omitempty"` // 0: not known
	Over  bool   `json:"over,omitempty"`
}

// Write takes text for people; each whole line is an event.
func (s *Stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.line.Write(p)
	var lines []string
	for {
		line, err := s.line.ReadString('\n')
		if err != nil {
			s.line.WriteString(line)
			break
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	s.mu.Unlock()
	for _, line := range lines {
		s.say(line)
	}
	return len(p), nil
}

func (s *Stream) say(line string) {
	e := Event{ID: s.ID, Event: "log", Text: line}
	if text, warns := strings.CutPrefix(line, "warning: "); warns {
		e.Event, e.Text = "warning", text
	}
	s.Send(e)
}

// Flush sends a last line that has no end.
func (s *Stream) Flush() {
	s.mu.Lock()
	line := s.line.String()
	s.line.Reset()
	s.mu.Unlock()
	if line != "" {
		s.say(line)
	}
}

// Search tells of a search, and of the names of what is selected, if they are known: incumbents, starts and ends always, the rest now and
// then.
func (s *Stream) Search(e search.Event, selected []string) {
	s.mu.Lock()
	due := e.Kind == search.EventStart || e.Kind == search.EventIncumbent || e.Kind == search.EventDone || time.Since(s.last) >= often
	if due {
		s.last = time.Now()
	}
	s.mu.Unlock()
	if !due {
		return
	}
	s.Send(Event{
		ID: s.ID, Event: "search", Kind: e.Kind.String(), K: e.K, Cost: finite(e.Cost), Bound: finite(e.Bound), Gap: finite(e.Gap),
		Sampled: e.Sampled, Nodes: e.Nodes, Open: e.Open, Cuts: e.Cuts, Passes: e.Passes, Source: e.Source, Seconds: e.Elapsed.Seconds(), Selected: selected,
	})
}

// Gamma tells of one that was tried.
func (s *Stream) Gamma(p result.GammaPoint) {
	s.Send(Event{ID: s.ID, Event: "gamma", Gamma: p.Gamma, RMSE: p.RMSE, Gap: p.RootGap})
}

// Point tells of a number of features of a path.
func (s *Stream) Point(k int, gap, train, validation float64, selected []string) {
	s.Send(Event{ID: s.ID, Event: "point", K: k, Gap: finite(gap), Train: train, Validation: validation, Selected: selected})
}

// Units tells what was learned of how much rows differ on each feature.
func (s *Stream) Units(u *result.Units) {
	s.Send(Event{ID: s.ID, Event: "units", Units: u})
}

// finite leaves out what JSON has no number for: that there is none yet.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

var _ progress.Reporter = (*Stream)(nil)

// Start tells of a piece of work; see progress.Reporter.
func (s *Stream) Start(label string, total int64, unit string) progress.Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks++
	return &eventTask{stream: s, event: Event{ID: s.ID, Event: "task", Task: s.tasks, Label: label, Total: total, Unit: unit}, last: time.Now()}
}

// eventTask is a piece of work. One that is done soon sends no events.
type eventTask struct {
	stream *Stream
	mu     sync.Mutex
	event  Event
	last   time.Time
	told   bool
}

func (t *eventTask) Add(n int64) { t.progressed(n, true) }

func (t *eventTask) To(done int64) { t.progressed(done, false) }

func (t *eventTask) progressed(n int64, more bool) {
	t.mu.Lock()
	if more {
		n += t.event.Done
	}
	t.event.Done = n
	due, e := time.Since(t.last) >= often, t.event
	if due {
		t.last, t.told = time.Now(), true
	}
	t.mu.Unlock()
	if due {
		t.stream.Send(e)
	}
}

func (t *eventTask) Done() {
	t.mu.Lock()
	tell := t.told && !t.event.Over
	t.event.Over = true
	e := t.event
	t.mu.Unlock()
	if tell {
		t.stream.Send(e)
	}
}
