package service

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"optcomplete/internal/events"
)

// Fit is a fit that runs, and what is known about it so far. It takes the events that the log
// is made of.
type Fit struct {
	stop func() // what Ctrl-C does

	mu      sync.Mutex
	began   time.Time
	state   FitState
	tasks   map[int]FitTask
	started map[int]time.Time
	changed chan struct{} // closed when something has changed
	over    bool          // nothing comes any more
}

// FitState is the state of a fit.
type FitState struct {
	Verb     string     `json:"verb"`
	Running  bool       `json:"running"`
	Stopping bool       `json:"stopping"` // it was asked to end
	Problem  string     `json:"problem"`  // why it failed; empty: it did not
	Model    string     `json:"model"`    // the name of what was fitted; empty: none yet
	Seconds  float64    `json:"seconds"`  // since it began
	Search   *FitPoint  `json:"search"`   // as it is now; null: none began
	Trace    []FitPoint `json:"trace"`    // of the search, thinned
	Gammas   []FitGamma `json:"gammas"`   // that were tried
	Points   []FitK     `json:"points"`   // of a path
	Tasks    []FitTask  `json:"tasks"`    // at work now
	Log      []string   `json:"log"`      // its last lines
}

// FitPoint is the state of a search.
type FitPoint struct {
	Seconds  float64  `json:"seconds"`
	K        int      `json:"k"`
	Cost     *float64 `json:"cost"`    // null: no selection yet
	Bound    *float64 `json:"bound"`   // null: nothing proven yet
	Gap      *float64 `json:"gap"`     // null: not both
	Sampled  bool     `json:"sampled"` // of samples, which prove nothing
	Nodes    int      `json:"nodes"`
	Cuts     int      `json:"cuts"`
	Passes   int      `json:"passes"`
	Selected []string `json:"selected"`
}

// FitGamma is a γ that was tried.
type FitGamma struct {
	Gamma float64 `json:"gamma"`
	Error float64 `json:"error"`
}

// FitK is a number of features of a path.
type FitK struct {
	K          int      `json:"k"`
	Gap        *float64 `json:"gap"`
	Train      float64  `json:"train"`
	Validation float64  `json:"validation"` // 0: not known yet
	Selected   []string `json:"selected"`
}

// FitTask is a piece of work.
type FitTask struct {
	Label string  `json:"label"`
	Unit  string  `json:"unit"`
	Done  int64   `json:"done"`
	Total int64   `json:"total"` // 0: not known
	Left  float64 `json:"left"`  // seconds, about; 0: not known
}

// NewFit is a fit of a verb; stop ends it with the best there is so far.
func NewFit(verb string, stop func()) *Fit {
	return &Fit{stop: stop, began: time.Now(), tasks: map[int]FitTask{}, started: map[int]time.Time{}, changed: make(chan struct{}),
		state: FitState{Verb: verb, Running: true, Trace: []FitPoint{}, Gammas: []FitGamma{}, Points: []FitK{}, Tasks: []FitTask{}, Log: []string{}}}
}

const (
	mostTrace = 400
	mostLog   = 200
)

// Take takes an event.
func (f *Fit) Take(e events.Event) {
	f.change(func() {
		s := &f.state
		switch e.Event {
		case "log", "warning":
			text := e.Text
			if e.Event == "warning" {
				text = "warning: " + text
			}
			if s.Log = append(s.Log, text); len(s.Log) > mostLog {
				s.Log = slices.Clone(s.Log[1:])
			}
		case "search":
			p := FitPoint{Seconds: time.Since(f.began).Seconds(), K: e.K, Cost: e.Cost, Bound: e.Bound, Gap: e.Gap, Sampled: e.Sampled, Nodes: e.Nodes, Cuts: e.Cuts, Passes: e.Passes, Selected: some(e.Selected)}
			if e.Selected == nil && s.Search != nil && e.K == s.Search.K && e.Kind != "start" {
				p.Selected = s.Search.Selected
			}
			s.Search = &p
			if s.Trace = append(s.Trace, p); len(s.Trace) > mostTrace {
				s.Trace = thinned(s.Trace)
			}
		case "gamma":
			s.Gammas = append(s.Gammas, FitGamma{e.Gamma, e.RMSE})
		case "point":
			f.point(FitK{e.K, e.Gap, e.Train, e.Validation, some(e.Selected)})
		case "task":
			if f.tasks[e.Task] = (FitTask{Label: e.Label, Unit: e.Unit, Done: e.Done, Total: e.Total}); f.started[e.Task].IsZero() {
				f.started[e.Task] = time.Now()
			}
			if e.Over {
				delete(f.tasks, e.Task)
				delete(f.started, e.Task)
			}
		}
	})
}

