package service

import (
	"context"
	"net/http"
	"reflect"
	"strconv"

	"optcomplete/regress/saved"
	"optcomplete/result"
)

// operation is something that can be asked for.
type operation struct {
	name, method, path string
	summary            string
	query              []string       // that it takes
	takes              reflect.Type   // of its body; nil: none
	gives              []reflect.Type // one of these; nil: not JSON
	open               bool           // without a token, and whatever the load
	answer             func(s *Server, r *http.Request) (any, error)
}

// with is an operation on a model that takes a body.
func with[Q any](do func(k kind, ctx context.Context, q *Q) (any, error)) (reflect.Type, func(*Server, *http.Request) (any, error)) {
	return reflect.TypeFor[Q](), func(s *Server, r *http.Request) (any, error) {
		k, err := s.model(r.PathValue("model"))
		if err != nil {
			return nil, err
		}
		q := new(Q)
		if err := s.decode(r, q); err != nil {
			return nil, err
		}
		return do(k, r.Context(), q)
	}
}

// on is an operation on a model that takes no body.
func on(do func(k kind, r *http.Request) (any, error)) func(*Server, *http.Request) (any, error) {
	return func(s *Server, r *http.Request) (any, error) {
		k, err := s.model(r.PathValue("model"))
		if err != nil {
			return nil, err
		}
		return do(k, r)
	}
}

func one[A any]() []reflect.Type { return []reflect.Type{reflect.TypeFor[A]()} }

// operations are all that there is to ask.
var operations = func() []*operation {
	predictQ, predict := with(func(k kind, ctx context.Context, q *PredictRequest) (any, error) { return k.predict(ctx, q) })
	recommendQ, recommend := with(func(k kind, ctx context.Context, q *RecommendRequest) (any, error) { return k.recommend(ctx, q) })
	explainQ, explain := with(func(k kind, ctx context.Context, q *ExplainRequest) (any, error) { return k.explain(ctx, q) })
	columnQ, column := with(func(k kind, ctx context.Context, q *ColumnRequest) (any, error) { return k.column(ctx, q) })
	list := func(rows bool) func(*Server, *http.Request) (any, error) {
		return on(func(k kind, r *http.Request) (any, error) {
			most := 20
			if text := r.URL.Query().Get("limit"); text != "" {
				n, err := strconv.Atoi(text)
				if err != nil || n < 1 || n > mostFound {
					return nil, bad("", "limit is %q, but must be from 1 to %d", text, mostFound)
				}
				most = n
			}
			return k.list(rows, r.URL.Query().Get("search"), most), nil
		})
	}
	return []*operation{
		{name: "models", method: "GET", path: "/v1/models", summary: "The models that are served", gives: one[ModelList](),
			answer: func(s *Server, _ *http.Request) (any, error) { return s.list(), nil }},
		{name: "model", method: "GET", path: "/v1/models/{model}", summary: "Selection, certificate, metrics and the spread of the features over the rows", gives: one[ModelInfo](),
			answer: on(func(k kind, _ *http.Request) (any, error) { return k.describe(), nil })},
		{name: "predict", method: "POST", path: "/v1/models/{model}/predict", summary: "Predictions of pairs, or of columns for a row that is given by its ratings",
			takes: predictQ, gives: one[PredictAnswer](), answer: predict},
		{name: "recommend", method: "POST", path: "/v1/models/{model}/recommend", summary: "The best columns of a row, or the worst",
			takes: recommendQ, gives: one[RecommendAnswer](), answer: recommend},
		{name: "explain", method: "POST", path: "/v1/models/{model}/explain", summary: "A prediction as a sum, a row, a feature, or the model",
			takes: explainQ, gives: []reflect.Type{reflect.TypeFor[result.SumExplanation](), reflect.TypeFor[result.RowExplanation](), reflect.TypeFor[FeatureAnswer](), reflect.TypeFor[result.Explanation](), reflect.TypeFor[saved.Explanation]()}, answer: explain},
		{name: "column", method: "POST", path: "/v1/models/{model}/column", summary: "Who likes a column and why: one of the model, or a new one by its features",
			takes: columnQ, gives: one[ColumnAnswer](), answer: column},
		{name: "rows", method: "GET", path: "/v1/models/{model}/rows", summary: "Rows whose ids have a text", query: []string{"search", "limit"}, gives: one[IDList](), answer: list(true)},
		{name: "columns", method: "GET", path: "/v1/models/{model}/columns", summary: "Columns whose ids or names have a text", query: []string{"search", "limit"}, gives: one[IDList](), answer: list(false)},
		{name: "row", method: "GET", path: "/v1/models/{model}/row", summary: "What is known about the entries of a row", query: []string{"id"}, gives: one[RowAnswer](),
			answer: on(func(k kind, r *http.Request) (any, error) { return k.row(r.URL.Query().Get("id")) })},
		{name: "fit", method: "GET", path: "/v1/fit", summary: "The fit that runs, as far as it is", gives: one[FitState](),
			answer: func(s *Server, _ *http.Request) (any, error) { return s.fitState() }},
		{name: "stop", method: "POST", path: "/v1/fit/stop", summary: "End the fit with the best selection so far, as Ctrl-C does", gives: one[FitState](),
			answer: func(s *Server, _ *http.Request) (any, error) { return s.stopFit() }},
		{name: "openapi", method: "GET", path: "/v1/openapi.json", summary: "This document", gives: one[map[string]any]()},
		{name: "healthz", method: "GET", path: "/healthz", summary: "Whether the service lives", open: true, gives: one[Health](),
			answer: func(*Server, *http.Request) (any, error) { return &Health{"ok"}, nil }},
		{name: "readyz", method: "GET", path: "/readyz", summary: "Whether the service answers questions", open: true, gives: one[Health](),
			answer: func(s *Server, _ *http.Request) (any, error) {
				if s.ending.Load() {
					return nil, faultf(http.StatusServiceUnavailable, "ask another instance", "the service is shutting down")
				}
				if len(s.models()) == 0 && s.fit == nil {
					return nil, faultf(http.StatusServiceUnavailable, "wait", "no model is loaded")
				}
				return &Health{"ready"}, nil
			}},
	}
}()

// The document is made of the table, so it cannot stand in it.
func init() {
	for _, o := range operations {
		if o.name == "openapi" {
			o.answer = func(*Server, *http.Request) (any, error) { return openAPI(), nil }
		}
	}
}
