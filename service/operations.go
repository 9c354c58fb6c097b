package service

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"
)

// operation is something that can be asked for; openapi.json describes it.
type operation struct {
	name, method, path string
	open               bool // without a token, and whatever the load
	answer             func(s *Server, r *http.Request) (any, error)
}

// openAPI describes the operations. A test makes it of their types (-update).
//
//go:embed openapi.json
var openAPI []byte

// with is an operation on a model that takes a body.
func with[Q any](do func(m Model, ctx context.Context, q *Q) (any, error)) func(*Server, *http.Request) (any, error) {
	return func(s *Server, r *http.Request) (any, error) {
		m, err := s.model(r.PathValue("model"))
		if err != nil {
			return nil, err
		}
		q := new(Q)
		if err := s.decode(r, q); err != nil {
			return nil, err
		}
		return do(m, r.Context(), q)
	}
}

// on is an operation on a model that takes no body.
func on(do func(m Model, r *http.Request) (any, error)) func(*Server, *http.Request) (any, error) {
	return func(s *Server, r *http.Request) (any, error) {
		m, err := s.model(r.PathValue("model"))
		if err != nil {
			return nil, err
		}
		return do(m, r)
	}
}

// list is an operation that lists rows or columns.
func list(rows bool) func(*Server, *http.Request) (any, error) {
	return on(func(m Model, r *http.Request) (any, error) {
		most := 20
		if text := r.URL.Query().Get("limit"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > mostFound {
				return nil, bad("", "limit is %q, but must be from 1 to %d", text, mostFound)
			}
			most = n
		}
		return m.IDs(rows, r.URL.Query().Get("search"), most), nil
	})
}

// operations are all that there is to ask.
var operations = []*operation{
	{name: "models", method: "GET", path: "/v1/models", answer: func(s *Server, _ *http.Request) (any, error) { return s.list(), nil }},
	{name: "model", method: "GET", path: "/v1/models/{model}", answer: on(func(m Model, _ *http.Request) (any, error) { return m.Info(), nil })},
	{name: "predict", method: "POST", path: "/v1/models/{model}/predict", answer: with(func(m Model, ctx context.Context, q *PredictRequest) (any, error) { return m.Predict(ctx, q) })},
	{name: "recommend", method: "POST", path: "/v1/models/{model}/recommend", answer: with(func(m Model, ctx context.Context, q *RecommendRequest) (any, error) { return m.Recommend(ctx, q) })},
	{name: "explain", method: "POST", path: "/v1/models/{model}/explain", answer: with(func(m Model, ctx context.Context, q *ExplainRequest) (any, error) { return m.Explain(ctx, q) })},
	{name: "column", method: "POST", path: "/v1/models/{model}/column", answer: with(func(m Model, ctx context.Context, q *ColumnRequest) (any, error) { return m.Column(ctx, q) })},
	{name: "rows", method: "GET", path: "/v1/models/{model}/rows", answer: list(true)},
	{name: "columns", method: "GET", path: "/v1/models/{model}/columns", answer: list(false)},
	{name: "row", method: "GET", path: "/v1/models/{model}/row", answer: on(func(m Model, r *http.Request) (any, error) { return m.Row(r.URL.Query().Get("id")) })},
	{name: "fit", method: "GET", path: "/v1/fit", answer: func(s *Server, _ *http.Request) (any, error) { return s.fitState() }},
	{name: "stop", method: "POST", path: "/v1/fit/stop", answer: func(s *Server, _ *http.Request) (any, error) { return s.stopFit() }},
	{name: "openapi", method: "GET", path: "/v1/openapi.json", answer: func(*Server, *http.Request) (any, error) { return json.RawMessage(openAPI), nil }},
	{name: "healthz", method: "GET", path: "/healthz", open: true, answer: func(*Server, *http.Request) (any, error) { return &Health{"ok"}, nil }},
	{name: "readyz", method: "GET", path: "/readyz", open: true, answer: func(s *Server, _ *http.Request) (any, error) {
		if s.ending.Load() {
			return nil, faultf(http.StatusServiceUnavailable, "ask another instance", "the service is shutting down")
		}
		if len(s.models()) == 0 && s.fit == nil {
			return nil, faultf(http.StatusServiceUnavailable, "wait", "no model is loaded")
		}
		return &Health{"ready"}, nil
	}},
}
