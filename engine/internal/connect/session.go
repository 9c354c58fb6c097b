package connect

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Session is a session at a Spark Connect server. Any number of goroutines may
// use it.
type Session struct {
	Address Address
	ID      string
	// Progress is called every few seconds with how many of a query's tasks are done.
	// Spark 3.5 does not report that. It must not be changed while a query runs.
	Progress func(done, tasks int)
	// Silence is how long nothing may come or go before the server is asked whether it is
	// there; it has a third of that to answer. Once Hurry is closed, both are a second.
	Silence time.Duration
	Hurry   <-chan struct{}

	client *http.Client
	sent   atomic.Int64
	got    atomic.Int64
	heard  atomic.Int64 // when bytes came or went last
	silent atomic.Bool  // it did not answer
}

// Error is what a server answered instead of a result.
type Error struct {
	Code    int // of gRPC
	Message string
}

func (e *Error) Error() string { return e.Message }

// Codes of gRPC that mean something to callers.
const (
	Cancelled         = 1
	PermissionDenied  = 7
	ResourceExhausted = 8
	Unavailable       = 14
	Unauthenticated   = 16
)

// Open begins a session; nothing is sent before the first call.
func Open(a Address) *Session {
	protocols := new(http.Protocols)
	if a.SSL {
		protocols.SetHTTP2(true)
	} else {
		protocols.SetUnencryptedHTTP2(true)
	}
	var id [16]byte
	rand.Read(id[:])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return &Session{
		Silence: Silence, Address: a, ID: fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]),
		client: &http.Client{Transport: &http.Transport{Protocols: protocols, DialContext: (&net.Dialer{Timeout: Silence}).DialContext, TLSHandshakeTimeout: Silence, HTTP2: &http.HTTP2Config{MaxReadFrameSize: 1 << 20, MaxReceiveBufferPerStream: 8 << 20, WriteByteTimeout: Silence}}},
	}
}

// Silence is what sessions begin with.
const Silence = 30 * time.Second

var errSilent = errors.New("it is silent")

// watch ends a call if the server does not answer a short question in the meantime.
// That is no ping of HTTP/2: servers of gRPC close connections that ping more often than
// every five minutes, and a gateway answers pings for a server that is gone.
func (s *Session) watch(ctx context.Context, end context.CancelCauseFunc) {
	hurry, silence, answer := s.Hurry, s.Silence, s.Silence/3
	for {
		wait := time.Until(time.Unix(0, s.heard.Load()).Add(silence))
		select {
		case <-ctx.Done():
			return
		case <-hurry:
			hurry, silence, answer = nil, min(silence, time.Second), min(answer, time.Second)
			continue
		case <-time.After(wait):
		}
		if time.Since(time.Unix(0, s.heard.Load())) < silence {
			continue
		}
		if !s.There(ctx, answer) && ctx.Err() == nil {
			end(errSilent)
			return
		}
	}
}

// There asks the server for its version, which it knows without work.
func (s *Session) There(ctx context.Context, within time.Duration) bool {
	ask, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var from *Error
	err := s.exchange(ask, "AnalyzePlan", one(s.head().bytes(10, nil)), func([]byte) error { return nil })
	there := err == nil || errors.As(err, &from) && from.Code != Unavailable
	if !there && ctx.Err() == nil {
		s.silent.Store(true)
	}
	return there
}

// Silent tells whether the server did not answer when it was asked.
func (s *Session) Silent() bool { return s.silent.Load() }

// Bytes is how many were sent and received.
func (s *Session) Bytes() (sent, received int64) { return s.sent.Load(), s.got.Load() }

// head begins every request.
func (s *Session) head() message {
	return message(nil).text(1, s.ID).bytes(2, message(nil).text(1, s.Address.User).text(2, s.Address.User))
}

