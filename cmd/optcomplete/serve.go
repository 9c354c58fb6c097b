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
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"optcomplete"
	"optcomplete/internal/held"
)

// protocolVersion is that of docs/protocol.md. It rises when a program that
// speaks the one before would no longer be understood.
const protocolVersion = 1

func serveCommand(c *common) *cobra.Command {
	var describe bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run verbs for another program, over pipes",
		Long: `serve reads requests from standard input and writes events and answers to standard
output: lines of JSON, with tables between them. A request is a
verb with its arguments and settings, and gets the answer of that verb.
The Python package talks to it; docs/protocol.md describes the protocol. It ends
with its standard input and leaves nothing behind.`,
		Example: `  optcomplete serve
  optcomplete serve --describe`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if describe {
				return writeJSON(c.stdout, descriptionOf(cmd.Root()))
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
		},
	}
	flagsOf(cmd, "serve").Bind("describe", &describe)
	return cmd
}

// server answers requests, one at a time and in their order.
type server struct {
	folder string // for models; removed in the end
	models *modelCache

	writing sync.Mutex
	out     *bufio.Writer

	running sync.Mutex
	current int // the request that is being answered; 0: none
	cancel  context.CancelFunc
	early   map[int]bool // requests that were cancelled before their turn
}

// quick is how long a request may take to notice that nobody waits for its answer.
const quick = 500 * time.Millisecond

// serve answers requests until their end, or that of the context.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	folder, err := os.MkdirTemp("", "optcomplete-")
	if err != nil {
		return fmt.Errorf("a folder for models cannot be made: %v (set TMPDIR, or TMP on Windows, to a folder that you may write to)", err)
	}
	s := &server{folder: folder, models: newModelCache(), out: bufio.NewWriterSize(out, 1<<16), early: map[int]bool{}}
	defer s.clean()
	err = s.send(map[string]any{"protocol": protocolVersion, "version": optcomplete.Version, "folder": folder}, nil)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	requests, failed := make(chan *request), make(chan error, 1)
	go func() {
		defer close(requests)
		failed <- s.read(ctx, bufio.NewReaderSize(in, 1<<20), requests)
	}()
	done := make(chan error, 1)
	go func() {
		for r := range requests {
			if err := s.answer(ctx, r); err != nil {
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

	contents [][]byte
}

// blob is a file that follows a line.
type blob struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// read takes requests off the input. Those that cancel are followed at once.
func (s *server) read(ctx context.Context, in *bufio.Reader, to chan<- *request) error {
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the requests end in the middle of a line: %w", err)
		}
		r := &request{}
		if err := json.Unmarshal(line, r); err != nil {
			return usagef("a line of the requests is no JSON object: %v (docs/protocol.md says what it must be)", err)
		}
		if r.Cancel != 0 {
			s.stop(r.Cancel)
			continue
		}
		for _, table := range r.Tables {
			content, err := readBlob(in, table)
			if err != nil {
				return err
			}
			r.contents = append(r.contents, content)
		}
		select {
		case to <- r:
		case <-ctx.Done():
			return nil
		}
	}
}

// readBlob reads what a line announced.
func readBlob(in io.Reader, b blob) ([]byte, error) {
	if b.Name == "" || b.Bytes < 0 || b.Bytes != int64(int(b.Bytes)) {
		return nil, usagef("a request announces a table %q of %d bytes", b.Name, b.Bytes)
	}
	content := make([]byte, b.Bytes)
	if _, err := io.ReadFull(in, content); err != nil {
		return nil, fmt.Errorf("the requests end in the middle of the table %q: %w", b.Name, err)
	}
	return content, nil
}

// stop ends a request early, or before it begins.
func (s *server) stop(id int) {
	s.running.Lock()
	defer s.running.Unlock()
	if s.current == id {
		s.cancel()
	} else {
		s.early[id] = true
	}
}

// begin makes a request the one that stop ends.
func (s *server) begin(ctx context.Context, id int) context.Context {
	s.running.Lock()
	defer s.running.Unlock()
	ctx, s.cancel = context.WithCancel(ctx)
	if s.current = id; s.early[id] {
		s.cancel()
		delete(s.early, id)
	}
	return ctx
}

func (s *server) end() {
	s.running.Lock()
	defer s.running.Unlock()
	s.cancel()
	s.current = 0
}

// answer runs a request with its tables held.
func (s *server) answer(ctx context.Context, r *request) error {
	ctx = s.begin(ctx, r.ID)
	defer s.end()
	for at, table := range r.Tables {
		held.Put(table.Name, r.contents[at])
		defer held.Drop(table.Name)
	}
	r.contents = nil
	a, contents := s.run(ctx, r)
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
