package engine

import (
	"context"
	"fmt"
	"time"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/pass"
)

// statedRate is the core-seconds that an entry, or a row, is taken to need in a kind
// of reading that was not measured yet: between a survey and an evaluation.
const statedRate = 50e-9

// decider tells which readings are worth sending: counted work, times what a unit of
// it has taken so far, against what a query takes by itself.
type decider struct {
	query float64         // seconds of a query that computes nothing
	kinds map[string]Kind // by name: Seconds of a unit of work, and what came back
	said  map[string]bool // decisions that were logged
}

// worthwhile decides whether a reading goes to the cluster. tell tells the first such
// decision for its kind, and the first to the contrary.
func (s *Spark) worthwhile(ctx context.Context, r pass.Reading, plan *pass.Plan) (away bool, tell func(), err error) {
	if s.settings.Least > 0 {
		return r.Source.Observed() >= s.settings.Least, func() {}, nil
	}
	if s.decides.query == 0 {
		took, err := s.idle(ctx)
		if err != nil {
			return false, nil, s.explain(ctx, err)
		}
		s.decides.query = took
	}
	name, work := kindName(r), float64(plan.Input.Work())
	k, known := s.decides.kinds[name]
	if !known {
		k.Seconds = statedRate
		for _, t := range r.Tasks {
			if p, ok := t.Pass.(pass.Returning); ok {
				k.List += float64(p.Back(&plan.Input))
			}
		}
	}
	k.Seconds, k.Items, k.Large = k.Seconds*work, plan.Items(), plan.Large()
	here := k.Seconds / float64(pass.Threads(r.Threads))
	there := s.speeds().Reading(k)
	away = there < here
	return away, func() {
		key := fmt.Sprint(name, away)
		if s.decides.said[key] {
			return
		}
		s.decides.said[key] = true
		where, rate := "here", "assumed"
		if away {
			where = "on the cluster"
		}
		if known {
			rate = "measured"
		}
		s.log("%s: %s; %.3g entries and rows at %.2g ns of a core (%s) make %.2g s here, %.2g s on the cluster, where a query takes %.2g s", name, where, work, 1e9*k.Seconds/work, rate, here, there, s.decides.query)
	}, nil
}

// Away tells whether a reading would go to the cluster, of data that are stored.
func (s *Spark) Away(ctx context.Context, r pass.Reading) bool {
	base, _, _, _ := data.Basis(pass.Base(r.Source))
	_, stored := base.(pack.Packed)
	if _, jobs := base.(pass.Jobs); !stored && !jobs {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	plan := pass.PlanOf(r)
	away, _, err := s.worthwhile(ctx, r, plan)
	return err == nil && away && plan.Items() > 0
}

// learn keeps what a reading took.
func (d *decider) learn(r pass.Reading, plan *pass.Plan, coreSeconds float64, back int64) {
	if work := plan.Input.Work(); work > 0 {
		d.kinds[kindName(r)] = Kind{Seconds: max(coreSeconds/float64(work), 1e-10), List: float64(back)}
	}
}

// speeds are those of the cluster, as far as they are known.
func (s *Spark) speeds() Speeds {
	v := Speeds{Executors: s.Cluster.Executors, Cores: s.Cluster.Executors * s.Cluster.Cores, Tasks: s.Cluster.Tasks, Query: s.decides.query, Send: s.sending, Receive: s.receiving}
	if v.Receive == 0 {
		v.Receive = receiveSpeed
	}
	return v
}

// idle is the seconds of a query that computes nothing.
func (s *Spark) idle(ctx context.Context) (float64, error) {
	start := time.Now()
	err := s.query(ctx, &gathered{}, "''", s.table, s.Cluster.Tasks)
	s.Stats.Sent, s.Stats.Received = s.bytes()
	return time.Since(start).Seconds(), err
}
