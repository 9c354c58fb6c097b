package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/data/pack"
	"optcomplete/internal/memory"
	"optcomplete/internal/shards"
	"optcomplete/pass"
)

// Pack packs the entries of a task, which come as lines (see ingest.PackPart), as the
// order in a file says, and answers like Work.
func (w *Worker) Pack(ctx context.Context, orderFile string, in io.Reader, out io.Writer) error {
	seals := workerSealer(orderFile)
	say := func(kind string, content []byte) error {
		_, err := io.WriteString(out, seals.answer(-1, kind, content))
		return err
	}
	if err := say(kindHello, w.hello()); err != nil {
		return err
	}
	part, err := packPart(ctx, orderFile, in)
	if err != nil {
		io.Copy(io.Discard, in) // Spark takes a pipe that ends early for a failure
	}
	var wrong *data.InputError
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return say(kindMissing, []byte(err.Error()))
	case errors.As(err, &wrong):
		wrong = &data.InputError{File: wrong.File, Problem: wrong.Problem, Remedy: wrong.Remedy}
		content, err := json.Marshal(wrong)
		if err != nil {
			return err
		}
		return say(kindInput, content)
	case err != nil:
		return say(kindError, []byte(err.Error()))
	}
	content, err := json.Marshal(part)
	if err != nil {
		return err
	}
	return say(kindPacked, content)
}

// partMemory is what packing a part takes at most, if so much is free for each core.
const partMemory = 2 << 30

func packPart(ctx context.Context, orderFile string, in io.Reader) (*packedPart, error) {
	text, err := os.ReadFile(orderFile)
	if err != nil {
		return nil, fmt.Errorf("the worker has no order: %v", err)
	}
	var o packOrder
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	path, seen := o.To.Path("rows", ".pack")
	if !seen {
		return nil, fs.ErrNotExist
	}
	settings := o.settings()
	settings.Threads, settings.Temp = 1, "."
	settings.Memory = min(partMemory, max(memory.Free()/int64(2*runtime.NumCPU()), 64<<20))
	part, err := ingest.PackPart(ctx, in, o.Texts, o.Table, path, settings)
	if err != nil || part.Entries == 0 {
		return &packedPart{Part: *orEmpty(part)}, err
	}
	f, err := pack.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return &packedPart{*part, filepath.Base(path), f.Checksum()}, nil
}

func orEmpty(p *ingest.Part) *ingest.Part {
	if p == nil {
		return &ingest.Part{}
	}
	return p
}

// shardPacking writes shards of the packs that workers have made. Its jobs are the
// shards.
type shardPacking struct {
	To      shards.Writer
	Parts   []partFile
	First   []string // the id of the first row of each shard
	Options *pass.Shared[pack.ShardOptions]
}

// partFile is one of those packs.
type partFile struct{ Name, Checksum string }

// packedShard is a shard that was written; without a file: the worker does not see the
// folder.
type packedShard struct{ Shard pack.Shard }

// Merge is not asked for: shards go to a sink.
func (p *packedShard) Merge(pass.Part) { panic("engine: shards are not merged") }

// Start makes a worker.
func (p *shardPacking) Start(*pass.Input) (pass.Worker, error) {
	return pass.EachRow(func() *packedShard { return new(packedShard) }, func(part *packedShard, x int, _ []int32, _ []float64) (err error) {
		path, seen := p.To.Path(fmt.Sprintf("part-%05d", x), ".pack")
		if !seen {
			return nil
		}
		if part.Shard, err = p.write(x, path); errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			part.Shard, err = pack.Shard{}, nil
		}
		return err
	}), nil
}

func (p *shardPacking) write(x int, path string) (pack.Shard, error) {
	files, err := p.open()
	if err != nil {
		return pack.Shard{}, err
	}
	defer closeAll(files)
	from, to := "", ""
	if x > 0 {
		from = p.First[x]
	}
	if x+1 < len(p.First) {
		to = p.First[x+1]
	}
	o := p.Options.Get()
	merged, err := pack.Merge(files, o.Columns, from, to)
	if err != nil {
		return pack.Shard{}, err
	}
	return o.Write(merged, merged.IDs, 0, len(merged.IDs), path)
}

// open opens the packs.
func (p *shardPacking) open() (files []*pack.File, err error) {
	for _, part := range p.Parts {
		path := filepath.Join(p.To.Folder, part.Name)
		f, err := pack.Open(path)
		if err == nil {
			files = append(files, f)
			if f.Checksum() != part.Checksum {
				err = fmt.Errorf("%s is not what was written there (name a folder on another disk)", path)
			}
		}
		if err != nil {
			closeAll(files)
			return nil, err
		}
	}
	return files, nil
}

func init() { pass.Register("packing", &shardPacking{}, new(packedShard)) }
