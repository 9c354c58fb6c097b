package pack

import (
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
