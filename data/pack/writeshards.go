package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/parallel"
)

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
