package result

import (
	"encoding/json"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestNoRelativeErrorIsNotOneOf0: files tell them apart.
func TestNoRelativeErrorIsNotOneOf0(t *testing.T) {
	for _, mape := range []Relative{{}, RelativeOf(0), RelativeOf(0.25)} {
		text := must.Get(json.Marshal(Metrics{MAPE: mape}))(t)
		var got Metrics
		must.Do(t, json.Unmarshal(text, &got))
		if got.MAPE != mape || strings.Contains(string(text), "mape") != mape.Known {
			t.Errorf("%+v is written as %s, and read as %+v", mape, text, got.MAPE)
		}
	}
}
