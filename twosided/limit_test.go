package twosided

import (
	"context"
	"errors"
	"testing"
	"time"

	"optcomplete/internal/must"
	"optcomplete/internal/random"
)

// TestStoppedAtOnce: an interrupt leaves no model, a time limit that is over at
// least the greedy selection, at a γ that was not tried.
func TestStoppedAtOnce(t *testing.T) {
	problem := make2(random.New(1), 30, 20, 3, 3, 1, 0.7)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if m, err := Fit(ctx, problem, Settings{K: 3}); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", m, err)
	}
	settings := Settings{K: 3}
	settings.TimeLimit, settings.Began = time.Second, time.Now().Add(-time.Hour)
	m := must.Get(Fit(context.Background(), problem, settings))(t)
	if s := m.Summary; len(s.Selected) != 3 || s.Gamma <= 0 || len(s.GammaPath) > 0 {
		t.Errorf("%v, gamma %v, tried %v", s.Selected, s.Gamma, s.GammaPath)
	}
}
