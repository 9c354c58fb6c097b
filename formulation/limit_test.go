package formulation

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"optcomplete/internal/progress"
	"optcomplete/model"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
)

// TestTimeLimitThatIsOver: a fit whose time was up before it began still answers,
// learns no variances, and leaves out what nothing depends on, with a word.
func TestTimeLimitThatIsOver(t *testing.T) {
	problem, _ := instance(t, small)
	for _, kind := range []spec.Kind{spec.Paper, spec.Full, spec.Pooled} {
		var division selection.Division
		settings := Settings{K: 4, Model: kind, OnDivided: func(d selection.Division) { division = d }}
		settings.TimeLimit, settings.Began = time.Second, time.Now().Add(-time.Hour)
		settings.Checkpoint = filepath.Join(t.TempDir(), "run")
		s := fit(t, problem, settings).Summary
		if len(s.Selected) != 4 || s.Gamma <= 0 || s.Status != result.TimeLimit && s.Status != result.Optimal {
			t.Errorf("%v: %v, gamma %v, %v", kind, s.Status, s.Gamma, s.Selected)
		}
		if !division.Cut || division.Limit != time.Second {
			t.Errorf("%v: %+v", kind, division)
		}
		said := slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, selection.ErrOver.Error()) })
		if s.Diagnostics != nil || !said {
			t.Errorf("%v: diagnostics %v, warnings %q", kind, s.Diagnostics, s.Warnings)
		}
		held := settings
		held.Holdout, held.Checkpoint = 0.1, ""
		if s := fit(t, problem, held).Summary; len(s.Selected) != 4 || s.Gamma <= 0 {
			t.Errorf("%v, some held out: %v, gamma %v, %v", kind, s.Status, s.Gamma, s.Selected)
		}
		// A choice that was cut short is not remembered.
		settings.TimeLimit, settings.Began = 0, time.Time{}
		if again := fit(t, problem, settings).Summary; again.Units != nil && !again.Units.Learned || len(again.Warnings) > 0 {
			t.Errorf("%v: units %v, warnings %q", kind, again.Units, again.Warnings)
		}
	}
}

// TestRemainderEndsWithTheTime: after the step that it is at, with a word.
func TestRemainderEndsWithTheTime(t *testing.T) {
	problem, _ := instance(t, small)
	settings := Settings{K: 4, Model: spec.Full, ResidualRank: AutoRank}
	settings.Gamma, settings.TimeLimit, settings.Began = 1, time.Second, time.Now().Add(-time.Hour)
	said := func(s *model.Model) bool {
		return slices.ContainsFunc(s.Summary.Warnings, func(w string) bool { return strings.Contains(w, "the remainder was stopped") })
	}
	if m := fit(t, problem, settings); !said(m) || m.Remainder == nil {
		t.Errorf("remainder %v, warnings %q", m.Remainder, m.Summary.Warnings)
	}
	settings.TimeLimit = 0
	if m := fit(t, problem, settings); said(m) {
		t.Errorf("warnings %q", m.Summary.Warnings)
	}
}

// TestTimeLimitIsDivided: all of it, and no more.
func TestTimeLimitIsDivided(t *testing.T) {
	problem, _ := instance(t, small)
	for _, rank := range []int{0, AutoRank} {
		var d selection.Division
		settings := Settings{K: 4, Model: spec.Full, ResidualRank: rank, OnDivided: func(told selection.Division) { d = told }}
		settings.TimeLimit = time.Hour
		limited := fit(t, problem, settings)
		if sum := d.Choice + d.Search + d.Refit + d.Extra; d.Cut || d.Refit <= 0 || d.Extra <= 0 || sum > time.Hour {
			t.Errorf("%+v", d)
		}
		settings.TimeLimit = 0
		same(t, "without a limit", timelessSettings(limited), timelessSettings(fit(t, problem, settings)))
	}
}

// timelessSettings is what a model has apart from times and settings.
func timelessSettings(m *model.Model) *model.Model {
	m.Summary.Settings = nil
	return timeless(m)
}

// slow is a reporter that lets a piece of work begin late.
type slow struct {
	label string
	by    time.Duration
}

func (s slow) Start(label string, _ int64, _ string) progress.Task {
	if label == s.label {
		time.Sleep(s.by)
	}
	return progress.None{}
}

// TestSlowChoiceEndsInTime: a choice that has used its third of the time up takes the
// default, and the search has the rest.
func TestSlowChoiceEndsInTime(t *testing.T) {
	problem, _ := instance(t, small)
	var d selection.Division
	settings := Settings{K: 4, Model: spec.Paper, OnDivided: func(told selection.Division) { d = told }}
	settings.TimeLimit = 6 * time.Second
	fitted, err := Fit(progress.NewContext(context.Background(), slow{"Learning how much rows differ on each feature", settings.TimeLimit/3 + 200*time.Millisecond}), problem, settings)
	if err != nil {
		t.Fatal(err)
	}
	if !d.Cut || !(fitted.Summary.Gamma > 0) || len(fitted.Summary.Selected) != 4 {
		t.Errorf("%+v, took %v", d, fitted.Summary.Gamma)
	}
}