// call is an exchange that ends if the server falls silent.
func (s *Session) call(ctx context.Context, method string, send func(io.Writer) error, receive func([]byte) error) error {
	watched, end := context.WithCancelCause(ctx)
	defer end(nil)
	s.heard.Store(time.Now().UnixNano())
	go s.watch(watched, end)
	err := s.exchange(watched, method, send, receive)
	if err != nil && context.Cause(watched) == errSilent {
		return &Error{Unavailable, fmt.Sprintf("it has been silent for %.3g s", time.Since(time.Unix(0, s.heard.Load())).Seconds())}
	}
	return err
}

// exchange calls a method with the messages that send writes, and gives every
// message of the answer to receive.
func (s *Session) exchange(ctx context.Context, method string, send func(io.Writer) error, receive func([]byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, to := io.Pipe()
	go func() { to.CloseWithError(send(counting{to, s})) }()
	defer body.Close()
	scheme := "http"
	if s.Address.SSL {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, scheme+"://"+s.Address.Host+"/spark.connect.SparkConnectService/"+method, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("TE", "trailers")
	if s.Address.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.Address.token)
	}
	for key, value := range s.Address.headers {
		request.Header.Set(key, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var wrapped *url.Error // it names the address
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return &Error{Unavailable, err.Error()}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		code := Unavailable
		if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
			code = Unauthenticated
		}
		return &Error{code, "the server answers " + response.Status}
	}
	for {
		m, err := readMessage(response.Body)
		if err == io.EOF {
			break
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &Error{Unavailable, "the connection broke: " + err.Error()}
		}
		s.got.Add(int64(len(m)))
		s.heard.Store(time.Now().UnixNano())
		if err := receive(m); err != nil {
			return err
		}
	}
	return status(response)
}

// status is the error in the trailers, or in the header of an answer without
// messages.
func status(r *http.Response) error {
	code, text := r.Trailer.Get("Grpc-Status"), r.Trailer.Get("Grpc-Message")
	if code == "" {
		code, text = r.Header.Get("Grpc-Status"), r.Header.Get("Grpc-Message")
	}
	if code == "0" {
		return nil
	}
	number, err := strconv.Atoi(code)
	if err != nil {
		return &Error{Unavailable, "the connection broke"}
	}
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return &Error{number, text}
}

// one sends one message.
func one(m message) func(io.Writer) error {
	return func(w io.Writer) error { return writeMessage(w, m) }
}

type counting struct {
	io.Writer
	s *Session
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.s.sent.Add(int64(n))
	c.s.heard.Store(time.Now().UnixNano())
	return n, err
}

// Query runs SQL and gives every batch of its result.
func (s *Session) Query(ctx context.Context, sql string, f func(arrow.RecordBatch) error) error {
	relation := message(nil).bytes(10, message(nil).text(1, sql)) // Relation.sql.query
	return s.execute(ctx, message(nil).bytes(1, relation), f)
}

// Command runs SQL without a result, such as SET or CACHE TABLE.
func (s *Session) Command(ctx context.Context, sql string) error {
	command := message(nil).bytes(5, message(nil).text(1, sql)) // Command.sql_command.sql
	return s.execute(ctx, message(nil).bytes(2, command), func(arrow.RecordBatch) error { return nil })
}

// execute is ExecutePlan.
func (s *Session) execute(ctx context.Context, plan message, f func(arrow.RecordBatch) error) error {
	return s.call(ctx, "ExecutePlan", one(s.head().bytes(3, plan).text(4, s.Address.Agent)), func(m []byte) error {
		var data []byte
		var wrong error
		err := fields(m, func(field int, b []byte, _ uint64) {
			if field == 18 && s.Progress != nil { // ExecutionProgress
				s.progress(b)
			}
			if field == 2 { // ArrowBatch
				wrong = fields(b, func(field int, b []byte, _ uint64) {
					if field == 2 {
						data = b
					}
				})
			}
		})
		if err = errors.Join(err, wrong); err != nil || data == nil {
			return err
		}
		reader, err := ipc.NewReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		defer reader.Release()
		for reader.Next() {
			if err := f(reader.RecordBatch()); err != nil {
				return err
			}
		}
		return reader.Err()
	})
}

