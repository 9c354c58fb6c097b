package store

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

const (
	sealedFormat = 5 // the first format_version with checksums
	oldestFormat = 3 // that is read
)

// RowsKind is a part of the name of a temporary file of rows; see
// atomicfile.Reserve.
const RowsKind = "rows"

// Files are the names of the files that a saved model may have, one with
// features on both sides included.
func Files() []string {
	return []string{summaryFile, rowsFile, columnsFile, seenFile, "rows.csv", "columns.csv"}
}

// Is tells whether a directory holds a saved model, of whatever version, whole
// or damaged: whether it has a model.json that this program wrote.
func Is(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, summaryFile))
	return err == nil && bytes.Contains(text, []byte(`"format_version"`))
}

// KindIn is what the model.json of a directory calls its model: full, pooled or
// paper, or what other packages save (twosided, regress). Empty: no model.
func KindIn(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, summaryFile))
	var head struct {
		Model string `json:"model"`
	}
	if err != nil || json.Unmarshal(text, &head) != nil {
		return ""
	}
	return head.Model
}
