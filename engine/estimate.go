package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"optcomplete/data"
	"optcomplete/engine/internal/connect"
	"optcomplete/pass"
)

// Speeds are what the time of a reading on a cluster is made of. docs/cluster.md has
// the formula and where the numbers come from.
type Speeds struct {
	Executors int     `json:"executors"`
	Cores     int     `json:"cores"`   // of all executors
	Tasks     int     `json:"tasks"`   // of a reading
	Query     float64 `json:"query"`   // seconds of a query that computes nothing
	Send      float64 `json:"send"`    // bytes a second from here to the executors
	Receive   float64 `json:"receive"` // bytes a second of parts, from the executors to their sum here
}

// receiveSpeed is that of parts where it was not measured: an assumption.
const receiveSpeed = 25e6

// Kind is readings of one kind.
type Kind struct {
	Name    string  `json:"name"`
	Times   int     `json:"times"`
	Seconds float64 `json:"core_seconds"` // of one core, for one reading of all entries
	Items   int     `json:"items"`
	Large   bool    `json:"large_parts,omitempty"`
	Part    float64 `json:"part_bytes"` // what an item, or a run of them, gives
	List    float64 `json:"list_bytes"` // what all rows give, one after another
}

// Reading is the time of one of them: a query, waves of tasks, and the parts that
// come back.
func (s Speeds) Reading(k Kind) float64 {
	tasks := max(min(s.Tasks, k.Items), 1)
	waves := math.Ceil(float64(tasks) / float64(max(s.Cores, 1)))
	return s.Query + k.Seconds*waves/float64(tasks) + s.Back(k)/s.Receive
}

// Back is the bytes that come back from one of them.
func (s Speeds) Back(k Kind) float64 {
	level := runLevel(k.Items, s.Tasks, k.Large, nil)
	return k.Part*float64((k.Items+1<<level-1)>>level) + k.List
}

// Total is the time of all readings, and of sending what they share.
func (s Speeds) Total(kinds []Kind, shared float64) float64 {
	all := shared / s.Send
	for _, k := range kinds {
		all += float64(k.Times) * s.Reading(k)
	}
	return all
}

// echoBytes is how many bytes are asked for to measure the way back, by all tasks.
const echoBytes = 16 << 20

// Speeds measures the cluster: some queries that compute nothing, one that gives many
// bytes back, and what sending the program took.
func (s *Spark) Speeds(ctx context.Context) (Speeds, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var took []float64
	for range 3 {
		idle, err := s.idle(ctx)
		if err != nil {
			return Speeds{}, s.explain(ctx, err)
		}
		took = append(took, idle)
	}
	slices.Sort(took)
	s.decides.query = took[1]
	back := &gathered{}
	start := time.Now()
	if err := s.query(ctx, back, fmt.Sprintf("'%s'", echoReading(echoBytes/s.Cluster.Tasks)), s.table, s.Cluster.Tasks); err != nil {
		return Speeds{}, s.explain(ctx, err)
	}
	s.receiving = float64(back.bytes) / max(time.Since(start).Seconds()-s.decides.query, 1e-3)
	return s.speeds(), nil
}

// Observer is a runner that computes here, on one thread, and keeps what each kind
// of reading takes: of a sample, to tell what a fit of all data will.
type Observer struct {
	All data.Source // the data

	mu     sync.Mutex
	kinds  map[string]*Kind
	shared map[string]int
	here   float64 // seconds of readings of parts of the data
}

var _ pass.Runner = (*Observer)(nil)

