package result

import (
	"encoding/json"
	"testing"
)

func TestStatusPrintsAndParses(t *testing.T) {
	early := 0
	for _, s := range statuses {
		if got, err := ParseStatus(s.String()); err != nil || got != s {
			t.Errorf("%v parses as %v (%v)", s, got, err)
		}
		if s.Early() {
			early++
		}
	}
	if _, err := ParseStatus("perfect"); err == nil {
		t.Error("a status that does not exist was parsed")
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
