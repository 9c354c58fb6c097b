package regress

import (
	"context"
	"errors"
	"testing"
	"time"

	"optcomplete/selection"
)

// TestStoppedAtOnce: an interrupt leaves no result, a time limit that is over at
// least the greedy selection, at a γ that was not tried.
func TestStoppedAtOnce(t *testing.T) {
	problem := autoregressive(60, 12, 3, 2, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Fit(ctx, problem, Settings{K: 3}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := Path(ctx, problem, Settings{}, selection.PathSettings{KMax: 3}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r, err)
	}
	settings := Settings{K: 3}
	settings.TimeLimit, settings.Began = time.Second, time.Now().Add(-time.Hour)
	r, err := Fit(context.Background(), problem, settings)
	if err != nil || len(r.Selected) != 3 || r.Gamma <= 0 || len(r.GammaPath) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
