// Package json is the part of github.com/goccy/go-json that Arrow uses, done by
// the standard library. go.mod puts it in the place of that module, which takes
// a seventh of the time to compile the whole program, for JSON that we never
// write: Arrow's tag arrow_json_stdlib does the same, but everybody would have
// to know it. Should Arrow come to use more, the build fails here; then add it,
// or drop the replacement from go.mod and from tools/browser/go.mod.
package json

import (
	"encoding/json"
	"io"
)

type (
	Decoder            = json.Decoder
	Delim              = json.Delim
	Encoder            = json.Encoder
	Marshaler          = json.Marshaler
	Number             = json.Number
	RawMessage         = json.RawMessage
	UnmarshalTypeError = json.UnmarshalTypeError
	Unmarshaler        = json.Unmarshaler
)

// Marshal is that of encoding/json.
func Marshal(v any) ([]byte, error) { return json.Marshal(v) }

// Unmarshal is that of encoding/json.
func Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// NewDecoder is that of encoding/json.
func NewDecoder(r io.Reader) *Decoder { return json.NewDecoder(r) }

// NewEncoder is that of encoding/json.
func NewEncoder(w io.Writer) *Encoder { return json.NewEncoder(w) }
