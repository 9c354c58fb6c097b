package engine

import (
	"context"
	"encoding/base64"

	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"optcomplete/data"
	"optcomplete/engine/internal/connect"
	"optcomplete/internal/progress"
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
	Folder  string
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
	Cluster  Cluster

	mu      sync.Mutex // one reading at a time
	shared  map[string]bool
	sent    map[string]bool // data, by checksum
	spills  spills
	workers map[string]int // processes of the executors
	views   int            // tables that were copied
	decides decider
	sending float64 // bytes a second, of the program
	// receiving is bytes a second of parts; zero: not measured
	receiving float64
	Stats     Stats
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

// CheckAddress tells what is wrong with an address.
func CheckAddress(address string) error {
	if strings.HasPrefix(address, commandScheme) {
		return nil
	}
	_, err := connect.ParseAddress(address)
	return err
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
	s, err := begin(settings)
	if err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, s.explain(ctx, err)
	}
	return s, nil
}

func (s *Spark) open(ctx context.Context) (err error) {
	if s.command != nil {
		s.sending = 1e9 // to a disk
		return s.survey(ctx)
	}
	if s.Cluster.Spark, err = s.session.Version(ctx); err != nil {
		return err
	}
	s.log("Spark %s at %s", s.Cluster.Spark, s.Cluster.Address)
	start := time.Now()
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
func (s *Spark) survey(ctx context.Context) error {
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
	s.Cluster.Tasks = s.settings.Tasks
	if s.Cluster.Tasks == 0 {
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

// Close ends the session. What it does takes at most a few seconds.
func (s *Spark) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s.spills.remove()
	if s.command != nil {
		s.command.close()
		return
	}
	if s.table != "" {
		s.session.Command(ctx, "UNCACHE TABLE IF EXISTS "+s.table)
	}
	s.session.Close(ctx)
}

// Run executes a reading: on the cluster if it is large, in this process
// otherwise.
func (s *Spark) Run(ctx context.Context, r pass.Reading) error {
	plan := pass.PlanOf(r)
	if plan.Items() == 0 {
		return s.local(ctx, r, plan)
	}
	s.mu.Lock()
	away, tell, err := s.worthwhile(ctx, r, plan)
	var from *stored
	if away && err == nil {
		from, err = s.stored(pass.Base(r.Source))
	}
	if err == nil && (!away || from != nil) { // else it is not stored yet
		tell()
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if from == nil {
		return s.local(ctx, r, plan)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	start := time.Now()
	_, before := s.bytes()
	err = s.run(ctx, r, plan, from)
	s.Stats.Sent, s.Stats.Received = s.bytes()
	s.Stats.Seconds += time.Since(start).Seconds()
	if err != nil {
		return s.explain(ctx, err)
	}
	rows, _ := r.Source.Dims()
	back := s.Stats.Received - before
	v := s.speeds()
	s.decides.learn(r, plan, (time.Since(start).Seconds()-v.Query-float64(back)/v.Receive)*float64(v.Cores), back)
	s.Stats.Remote++
	s.Stats.Tasks += min(s.Cluster.Tasks, plan.Items())
	s.Stats.Items += plan.Items()
	if from.packed == nil {
		s.Stats.Values += r.Source.Observed()
		return nil
	}
	s.Stats.Rows += rows
	s.Stats.Entries += r.Source.Observed()
	return nil
}

// met notes who has answered: an executor that has another process than before, or was
// not there, means that work was done again.
func (s *Spark) met(hellos []Hello) {
	known := len(s.workers) > 0
	again := 0
	for _, h := range hellos {
		before, met := s.workers[h.Executor]
		if s.workers[h.Executor] = h.Process; known && (!met || before != h.Process) {
			again++
		}
	}
	if again > 0 {
		s.Stats.Restarted += again
		s.log("workers were started again: %d", again)
	}
}

// local executes a reading in this process.
func (s *Spark) local(ctx context.Context, r pass.Reading, plan *pass.Plan) error {
	start := time.Now()
	err := pass.ThreadRunner.Run(ctx, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Stats.Local++
	s.decides.learn(r, plan, time.Since(start).Seconds()*float64(pass.Threads(r.Threads)), 0)
	return err
}

// attempts is how often a reading is asked for: Spark repeats tasks itself, this
// is for executors that lacked something.
const attempts = 3

func (s *Spark) run(ctx context.Context, r pass.Reading, plan *pass.Plan, from *stored) error {
	start := time.Now()
	for name, encode := range pass.SharedOf(r) {
		if s.shared[name] {
			continue
		}
		content, err := encode()
		if err != nil {
			return err
		}
		if err := s.put(ctx, sharedFile(name), content); err != nil {
			return err
		}
		s.shared[name] = true
	}
	b, err := s.base(ctx, from)
	if err != nil {
		return err
	}
	found := newGathered(r, plan, s.Cluster.Tasks)
	for attempt := 1; ; attempt++ {
		b.Sent = s.sent[b.Checksum]
		message, err := pass.Encode(r, func(data.Source) (string, error) { return b.String(), nil }, func(string) bool { return true })
		if err != nil {
			return err
		}
		found.again()
		show := progress.Start(ctx, "Cluster: "+names(r), int64(s.Cluster.Tasks), "tasks")
		if s.session != nil {
			s.session.Progress = func(done, _ int) { show.To(int64(done)) }
		}
		err = s.query(ctx, found, "'"+base64.StdEncoding.EncodeToString(message)+"'", s.table, s.Cluster.Tasks)
		show.Done()
		s.met(found.hellos)
		if found.broken != nil {
			return found.broken
		}
		if err == nil {
			err = found.complete(s.settings.Version)
		}
		var missing *missingError
		if errors.As(err, &missing) && !b.Sent && from.packed != nil {
			if err := s.send(ctx, from.packed, missing); err != nil {
				return err
			}
			continue
		}
		if err != nil && attempt < attempts && ctx.Err() == nil && again(err) {
			s.Stats.Repeated++
			s.log("a reading is repeated: %v", err)
			continue
		}
		if err != nil {
			return err
		}
		found.results.Finish()
		rows, _ := r.Source.Dims()
		unit := "rows"
		if from.packed == nil {
			rows, unit = r.Source.Observed(), "values"
		}
		took := time.Since(start).Seconds()
		s.log("%s: %d items in %d tasks on %d executors, %.3g %s/s, %.1f MB back, %.1f s", names(r), plan.Items(), s.Cluster.Tasks, found.executors(), float64(rows)/took, unit, float64(found.bytes)/1e6, took)
		return nil
	}
}

func names(r pass.Reading) string {
	var all []string
	for _, t := range r.Tasks {
		all = append(all, t.Pass.Name())
	}
	return strings.Join(all, ", ")
}

const tabs = ` ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' `

// query asks the executors for a reading, a line for every row of a table.
func (s *Spark) query(ctx context.Context, to *gathered, reading, table string, tasks int) error {
	if s.command != nil {
		return s.command.lines(ctx, strings.Trim(reading, "'"), tasks, to.add)
	}
	// The folder of the session's files has a name that Spark 3.5 does not tell.
	command := fmt.Sprintf("cd $(dirname $(ls -d ./%[1]s */%[1]s 2>/dev/null | head -n 1)) && chmod +x ./%[1]s && exec ./%[1]s worker", s.program)
	sql := fmt.Sprintf("SELECT TRANSFORM(%d, %s, id, %d) %s USING '%s' AS (item INT, kind STRING, body STRING) %s FROM %s", Protocol, reading, tasks, tabs, command, tabs, table)
	err := s.session.Query(ctx, sql, to.take)
	if ctx.Err() != nil { // the work on the cluster is cancelled too
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		s.session.Interrupt(stop)
	}
	return err
}
