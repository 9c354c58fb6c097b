package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"optcomplete/engine/internal/connect"
	"optcomplete/pass"
)

// Settings say how to use a cluster.
type Settings struct {
	Address string // sc://host:port, with ;key=value behind a slash
	// Program is the program that is sent to the executors: built for their
	// system, of this version. Empty: this one.
	Program string
	// Least is how many entries a reading must have to go to the cluster. Zero: those
	// go that are quicker there, by the work they have.
	Least int
	// Tasks is how many tasks a reading is divided into. Zero: four for each core.
	Tasks int
	// Folder is where data that are in memory are written for the executors, best one
	// that they see too. Empty: that for temporary files.
	Folder string
	// Silence is how long the server may say nothing before it is asked whether it is
	// there. Zero: 30 seconds.
	Silence time.Duration
	Version string       // of the program
	Log     func(string) // gets a line for everything that happens; may be nil
}

// mostSent is how many bytes of data are sent to executors that cannot see them.
const mostSent = 4 << 30

// Spark runs readings on a Spark cluster.
type Spark struct {
	settings Settings
	session  *connect.Session
	command  *command // instead of a session
	program  string   // its name at the executors
	table    string   // one row a task
	key      []byte   // of the session: answers are sealed with it
	sum      string   // of the program that is sent
	Cluster  Cluster

	mu      sync.Mutex // one reading at a time
	shared  map[string]bool
	sent    map[string]bool // data, by checksum
	spills  spills
	workers map[string]int // processes of the executors
	views   int            // tables that were copied
	threads bool           // tasks may tell their threads; see currentThread
	decides decider
	sending float64 // bytes a second, of the program
	// receiving is bytes a second of parts; zero: not measured
	receiving float64
	Stats     Stats

	hurry <-chan struct{} // closed once the user wants an end
	lost  bool            // the session: the next reading begins another
	last  bool            // nothing is asked for again: the server was silent when time was up
}

// Cluster is what is there.
type Cluster struct {
	Address   string `json:"address"`
	Spark     string `json:"spark"`     // version
	Executors int    `json:"executors"` // that answered
	Cores     int    `json:"cores"`     // of each, for tasks
	Memory    int64  `json:"memory"`    // free at one of them, in bytes
	Platform  string `json:"platform"`
	Tasks     int    `json:"tasks"` // a reading is divided into
}

// Stats is what was done.
type Stats struct {
	Remote    int     `json:"remote_readings"`
	Local     int     `json:"local_readings"`
	Tasks     int     `json:"tasks_done"` // of the readings on the cluster
	Items     int     `json:"items"`      // chunks, or several where parts are large
	Rows      int     `json:"rows"`       // read on the cluster, all readings together
	Entries   int     `json:"entries"`
	Values    int     `json:"values,omitempty"`  // computed there, by what reads no data
	Restarted int     `json:"restarted_workers"` // workers that came in place of others
	Retried   int     `json:"retried_tasks"`     // attempts of tasks that Spark had to repeat
	Repeated  int     `json:"repeated_readings"`
	Sent      int64   `json:"bytes_sent"`
	Received  int64   `json:"bytes_received"`
	Seconds   float64 `json:"seconds"` // of the readings on the cluster
}

// Speed is rows a second, of the readings on the cluster, or values of what reads none.
func (s Stats) Speed() float64 {
	if s.Seconds == 0 {
		return 0
	}
	return float64(s.Rows+s.Values) / s.Seconds
}

var _ pass.Runner = (*Spark)(nil)

// CheckAddress tells what is wrong with an address, and gives it without its token and
// headers, as it may be printed.
func CheckAddress(address string) (shown string, err error) {
	if strings.HasPrefix(address, commandScheme) {
		return address, nil
	}
	a, err := connect.ParseAddress(address)
	return a.String(), err
}

// Open begins a session, sends the program and finds out what is there. The
// session must be closed.
func Open(ctx context.Context, settings Settings) (*Spark, error) {
	if settings.Program == "" {
		var err error
		if settings.Program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	s, err := begin(ctx, settings)
	if err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, s.explain(ctx, err)
	}
	s.Stats.Sent, s.Stats.Received = s.bytes()
	return s, nil
}

func (s *Spark) open(ctx context.Context) (err error) {
	if s.command != nil {
		s.sending = 1e9 // to a disk
		return s.survey(ctx)
	}
	if err := s.greet(ctx); err != nil {
		return err
	}
	return s.join(ctx)
}

// greet asks for the version of Spark.
func (s *Spark) greet(ctx context.Context) (err error) {
	if s.Cluster.Spark, err = s.session.Version(ctx); err == nil {
		s.log("Spark %s at %s", s.Cluster.Spark, s.Cluster.Address)
	}
	return err
}

// join sends the program, and finds out who runs it.
func (s *Spark) join(ctx context.Context) error {
	start := time.Now()
	if err := s.put(ctx, keyFile, s.key); err != nil {
		return err
	}
	if err := s.session.SendFile(ctx, s.program, s.settings.Program); err != nil {
		return err
	}
	if err := s.survey(ctx); err != nil {
		return err
	}
	sent, _ := s.session.Bytes()
	s.sending = float64(sent) / time.Since(start).Seconds() // executors fetch it for the survey
	return nil
}