// progress reads ExecutionProgress: the tasks of each stage, and how many are done.
func (s *Session) progress(b []byte) {
	done, tasks := 0, 0
	fields(b, func(field int, b []byte, _ uint64) {
		if field == 1 { // StageInfo
			fields(b, func(field int, _ []byte, x uint64) {
				switch field {
				case 2:
					tasks += int(x)
				case 3:
					done += int(x)
				}
			})
		}
	})
	if tasks > 0 {
		s.Progress(done, tasks)
	}
}

// Version is that of the server.
func (s *Session) Version(ctx context.Context) (version string, err error) {
	request := s.head().bytes(10, nil) // AnalyzePlanRequest.spark_version
	err = s.call(ctx, "AnalyzePlan", one(request), func(m []byte) error {
		return fields(m, func(field int, b []byte, _ uint64) {
			if field == 8 { // AnalyzePlanResponse.spark_version
				fields(b, func(field int, b []byte, _ uint64) {
					if field == 1 {
						version = string(b)
					}
				})
			}
		})
	})
	return version, err
}

// Interrupt cancels all that the session has running. A server that does not answer that
// is silent.
func (s *Session) Interrupt(ctx context.Context) error {
	defer func() { s.silent.Store(s.Silent() || ctx.Err() != nil) }()
	return s.exchange(ctx, "Interrupt", one(s.head().number(4, 1)), func([]byte) error { return nil })
}

// Close ends the session: the server drops what it keeps for it. Servers before
// Spark 3.5.2 drop it some time later by themselves.
func (s *Session) Close(ctx context.Context) error {
	err := s.exchange(ctx, "ReleaseSession", one(s.head()), func([]byte) error { return nil })
	s.client.CloseIdleConnections()
	return err
}

// Succeed releases a session that broke, from one at the same server that took its place.
func (s *Session) Succeed(ctx context.Context, broken *Session) {
	broken.client.CloseIdleConnections()
	broken.client = s.client
	broken.exchange(ctx, "ReleaseSession", one(broken.head()), func([]byte) error { return nil })
}

// artifactBytes is the size of the pieces that files are sent in, as by Spark's
// own clients.
const artifactBytes = 32 << 10

// SendFile sends a file, which every executor fetches once before its next task.
func (s *Session) SendFile(ctx context.Context, name, path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return s.Send(ctx, name, content)
}

// Send is SendFile for what is in memory.
func (s *Session) Send(ctx context.Context, name string, content []byte) error {
	pieces := max((len(content)+artifactBytes-1)/artifactBytes, 1)
	piece := func(x int) message {
		part := content[x*artifactBytes : min((x+1)*artifactBytes, len(content))]
		return message(nil).bytes(1, part).number(2, uint64(crc32.ChecksumIEEE(part)))
	}
	send := func(w io.Writer) error {
		if pieces == 1 { // batch: one artifact
			return writeMessage(w, s.head().bytes(3, message(nil).bytes(1, message(nil).text(1, "files/"+name).bytes(2, piece(0)))))
		}
		for x := range pieces {
			request := s.head()
			if x == 0 { // begin_chunk: name, bytes, pieces, the first piece
				request = request.bytes(4, message(nil).text(1, "files/"+name).number(2, uint64(len(content))).number(3, uint64(pieces)).bytes(4, piece(0)))
			} else {
				request = request.bytes(5, piece(x))
			}
			if err := writeMessage(w, request); err != nil {
				return err
			}
		}
		return nil
	}
	good := true
	err := s.call(ctx, "AddArtifacts", send, func(m []byte) error {
		return fields(m, func(field int, b []byte, _ uint64) {
			if field == 1 { // ArtifactSummary: name, is_crc_successful
				fields(b, func(field int, _ []byte, x uint64) {
					if field == 2 && x == 0 {
						good = false
					}
				})
			}
		})
	})
	if err == nil && !good {
		err = &Error{Unavailable, "a file arrived damaged at the server"}
	}
	return err
}
