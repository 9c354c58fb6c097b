package store

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"optcomplete/internal/checksum"
	"optcomplete/internal/columnar"
	"optcomplete/internal/dense"
	"optcomplete/internal/parallel"
	"optcomplete/internal/shards"
	"optcomplete/model/estimate"
)

// shardsFile is the manifest of the rows of a model that are in several files.
const shardsFile = "rows.json"

// shardManifest is what it holds: the files in the order of their rows.
type shardManifest struct {
	Rows   int     `json:"rows"`
	Shards []shard `json:"shards"`
}

type shard struct {
	File     string `json:"file"`
	Rows     int    `json:"rows"`
	Checksum string `json:"checksum"`
}

// ShardWriter writes rows to files of a folder, from any process that sees it.
type ShardWriter struct {
	To      shards.Writer
	Names   []string // of the columns of the terms
	Effects bool
}

var _ estimate.RowWriter = ShardWriter{}

// WriteRows writes a file of rows.
func (w ShardWriter) WriteRows(b estimate.RowBlock, ids []string) (*estimate.RowShard, error) {
	if err := finite(b, ids, w.Names); err != nil {
		return nil, err
	}
	t := Table{file: rowsFile, id: "row", effect: w.Effects, names: w.Names, ids: ids, entries: b.Entries, effects: b.Effects, values: b.Coefficients}
	file, err := w.To.Write(fmt.Sprintf("rows-%012d", b.First), ".parquet", t.Write)
	if err != nil {
		return nil, fmt.Errorf("the coefficients of rows cannot be written: %w", err)
	}
	if file == nil {
		return nil, nil
	}
	return &estimate.RowShard{File: file.Name, Rows: len(b.Entries), Checksum: file.Checksum}, nil
}

// finite is the error for a coefficient that is not.
func finite(b estimate.RowBlock, ids, names []string) error {
	if at := dense.NotFinite(b.Coefficients); at >= 0 {
		k := len(names)
		return fmt.Errorf("model: row %q has a coefficient %v for %q", ids[at/k], b.Coefficients[at], names[at%k])
	}
	return nil
}

// RowShards are the rows of a model that is being fitted in many places: files in a
// folder beside the model to be, which writers know (Writer). It is told which of them
// count (Take), and has those rows. Save gives them their places in the
// saved model; what else is in the folder goes with it.
type RowShards struct {
	rowGroups
	writer ShardWriter
	folder *shards.Folder
	shards []shard
	here   int     // of them, written by this process
	at     []place // of each group
	open   map[int]*columnar.File
	order  []int // of the open files, oldest first
}

type place struct{ shard, group int }

var _ estimate.RowStore = (*RowShards)(nil)

// CreateRowShards makes the folder. The arguments are those of CreateRowFile.
func CreateRowShards(dir string, terms []string, effects bool, threads int) (*RowShards, error) {
	folder, err := shards.Create(dir)
	if err != nil {
		return nil, err
	}
	s := &RowShards{folder: folder, writer: ShardWriter{To: folder.Writer, Names: columnNames(terms), Effects: effects}, open: map[int]*columnar.File{}}
	s.k, s.keep, s.floats, s.find, s.starts = len(terms), parallel.Threads(threads)+1, s.readTerm, findGroup, []int{0}
	return s, nil
}

func findGroup(starts []int, i int) (g, offset int) {
	g = sort.SearchInts(starts, i+1) - 1
	return g, i - starts[g]
}

// Writer writes rows, here or elsewhere.
func (s *RowShards) Writer() ShardWriter { return s.writer }

// Written is how many files there are, and how many of them this process had to write
// itself because others do not see the folder.
func (s *RowShards) Written() (files, here int) { return len(s.shards), s.here }

// Take adds the file of the rows that follow.
func (s *RowShards) Take(r estimate.RowShard, here bool) error {
	if here {
		s.here++
	}
	if r.File != filepath.Base(r.File) || r.Rows < 1 {
		return fmt.Errorf("the file %q of %d rows was announced", r.File, r.Rows)
	}
	for lo := 0; lo < r.Rows; lo += estimate.BlockRows {
		s.at = append(s.at, place{len(s.shards), lo / estimate.BlockRows})
		s.starts = append(s.starts, s.starts[len(s.starts)-1]+min(estimate.BlockRows, r.Rows-lo))
	}
	s.shards = append(s.shards, shard{r.File, r.Rows, r.Checksum})
	return nil
}

// readTerm reads one term of a group.
func (s *RowShards) readTerm(g, term int, out []float64) error {
	at := s.at[g]
	in, ok := s.open[at.shard]
	if !ok {
		var err error
		path := s.folder.At(s.shards[at.shard].File)
		if in, err = columnar.Open(path); err != nil {
			return fmt.Errorf("reading %s back: %w", path, err)
		}
		if len(s.order) == s.keep {
			s.open[s.order[0]].Close()
			delete(s.open, s.order[0])
			s.order = s.order[1:]
		}
		s.open[at.shard], s.order = in, append(s.order, at.shard)
	}
	first := 2
	if s.writer.Effects {
		first++
	}
	if err := in.Floats(at.group, first+term, out); err != nil {
		return fmt.Errorf("reading %s back: %w", s.shards[at.shard].File, err)
	}
	return nil
}

// save puts the files into a saved model that is being written, under names that follow
// from their order alone, and the manifest last.
func (s *RowShards) save(dir string) error {
	m := shardManifest{Rows: s.Len()}
	for x, from := range s.shards {
		name := fmt.Sprintf("rows-%05d.parquet", x)
		if err := s.folder.Place(shards.File{Name: from.File, Checksum: from.Checksum}, filepath.Join(dir, name)); err != nil {
			return err
		}
		from.File = name
		m.Shards = append(m.Shards, from)
	}
	s.folder.Placed()
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, shardsFile), append(text, '\n'), 0o666)
}

// Close removes the folder; a model that was saved keeps its files.
func (s *RowShards) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all error
	for _, f := range s.open {
		all = errors.Join(all, f.Close())
	}
	s.open, s.order = nil, nil
	s.forget()
	s.folder.Close()
	return all
}

// shardsIn are the files of rows that the manifest in a folder names; nil: it has none.
func shardsIn(dir string) (*shardManifest, error) {
	path := filepath.Join(dir, shardsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m shardManifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range m.Shards {
		if s.File != filepath.Base(s.File) {
			return nil, fmt.Errorf("%s names %q, which is not in the folder", path, s.File)
		}
	}
	return &m, nil
}

// loadShards fills the table of rows from all files, which must have want rows.
func (t *Table) loadShards(dir string, want int, sums checksum.Sums) error {
	path := filepath.Join(dir, shardsFile)
	if err := sums.Check(path); err != nil {
		return err
	}
	m, err := shardsIn(dir)
	if err != nil {
		return err
	}
	rows := 0
	for _, s := range m.Shards {
		rows += s.Rows
	}
	if rows != want || m.Rows != want {
		return fmt.Errorf("%s: it has %d rows, but %s says %d", path, rows, summaryFile, want)
	}
	for _, s := range m.Shards {
		if err := t.loadFile(filepath.Join(dir, s.File), s.Rows, sums); err != nil {
			return err
		}
	}
	return nil
}

func init() { gob.Register(ShardWriter{}) }
