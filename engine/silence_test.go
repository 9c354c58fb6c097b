package engine

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"optcomplete/internal/must"
	"optcomplete/pass"
)

// proxy stands between the program and a server, and can stop forwarding: connections
// stay open, and nothing comes any more.
type proxy struct {
	address string
	stopped atomic.Bool
}

func newProxy(t *testing.T, f *fake) *proxy {
	t.Helper()
	p := &proxy{}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	server := strings.TrimPrefix(f.address, "sc://")
	p.address, f.address = f.address, "sc://"+l.Addr().String()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				in.Close()
				continue
			}
			t.Cleanup(func() { in.Close(); out.Close() })
			go p.forward(in, out)
			go p.forward(out, in)
		}
	}()
	return p
}

// forward drops what comes once the proxy has stopped; a connection that lost bytes never
// goes on.
func (p *proxy) forward(from, to net.Conn) {
	b := make([]byte, 1<<14)
	for {
		n, err := from.Read(b)
		if err != nil {
			to.Close()
			return
		}
		if p.stopped.Load() {
			io.Copy(io.Discard, from)
			return
		}
		to.Write(b[:n])
	}
}

// silent is a cluster whose proxy stops once a reading comes.
func silent(t *testing.T, ctx context.Context, silence time.Duration) (p *proxy, f *fake, s *Spark, log *strings.Builder, stopped chan bool) {
	t.Helper()
	f = newFake(t)
	p = newProxy(t, f)
	log = &strings.Builder{}
	s, err := Open(ctx, Settings{Address: f.address, Program: os.Args[0], Least: 1, Tasks: 3, Version: "test", Silence: silence, Log: func(line string) { log.WriteString(line + "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	stopped = make(chan bool, 9)
	var once atomic.Bool
	f.refuse = func(_, sql string, _ *http.Request) (int, string) {
		if reads(sql) && !once.Swap(true) {
			p.stopped.Store(true)
			stopped <- true
		}
		return 0, ""
	}
	return p, f, s, log, stopped
}

// TestASilentServerIsLeft: a reading is asked for a few times more, each said in the log;
// where another connection gets through it goes on, to the same bits.
func TestASilentServerIsLeft(t *testing.T) {
	_, source := packed(t)
	want := here(t, source)
	for _, back := range []bool{false, true} {
		p, f, s, log, stopped := silent(t, context.Background(), 300*time.Millisecond)
		if back {
			go func() {
				<-stopped
				time.Sleep(350 * time.Millisecond)
				p.stopped.Store(false)
			}()
		}
		start := time.Now()
		parts, err := runOn(s, source)
		if time.Since(start) > 10*time.Second {
			t.Errorf("it took %v", time.Since(start))
		}
		if back {
			if err != nil || !bytes.Equal(bits(t, parts), want) || s.Stats.Repeated < 1 || !strings.Contains(log.String(), "a new session") {
				t.Errorf("%v, %+v\n%s", err, s.Stats, log)
			}
			f.mu.Lock()
			releases := strings.Count(strings.Join(f.calls, " "), "ReleaseSession")
			f.mu.Unlock()
			if releases != 1 {
				t.Error("the broken session is left behind")
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "does not answer") || s.Stats.Repeated != attempts-1 || !strings.Contains(log.String(), "(1 of 3 times): it has been silent for") {
			t.Errorf("%v, %+v\n%s", err, s.Stats, log)
		}
	}
}

// TestEndsWhateverTheServerDoes: an interrupt, or a limit of time, ends a reading within
// five seconds, and so do readings that come after it.
func TestEndsWhateverTheServerDoes(t *testing.T) {
	_, source := packed(t)
	for _, how := range []string{"interrupt", "interrupt of the last reading", "limit"} {
		t.Run(how, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(context.Background())
			defer interrupt()
			_, _, s, log, stopped := silent(t, ctx, 9*time.Second)
			reading := ctx
			switch how {
			case "limit":
				var cancel context.CancelFunc
				reading, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
				defer cancel()
			case "interrupt of the last reading":
				reading = context.WithoutCancel(ctx)
			}
			if how != "limit" {
				go func() {
					<-stopped
					interrupt()
				}()
			}
			start := time.Now()
			_, err := pass.Run(pass.WithRunner(reading, s), source, 1, passes...)
			if err == nil {
				t.Error("a reading has a result")
			}
			if _, err := pass.Run(pass.WithRunner(context.WithoutCancel(reading), s), source, 1, passes...); err == nil || !strings.Contains(err.Error(), "does not answer") {
				t.Errorf("the error is %v", err)
			}
			s.Close()
			if took := time.Since(start); took > 6*time.Second || how != "limit" && took > 5*time.Second {
				t.Errorf("it took %v\n%s", took, log)
			}
			if s.Stats.Repeated > 0 {
				t.Errorf("%+v", s.Stats)
			}
		})
	}
}
