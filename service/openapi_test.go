package service

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/regress/saved"
	"optcomplete/result"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// described is what openapi.json says of each operation.
var described = map[string]struct {
	summary string
	query   []string       // that it takes
	takes   reflect.Type   // of its body; nil: none
	gives   []reflect.Type // one of these
}{
	"models": {summary: "The models that are served", gives: one[ModelList]()},
	"model":  {summary: "Selection, certificate, metrics and the spread of the features over the rows", gives: one[ModelInfo]()},
	"predict": {summary: "Predictions of pairs, or of columns for a row that is given by its ratings",
		takes: reflect.TypeFor[PredictRequest](), gives: one[PredictAnswer]()},
	"recommend": {summary: "The best columns of a row, or the worst", takes: reflect.TypeFor[RecommendRequest](), gives: one[RecommendAnswer]()},
	"explain": {summary: "A prediction as a sum, a row, a feature, or the model", takes: reflect.TypeFor[ExplainRequest](),
		gives: []reflect.Type{reflect.TypeFor[result.SumExplanation](), reflect.TypeFor[result.RowExplanation](), reflect.TypeFor[FeatureAnswer](), reflect.TypeFor[result.Explanation](), reflect.TypeFor[saved.Explanation]()}},
	"column": {summary: "Who likes a column and why: one of the model, or a new one by its features",
		takes: reflect.TypeFor[ColumnRequest](), gives: one[ColumnAnswer]()},
	"rows":    {summary: "Rows whose ids have a text", query: []string{"search", "limit"}, gives: one[IDList]()},
	"columns": {summary: "Columns whose ids or names have a text", query: []string{"search", "limit"}, gives: one[IDList]()},
	"row":     {summary: "What is known about the entries of a row", query: []string{"id"}, gives: one[RowAnswer]()},
	"fit":     {summary: "The fit that runs, as far as it is", gives: one[FitState]()},
	"stop":    {summary: "End the fit with the best selection so far, as Ctrl-C does", gives: one[FitState]()},
	"openapi": {summary: "This document", gives: one[map[string]any]()},
	"healthz": {summary: "Whether the service lives", gives: one[Health]()},
	"readyz":  {summary: "Whether the service answers questions", gives: one[Health]()},
}

func one[A any]() []reflect.Type { return []reflect.Type{reflect.TypeFor[A]()} }

// openapi.json is what the types of the operations say.
func TestOpenAPI(t *testing.T) {
	want := append(must.Get(json.MarshalIndent(openAPIOf(), "", " "))(t), '\n')
	if *update {
		must.Do(t, os.WriteFile("openapi.json", want, 0o644))
	} else if !bytes.Equal(openAPI, want) {
		t.Error("openapi.json is not that of the operations: go test ./service -run OpenAPI -update writes it")
	}
	for _, o := range operations {
		if described[o.name].summary == "" {
			t.Errorf("%s is not described", o.name)
		}
	}
}

