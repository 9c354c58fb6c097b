package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
	"optcomplete/pass"
)

// open opens the fake server's cluster.
func (f *fake) open(t *testing.T) (*Spark, *strings.Builder) {
	t.Helper()
	var log strings.Builder
	s, err := Open(context.Background(), Settings{Address: f.address, Program: os.Args[0], Least: 1, Tasks: 3, Version: "test", Log: func(line string) { log.WriteString(line + "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, &log
}

func runOn(s *Spark, source data.Source) ([]pass.Part, error) {
	return pass.Run(pass.WithRunner(context.Background(), s), source, 1, passes...)
}

// TestSameBitsOnACluster: packs, some rows of them, data in memory, and data that the
// executors cannot see.
func TestSameBitsOnACluster(t *testing.T) {
	p, view := packed(t)
	ids := func(n int) []string { return p.RowIDs()[:n] }
	for name, source := range map[string]data.Source{
		"folder": view,
		"keys":   data.NewRatings(p, p.RowIDs(), p.ColumnIDs()).Source(),
		"rows":   data.NewRatings(data.Rows(p, []int{2999, 5, 17}), ids(3), p.ColumnIDs()).Source(),
		"memory": passtest.Source(3000, 90),
	} {
		t.Run(name, func(t *testing.T) {
			want := here(t, source)
			s, _ := newFake(t).open(t)
			for range 3 {
				parts := must.Get(runOn(s, source))(t)
				if !bytes.Equal(bits(t, parts), want) {
					t.Error("the bits differ")
				}
			}
			if least := 2; s.Stats.Remote < least || s.Stats.Rows == 0 || s.Stats.Restarted != 0 {
				t.Errorf("%+v", s.Stats)
			}
		})
	}
}

// TestDataAreSent to executors that cannot see them: here the folder is moved once the
// driver has opened it.
func TestDataAreSent(t *testing.T) {
	for _, one := range []bool{false, true} {
		p, source := packed(t)
		if one {
			file := must.Get(spillTo(t.TempDir()+"/one.pack", passtest.Source(3000, 90)))(t)
			p, source = file, file
		}
		want := here(t, source)
		f := newFake(t)
		f.worker.Open = func(path string) (pack.Packed, error) {
			if path == p.Path() {
				return nil, os.ErrNotExist
			}
			return pack.OpenAny(path)
		}
		s, log := f.open(t)
		parts, err := runOn(s, source)
		if err != nil || !bytes.Equal(bits(t, parts), want) {
			t.Fatalf("the bits differ: %v", err)
		}
		if !strings.Contains(log.String(), "cannot see") || s.Stats.Repeated != 0 {
			t.Errorf("the log is %s", log)
		}
	}
}

// TestPacksAtAnExecutor that are damaged, missing or others than the driver's: here the
// executor sees a folder of its own.
func TestPacksAtAnExecutor(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, pack string)
		want   string // of the error; empty: the data are sent, and the bits are the same
	}{
		"damaged": {func(t *testing.T, pack string) {
			content := must.Get(os.ReadFile(pack))(t)
			content[len(content)/2] ^= 4
			must.Do(t, os.WriteFile(pack, content, 0o600))
		}, "part-00001.pack"},
		"missing": {func(t *testing.T, pack string) {
			must.Do(t, os.Remove(pack))
		}, ""},
		"another": {func(t *testing.T, pack string) {
			must.Do(t, os.Rename(strings.Replace(pack, "00001", "00002", 1), pack))
		}, "part-00001.pack: is not the pack that the manifest names"},
	} {
		t.Run(name, func(t *testing.T) {
			p, source := packed(t)
			want := here(t, source)
			own := t.TempDir()
			must.Do(t, os.CopyFS(own, os.DirFS(p.Path())))
			c.change(t, own+"/part-00001.pack")
			f := newFake(t)
			f.worker.Open = func(path string) (pack.Packed, error) {
				if path == p.Path() {
					path = own
				}
				return pack.OpenAny(path)
			}
			s, _ := f.open(t)
			parts, err := runOn(s, source)
			if c.want == "" {
				if err != nil || !bytes.Equal(bits(t, parts), want) {
					t.Errorf("the bits differ: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(strings.Join(strings.Fields(err.Error()), " "), c.want) || s.Stats.Repeated != 0 {
				t.Errorf("the error is %v, %+v", err, s.Stats)
			}
		})
	}
}

// TestFaultsAreSaid in one sentence, with what to do; nothing is asked twice that
// cannot help.
func TestFaultsAreSaid(t *testing.T) {
	hello := func(change func(h string) string) func(string) string {
		count := 0
		return func(line string) string {
			f := strings.Split(line, "\t")
			if f[1] != kindHello {
				return line
			}
			if count++; count < 34 { // the survey, and one
				return line
			}
			text, _ := base64.StdEncoding.DecodeString(f[2])
			return answerOf(f[0], f[1], change(string(text)))
		}
	}
	for name, c := range map[string]struct {
		refuse func(method, sql string, r *http.Request) (int, string)
		change func(string) string
		want   []string
		open   bool // fails at once
	}{
		"no TRANSFORM": {want: []string{"TRANSFORM", "docs/cluster.md"}, open: true, refuse: func(_, sql string, _ *http.Request) (int, string) {
			if strings.Contains(sql, "TRANSFORM") {
				return 13, "[UNSUPPORTED] TRANSFORM is not allowed"
			}
			return 0, ""
		}},
		"a token": {want: []string{"token", "SPARK_CONNECT_TOKEN"}, open: true, refuse: func(string, string, *http.Request) (int, string) { return 16, "who are you" }},
		"dies halfway": {want: []string{"does not answer", "Settings.Checkpoint"}, refuse: func(_, sql string, _ *http.Request) (int, string) {
			if reads(sql) {
				panic(http.ErrAbortHandler)
			}
			return 0, ""
		}},
		"full disk": {want: []string{"No space left on device", "free"}, refuse: func(_, sql string, _ *http.Request) (int, string) {
			if reads(sql) {
				return 13, "Job aborted due to stage failure: java.io.IOException: No space left on device"
			}
			return 0, ""
		}},
		"other processors": {want: []string{"differ", "s390x"}, change: hello(func(h string) string { return strings.Replace(h, "amd64", "s390x", 1) })},
		"other versions":   {want: []string{"version", "0.0.9"}, change: hello(func(h string) string { return strings.Replace(h, `"version":"test"`, `"version":"0.0.9"`, 1) })},
		"a damaged shard": {want: []string{"part-00001.pack"}, change: func(line string) string {
			if f := strings.Split(line, "\t"); f[1] == kindParts && f[0] == "1" {
				return answerOf("-1", kindError, "/shared/x.packs/part-00001.pack: block 3 is damaged")
			}
			return line
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, source := packed(t)
			f := newFake(t)
			f.refuse, f.change = c.refuse, c.change
			s, err := Open(context.Background(), Settings{Address: f.address + "/;token=SECRET", Program: os.Args[0], Least: 1, Tasks: 3, Version: "test", Silence: time.Second})
			if err == nil {
				defer s.Close()
				if c.open {
					t.Fatal("it was opened")
				}
				_, err = runOn(s, source)
			}
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q does not say %q", text, want)
				}
			}
			if strings.Contains(text, "SECRET") || strings.Contains(text, "\n") || len(text) > 500 {
				t.Errorf("the error is %q", text)
			}
		})
	}
}

func answerOf(item, kind, body string) string {
	return item + "\t" + kind + "\t" + base64.StdEncoding.EncodeToString([]byte(body))
}

// TestTokens reach the server, in its header and nowhere else.
func TestTokens(t *testing.T) {
	f := newFake(t)
	seen := ""
	f.refuse = func(_, _ string, r *http.Request) (int, string) { seen = r.Header.Get("Authorization"); return 0, "" }
	t.Setenv("SPARK_CONNECT_TOKEN", "SECRET")
	s, log := f.open(t)
	if seen != "Bearer SECRET" || strings.Contains(log.String()+s.Cluster.Address, "SECRET") {
		t.Errorf("the server saw %q; %s %s", seen, s.Cluster.Address, log)
	}
}

// TestInterruptCancelsTheWork on the cluster too.
func TestInterruptCancelsTheWork(t *testing.T) {
	_, source := packed(t)
	f := newFake(t)
	s, _ := f.open(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan bool)
	f.refuse = func(method, sql string, r *http.Request) (int, string) {
		switch {
		case method == "Interrupt":
			close(ended)
		case reads(sql):
			cancel()
			<-ended // the query runs until it is cancelled
			return 1, "cancelled"
		}
		return 0, ""
	}
	if _, err := pass.Run(pass.WithRunner(ctx, s), source, 1, passes...); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	if !slices.Contains(f.calls, "Interrupt") {
		t.Error("the work goes on")
	}
}

// TestLostItemsAreAskedForAgain: an answer that lacks some is asked for once more.
func TestLostItemsAreAskedForAgain(t *testing.T) {
	_, source := packed(t)
	want := here(t, source)
	f := newFake(t)
	lost := false
	f.change = func(line string) string {
		if f := strings.Split(line, "\t"); f[1] == kindParts && f[0] == "1" && !lost {
			lost = true
			return answerOf("-5", kindParts, "")
		}
		return line
	}
	s, _ := f.open(t)
	parts, err := runOn(s, source)
	if err != nil || !bytes.Equal(bits(t, parts), want) || s.Stats.Repeated != 1 {
		t.Errorf("%v, %+v", err, s.Stats)
	}
}

// TestSinksGetEveryPartOnce, in order, though some came twice; what a sink says is final.
func TestSinksGetEveryPartOnce(t *testing.T) {
	_, source := packed(t)
	parts := func(ctx context.Context, fail error) ([]pass.Part, error) {
		var all []pass.Part
		err := pass.RunTasks(ctx, source, 1, &pass.Task{Pass: passtest.Summing{Price: 1}, Sink: func(p pass.Part) error {
			all = append(all, p)
			return fail
		}})
		return all, err
	}
	want, err := parts(context.Background(), nil)
	if err != nil || len(want) < 10 {
		t.Fatal(err)
	}
	f := newFake(t)
	lost := false
	f.change = func(line string) string {
		if f := strings.Split(line, "\t"); f[1] == kindParts && f[0] == "4" && !lost {
			lost = true
			return answerOf("-5", kindParts, "")
		}
		return line
	}
	s, _ := f.open(t)
	ctx := pass.WithRunner(context.Background(), s)
	got, err := parts(ctx, nil)
	if err != nil || !bytes.Equal(bits(t, got), bits(t, want)) || s.Stats.Repeated != 1 {
		t.Errorf("%v, %+v, %d parts", err, s.Stats, len(got))
	}
	full := errors.New("the disk is full")
	if _, err := parts(ctx, full); !errors.Is(err, full) || s.Stats.Repeated != 1 {
		t.Errorf("%v, %+v", err, s.Stats)
	}
}

// reads tells whether a query is of a reading, and not of who is there.
func reads(sql string) bool { m := transform.FindStringSubmatch(sql); return m != nil && m[2] != "" }
