package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/progress"
	"optcomplete/internal/shards"
	"optcomplete/model"
	"optcomplete/pass"
)

// manifest lists the files of a table in a folder, in order.
type manifest struct {
	Format  string     `json:"format"` // "optcomplete table"
	Rows    int        `json:"rows"`
	Columns int        `json:"columns"`
	Files   []fileInfo `json:"files"`
}

type fileInfo struct {
	File     string `json:"file"`
	FirstRow string `json:"first_row"` // id
	Rows     int    `json:"rows"`
	Checksum string `json:"checksum"`
}

const (
	manifestFile   = "manifest.json"
	manifestFormat = "optcomplete table"
)

// IsFolder tells whether a folder is one that CompleteFolder wrote.
func IsFolder(path string) bool { return filesIn(path) != nil }

// filesIn are the files that the manifest of a folder names; nil: it has none.
func filesIn(path string) []fileInfo {
	var m manifest
	text, err := os.ReadFile(filepath.Join(path, manifestFile))
	if err != nil || json.Unmarshal(text, &m) != nil || m.Format != manifestFormat {
		return nil
	}
	return append([]fileInfo{}, m.Files...)
}

// CompleteFolder is Complete to a folder of Parquet files, of whole rows and about this
// many values each, and a manifest.json that lists them. The files are written where the
// values are computed, by all processes that the context's runner has; their bytes do
// not depend on that. An older folder of this kind is replaced.
func CompleteFolder(ctx context.Context, m *model.Model, path string, format Format, rows []int, observed Observed, values, threads int) error {
	if format != Parquet && format != WideParquet {
		return fmt.Errorf("model: a folder of files has the format parquet, not %v", format)
	}
	folder, err := shards.Create(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	p, jobs := completingOf(m, format, rows, observed, values, &folder.Writer)
	if rows == nil {
		rows = allRows(m)
	}
	older := filesIn(path)
	out := manifest{Format: manifestFormat, Rows: len(rows), Columns: len(m.ColumnIDs), Files: []fileInfo{}}
	all := p.grid(len(rows), len(m.ColumnIDs))
	err = atomicfile.Dir(path, manifestFile, func(dir string) error {
		task := progress.Start(ctx, "Completing", int64(len(rows))*int64(len(m.ColumnIDs)), "values")
		defer task.Done()
		err := pass.Stream(ctx, jobs, threads, p, func(part *piece) error {
			x := len(out.Files)
			c := all.at(x)
			name := fmt.Sprintf("part-%05d.parquet", x)
			out.Files = append(out.Files, fileInfo{name, m.RowIDs[rows[c.rowLo]], c.rowHi - c.rowLo, part.File.Checksum})
			task.Add(int64(c.cells()))
			return folder.Place(*part.File, filepath.Join(dir, name))
		})
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(out, "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, manifestFile), append(text, '\n'), 0o666)
	})
	if err != nil {
		return err
	}
	for _, old := range older[min(len(out.Files), len(older)):] { // numbers that are no longer used
		if old.File == filepath.Base(old.File) {
			os.Remove(filepath.Join(path, old.File))
		}
	}
	return nil
}