func (s *Spark) log(format string, args ...any) {
	if s.settings.Log != nil {
		s.settings.Log(fmt.Sprintf(format, args...))
	}
}

// survey asks who is there, and divides readings accordingly.
func (s *Spark) survey(ctx context.Context) (err error) {
	if s.sum, err = sumOf(s.settings.Program); err != nil {
		return err
	}
	if s.command != nil {
		return s.meet(ctx, 0, "")
	}
	setting, err := s.setting(ctx, "spark.executor.cores")
	if err != nil {
		return err
	}
	cores, _ := strconv.Atoi(setting)
	master, err := s.setting(ctx, "spark.master")
	if err != nil {
		return err
	}
	err = s.session.Query(ctx, "SELECT "+currentThread, func(arrow.RecordBatch) error { return nil })
	s.threads = err == nil
	var count, each, megabytes int // which local-cluster does not tell otherwise
	if n, _ := fmt.Sscanf(master, "local-cluster[%d,%d,%d]", &count, &each, &megabytes); n == 3 {
		cores = each
	}
	return s.meet(ctx, cores, fmt.Sprintf("(SELECT id, '%s' AS run FROM range(0, %d, 1, %d))", s.session.ID, askers, askers))
}

// askers is how many tasks ask who is there.
const askers = 32

// meet asks who is there, with a table of as many rows.
func (s *Spark) meet(ctx context.Context, cores int, table string) error {
	found := &gathered{}
	if err := s.query(ctx, found, "''", table, askers); err != nil {
		return err
	}
	if len(found.hellos) == 0 {
		return errors.New("no executor has answered")
	}
	executors := map[string]bool{}
	for _, h := range found.hellos {
		executors[h.Executor] = true
		s.Cluster.Memory, s.Cluster.Platform = h.Memory, h.Platform
		if cores == 0 {
			cores = h.Cores
		}
	}
	s.met(found.hellos)
	s.Cluster.Executors, s.Cluster.Cores = len(executors), max(cores, 1)
	if s.Cluster.Tasks == 0 { // a session that takes the place of another has the same tasks
		s.Cluster.Tasks = min(max(4*s.Cluster.Executors*s.Cluster.Cores, 4), 4000)
	}
	s.log("executors: %d, cores of each: %d, %s; tasks of a reading: %d", s.Cluster.Executors, s.Cluster.Cores, s.Cluster.Platform, s.Cluster.Tasks)
	if s.command != nil {
		return nil
	}
	// A cached table with a row for every task ties tasks to executors, which keep
	// what they read. The session's name makes it a table of its own.
	s.table = "optcomplete_" + strings.ReplaceAll(s.session.ID, "-", "")
	return s.session.Command(ctx, fmt.Sprintf("CACHE TABLE %s OPTIONS ('storageLevel' 'MEMORY_ONLY') AS SELECT id, '%s' AS run FROM range(0, %d, 1, %d)", s.table, s.session.ID, s.Cluster.Tasks, s.Cluster.Tasks))
}

// setting is one of the server's; empty if it is not set.
func (s *Spark) setting(ctx context.Context, name string) (value string, err error) {
	err = s.session.Query(ctx, "SET "+name, func(r arrow.RecordBatch) error {
		if text, ok := r.Column(1).(*array.String); ok && r.NumRows() > 0 {
			value = text.Value(0)
		}
		return nil
	})
	return value, err
}

// rejoin begins a session in place of one that was lost. What that had is sent again.
func (s *Spark) rejoin(ctx context.Context) error {
	broken := s.session
	s.session = s.newSession(broken.Address)
	s.program = "optcomplete-" + s.session.ID
	s.shared, s.sent = map[string]bool{}, map[string]bool{}
	within := s.session.Silence / 3
	if s.hurried() {
		within = min(within, time.Second)
	}
	if !s.session.There(ctx, within) {
		return &connect.Error{Code: connect.Unavailable, Message: "no answer"}
	}
	if err := s.join(ctx); err != nil {
		return err
	}
	s.lost = false
	s.log("a new session at %s goes on", s.Cluster.Address)
	stop, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	s.session.Succeed(stop, broken)
	return nil
}

func (s *Spark) newSession(a connect.Address) *connect.Session {
	session := connect.Open(a)
	session.Hurry = s.hurry
	if s.settings.Silence > 0 {
		session.Silence = s.settings.Silence
	}
	return session
}

// parting is how long the server may take to cancel work, and to end a session.
const parting = 2 * time.Second

// Close ends the session. What it does takes at most a few seconds.
func (s *Spark) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), parting)
	defer cancel()
	s.spills.remove()
	if s.command != nil {
		s.command.close()
		return
	}
	if s.session.Silent() {
		return
	}
	if s.table != "" {
		s.session.Command(ctx, "UNCACHE TABLE IF EXISTS "+s.table)
	}
	s.session.Close(ctx)
}
