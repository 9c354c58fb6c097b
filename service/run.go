package service

import (
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"net"
	"net/http"
	"time"
)

// Listen says where to listen, and how.
type Listen struct {
	Address     string // such as 127.0.0.1:8080
	Certificate string // file of a TLS certificate; empty: none
	Key         string // file of its key
}

// IsLocal tells whether an address can be reached from this machine alone.
func IsLocal(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && local(host)
}

// grace is how long requests in flight have to end.
const grace = 5 * time.Second

// Run answers requests until the context ends, and then those in flight. ready is called with
// the address once it listens.
func (s *Server) Run(ctx context.Context, at Listen, ready func(net.Addr)) error {
	// Ends live streams when the service ends: Shutdown waits for them.
	streams, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       s.settings.Time,
		WriteTimeout:      2 * s.settings.Time,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return streams },
		ErrorLog:          nil,
	}
	listener, err := net.Listen("tcp", at.Address)
	if err != nil {
		return err
	}
	defer listener.Close()
	if at.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(at.Certificate, at.Key)
		if err != nil {
			return err
		}
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(watching)
	ended := make(chan error, 1)
	go func() {
		if server.TLSConfig != nil {
			ended <- server.ServeTLS(listener, "", "")
		} else {
			ended <- server.Serve(listener)
		}
	}()
	ready(listener.Addr())
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.ending.Store(true)
	if s.fit != nil {
		s.fit.end()
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		cut()
		server.Close()
		if !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
	return nil
}

//go:embed page/index.html page/page.css page/page.js page/charts.js page/icon.svg
var page embed.FS

// servePage adds the page: its files and no others.
func servePage(mux *http.ServeMux) {
	for path, file := range map[string]struct{ name, kind string }{
		"GET /{$}":       {"page/index.html", "text/html; charset=utf-8"},
		"GET /page.css":  {"page/page.css", "text/css; charset=utf-8"},
		"GET /page.js":   {"page/page.js", "text/javascript; charset=utf-8"},
		"GET /icon.svg":  {"page/icon.svg", "image/svg+xml"},
		"GET /charts.js": {"page/charts.js", "text/javascript; charset=utf-8"},
	} {
		text, err := page.ReadFile(file.name)
		if err != nil {
			panic(err) // it is in the program
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			w.Header().Set("Cache-Control", "no-cache")
			w.Write(text)
		})
	}
}
