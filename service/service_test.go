package service

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/model"
	"optcomplete/spec"
)

// drawn is a model with 60 rows r0, … and 12 columns c0, …, of features f0, f1 and f2.
func drawn(t testing.TB, seed uint64) *model.Model {
	matrix, f := testkit.Drawn(t, 60, 12, 3, 0.5, seed)
	return modeltest.Built(t, matrix, f, spec.Full, spec.LearnedPrior)
}

// started serves a model of this name, in memory.
func started(t testing.TB, settings Settings, m *model.Model) (*Server, *httptest.Server) {
	t.Helper()
	s := must.Get(New(settings))(t)
	if m != nil {
		must.Do(t, s.Add("m", m))
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return s, h
}

// ask asks, and reads the answer.
func ask(t testing.TB, h *httptest.Server, method, path string, body any, to any) int {
	t.Helper()
	var in io.Reader
	if text, is := body.(string); is {
		in = bytes.NewReader([]byte(text))
	} else if body != nil {
		in = bytes.NewReader(must.Get(json.Marshal(body))(t))
	}
	q := must.Get(http.NewRequest(method, h.URL+path, in))(t)
	r := must.Get(h.Client().Do(q))(t)
	defer r.Body.Close()
	text := must.Get(io.ReadAll(r.Body))(t)
	if to != nil {
		if err := json.Unmarshal(text, to); err != nil {
			t.Fatalf("%s %s: %d %s: %v", method, path, r.StatusCode, text, err)
		}
	}
	return r.StatusCode
}
