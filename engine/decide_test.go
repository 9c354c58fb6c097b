package engine

import (
	"context"
	"strings"
	"testing"

	"optcomplete/pass"
)

// TestReadingsGoWhereTheyAreFaster by counted work: with what a query takes, and what a
// unit of work took, both put here by hand. Each decision is told once.
func TestReadingsGoWhereTheyAreFaster(t *testing.T) {
	_, source := packed(t)
	s, log := newFake(t).open(t)
	if s.Stats.Sent == 0 { // the program
		t.Errorf("%+v", s.Stats)
	}
	s.settings.Least = 0
	s.decides.query = 10
	read := func() {
		t.Helper()
		if _, err := pass.Run(pass.WithRunner(context.Background(), s), source, 1, pass.Surveying{}); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if s.Stats.Local != 1 || s.Stats.Remote != 0 || !strings.Contains(log.String(), "survey: here; ") || !strings.Contains(log.String(), "(assumed)") {
		t.Errorf("%+v\n%s", s.Stats, log)
	}
	s.Cluster.Cores = 1000
	for range 2 {
		s.decides.kinds["survey"] = Kind{Seconds: 1} // for each entry
		read()
	}
	if s.Stats.Remote != 2 || strings.Count(log.String(), "survey: on the cluster; ") != 1 || !strings.Contains(log.String(), "(measured)") {
		t.Errorf("%+v\n%s", s.Stats, log)
	}
	if k := s.decides.kinds["survey"]; k.Seconds >= 1 || k.List == 0 {
		t.Errorf("nothing was learned: %+v", k)
	}
}

// TestSpeedsAreMeasured: the way back too.
func TestSpeedsAreMeasured(t *testing.T) {
	s, _ := newFake(t).open(t)
	v, err := s.Speeds(context.Background())
	if err != nil || v.Query <= 0 || s.receiving <= 0 || v.Receive != s.receiving {
		t.Errorf("%+v, %v", v, err)
	}
	if _, got := s.bytes(); got < echoBytes {
		t.Errorf("%d bytes came back", got)
	}
}
