package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/memory"
	"optcomplete/pass"
)

// Worker computes what it is asked for. It keeps the sources, the shared values
// and what passes make of them from one line to the next.
type Worker struct {
	Version string // of the program
	Open    func(path string) (pack.Packed, error)

	memory  *pass.Memory
	mu      sync.Mutex
	sources map[string]pack.Packed
	views   map[string]data.Source // by the names that the driver gives them
}

// NewWorker is a worker that finds shared values, and data that were sent, in its
// working folder.
func NewWorker(version string) *Worker {
	w := &Worker{Version: version, memory: pass.NewMemory(), sources: map[string]pack.Packed{}, views: map[string]data.Source{}, Open: pack.OpenAny}
	w.memory.Fetch = func(name string) ([]byte, error) { return os.ReadFile(sharedFile(name)) }
	return w
}

func sharedFile(name string) string { return "shared-" + name }

// maxLine is the longest line that is read: a reading with weights of a million
// features.
const maxLine = 1 << 28

// Work answers lines until they end.
func (w *Worker) Work(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	answers := bufio.NewWriterSize(out, 1<<16)
	for {
		line, err := readLine(lines)
		if err == io.EOF {
			return answers.Flush()
		}
		if err != nil {
			return err
		}
		if err := w.answer(ctx, line, answers); err != nil {
			return err
		}
		if err := answers.Flush(); err != nil {
			return err
		}
	}
}

func readLine(r *bufio.Reader) (string, error) {
	var all []byte
	for {
		part, err := r.ReadSlice('\n')
		all = append(all, part...)
		if len(all) > maxLine {
			return "", errors.New("a line is too long")
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(all) > 0 {
			err = nil
		}
		return strings.TrimSuffix(string(all), "\n"), err
	}
}

// answer writes the answer to one line. The error is that of writing: faults of
// the work are answers.
func (w *Worker) answer(ctx context.Context, line string, out io.Writer) error {
	question := ""
	if f := strings.Split(line, "\t"); len(f) > 1 {
		question = f[1]
	}
	seals := workerSealer(question)
	if _, err := io.WriteString(out, seals.answer(-1, kindHello, w.hello())); err != nil {
		return err
	}
	err := w.compute(ctx, line, seals, out)
	var broken *writeError
	switch {
	case errors.As(err, &broken):
		return err
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		_, err = io.WriteString(out, seals.answer(-1, kindMissing, []byte(err.Error())))
	case err != nil:
		_, err = io.WriteString(out, seals.answer(-1, kindError, []byte(err.Error())))
	}
	if err == nil {
		_, err = io.WriteString(out, seals.answer(taskOf(line), kindDone, []byte("ok")))
	}
	return err
}

type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// compute does a task.
func (w *Worker) compute(ctx context.Context, line string, seals *sealer, out io.Writer) (err error) {
	o, err := parseOrder(line)
	if err != nil {
		return err
	}
	if o.echo > 0 {
		bytes := make([]byte, o.echo)
		rand.NewChaCha8([32]byte{}).Read(bytes) // that nobody can compress
		if _, err := io.WriteString(out, seals.answer(-1, kindEcho, bytes)); err != nil {
			return &writeError{err}
		}
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the worker failed: %v", r)
		}
	}()
	plan, sinks, err := pass.Decode(o.reading, w.open, w.memory)
	if err != nil {
		return err
	}
	executor, err := plan.NewExecutor(sinks)
	if err != nil {
		return err
	}
	defer executor.Release()
	level := runLevel(plan.Items(), o.tasks, plan.Large(), sinks)
	lo, hi := share(plan.Runs(level), o.task, o.tasks)
	for item := lo; item < hi; item++ {
		parts, err := executor.Run(ctx, level, item)
		if err != nil {
			return err
		}
		body, err := pass.EncodeParts(parts)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, seals.answer(item, kindParts, body)); err != nil {
			return &writeError{err}
		}
	}
	return nil
}

func (w *Worker) hello() []byte {
	host, _ := os.Hostname()
	dir, _ := os.Getwd()
	h := Hello{Version: w.Version, Program: programSum(), Platform: platform(), Executor: host + ":" + dir, Process: os.Getpid(), Cores: runtime.NumCPU(), Memory: memory.Free()}
	text, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	return text
}

// open is the source of a name, which must be the driver's to the bit.
func (w *Worker) open(name string) (data.Source, error) {
	var b base
	if err := json.Unmarshal([]byte(name), &b); err != nil {
		return nil, fmt.Errorf("the source %q cannot be understood: %w", name, err)
	}
	if b.Jobs != nil {
		return *b.Jobs, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if source, ok := w.views[name]; ok {
		return source, nil
	}
	p, ok := w.sources[b.Path+b.Checksum]
	if !ok {
		path := b.Path
		if b.Sent {
			var err error
			if path, err = unfold(b.Checksum); err != nil {
				return nil, err
			}
		}
		var err error
		if p, err = w.Open(path); err != nil {
			return nil, err
		}
		if p.Checksum() != b.Checksum {
			p.Close()
			return nil, fmt.Errorf("%s is another file here than where the fit runs", path)
		}
		w.sources[b.Path+b.Checksum] = p
	}
	source, err := b.view(p)
	if err == nil {
		w.views[name] = source
	}
	return source, err
}

// view gives the columns and the rows the driver's numbers.
func (b base) view(p pack.Packed) (data.Source, error) {
	n, m := p.Dims()
	ranks := make([]int32, m)
	for j := range ranks {
		ranks[j] = int32(j)
	}
	var err error
	if b.Ranks != "" {
		if ranks, err = readNumbers(b.Ranks); err != nil {
			return nil, err
		}
	}
	if b.Columns < m || len(ranks) != m {
		return nil, fmt.Errorf("%s has %d columns, not %d", b.Path, m, b.Columns)
	}
	source := data.Renumber(p, b.Columns, ranks)
	if b.Rows == "" {
		return source, nil
	}
	numbers, err := readNumbers(b.Rows)
	if err != nil {
		return nil, err
	}
	rows := make([]int, len(numbers))
	for x, i := range numbers {
		if rows[x] = int(i); rows[x] < 0 || rows[x] >= n {
			return nil, fmt.Errorf("%s has no row %d", b.Path, i)
		}
	}
	return data.Rows(source, rows), nil
}

// sentFile is the name of a file of data that is sent: those of a folder lie flat
// beside each other.
func sentFile(checksum, file string) string { return "data-" + checksum + "-" + file }

// onePack stands for the file of data that are one pack.
const onePack = "one.pack"

// unfold finds data that were sent: a pack, or a folder of links to its files.
func unfold(checksum string) (string, error) {
	if one := sentFile(checksum, onePack); isFile(one) {
		return one, nil
	}
	prefix := sentFile(checksum, "")
	files, err := filepath.Glob(prefix + "*")
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("the data that were sent have not arrived: %w", fs.ErrNotExist)
	}
	folder := "data-" + checksum
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for _, file := range files {
		to := filepath.Join(folder, strings.TrimPrefix(file, prefix))
		if err := os.Symlink(filepath.Join("..", file), to); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return folder, nil
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
