package engine

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"optcomplete/data"
	"optcomplete/engine/internal/connect"
	"optcomplete/internal/progress"
	"optcomplete/pass"
)

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

// attempts is how often a reading is asked for: Spark repeats tasks itself, this is for
// executors that lacked something, and for sessions that broke. Before the second there
// is a pause, and a longer one before each of the others.
const (
	attempts = 4
	longer   = 4
)

func (s *Spark) run(ctx context.Context, r pass.Reading, plan *pass.Plan, from *stored) error {
	start := time.Now()
	found := newGathered(r, plan, s.Cluster.Tasks)
	pause := cmp.Or(s.settings.Silence, connect.Silence) / 30
	for attempt := 1; ; attempt++ {
		sent, err := s.request(ctx, r, found, from)
		var missing *missingError
		if errors.As(err, &missing) && !sent && from.packed != nil {
			if err = s.send(ctx, from.packed, missing); err == nil {
				continue
			}
		}
		if err == nil {
			break
		}
		s.lost = s.lost || s.session != nil && s.broke(err)
		if found.broken != nil || attempt == attempts || s.last || s.lost && s.hurried() || ctx.Err() != nil || !again(err) {
			return err
		}
		s.Stats.Repeated++
		s.log("a reading is repeated (%d of %d times): %v", attempt, attempts-1, err)
		if s.lost {
			select {
			case <-s.hurry:
				return err
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
				pause *= longer
			}
		}
	}
	found.results.Finish()
	if err := surveyed(r); err != nil {
		return err
	}
	rows, _ := r.Source.Dims()
	unit := "rows"
	if from.packed == nil {
		rows, unit = r.Source.Observed(), "values"
	}
	took := time.Since(start).Seconds()
	s.log("%s: %s in %s on %s, %.3g %s/s, %.1f MB back, %.1f s", names(r), several(plan.Items(), "item"), several(min(s.Cluster.Tasks, plan.Items()), "task"), several(found.executors(), "executor"), float64(rows)/took, unit, float64(found.bytes)/1e6, took)
	return nil
}

// surveyed compares what a survey counted with what the data hold.
func surveyed(r pass.Reading) error {
	for _, t := range r.Tasks {
		if part, ok := t.Result.(*pass.SurveyPart); ok && t.Sink == nil && part.Total != r.Source.Observed() {
			return &workerError{fmt.Sprintf("the executors counted %d entries of %d: the fit ends, because its results could not be trusted", part.Total, r.Source.Observed())}
		}
	}
	return nil
}

// hurried tells whether the user wants an end.
func (s *Spark) hurried() bool {
	select {
	case <-s.hurry:
		return true
	default:
		return false
	}
}

// request asks for a reading once, in a session of which nothing is known to be wrong. It
// tells whether the data had been sent.
func (s *Spark) request(ctx context.Context, r pass.Reading, found *gathered, from *stored) (sent bool, err error) {
	if s.lost {
		if err := s.rejoin(ctx); err != nil {
			return false, err
		}
	}
	for name, encode := range pass.SharedOf(r) {
		if s.shared[name] {
			continue
		}
		content, err := encode()
		if err != nil {
			return false, err
		}
		if err := s.put(ctx, sharedFile(name), content); err != nil {
			return false, err
		}
		s.shared[name] = true
	}
	b, err := s.base(ctx, from)
	if err != nil {
		return false, err
	}
	b.Sent = s.sent[b.Checksum]
	message, err := pass.Encode(r, func(data.Source) (string, error) { return b.String(), nil }, func(string) bool { return true })
	if err != nil {
		return false, err
	}
	found.again()
	show := progress.Start(ctx, "Cluster: "+names(r), int64(s.Cluster.Tasks), "tasks")
	if s.session != nil {
		s.session.Progress = func(done, _ int) { show.To(int64(done)) }
	}
	err = s.query(ctx, found, "'"+base64.StdEncoding.EncodeToString(message)+"'", s.table, s.Cluster.Tasks)
	show.Done()
	s.met(found.hellos)
	switch {
	case found.broken != nil:
		err = found.broken
	case err == nil:
		err = found.complete(s.settings.Version)
	}
	return b.Sent, err
}

func several(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

func names(r pass.Reading) string {
	var all []string
	for _, t := range r.Tasks {
		all = append(all, pass.NameOf(t.Pass))
	}
	return strings.Join(all, ", ")
}

// currentThread is the thread of a task in SQL. Where Spark does not allow it, repeated
// tasks are not counted.
const currentThread = "reflect('java.lang.Thread', 'currentThread')"

const tabs = ` ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' `

// query asks the executors for a reading, a line for every row of a table.
func (s *Spark) query(ctx context.Context, to *gathered, reading, table string, tasks int) error {
	s.expect(to, strings.Trim(reading, "'"))
	if s.command != nil {
		return s.command.lines(ctx, strings.Trim(reading, "'"), tasks, to.add)
	}
	sql := fmt.Sprintf("SELECT TRANSFORM(%d, %s, id, %d) %s FROM %s", Protocol, reading, tasks, s.using("worker"), table)
	return s.ask(ctx, to, sql)
}

// expect prepares for the answers to a question, of workers of this session.
func (s *Spark) expect(to *gathered, question string) {
	to.seals, to.version, to.program = newSealer(s.key, question), s.settings.Version, s.sum
}

// using is the part of a TRANSFORM that starts this program with arguments.
func (s *Spark) using(arguments string) string {
	// The folder of the session's files has a name that Spark 3.5 does not tell.
	command := fmt.Sprintf("cd $(dirname $(ls -d ./%[1]s */%[1]s 2>/dev/null | head -n 1)) && chmod +x ./%[1]s && exec ./%[1]s %[2]s", s.program, arguments)
	return fmt.Sprintf("%s USING '%s' AS (item INT, kind STRING, body STRING) %s", tabs, command, tabs)
}

// ask gives the answers of a TRANSFORM to the gathered, with the threads of those who say
// who they are: their names tell which attempt of a task it is.
func (s *Spark) ask(ctx context.Context, to *gathered, sql string) error {
	if s.threads {
		sql = fmt.Sprintf("SELECT item, kind, body, CASE WHEN kind = '%s' THEN %s END AS thread FROM (%s)", kindHello, currentThread, sql)
	}
	err := s.session.Query(ctx, sql, to.take)
	if to.retried > 0 {
		s.Stats.Retried += to.retried
		s.log("Spark has repeated tasks: %d", to.retried)
		to.retried = 0
	}
	if ctx.Err() != nil { // the work on the cluster is cancelled too
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
		defer cancel()
		if s.session.Interrupt(stop); s.session.Silent() {
			s.lost, s.last = true, true
		}
	}
	return err
}
