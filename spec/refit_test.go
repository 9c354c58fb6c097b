package spec

import (
	"encoding/json"
	"testing"
)

func TestRefitNames(t *testing.T) {
	for _, r := range []Refit{LeastSquares, Ridge} {
		if got, err := ParseRefit(r.String()); err != nil || got != r {
			t.Errorf("%v: %v, %v", r, got, err)
		}
	}
	if _, err := ParseRefit("lasso"); err == nil {
		t.Error("lasso was accepted")
	}
	if _, err := json.Marshal(Refit(7)); err == nil {
		t.Error("an unknown refit was written")
	}
}
