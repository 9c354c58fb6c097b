package service

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"optcomplete/result"
)

// openAPI describes the operations, from their types.
var openAPI = sync.OnceValue(func() map[string]any {
	s := schemas{named: map[string]any{}, names: map[reflect.Type]string{}}
	paths := map[string]any{}
	problem := s.of(reflect.TypeFor[Problem]())
	refusal := func(text string) any {
		return map[string]any{"description": text, "content": map[string]any{"application/json": map[string]any{"schema": problem}}}
	}
	for _, o := range operations {
		answers := map[string]any{"500": refusal("An internal error"), "503": refusal("It took too long, or the service is ending")}
		if !o.open {
			answers["401"], answers["429"] = refusal("No token, or a wrong one"), refusal("Too many requests at once")
		}
		if strings.HasPrefix(o.path, "/v1/models/{model}") || strings.HasPrefix(o.path, "/v1/fit") {
			answers["404"] = refusal("There is no such model, row, column, feature or fit")
		}
		if o.takes != nil || o.query != nil {
			answers["400"] = refusal("The request makes no sense")
		}
		if o.takes != nil {
			answers["413"] = refusal("The request is too large")
		}
		answers["200"] = map[string]any{"description": o.summary, "content": map[string]any{"application/json": map[string]any{"schema": s.anyOf(o.gives)}}}
		call := map[string]any{"operationId": o.name, "summary": o.summary, "responses": answers}
		if o.open {
			call["security"] = []any{}
		}
		parameters := []any{}
		if strings.Contains(o.path, "{model}") {
			parameters = append(parameters, map[string]any{"name": "model", "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
		}
		for _, name := range o.query {
			parameters = append(parameters, map[string]any{"name": name, "in": "query", "required": name == "id", "schema": map[string]any{"type": map[bool]string{true: "integer", false: "string"}[name == "limit"]}})
		}
		if len(parameters) > 0 {
			call["parameters"] = parameters
		}
		if o.takes != nil {
			call["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": s.of(o.takes)}}}
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
})

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
