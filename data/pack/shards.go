package pack

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"optcomplete/data"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/parallel"
)

// Manifest is manifest.json of a folder of packs: which packs there are and what
// is in them, in the order of their rows. It is written last.
type Manifest struct {
	Format   string  `json:"format"` // "optcomplete shards"
	Version  int     `json:"version"`
	Rows     int     `json:"rows"`
	Columns  int     `json:"columns"`
	Observed int     `json:"observed"`
	Shards   []Shard `json:"shards"`
}

// Shard is one pack of a folder.
type Shard struct {
	File     string `json:"file"`
	Bytes    int64  `json:"bytes"`
	Checksum string `json:"checksum"` // of the pack's own checksums: any change of the content changes it
	Rows     int    `json:"rows"`
	Observed int    `json:"observed"`
	FirstRow string `json:"first_row"` // id
}

const (
	manifestFile    = "manifest.json"
	manifestFormat  = "optcomplete shards"
	manifestVersion = 1
)

// Packed is an open pack, or a folder of packs as one.
type Packed interface {
	data.Source
	RowIDs() []string
	ColumnIDs() []string
	Err() error
	Close() error
	Path() string
	Info() Info
	// Checksum tells contents apart.
	Checksum() string
}

var (
	_ Packed = (*File)(nil)
	_ Packed = (*Shards)(nil)
)

// Path is where the pack was opened.
func (f *File) Path() string { return f.path }

// Checksum is made from the checksums of all blocks.
func (f *File) Checksum() string { return fmt.Sprintf("%x", f.sum[:16]) }

// IsFolder tells whether a path is a folder of packs.
func IsFolder(path string) bool {
	var m Manifest
	text, err := os.ReadFile(filepath.Join(path, manifestFile))
	return err == nil && json.Unmarshal(text, &m) == nil && m.Format == manifestFormat
}

// OpenAny opens a pack or a folder of packs.
func OpenAny(path string) (Packed, error) {
	if IsFolder(path) {
		return OpenShards(path)
	}
	if err := Unlisted(path); err != nil {
		return nil, err
	}
	return Open(path)
}

// Unlisted is the error for a folder that has packs and no manifest, or one that is
// damaged; nil for anything else.
func Unlisted(folder string) error {
	packs, _ := filepath.Glob(filepath.Join(folder, "*.pack"))
	if len(packs) == 0 || IsFolder(folder) {
		return nil
	}
	problem := "has packs, but no manifest.json that says which of them belong together"
	if _, err := os.Stat(filepath.Join(folder, manifestFile)); err == nil {
		problem = "has packs, but its manifest.json, which says which of them belong together, is damaged"
	}
	return &data.InputError{
		File: folder, Problem: problem,
		Remedy: "pack the data again, or make one pack of those that do: optcomplete pack " + packs[0] + " … -o all.pack",
	}
}

// Shards is a folder of packs, read as one source.
type Shards struct {
	joined
	Manifest Manifest
	path     string
	files    []*File
	rowIDs   func() []string
}

