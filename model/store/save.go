package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/checksum"
	"optcomplete/model"
)

// summaryFile is the file that makes a directory a saved model.
const summaryFile = "model.json"

// Save writes the model to a directory:
//
//	model.json       the Summary: settings, selection, certificate, metrics; and the
//	                 checksums of all files, which Load verifies
//	rows.parquet     row (id), entries, effect (not in paper), then one coefficient per term,
//	                 and if there is a remainder one per other feature and remainder_1, remainder_2, ...;
//	                 if a cluster has written them rows-00000.parquet and so on, listed in rows.json
//	columns.parquet  column (id), entries, effect (only in full), then the value of each term,
//	                 and of each other feature, remainder_1, remainder_2, ...; covariance_1, ... is
//	                 the posterior covariance of effect and remainder, a lower triangle by rows
//	seen.parquet     row (id), column (id): every entry that was given, so that
//	                 recommendations leave it out; absent beyond 50 million
//
// A term is a selected feature, or a member of a selected group.
//
// A feature's column is named as the feature; a name that is empty or taken
// (row, column, entries, effect, an earlier feature, upper and lower case being the
// same) gets underscores added until it is free. The order is that of
// "terms" in model.json.
//
// An earlier model in the directory is replaced only once the new one is
// complete. A directory that holds something else is left alone, with an error.
func Save(m *model.Model, dir string) error {
	if err := m.Check(); err != nil {
		return err
	}
	saved := m.Summary
	saved.Readings, saved.Engine = nil, nil // of one run: a pack is copied first, and the model is the same
	older := rowFilesOf(dir)
	err := atomicfile.Dir(dir, summaryFile, func(dir string) error {
		for _, save := range []func() error{
			func() error { return saveRows(m, dir) },
			func() error { return writeFile(dir, columnsFile, columnTable(m).Write) },
			func() error { return SaveSeen(m, dir) },
			func() error { return SaveSealed(dir, saved.WriteJSON) },
		} {
			if err := save(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	now := rowFilesOf(dir)
	for _, name := range older { // what the new model has no use for
		if !slices.Contains(now, name) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
		}
	}
	return err
}

// rowFilesOf are the files of rows of the model in a folder, if there is one.
func rowFilesOf(dir string) (names []string) {
	text, err := os.ReadFile(filepath.Join(dir, summaryFile))
	if err != nil {
		return nil
	}
	sums, err := checksum.Unseal(dir, text)
	if err != nil {
		return nil
	}
	for name := range sums {
		if name == filepath.Base(name) && isRows(name) {
			names = append(names, name)
		}
	}
	return names
}

// SaveSealed writes the model.json of a model whose other files are in dir, with
// the checksums of all of them.
func SaveSealed(dir string, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return fmt.Errorf("%s: %w", summaryFile, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	sealed, err := checksum.Seal(text.Bytes(), dir, names)
	if err != nil {
		return err
	}
	return writeFile(dir, summaryFile, func(w io.Writer) error {
		_, err := w.Write(sealed)
		return err
	})
}

func saveRows(m *model.Model, dir string) error {
	if s, ok := m.Coefficients.(*RowShards); ok && m.Remainder == nil {
		return s.save(dir)
	}
	if f, ok := m.Coefficients.(*RowFile); ok && m.Remainder == nil { // a remainder came later
		if err := f.save(filepath.Join(dir, rowsFile)); err != nil {
			return fmt.Errorf("%s: %w", rowsFile, err)
		}
		return nil
	}
	return writeFile(dir, rowsFile, rowTable(m).Write)
}

func writeFile(dir, name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<18)
	if err = write(w); err == nil {
		err = w.Flush() // after a failure it would tell the same again
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

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
