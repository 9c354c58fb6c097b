package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"weak"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/atomicfile"
	"optcomplete/pass"
)

// stored is a source as executors can open it: a pack or a folder of packs, which
// of its rows, and how its columns are numbered.
type stored struct {
	packed  pack.Packed // nil: jobs, which no file has
	jobs    pass.Jobs
	columns int
	ranks   []int32 // nil: as they are
	rows    []int   // nil: all
}

// stored tells what a source is on disk; nil if it is read here. A source that is
// in memory, or generated, is written to disk when it is read for the second time:
// what is read once is not worth it.
func (s *Spark) stored(source data.Source) (*stored, error) {
	if jobs, ok := source.(pass.Jobs); ok {
		return &stored{jobs: jobs}, nil
	}
	base, columns, ranks, rows := data.Basis(source)
	if packed, ok := base.(pack.Packed); ok {
		return &stored{packed: packed, columns: columns, ranks: ranks, rows: rows}, nil
	}
	packed, fresh, err := s.spills.of(source, s.settings.Folder)
	if packed == nil || err != nil {
		return nil, err
	}
	if fresh {
		s.log("data in memory are written to %s for the executors", packed.Path())
	}
	_, columns = source.Dims()
	return &stored{packed: packed, columns: columns}, nil
}

// base names a source to the workers. What it needs is sent before.
func (s *Spark) base(ctx context.Context, from *stored) (b base, err error) {
	if from.packed == nil {
		return base{Jobs: &from.jobs}, nil
	}
	b = base{Checksum: from.packed.Checksum(), Columns: from.columns}
	if b.Path, err = filepath.Abs(from.packed.Path()); err != nil {
		return b, err
	}
	if from.ranks != nil {
		if b.Ranks, err = s.numbers(ctx, "ranks", from.ranks); err != nil {
			return b, err
		}
	}
	if from.rows != nil {
		rows := make([]int32, len(from.rows))
		for x, i := range from.rows {
			rows[x] = int32(i)
		}
		b.Rows, err = s.numbers(ctx, "rows", rows)
	}
	return b, err
}

// numbers sends numbers to the executors, once, and returns the name of their file.
func (s *Spark) numbers(ctx context.Context, what string, numbers []int32) (string, error) {
	content := numberBytes(numbers)
	sum := sha256.Sum256(content)
	name := fmt.Sprintf("%s-%x", what, sum[:16])
	if s.shared[name] {
		return name, nil
	}
	if err := s.put(ctx, name, content); err != nil {
		return "", err
	}
	s.shared[name] = true
	return name, nil
}

// numberBytes is how numbers of rows and columns are sent.
func numberBytes(numbers []int32) []byte {
	var content []byte
	for _, x := range numbers {
		content = binary.LittleEndian.AppendUint32(content, uint32(x))
	}
	return content
}

// readNumbers reads them.
func readNumbers(path string) ([]int32, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	numbers := make([]int32, len(content)/4)
	_, err = binary.Decode(content, binary.LittleEndian, numbers)
	return numbers, err
}

// send sends data to executors that cannot see them.
func (s *Spark) send(ctx context.Context, packed pack.Packed, why error) error {
	sum := packed.Checksum()
	files := map[string]string{sentFile(sum, onePack): packed.Path()}
	if shards, ok := packed.(*pack.Shards); ok {
		files = map[string]string{sentFile(sum, "manifest.json"): filepath.Join(shards.Path(), "manifest.json")}
		for _, shard := range shards.Manifest.Shards {
			files[sentFile(sum, shard.File)] = filepath.Join(shards.Path(), shard.File)
		}
	}
	var bytes int64
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		bytes += info.Size()
	}
	if bytes > mostSent {
		return fmt.Errorf("the executors cannot see the data (%v), and %.1f GB are too many to send to each of them: put the folder where all of them see it under the same path", why, float64(bytes)/1e9)
	}
	s.log("the executors cannot see %s: %.1f MB are sent to each of them", packed.Path(), float64(bytes)/1e6)
	for name, path := range files {
		content, err := os.ReadFile(path)
		if err == nil {
			err = s.put(ctx, name, content)
		}
		if err != nil {
			return err
		}
	}
	s.sent[sum] = true
	return nil
}

// spills are sources that were in memory, on disk.
type spills struct {
	mu      sync.Mutex
	folder  string
	done    func() // removes it
	written int
	packs   map[any]*spill
}

// spill is one of them.
type spill struct {
	readings int
	file     *pack.File
}

// of is the pack of a source; nil the first time.
func (s *spills) of(source data.Source, folder string) (file *pack.File, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, columns := source.Dims(); columns > pack.MaxColumns {
		return nil, false, nil
	}
	var key any = source
	matrix, inMemory := source.(*data.Matrix)
	if inMemory { // samples come and go: they must not be kept for this
		key = weak.Make(matrix)
	}
	found := s.packs[key]
	if found == nil {
		if s.packs == nil {
			s.packs = map[any]*spill{}
		}
		found = &spill{}
		s.packs[key] = found
		if inMemory {
			runtime.AddCleanup(matrix, s.drop, key)
		}
	}
	found.readings++
	if found.readings < 2 || found.file != nil {
		return found.file, false, nil
	}
	if s.folder == "" {
		if s.folder, s.done, err = temporary(folder); err != nil {
			return nil, false, err
		}
	}
	s.written++
	found.file, err = spillTo(filepath.Join(s.folder, fmt.Sprintf("%d.pack", s.written)), source)
	return found.file, true, err
}

// spillTo writes a source as a pack. Its ids are numbers: nobody asks for them.
func spillTo(path string, source data.Source) (*pack.File, error) {
	n, m := source.Dims()
	ids := make([]string, m)
	for j := range ids {
		ids[j] = strconv.Itoa(j)
	}
	w, err := pack.Create(path, ids, pack.WriterOptions{Rows: n, Observed: source.Observed(), Weighted: data.IsWeighted(source)})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	err = data.ForEachWeighed(source, func(i int, columns []int32, values, weights []float64) error {
		return w.AppendWeighed(strconv.Itoa(i), columns, values, weights)
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("data in memory cannot be written for the executors: %w (engine.Settings.Folder names another folder)", err)
	}
	return pack.Open(path)
}

// drop forgets a source that is gone.
func (s *spills) drop(key any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.packs[key]; found != nil && found.file != nil {
		errors.Join(found.file.Close(), os.Remove(found.file.Path()))
	}
	delete(s.packs, key)
}

// remove removes all of them.
func (s *spills) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, found := range s.packs {
		if found.file != nil {
			found.file.Close()
		}
	}
	s.packs = nil
	if s.folder != "" {
		s.done()
		s.folder = ""
	}
}

// temporary makes a folder of this user alone in another one, or in that for temporary
// files. Those that killed processes left there go.
func temporary(in string) (folder string, done func(), err error) {
	if in == "" {
		in = os.TempDir()
	}
	path := filepath.Join(in, fmt.Sprintf("optcomplete-engine-%d", os.Getuid()))
	if release, err := atomicfile.Reserve(path); err == nil {
		release()
	}
	if folder, done, err = atomicfile.TempDir(path); err != nil {
		return "", nil, err
	}
	if folder, err = filepath.Abs(folder); err == nil {
		err = os.Chmod(folder, 0o700)
	}
	if err != nil {
		done()
	}
	return folder, done, err
}
