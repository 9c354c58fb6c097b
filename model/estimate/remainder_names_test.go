package estimate

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/must"
	"optcomplete/remainder"
)

// TestOldNamesOfARemainder: models of programs up to format 7 are read.
func TestOldNamesOfARemainder(t *testing.T) {
	want := Remainder{Rank: 1, CoFactors: 2, Implicit: &remainder.Implicit{Usual: []float64{1}, Center: []float64{0, 1}, Coefficients: []float64{1, 2, 3, 4}, Precision: []float64{5, 6}}}
	for _, text := range []string{
		`{"rank":1,"company":2,"habits":{"usual":[1],"center":[0,1],"lean":[1,2,3,4],"precision":[5,6]}}`,
		string(must.Get(json.Marshal(want))(t)),
	} {
		var got Remainder
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
