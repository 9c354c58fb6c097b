package main

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

// eventStream sends what a verb has to say while it works: the lines that people
// would read, the search and its tasks. It may be used by any number of
// goroutines.
type eventStream struct {
	id   int
	send func(any)

	mu    sync.Mutex
	line  bytes.Buffer // without its end yet
	last  time.Time    // of the search
	tasks int
}

// event is one of the lines of JSON that come before an answer.
type event struct {
	ID    int    `json:"id"`
	Event string `json:"event"` // log, warning, search, gamma, task

	Text string `json:"text,omitempty"` // of log and warning

	// Of search: the state after what happened.
	Kind    string   `json:"kind,omitempty"`
	K       int      `json:"k,omitempty"`
	Cost    *float64 `json:"cost,omitempty"`
	Bound   *float64 `json:"bound,omitempty"`
	Gap     *float64 `json:"gap,omitempty"`
	Sampled bool     `json:"sampled,omitempty"`
	Nodes   int      `json:"nodes,omitempty"`
	Open    int      `json:"open,omitempty"`
	Cuts    int      `json:"cuts,omitempty"`
	Passes  int      `json:"passes,omitempty"`
	Source  string   `json:"source,omitempty"`
	Seconds float64  `json:"seconds,omitempty"`

	// Of gamma: one that was tried.
	Units *result.Units `json:"units,omitempty"`
	Gamma float64       `json:"gamma,omitempty"`
	RMSE  float64       `json:"rmse,omitempty"`

	// Of task: a piece of work, and how far it is.
	Task  int    `json:"task,omitempty"`
	Label string `json:"label,omitempty"`
	Unit  string `json:"unit,omitempty"`
	Done  int64  `json:"done,omitempty"`
	Total int64  `json:"total,omitempty"` // 0: not known
	Over  bool   `json:"over,omitempty"`
}

// Write takes text for people; each whole line is an event.
func (s *eventStream) Write(p []byte) (int, error) {
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

func (s *eventStream) say(line string) {
	e := event{ID: s.id, Event: "log", Text: line}
	if text, warns := strings.CutPrefix(line, "warning: "); warns {
		e.Event, e.Text = "warning", text
	}
	s.send(e)
}

// flush sends a last line that has no end.
func (s *eventStream) flush() {
	s.mu.Lock()
	line := s.line.String()
	s.line.Reset()
	s.mu.Unlock()
	if line != "" {
		s.say(line)
	}
}

// search tells of a search: incumbents, starts and ends always, the rest now and
// then.
func (s *eventStream) search(e search.Event) {
	s.mu.Lock()
	due := e.Kind == search.EventStart || e.Kind == search.EventIncumbent || e.Kind == search.EventDone || time.Since(s.last) >= often
	if due {
		s.last = time.Now()
	}
	s.mu.Unlock()
	if !due {
		return
	}
	s.send(event{
		ID: s.id, Event: "search", Kind: e.Kind.String(), K: e.K, Cost: finite(e.Cost), Bound: finite(e.Bound), Gap: finite(e.Gap),
		Sampled: e.Sampled, Nodes: e.Nodes, Open: e.Open, Cuts: e.Cuts, Passes: e.Passes, Source: e.Source, Seconds: e.Elapsed.Seconds(),
	})
}

func (s *eventStream) gamma(p result.GammaPoint) {
	s.send(event{ID: s.id, Event: "gamma", Gamma: p.Gamma, RMSE: p.RMSE, Gap: p.RootGap})
}

func (s *eventStream) units(u *result.Units) {
	s.send(event{ID: s.id, Event: "units", Units: u})
}

// finite leaves out what JSON has no number for: that there is none yet.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

var _ progress.Reporter = (*eventStream)(nil)

// Start tells of a piece of work; see progress.Reporter.
func (s *eventStream) Start(label string, total int64, unit string) progress.Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks++
	return &eventTask{stream: s, event: event{ID: s.id, Event: "task", Task: s.tasks, Label: label, Total: total, Unit: unit}, last: time.Now()}
}

// eventTask is a piece of work. One that is done soon sends no events.
type eventTask struct {
	stream *eventStream
	mu     sync.Mutex
	event  event
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
		t.stream.send(e)
	}
}

func (t *eventTask) Done() {
	t.mu.Lock()
	tell := t.told && !t.event.Over
	t.event.Over = true
	e := t.event
	t.mu.Unlock()
	if tell {
		t.stream.send(e)
	}
}