// point adds what is known about a k, or takes the place of what was.
func (f *Fit) point(p FitK) {
	s := &f.state
	at := slices.IndexFunc(s.Points, func(q FitK) bool { return q.K == p.K })
	if at < 0 {
		s.Points = append(s.Points, p)
		return
	}
	s.Points = slices.Clone(s.Points)
	s.Points[at] = p
}

// thinned is every second point, and those whose selection is new.
func thinned(trace []FitPoint) []FitPoint {
	var out []FitPoint
	for n, p := range trace {
		if n%2 == 0 || n == len(trace)-1 {
			out = append(out, p)
		}
	}
	return out
}

// change changes the state, and tells who waits for it.
func (f *Fit) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.changed)
	f.changed = make(chan struct{})
}

// Ended tells that the fit is over: with a model of this name that is served, or none; or with
// what went wrong.
func (f *Fit) Ended(model string, err error) {
	f.change(func() {
		f.state.Running, f.state.Model = false, model
		f.state.Seconds = time.Since(f.began).Seconds()
		if err != nil {
			f.state.Problem = err.Error()
		}
		clear(f.tasks)
	})
}

// end tells those who listen that nothing comes any more.
func (f *Fit) end() { f.change(func() { f.over = true }) }

// now is the state, when it changes next, and whether it does.
func (f *Fit) now() (state *FitState, next <-chan struct{}, over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.state
	if s.Running {
		s.Seconds = time.Since(f.began).Seconds()
	}
	s.Tasks = []FitTask{}
	for _, id := range slices.Sorted(maps.Keys(f.tasks)) {
		t := f.tasks[id]
		if took := time.Since(f.started[id]).Seconds(); t.Total > 0 && t.Done > 0 && took > 0.5 {
			t.Left = took * float64(t.Total-t.Done) / float64(t.Done)
		}
		s.Tasks = append(s.Tasks, t)
	}
	return &s, f.changed, f.over || !s.Running
}

func (s *Server) noFit() error {
	return faultf(http.StatusNotFound, "a fit that is watched is shown here", "no fit is shown here")
}

func (s *Server) fitState() (any, error) {
	if s.fit == nil {
		return nil, s.noFit()
	}
	state, _, _ := s.fit.now()
	return state, nil
}

func (s *Server) stopFit() (any, error) {
	if s.fit == nil {
		return nil, s.noFit()
	}
	s.fit.change(func() { s.fit.state.Stopping = s.fit.state.Running })
	s.fit.stop()
	return s.fitState()
}

// often is the least time between two states of a live fit.
const often = 200 * time.Millisecond

// fitEvents sends the state whenever it has changed, as server-sent events, until the fit is over.
func (s *Server) fitEvents(w http.ResponseWriter, r *http.Request) {
	err := s.allowed(r)
	if err == nil && s.fit == nil {
		err = s.noFit()
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	out.SetReadDeadline(time.Time{}) // nothing more is read: what was set for the request would end the stream
	for {
		state, next, over := s.fit.now()
		text, err := json.Marshal(state)
		if err != nil {
			s.settings.Log.Error("internal error", "what", err.Error())
			return
		}
		out.SetWriteDeadline(time.Now().Add(s.settings.Time))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || out.Flush() != nil || over {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(often):
		}
		select {
		case <-r.Context().Done():
			return
		case <-next:
		case <-time.After(10 * time.Second): // its seconds have changed
		}
	}
}
