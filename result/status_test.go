package result

import (
	"encoding/json"
	"testing"
)

func TestStatusIsSaved(t *testing.T) {
	early := 0
	for _, s := range []Status{Optimal, GapReached, TimeLimit, SearchTime, NoProofInSight, NodeLimit, PassLimit, Interrupted, Sampled, Fitted, NumericalLimit} {
		if s.Early() {
			early++
		}
	}
	if early != 7 {
		t.Errorf("%d statuses are early, want 7", early)
	}
	text, err := json.Marshal(Certificate{Status: TimeLimit})
	var back Certificate
	if err != nil || json.Unmarshal(text, &back) != nil || back.Status != TimeLimit {
		t.Errorf("%s, %v", text, err)
	}
	if got := TimeLimit.Words(); got != "time limit" {
		t.Errorf("in words %q", got)
	}
}
