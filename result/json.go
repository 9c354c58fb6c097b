package result

import (
	"encoding/json"
	"io"
)

// WriteJSON writes a value as indented JSON and a newline; names such as "R&B" stay readable.
func WriteJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}