// openAPIOf describes the operations, from their types.
func openAPIOf() map[string]any {
	s := schemas{named: map[string]any{}, names: map[reflect.Type]string{}}
	paths := map[string]any{}
	problem := s.of(reflect.TypeFor[Problem]())
	refusal := func(text string) any {
		return map[string]any{"description": text, "content": map[string]any{"application/json": map[string]any{"schema": problem}}}
	}
	for _, o := range operations {
		is := described[o.name]
		answers := map[string]any{"500": refusal("An internal error"), "503": refusal("It took too long, or the service is ending")}
		if !o.open {
			answers["401"], answers["429"] = refusal("No token, or a wrong one"), refusal("Too many requests at once")
		}
		if strings.HasPrefix(o.path, "/v1/models/{model}") || strings.HasPrefix(o.path, "/v1/fit") {
			answers["404"] = refusal("There is no such model, row, column, feature or fit")
		}
		if is.takes != nil || is.query != nil {
			answers["400"] = refusal("The request makes no sense")
		}
		if is.takes != nil {
			answers["413"] = refusal("The request is too large")
		}
		answers["200"] = map[string]any{"description": is.summary, "content": map[string]any{"application/json": map[string]any{"schema": s.anyOf(is.gives)}}}
		call := map[string]any{"operationId": o.name, "summary": is.summary, "responses": answers}
		if o.open {
			call["security"] = []any{}
		}
		parameters := []any{}
		if strings.Contains(o.path, "{model}") {
			parameters = append(parameters, map[string]any{"name": "model", "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
		}
		for _, name := range is.query {
			parameters = append(parameters, map[string]any{"name": name, "in": "query", "required": name == "id", "schema": map[string]any{"type": map[bool]string{true: "integer", false: "string"}[name == "limit"]}})
		}
		if len(parameters) > 0 {
			call["parameters"] = parameters
		}
		if is.takes != nil {
			call["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": s.of(is.takes)}}}
		}
		at, _ := paths[o.path].(map[string]any)
		if at == nil {
			at = map[string]any{}
			paths[o.path] = at
		}
		at[strings.ToLower(o.method)] = call
	}
	return map[string]any{
		"openapi":    "3.1.0",
		"info":       map[string]any{"title": "OptComplete", "version": "1", "description": "Predictions, recommendations and explanations of fitted models. docs/service.md has examples."},
		"paths":      paths,
		"security":   []any{map[string]any{"token": []string{}}, map[string]any{}},
		"components": map[string]any{"schemas": s.named, "securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}}},
	}
}

// schemas are JSON Schemas of types.
type schemas struct {
	named map[string]any
	names map[reflect.Type]string
}

func (s *schemas) anyOf(types []reflect.Type) any {
	if len(types) == 1 {
		return s.of(types[0])
	}
	var all []any
	for _, t := range types {
		all = append(all, s.of(t))
	}
	return map[string]any{"anyOf": all}
}

// special are the types that write themselves.
var special = map[reflect.Type]any{
	reflect.TypeFor[result.Relative](): map[string]any{"type": "number"},
	reflect.TypeFor[json.RawMessage](): map[string]any{"type": []string{"string", "number", "boolean", "null"}},
	reflect.TypeFor[result.Basis]():    map[string]any{"enum": []string{result.Known.String(), result.NewRow.String(), result.NewColumn.String(), result.NewRowAndColumn.String()}},
	reflect.TypeFor[map[string]any]():  map[string]any{"type": "object"},
}

// of is the schema of a type, as encoding/json writes it.
func (s *schemas) of(t reflect.Type) any {
	if schema := special[t]; schema != nil {
		return schema
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float64, reflect.Float32:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Pointer:
		return orNull(s.of(t.Elem()))
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.object(t)
	}
	panic("service: no schema of " + t.String())
}

// orNull is a schema, or null.
func orNull(schema any) any {
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// object is a reference to the schema of a struct.
func (s *schemas) object(t reflect.Type) any {
	name, known := s.names[t]
	if !known {
		name = t.Name()
		if s.named[name] != nil { // of another package
			path := strings.Split(t.PkgPath(), "/")
			name = strings.ToUpper(path[len(path)-1][:1]) + path[len(path)-1][1:] + name
		}
		s.names[t] = name
		s.named[name] = map[string]any{} // it may hold itself
		properties, required := map[string]any{}, map[string]bool{}
		s.fields(t, properties, required)
		schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			schema["required"] = slices.Sorted(maps.Keys(required))
		}
		s.named[name] = schema
	}
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// fields are those of a struct and of what is embedded in it, of which its own win.
func (s *schemas) fields(t reflect.Type, properties map[string]any, required map[string]bool) {
	for _, own := range []bool{false, true} {
		for f := range t.Fields() {
			tag, _ := f.Tag.Lookup("json")
			name, options, _ := strings.Cut(tag, ",")
			if embedded := f.Anonymous && name == ""; embedded || !f.IsExported() || name == "-" {
				if embedded && !own {
					inner := f.Type
					if inner.Kind() == reflect.Pointer {
						s.fields(inner.Elem(), properties, map[string]bool{})
					} else {
						s.fields(inner, properties, required)
					}
				}
				continue
			}
			if !own {
				continue
			}
			if name == "" {
				name = f.Name
			}
			kind := f.Type
			optional := strings.Contains(options, "omit")
			if optional && kind.Kind() == reflect.Pointer {
				kind = kind.Elem()
			}
			properties[name] = s.of(kind)
			if !optional {
				required[name] = true
				continue
			}
			delete(required, name)
		}
	}
}
