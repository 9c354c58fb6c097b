package report

import (
	"testing"

	"optcomplete/result"
)

func TestCommandIsForAShell(t *testing.T) {
	m := &Model{}
	m.s.Method, m.s.Model, m.s.K, m.s.Seed = "certified", "full", 2, 7
	m.s.Settings = map[string]string{
		"ratings": "my ratings.csv", "features": "it's.csv", "clip": "none", "field": "a b:type=list,separator=|\nc:type=text", "complete-only": "true", "cache": "false",
	}
	m.s.Always = []string{"Drama", "Sci-Fi, old"}
	want := `optcomplete fit 'my ratings.csv' --features 'it'\''s.csv' -k 2 --always 'Drama,"Sci-Fi, old"' --cache=false --clip none --complete-only ` +
		`--field 'a b:type=list,separator=|' --field c:type=text --method certified --model full --seed 7 -o model`
	if got := m.command(); got != want {
		t.Errorf("the command is\n%s\nwant\n%s", got, want)
	}
	m = &Model{}
	m.s.Method, m.s.Model, m.s.Status = "effects", "full", result.Fitted
	if got, want := m.command(), "optcomplete fit RATINGS --features FEATURES --method effects --seed 0 -o model"; got != want {
		t.Errorf("the command is\n%s\nwant\n%s", got, want)
	}
	m.s.Settings = map[string]string{"ratings": "r.csv"}
	if got, want := m.command(), "optcomplete fit r.csv --method effects --seed 0 -o model"; got != want {
		t.Errorf("the command is\n%s\nwant\n%s", got, want)
	}
}