// OpenShards opens a folder of packs. Every pack must be the one that the
// manifest names.
func OpenShards(folder string) (*Shards, error) {
	path := filepath.Join(folder, manifestFile)
	bad := func(problem string) error {
		return &data.InputError{File: path, Problem: problem, Remedy: "pack the ratings into the folder again"}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Shards{path: folder}
	first := []int{0} // row of each file, and the end
	if err := json.Unmarshal(text, &s.Manifest); err != nil {
		return nil, bad("cannot be read: " + err.Error())
	}
	m := &s.Manifest
	if m.Format != manifestFormat || m.Version != manifestVersion {
		return nil, bad(fmt.Sprintf("is of the format %q, version %d, and this program reads %q, version %d", m.Format, m.Version, manifestFormat, manifestVersion))
	}
	if len(m.Shards) == 0 {
		return nil, bad("names no packs")
	}
	for _, shard := range m.Shards {
		if shard.File != filepath.Base(shard.File) {
			s.Close()
			return nil, bad(fmt.Sprintf("names the pack %q, which is not in the folder", shard.File))
		}
		at := filepath.Join(folder, shard.File)
		f, err := Open(at)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.files, s.parts = append(s.files, f), append(s.parts, f)
		first = append(first, first[len(first)-1]+f.rows)
		s.observed += f.Observed()
		if f.Checksum() != shard.Checksum || f.rows != shard.Rows || f.Observed() != shard.Observed || int64(len(f.bytes)) != shard.Bytes || f.columns != m.Columns || f.weighted != s.files[0].weighted {
			s.Close()
			return nil, &data.InputError{File: at, Problem: "is not the pack that the manifest names", Remedy: "pack the ratings into the folder again"}
		}
	}
	if s.rows, s.columns, s.weighted = first[len(s.files)], m.Columns, s.files[0].weighted; s.rows != m.Rows || s.observed != m.Observed {
		s.Close()
		return nil, bad(fmt.Sprintf("announces %d rows and %d entries, and the packs have %d and %d", m.Rows, m.Observed, s.rows, s.observed))
	}
	s.find = func(i int) (part, row int) {
		part = sort.SearchInts(first, i+1) - 1
		return part, i - first[part]
	}
	s.rowIDs = sync.OnceValue(func() []string {
		ids := make([]string, 0, m.Rows)
		for _, f := range s.files {
			ids = append(ids, f.RowIDs()...)
		}
		return ids
	})
	return s, nil
}

// Info is that of all packs together; values are listed if one pack lists all.
func (s *Shards) Info() Info {
	all := s.files[0].Info()
	all.Path, all.Rows, all.Observed = s.path, s.Manifest.Rows, s.Manifest.Observed
	for _, f := range s.files[1:] {
		info := f.Info()
		all.Bytes, all.Blocks = all.Bytes+info.Bytes, all.Blocks+info.Blocks
		if info.Observed > 0 {
			all.Min, all.Max = min(all.Min, info.Min), max(all.Max, info.Max)
		}
		if !slices.Equal(info.Values, all.Values) || info.Encoding != all.Encoding {
			all.Values = nil
		}
	}
	return all
}

// Path is the folder.
func (s *Shards) Path() string { return s.path }

// Checksum is made from those of the packs.
func (s *Shards) Checksum() string {
	all := ""
	for _, shard := range s.Manifest.Shards {
		all += shard.Checksum
	}
	sum := sha256.Sum256([]byte(all))
	return fmt.Sprintf("%x", sum[:16])
}

// RowIDs returns the ids of all rows; nil after a failure.
func (s *Shards) RowIDs() []string { return s.rowIDs() }

// ColumnIDs returns the ids of the columns.
func (s *Shards) ColumnIDs() []string { return s.files[0].ColumnIDs() }

// Err returns the first failure of a pack.
func (s *Shards) Err() error {
	for _, f := range s.files {
		if err := f.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close closes all packs.
func (s *Shards) Close() error {
	var all error
	for _, f := range s.files {
		all = errors.Join(all, f.Close())
	}
	return all
}

// shardChunks is how many chunks shards are whole multiples of: parts of passes
// that are made of several chunks then seldom need two shards.
const shardChunks = 8

// ShardOptions are how all packs of a folder hold their entries, whoever writes them.
type ShardOptions struct {
	Columns  []string  // ids
	Values   []float64 // the distinct values, if they are listed
	Float32  bool      // values that are not listed have four bytes
	Weighted bool      // the entries have weights
	Metadata map[string]string
}

// entryBytes is what an entry takes.
func (o *ShardOptions) entryBytes() int {
	s := shape{len(o.Columns), Float64, o.Weighted}
	switch {
	case len(o.Values) > Dictionary8.most():
		s.values = Dictionary16
	case o.Values != nil:
		s.values = Dictionary8
	case o.Float32:
		s.values = Float32
	}
	return s.entryBytes()
}

// Bounds divides rows with these ids into packs of about so many bytes: their first
// rows, and the end of the last. They have whole chunks, and depend on the data alone.
func (o *ShardOptions) Bounds(from data.Source, ids []string, bytes int64) []int {
	const rowBytes = 8 // where its entries and its id end
	chunks, each := data.Chunks(from), o.entryBytes()
	bounds := []int{0}
	size := int64(0)
	for c := 0; c+1 < len(chunks); c++ {
		for i := chunks[c]; i < chunks[c+1]; i++ {
			size += int64(rowBytes + len(ids[i]) + each*from.Entries(i))
		}
		if c+2 == len(chunks) || (c+1)%shardChunks == 0 && size >= bytes {
			bounds, size = append(bounds, chunks[c+1]), 0
		}
	}
	if len(bounds) == 1 {
		bounds = append(bounds, 0) // a pack without rows
	}
	return bounds
}

// Write writes the rows lo..hi as a pack.
func (o *ShardOptions) Write(from data.Source, ids []string, lo, hi int, path string) (Shard, error) {
	w, err := Create(path, o.Columns, WriterOptions{Rows: hi - lo, Values: slices.Clone(o.Values), Float32: o.Float32, Weighted: o.Weighted, Metadata: o.Metadata})
	if err != nil {
		return Shard{}, err
	}
	defer w.Abort()
	reader := data.NewRowReader(from)
	for i := lo; i < hi; i++ {
		columns, values, weights, err := reader.Weighed(i)
		if err == nil {
			err = w.AppendWeighed(ids[i], columns, values, weights)
		}
		if err != nil {
			return Shard{}, err
		}
	}
	if err := w.Close(); err != nil {
		return Shard{}, err
	}
	f, err := Open(path)
	if err != nil {
		return Shard{}, err
	}
	defer f.Close()
	shard := Shard{File: filepath.Base(path), Bytes: int64(len(f.bytes)), Checksum: f.Checksum(), Rows: f.rows, Observed: f.Observed()}
	if hi > lo {
		shard.FirstRow = ids[lo]
	}
	return shard, nil
}

// WriteFolder makes a folder of packs, which appears at path when all is written. An
// older one there is replaced. fill writes the packs into a folder, under the names that
// ShardName gives, and tells what they are.
func WriteFolder(path string, fill func(dir string) ([]Shard, error)) (*Manifest, error) {
	m := &Manifest{Format: manifestFormat, Version: manifestVersion}
	older := partsIn(path)
	err := atomicfile.Dir(path, manifestFile, func(dir string) (err error) {
		if m.Shards, err = fill(dir); err != nil {
			return err
		}
		for x, shard := range m.Shards {
			m.Rows, m.Observed = m.Rows+shard.Rows, m.Observed+shard.Observed
			f, err := Open(filepath.Join(dir, ShardName(x)))
			if err != nil {
				return err
			}
			m.Columns = f.columns
			same := f.Checksum() == shard.Checksum && int64(len(f.bytes)) == shard.Bytes && f.rows == shard.Rows && f.Observed() == shard.Observed && shard.File == ShardName(x)
			if f.Close(); !same {
				return fmt.Errorf("%s is not what was written there (name a folder on another disk)", f.path)
			}
		}
		text, err := json.MarshalIndent(m, "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, manifestFile), append(text, '\n'), 0o666)
	})
	if err == nil {
		for _, name := range older { // what the new folder has no use for
			if !slices.ContainsFunc(m.Shards, func(s Shard) bool { return s.File == name }) {
				os.Remove(filepath.Join(path, name))
			}
		}
	}
	return m, err
}

// ShardName is the name of pack x of a folder.
func ShardName(x int) string { return fmt.Sprintf("part-%05d.pack", x) }

// WriteShards divides a pack into packs of about this many bytes in a folder.
func WriteShards(ctx context.Context, from *File, path string, bytes int64, threads int) (*Manifest, error) {
	info, ids := from.Info(), from.RowIDs()
	o := &ShardOptions{Columns: from.ColumnIDs(), Values: info.Values, Float32: info.Encoding == Float32, Weighted: from.weighted, Metadata: info.Metadata}
	bounds := o.Bounds(from, ids, bytes)
	if err := from.Err(); err != nil {
		return nil, err
	}
	return WriteFolder(path, func(dir string) ([]Shard, error) {
		shards := make([]Shard, len(bounds)-1)
		return shards, parallel.Do(ctx, len(shards), threads, func(int) func(int) error {
			return func(x int) (err error) {
				shards[x], err = o.Write(from, ids, bounds[x], bounds[x+1], filepath.Join(dir, ShardName(x)))
				return err
			}
		})
	})
}

// partsIn are the packs that the manifest of a folder names, if it has one.
func partsIn(path string) (names []string) {
	var old Manifest
	text, err := os.ReadFile(filepath.Join(path, manifestFile))
	if err != nil || json.Unmarshal(text, &old) != nil || old.Format != manifestFormat {
		return nil
	}
	for _, s := range old.Shards {
		if s.File == filepath.Base(s.File) {
			names = append(names, s.File)
		}
	}
	return names
}
