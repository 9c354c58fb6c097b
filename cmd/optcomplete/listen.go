package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/internal/settings"
	"optcomplete/service"
)

// listenFlags are the flags of serve for HTTP.
type listenFlags struct {
	at              service.Listen
	token           string // file
	insecure        bool
	names, ratings  string // files
	form            string // of the log
	registeredFlags []string
}

func (f *listenFlags) register(flags *settings.Flags) {
	bind := func(name string, to any) {
		flags.Bind(name, to)
		f.registeredFlags = append(f.registeredFlags, name)
	}
	bind("listen", &f.at.Address)
	bind("token-file", &f.token)
	bind("tls-cert", &f.at.Certificate)
	bind("tls-key", &f.at.Key)
	bind("insecure", &f.insecure)
	bind("names", &f.names)
	bind("ratings", &f.ratings)
	bind("log", &f.form)
}

// given tells whether HTTP was asked for by one of the flags.
func (f *listenFlags) given(cmd *cobra.Command) bool {
	for _, name := range f.registeredFlags {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// serve is the verb with models.
func (f *listenFlags) serve(cmd *cobra.Command, c *common, folders []string) error {
	if len(folders) == 0 {
		return usagef("serve over HTTP needs a saved model: serve MODEL --listen %s (without MODEL and these flags, serve talks over pipes)", f.at.Address)
	}
	settings := service.Settings{Folders: folders}
	token, err := f.check()
	if err != nil {
		return err
	}
	settings.Token, settings.Local = token, token == "" && service.IsLocal(f.at.Address)
	if settings.Names, settings.Ratings, err = f.readBeside(cmd.Context(), c, folders); err != nil {
		return err
	}
	log := newRequestLog(c.stderr)
	defer log.close()
	if !c.quiet {
		settings.Log = log.logger(f.form, c.logTimes)
	}
	done := c.working("Reading the models", "nowhere")
	s, err := service.New(settings)
	done()
	if err != nil {
		return &usageError{err}
	}
	return f.run(cmd.Context(), c, s)
}

// run answers until the context ends.
func (f *listenFlags) run(ctx context.Context, c *common, s *service.Server) error {
	err := s.Run(ctx, f.at, func(at net.Addr) {
		scheme := "http"
		if f.at.Certificate != "" {
			scheme = "https"
		}
		c.notef("Serving   %s://%s/ (Ctrl-C ends it)", scheme, at)
	})
	if err != nil {
		return &usageError{fmt.Errorf("--listen %s: %w", f.at.Address, err)}
	}
	return nil
}

// check reads the token, and refuses an address beyond this machine without protection.
func (f *listenFlags) check() (token string, err error) {
	if _, port, err := net.SplitHostPort(f.at.Address); err != nil || port == "" {
		return "", usagef("--listen is %q, but must be an address and a port, such as 127.0.0.1:8080", f.at.Address)
	}
	if (f.at.Certificate == "") != (f.at.Key == "") {
		return "", usagef("--tls-cert and --tls-key go together: give both")
	}
	if f.token != "" {
		text, err := os.ReadFile(f.token)
		if err != nil {
			return "", &data.InputError{File: f.token, Problem: "cannot be read: " + rootCause(err), Err: err}
		}
		if token = strings.TrimSpace(string(text)); len(token) < 16 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "", &data.InputError{File: f.token, Problem: "does not hold one token of 16 or more letters and digits", Remedy: "make one: openssl rand -hex 32 > " + f.token}
		}
	}
	if !service.IsLocal(f.at.Address) && token == "" && f.at.Certificate == "" && !f.insecure {
		return "", usagef("--listen %s can be reached from other machines: protect it by --token-file FILE, or by --tls-cert FILE --tls-key FILE; --insecure does without", f.at.Address)
	}
	return token, nil
}

// readBeside reads the names of columns, and the entries of the rows. Columns that no model knows are
// of no use.
func (f *listenFlags) readBeside(ctx context.Context, c *common, folders []string) (map[string]string, *service.Known, error) {
	if f.names == "" && f.ratings == "" {
		return nil, nil, nil
	}
	var columns []string
	known := map[string]bool{}
	for _, folder := range folders {
		if err := ofMatrixOnly(folder); err != nil {
			continue
		}
		m, err := loadModel(c, folder)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range m.ColumnIDs {
			if !known[id] {
				known[id] = true
				columns = append(columns, id)
			}
		}
	}
	names, err := readNames(c, f.names, columns)
	if err != nil || f.ratings == "" {
		return names, nil, err
	}
	ratings, report, err := ingest.Ratings(ctx, []string{f.ratings}, ingest.Settings{Columns: columns, Where: "the models", DropUnknown: true})
	if err != nil {
		return nil, nil, err
	}
	c.warn(f.ratings, report.Warnings())
	return names, service.NewKnown(ratings), nil
}

// requestLog writes lines a moment later: a line for each request must not take longer than
// the request.
type requestLog struct {
	mu   sync.Mutex
	out  *bufio.Writer
	stop chan struct{}
	done chan struct{}
}

func newRequestLog(to io.Writer) *requestLog {
	l := &requestLog{out: bufio.NewWriterSize(to, 1<<16), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.flush()
			case <-l.stop:
				l.flush()
				return
			}
		}
	}()
	return l
}

func (l *requestLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(line)
}

func (l *requestLog) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Flush() // nobody is told that stderr is gone
}

func (l *requestLog) close() {
	close(l.stop)
	<-l.done
}

func (l *requestLog) logger(form string, times bool) *slog.Logger {
	options := &slog.HandlerOptions{}
	if !times {
		options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "took" || a.Key == "from" {
				return slog.Attr{}
			}
			return a
		}
	}
	if form == "json" {
		return slog.New(slog.NewJSONHandler(l, options))
	}
	return slog.New(slog.NewTextHandler(l, options))
}
