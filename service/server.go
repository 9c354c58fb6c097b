package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/model/estimate"
)

// Settings of a service.
type Settings struct {
	Folders []string // of the saved models
	// Token that requests must have; empty: none is needed.
	Token string
	// Local refuses requests that name another host than this machine, as a page elsewhere
	// could make a browser do.
	Local bool

	Names   map[string]string // of columns, by their ids
	Ratings *Known            // of the rows; nil: not known
	Fit     *Fit              // that runs; nil: none

	Log      *slog.Logger  // a line for each request; nil: none
	Every    time.Duration // between looks for a replaced model; 0: half a second
	MostBody int64         // bytes of a request; 0: 16 MiB
	Most     int           // requests at work at once; 0: 256
	Time     time.Duration // for one request; 0: 30 s
}

// Server answers requests.
type Server struct {
	settings Settings
	fit      *Fit
	token    [sha256.Size]byte
	mux      *http.ServeMux
	metrics  metricsOf
	slots    chan struct{}
	ending   atomic.Bool

	mu     sync.RWMutex
	served []*served
}

// New loads the models.
func New(settings Settings) (*Server, error) {
	if settings.Log == nil {
		settings.Log = slog.New(slog.DiscardHandler)
	}
	if settings.Every == 0 {
		settings.Every = 500 * time.Millisecond
	}
	if settings.MostBody == 0 {
		settings.MostBody = 16 << 20
	}
	if settings.Most == 0 {
		settings.Most = 256
	}
	if settings.Time == 0 {
		settings.Time = 30 * time.Second
	}
	s := &Server{settings: settings, fit: settings.Fit, token: sha256.Sum256([]byte(settings.Token)), slots: make(chan struct{}, settings.Most)}
	for _, folder := range settings.Folders {
		if err := s.Open(folder); err != nil {
			return nil, err
		}
	}
	s.routes()
	return s, nil
}

// routes makes the routes of all operations, the metrics and the page.
func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.metrics.init()
	for n, o := range operations {
		s.mux.HandleFunc(o.method+" "+o.path, func(w http.ResponseWriter, r *http.Request) { s.serve(n, o, w, r) })
	}
	s.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if err := s.allowed(r); err != nil {
			s.refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		s.metrics.write(w, s)
	})
	s.mux.HandleFunc("GET /v1/fit/events", s.fitEvents)
	servePage(s.mux)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		for _, method := range []string{"GET", "POST"} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := s.mux.Handler(other); pattern != "/" && pattern != "" {
				w.Header().Set("Allow", method)
				s.refuse(w, faultf(http.StatusMethodNotAllowed, "use "+method, "%s does not take %s", data.Quote(r.URL.Path), data.Quote(r.Method)))
				return
			}
		}
		s.refuse(w, faultf(http.StatusNotFound, "/v1/openapi.json lists what there is", "there is nothing at %s", data.Quote(r.URL.Path)))
	})
}

// policy of the page: nothing from elsewhere, and no script but its own file.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler is the service as a handler.
func (s *Server) Handler() http.Handler {
	crossing := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		h := w.Header()
		h["Content-Security-Policy"], h["X-Content-Type-Options"], h["Referrer-Policy"] = policyHeader, nosniffHeader, noReferrerHeader
		out := &counting{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			if p := recover(); p != nil {
				s.settings.Log.Error("internal error", "what", p, "stack", string(debug.Stack()))
				s.refuse(out, faultf(http.StatusInternalServerError, "the log of the service says more", "the request could not be answered: an internal error"))
			}
			if s.settings.Log.Enabled(r.Context(), slog.LevelInfo) {
				s.settings.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("path", r.URL.Path),
					slog.Int("status", out.status), slog.Int64("bytes", out.bytes), slog.Duration("took", time.Since(start)), slog.String("from", r.RemoteAddr))
			}
		}()
		switch {
		case s.settings.Local && !local(r.Host):
			s.refuse(out, faultf(http.StatusForbidden, "use 127.0.0.1, or start the service with a token", "the service answers this machine only, not the host %s", data.Quote(r.Host)))
		case crossing.Check(r) != nil:
			s.refuse(out, faultf(http.StatusForbidden, "ask from a program, or from the service's own page", "the request comes from a page of another site"))
		default:
			s.mux.ServeHTTP(out, r)
		}
	})
}

var (
	policyHeader     = []string{policy}
	nosniffHeader    = []string{"nosniff"}
	noReferrerHeader = []string{"no-referrer"}
	jsonHeader       = []string{"application/json"}
	noStoreHeader    = []string{"no-store"}
)

// local tells whether a host is this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// counting remembers what was answered.
type counting struct {
	http.ResponseWriter
	status int
	bytes  int64
	begun  bool
}

func (c *counting) WriteHeader(status int) {
	c.status, c.begun = status, true
	c.ResponseWriter.WriteHeader(status)
}

