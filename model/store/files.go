package store

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	sealedFormat = 5 // the first format_version with checksums
	oldestFormat = 3 // that is read
)

// RowsKind is a part of the name of a temporary file of rows; see
// atomicfile.Reserve.
const RowsKind = "rows"

// IsFile tells whether a saved model, one with features on both sides included, may
// have a file of this name.
func IsFile(name string) bool {
	return isRows(name) || slices.Contains([]string{summaryFile, columnsFile, seenFile, "rows.csv", "columns.csv"}, name)
}

// isRows tells whether it is a file of the rows.
func isRows(name string) bool {
	part, ok := strings.CutSuffix(name, ".parquet")
	if _, number, several := strings.Cut(part, "-"); several {
		_, err := strconv.Atoi(number)
		return ok && err == nil && strings.HasPrefix(name, "rows-")
	}
	return name == rowsFile || name == shardsFile
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
	if err != nil {
		return ""
	}
	return kindOf(text)
}

func kindOf(text []byte) string {
	var head struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(text, &head) != nil {
		return ""
	}
	return head.Model
}
