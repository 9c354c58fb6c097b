package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/result"
)

func TestNewTakesSelectedFeaturesInOrder(t *testing.T) {
	m := modeltest.Fitted(t)
	if diff := cmp.Diff([]string{"R&B/α.β", "row", "Entries"}, m.Summary.Selected); diff != "" {
		t.Error(diff)
	}
	s := m.Summary
	if s.Rows != 7 || s.Columns != 5 || s.Features != 4 || s.K != 3 || m.K() != 3 || s.Observed == 0 {
		t.Errorf("summary %+v", s)
	}
	sum := 0
	for _, e := range m.Entries {
		sum += int(e)
	}
	if sum != s.Observed || m.Entries[3] != 0 {
		t.Errorf("entries %v of %d; row 3 has none", m.Entries, s.Observed)
	}
	_, f := testkit.Drawn(t, 7, 5, 4, 0.7, 2)
	for j := range 5 {
		b := f.Row(j)
		if diff := cmp.Diff([]float64{b[3], b[0], b[2]}, m.Features[j*3:(j+1)*3]); diff != "" {
			t.Error(diff)
		}
	}
}

func TestPredictionIsInnerProduct(t *testing.T) {
	m := modeltest.Fitted(t)
	columns := []int32{4, 0, 0, 2}
	out := make([]float64, len(columns))
	for i, row := range m.RowIDs {
		m.PredictRow(i, columns, out)
		for at, j := range columns {
			want := 0.0
			for f := range 3 {
				want += m.Coefficients.Row(i)[f] * m.Features[int(j)*3+f]
			}
			one := must.Get(m.Predict(row, m.ColumnIDs[j]))(t)
			if out[at] != want || one != want {
				t.Errorf("row %q, column %q: %v and %v, want %v", row, m.ColumnIDs[j], out[at], one, want)
			}
		}
	}
	if i, ok := m.Row("ü4"); !ok || i != 3 {
		t.Errorf("Row: %d, %v", i, ok)
	}
	if j, ok := m.Column("a,b"); !ok || j != 2 {
		t.Errorf("Column: %d, %v", j, ok)
	}
}

func TestUnknownIDsAreTypedErrors(t *testing.T) {
	m := modeltest.Fitted(t)
	_, err := m.Predict("nobody", "Alien")
	if e := new(model.UnknownRowError); !errors.As(err, &e) || e.ID != "nobody" {
		t.Errorf("unknown row: %v", err)
	}
	_, err = m.Predict("u1", "Gigli")
	if e := new(model.UnknownColumnError); !errors.As(err, &e) || e.ID != "Gigli" {
		t.Errorf("unknown column: %v", err)
	}
}

func TestSummaryHasTheKeysOfTheDesign(t *testing.T) {
	var text bytes.Buffer
	must.Do(t, modeltest.Fitted(t).Summary.WriteJSON(&text))
	var got map[string]any
	must.Do(t, json.Unmarshal(text.Bytes(), &got))
	for _, key := range strings.Fields("method model rows columns features observed k gamma selected cost bound gap certified status cuts nodes passes seconds holdout train near_ties version seed refit") {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q", key)
		}
	}
	for key, want := range map[string]string{"seconds": "load select certify complete total", "holdout": "entries mape rmse mae mape_skipped"} {
		for _, inner := range strings.Fields(want) {
			if _, ok := got[key].(map[string]any)[inner]; !ok {
				t.Errorf("no %s.%s", key, inner)
			}
		}
	}
	if got["refit"] != "ridge" || !strings.Contains(text.String(), `"R&B/α.β"`) {
		t.Errorf("not readable: %s", text.String())
	}

	text.Reset()
	must.Do(t, (model.Summary{}).WriteJSON(&text))
	if s := text.String(); strings.Contains(s, "null") || strings.Contains(s, "holdout") || strings.Contains(s, "mape_skipped") {
		t.Errorf("empty summary: %s", s)
	}
}

func TestSummaryNeverHoldsNaN(t *testing.T) {
	unproven := model.Summary{Certificate: result.Certificate{Cost: 3, Bound: math.Inf(-1), Gap: math.Inf(1)}}
	if err := unproven.Normalize(); err != nil || unproven.Bound != 0 || unproven.Gap != 1 {
		t.Errorf("nothing proven: %+v, %v", unproven, err)
	}
	for name, s := range map[string]model.Summary{
		"cost":  {Certificate: result.Certificate{Cost: math.NaN()}},
		"bound": {Certificate: result.Certificate{Bound: math.Inf(1)}},
	} {
		err := s.WriteJSON(new(bytes.Buffer))
		if err == nil || !strings.Contains(err.Error(), name+" is") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	m := modeltest.Fitted(t)
	m.Coefficients.Row(1)[1] = math.NaN()
	if err := store.Save(m, t.TempDir()); err == nil || !strings.Contains(err.Error(), `"u,2"`) {
		t.Errorf("NaN saved: %v", err)
	}
}