func (c *counting) Write(p []byte) (int, error) {
	c.begun = true
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (c *counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// allowed is the fault of a request without the token.
func (s *Server) allowed(r *http.Request) error {
	if s.settings.Token == "" {
		return nil
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(given)))
	if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1 {
		return nil
	}
	return faultf(http.StatusUnauthorized, "send the header Authorization: Bearer TOKEN, with the token that the service was started with", "the request has no token, or a wrong one")
}

// serve answers a request for an operation.
func (s *Server) serve(n int, o *operation, w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	status := s.answer(o, w, r)
	s.metrics.count(n, status, time.Since(start))
}

func (s *Server) answer(o *operation, w http.ResponseWriter, r *http.Request) (status int) {
	if !o.open {
		if err := s.allowed(r); err != nil {
			return s.refuse(w, err)
		}
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		default:
			w.Header().Set("Retry-After", "1")
			return s.refuse(w, faultf(http.StatusTooManyRequests, "try again in a second", "the service is at work on %d requests, and takes no more at once", cap(s.slots)))
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.settings.Time)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, s.settings.MostBody)
	}
	value, err := o.answer(s, r)
	if err != nil {
		return s.refuse(w, err)
	}
	text, err := jsonOf(value)
	if err != nil {
		return s.refuse(w, err)
	}
	defer buffers.Put(text)
	s.metrics.answered(value)
	return write(w, http.StatusOK, text.Bytes())
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// jsonOf is the JSON of an answer.
func jsonOf(value any) (*bytes.Buffer, error) {
	out := buffers.Get().(*bytes.Buffer)
	if out.Reset(); out.Cap() > 4<<20 {
		out = new(bytes.Buffer) // memory stays flat
	}
	if p, is := value.(*PredictAnswer); is {
		p.append(out)
		return out, nil
	}
	return out, json.NewEncoder(out).Encode(value)
}

func write(w http.ResponseWriter, status int, text []byte) int {
	h := w.Header()
	h["Content-Type"], h["Cache-Control"], h["Content-Length"] = jsonHeader, noStoreHeader, []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	w.Write(text) // who went away reads no error either
	return status
}

// refuse answers with what is wrong, and what to do.
func (s *Server) refuse(w http.ResponseWriter, err error) int {
	var f *fault
	switch large := (*http.MaxBytesError)(nil); {
	case errors.As(err, &large):
		f = faultf(http.StatusRequestEntityTooLarge, "send it in several requests", "the request is larger than the %d bytes that the service takes", large.Limit)
	case errors.Is(err, context.DeadlineExceeded):
		f = faultf(http.StatusServiceUnavailable, "ask for less in one request", "the request took longer than the %v that it may", s.settings.Time)
	case errors.Is(err, context.Canceled):
		f = faultf(http.StatusServiceUnavailable, "ask again", "the request was cancelled")
	default:
		if f = faultOf(err); f.status == http.StatusInternalServerError {
			s.settings.Log.Error("internal error", "what", err.Error())
		}
	}
	if c, is := w.(*counting); is && c.begun {
		return f.status
	}
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	text, _ := json.Marshal(f.Problem) // texts alone
	return write(w, f.status, append(text, '\n'))
}

// decode reads the body of a request; none is an empty object.
func (s *Server) decode(r *http.Request, to any) error {
	in := buffers.Get().(*bytes.Buffer)
	in.Reset()
	defer buffers.Put(in)
	if _, err := in.ReadFrom(r.Body); err != nil {
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return err
		}
		return bad("send all of it", "the body of the request could not be read to its end")
	}
	if q, is := to.(*PredictRequest); is && q.parse(in.Bytes()) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(in.Bytes()))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return bad("send one object", "the body of the request has more than one JSON value")
		}
		return nil
	}
	if name, is := strings.CutPrefix(err.Error(), "json: unknown field "); is {
		return bad("/v1/openapi.json lists what it takes", "the request has a field %s, which this call does not take", name)
	}
	return bad("send a JSON object, as /v1/openapi.json describes it", "the body of the request: %s", data.DescribeJSON(err))
}

// fault is a request that cannot be answered, and why.
type fault struct {
	status int
	Problem
}

func (f *fault) Error() string { return f.Problem.Problem }

func faultf(status int, remedy, format string, args ...any) *fault {
	return &fault{status, Problem{fmt.Sprintf(format, args...), remedy}}
}

// bad is a request that says what makes no sense.
func bad(remedy, format string, args ...any) *fault {
	return faultf(http.StatusBadRequest, remedy, format, args...)
}

// faultOf finds the words and the status of an error. The texts of errors that the request did
// not cause stay in the log: they may name files.
func faultOf(err error) *fault {
	var f *fault
	var input *data.InputError
	var large *estimate.RangeError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &input):
		return bad(input.Remedy, "%s: %s", input.File, input.Problem)
	case errors.As(err, &large) && large.Wants != "":
		return bad("give values of that kind", "a rating is %g, but the model's loss is for %s", large.Value, large.Wants)
	case errors.As(err, &large):
		return bad("give the values in the unit of the model's", "a rating is, or leads to, %g: too large to compute with", large.Value)
	case errors.Is(err, model.ErrNoIntervals), errors.Is(err, model.ErrEntriesUnknown):
		return bad("leave out interval, or fit a model that learns how rows differ (full or pooled)", "the model cannot tell how sure its predictions are: it has no learned prior, or was saved without the entries of its rows")
	}
	return faultf(http.StatusInternalServerError, "the log of the service says more", "the request could not be answered: an internal error")
}
