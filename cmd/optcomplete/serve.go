package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/memory"
	"optcomplete/internal/textfile"
	"optcomplete/spec"
)

// protocolVersion is that of docs/protocol.md. It rises when a program that
// speaks the one before would no longer be understood.
const protocolVersion = 1

func serveCommand(c *common) *cobra.Command {
	var (
		describe bool
		f        listenFlags
	)
	cmd := verb("serve", func(cmd *cobra.Command, args []string) error {
		if describe {
			return writeJSON(c.stdout, descriptionOf(cmd.Root()))
		}
		if len(args) > 0 || f.given(cmd) {
			return f.serve(cmd, c, args)
		}
		// Who no longer reads has also ended the requests: there is time to clean up.
		signal.Ignore(syscall.SIGPIPE)
		// A verb that reads "-" must not read requests.
		in := os.Stdin
		none, err := os.Open(os.DevNull)
		if err != nil {
			return err
		}
		defer none.Close()
		os.Stdin = none
		return serve(cmd.Context(), in, c.stdout)
	})
	flags := flagsOf(cmd)
	flags.Bind("describe", &describe)
	f.register(flags)
	return cmd
}

// server answers requests, one at a time and in their order.
type server struct {
	folder string // for models; removed in the end
	models *modelCache

	writing sync.Mutex
	out     *bufio.Writer

	mu      sync.Mutex
	pending map[int]*request // those that have no answer yet
}

const (
	maxWaiting = 16       // requests that are read before their turn, so that what cancels them is seen
	maxLine    = 64 << 20 // bytes of a line
)

// quick is how long a request may take to notice that nobody waits for its answer.
const quick = 500 * time.Millisecond

// serve answers requests until their end, or that of the context.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	beside := filepath.Join(os.TempDir(), "optcomplete")
	if release, err := atomicfile.Reserve(beside); err == nil {
		release() // it removed the folders of servers that were killed
	}
	folder, remove, err := atomicfile.TempDir(beside)
	if err == nil {
		defer remove()
		err = os.Chmod(folder, 0o700)
	}
	if err != nil {
		return fmt.Errorf("a folder for models cannot be made: %v (set TMPDIR, or TMP on Windows, to a folder that you may write to)", err)
	}
	s := &server{folder: folder, models: newModelCache(), out: bufio.NewWriterSize(out, 1<<16), pending: map[int]*request{}}
	defer s.clean()
	err = s.send(map[string]any{"protocol": protocolVersion, "version": spec.Version, "folder": folder}, nil)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	requests, failed := make(chan *request, maxWaiting), make(chan error, 1)
	go func() {
		defer close(requests)
		failed <- s.read(ctx, bufio.NewReaderSize(in, 1<<20), memory.Default(), requests)
	}()
	done := make(chan error, 1)
	go func() {
		for r := range requests {
			if err := s.answer(r); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err = <-done: // nobody reads the answers
		if err == nil {
			err = <-failed
		}
		return err
	case err = <-failed:
	case <-ctx.Done():
	}
	stop()
	select {
	case <-done:
	case <-time.After(quick):
	}
	return err
}

// clean removes the folder. A request that did not end yet may still write to it.
func (s *server) clean() {
	for range 10 {
		if os.RemoveAll(s.folder) == nil {
			return
		}
		time.Sleep(quick / 10)
	}
}

// request is a verb to run.
type request struct {
	ID        int                        `json:"id"`
	Verb      string                     `json:"verb"`
	Arguments []string                   `json:"arguments"`
	Options   map[string]json.RawMessage `json:"options"`
	Tables    []blob                     `json:"tables"`  // that follow, to be named as files
	Results   []string                   `json:"results"` // files to answer with instead of writing them
	Cancel    int                        `json:"cancel"`  // of an earlier request; all else is left out

	ctx      context.Context
	cancel   context.CancelFunc
	contents [][]byte
	refused  error
}

// blob is a file that follows a line.
type blob struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// read takes requests off the input. Those that cancel are followed at once; late
// ones, and those of unknown requests, do nothing. The tables of a request may take
// so much room together.
func (s *server) read(ctx context.Context, in *bufio.Reader, room int64, to chan<- *request) error {
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r := &request{}
		if err := json.Unmarshal(line, r); err != nil {
			return usagef("a line of the requests is no JSON object: %v (docs/protocol.md says what it must be)", err)
		}
		if r.Cancel != 0 {
			s.stop(r.Cancel)
			continue
		}
		if r.ID == 0 {
			r.refused = usagef("a request has the id 0, or none (give it another number)")
		}
		left := room
		for _, table := range r.Tables {
			if table.Name == "" || table.Bytes < 0 {
				return usagef("a request announces a table %q of %d bytes", table.Name, table.Bytes)
			}
			if left -= table.Bytes; left < 0 && r.refused == nil {
				r.refused = usagef("the tables of a request are larger than the %s that may be used (write them to files, and name these)", memory.Format(room))
			}
			content, err := readBlob(in, table.Bytes, r.refused == nil)
			if err != nil {
				return fmt.Errorf("the requests end in the middle of the table %q: %w", table.Name, err)
			}
			r.contents = append(r.contents, content)
		}
		s.expect(ctx, r)
		select {
		case to <- r:
		case <-ctx.Done():
			return nil
		}
	}
}

// readLine reads a line of bounded length.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			return nil, usagef("a line of the requests has more than %d bytes", maxLine)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(line) > 0:
			return nil, fmt.Errorf("the requests end in the middle of a line: %v", err)
		default:
			return line, err
		}
	}
}

// readBlob reads what a line announced, or passes over it. Memory is taken as the
// bytes come: an announcement may be wrong.
func readBlob(in io.Reader, size int64, keep bool) (content []byte, err error) {
	if !keep {
		_, err = io.CopyN(io.Discard, in, size)
		return nil, err
	}
	content, err = io.ReadAll(io.LimitReader(in, size))
	if err == nil && int64(len(content)) < size {
		err = io.ErrUnexpectedEOF
	}
	return content, err
}

// expect lets a request be cancelled from now on.
func (s *server) expect(ctx context.Context, r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ctx, r.cancel = context.WithCancel(ctx)
	s.pending[r.ID] = r
}

// stop ends a request early, or before it begins.
func (s *server) stop(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.pending[id]; ok {
		r.cancel()
	}
}

// forget ends what expect began.
func (s *server) forget(r *request) {
	r.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[r.ID] == r { // an id may be used again
		delete(s.pending, r.ID)
	}
}

// answer runs a request with its tables held.
func (s *server) answer(r *request) error {
	defer s.forget(r)
	for at, table := range r.Tables {
		textfile.PutInMemory(table.Name, r.contents[at])
		defer textfile.DropFromMemory(table.Name)
	}
	r.contents = nil
	a, contents := s.run(r)
	return s.send(a, contents)
}

// send writes a line of JSON, and what it announces.
func (s *server) send(line any, contents [][]byte) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.out.Write(text) // Flush tells of all errors
	s.out.WriteByte('\n')
	for _, content := range contents {
		s.out.Write(content)
	}
	return s.out.Flush()
}