// Run computes a reading and notes what it took.
func (o *Observer) Run(ctx context.Context, r pass.Reading) error {
	r.Threads = 1
	var back, list int
	watched := r
	watched.Tasks = nil
	for _, t := range r.Tasks {
		other := &pass.Task{Pass: t.Pass}
		if t.Sink != nil {
			other.Sink = func(p pass.Part) error {
				list += partBytes(p)
				return t.Sink(p)
			}
		}
		watched.Tasks = append(watched.Tasks, other)
	}
	start := processorTime() // other work on this machine says nothing about the cluster
	if err := pass.ThreadRunner.Run(ctx, watched); err != nil {
		return err
	}
	took := (processorTime() - start).Seconds()
	for x, t := range watched.Tasks {
		if t.Sink == nil {
			r.Tasks[x].Result = t.Result
			back += partBytes(t.Result)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if pass.Label(ctx) != "" {
		o.here += took
		return nil
	}
	if o.kinds == nil {
		o.kinds, o.shared = map[string]*Kind{}, map[string]int{}
	}
	name := kindName(r)
	k := o.kinds[name]
	if k == nil {
		k = &Kind{Name: name}
		o.kinds[name] = k
	}
	rows, _ := r.Source.Dims()
	allRows, _ := o.All.Dims()
	larger := float64(o.All.Observed()+allRows) / float64(max(r.Source.Observed()+rows, 1))
	plan := pass.PlanOf(pass.Reading{Source: o.All, Tasks: r.Tasks})
	k.Items, k.Large = plan.Items(), plan.Large()
	seconds := took * larger
	lists := float64(list) * float64(allRows) / float64(max(rows, 1))
	k.Seconds += (seconds - k.Seconds) / float64(k.Times+1) // means
	k.Part += (float64(back) - k.Part) / float64(k.Times+1)
	k.List += (lists - k.List) / float64(k.Times+1)
	k.Times++
	for name, encode := range pass.SharedOf(r) {
		if _, known := o.shared[name]; !known {
			content, err := encode()
			if err != nil {
				return err
			}
			o.shared[name] = len(content)
		}
	}
	return nil
}

// kindName is the names of the passes of a reading, each once, in order: who asked first
// is chance.
func kindName(r pass.Reading) string {
	all := strings.Split(names(r), ", ")
	sort.Strings(all)
	return strings.Join(slices.Compact(all), ", ")
}

func partBytes(p pass.Part) int {
	b, err := pass.EncodeParts([][]pass.Part{{p}})
	if err != nil {
		return 0 // a part that stays here
	}
	return len(b)
}

// Kinds are the readings, those that take longest first; the bytes that they share; and
// the seconds of readings of parts of the data, which stay here.
func (o *Observer) Kinds() (kinds []Kind, shared, here float64) {
	for _, k := range o.kinds {
		kinds = append(kinds, *k)
	}
	sort.Slice(kinds, func(x, y int) bool {
		a, b := kinds[x], kinds[y]
		if s, t := float64(a.Times)*a.Seconds, float64(b.Times)*b.Seconds; s != t {
			return s > t
		}
		return a.Name < b.Name
	})
	for _, bytes := range o.shared {
		shared += float64(bytes)
	}
	return kinds, shared, o.here
}

// explain turns an error of the engine into what a user can do about it.
func (s *Spark) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var from *connect.Error
	var work *workerError
	switch {
	case errors.As(err, &work):
		return errors.New(work.text)
	case errors.Is(err, errCommand):
		return fmt.Errorf("the engine's command (%s) has ended (its own messages stand above; a fit with Settings.Checkpoint goes on where it stopped)", s.settings.Address)
	case !errors.As(err, &from):
		return err
	case from.Code == connect.Unavailable:
		return fmt.Errorf("the engine at %s does not answer: %s (is a Spark Connect server running there? A fit with Settings.Checkpoint goes on where it stopped)", s.Cluster.Address, from.Message)
	case from.Code == connect.Unauthenticated || from.Code == connect.PermissionDenied:
		return fmt.Errorf("the engine at %s refuses: %s (give a token: sc://HOST:PORT/;token=…, or $%s)", s.Cluster.Address, from.Message, connect.TokenVariable)
	case strings.Contains(from.Message, "[PATH_NOT_FOUND]"):
		return &data.InputError{File: s.Cluster.Address, Problem: firstLine(from.Message), Remedy: "name a path that Spark can read, such as hdfs:///ratings/*.parquet", Err: err}
	case strings.Contains(from.Message, "[FAILED_READ_FILE"):
		return &data.InputError{File: s.Cluster.Address, Problem: firstLine(from.Message), Remedy: "check that the file is whole; in CSV every line must have as many fields as the header, and every file the same header", Err: err}
	case strings.Contains(from.Message, "TRANSFORM"):
		return fmt.Errorf("the engine at %s does not run programs with TRANSFORM: %s (see docs/cluster.md for what it needs)", s.Cluster.Address, firstLine(from.Message))
	case strings.Contains(from.Message, "No space left on device"):
		return fmt.Errorf("an executor of %s has no room left on its disk: No space left on device (free some, or give spark.local.dir a larger one)", s.Cluster.Address)
	case strings.Contains(from.Message, "Exec format error") || strings.Contains(from.Message, "cannot execute"):
		return fmt.Errorf("the executors of %s cannot run this program: %s (give one that is built for them with engine.Settings.Program)", s.Cluster.Address, firstLine(from.Message))
	}
	return fmt.Errorf("the engine at %s: %s", s.Cluster.Address, firstLine(from.Message))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
