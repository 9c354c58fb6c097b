package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"optcomplete/internal/events"
	"optcomplete/internal/must"
	"optcomplete/internal/textfile"
)

// client talks to a server in this process.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	folder string
	ended  chan error
	events []events.Event
}

func newClient(t *testing.T) *client {
	t.Helper()
	requests, in := io.Pipe()
	answers, out := io.Pipe()
	c := &client{t: t, in: in, out: bufio.NewReader(answers), ended: make(chan error, 1)}
	go func() {
		c.ended <- serve(context.Background(), requests, out)
		out.Close()
	}()
	var hello struct {
		Protocol int
		Folder   string
	}
	c.line(&hello)
	if hello.Protocol != protocolVersion || hello.Folder == "" {
		t.Fatalf("hello is %+v", hello)
	}
	c.folder = hello.Folder
	return c
}

func (c *client) line(to any) {
	c.t.Helper()
	text, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		c.t.Fatal(err, string(text))
	}
}

// ask sends a request and waits for its answer.
func (c *client) ask(request string, tables ...string) (answer, []string) {
	c.t.Helper()
	io.WriteString(c.in, request+"\n"+strings.Join(tables, ""))
	for {
		text, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		var a answer
		if err := json.Unmarshal(text, &a); err != nil {
			c.t.Fatal(err, string(text))
		}
		if !a.Answer {
			var e events.Event
			json.Unmarshal(text, &e)
			c.events = append(c.events, e)
			continue
		}
		var results []string
		for _, b := range a.Results {
			content := make([]byte, b.Bytes)
			if _, err := io.ReadFull(c.out, content); err != nil {
				c.t.Fatal(err)
			}
			results = append(results, string(content))
		}
		return a, results
	}
}

func (c *client) close() {
	c.t.Helper()
	c.in.Close()
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
	if _, err := os.Stat(c.folder); !os.IsNotExist(err) {
		c.t.Errorf("%s is left: %v", c.folder, err)
	}
}

const (
	servedRatings  = "row,column,value\nann,a,1\nann,b,2\nbob,a,2\nbob,c,4\neve,b,3\neve,c,5\n"
	servedFeatures = "column,x,y\na,1,5\nb,2,3\nc,4,4\n"
)

// TestServe: a server fits tables that it is sent as the command line fits files,
// predicts with the model, answers with a table, tells what is wrong in parts, and
// leaves nothing behind.
func TestServe(t *testing.T) {
	c := newClient(t)
	fit := fmt.Sprintf(`{"id":1,"verb":"fit","arguments":["ratings"],"options":{"features":"features","k":1,"gamma":2.5,"json":true,"never":["y"],"output":%q},"tables":[{"name":"ratings","bytes":%d},{"name":"features","bytes":%d}]}`,
		filepath.Join(c.folder, "model"), len(servedRatings), len(servedFeatures))
	a, _ := c.ask(fit, servedRatings, servedFeatures)
	if a.ID != 1 || a.Exit != exitDone || a.Error != nil {
		t.Fatalf("%+v %+v", a, a.Error)
	}
	folder := t.TempDir()
	ratings, features := filepath.Join(folder, "ratings.csv"), filepath.Join(folder, "features.csv")
	os.WriteFile(ratings, []byte(servedRatings), 0o666)
	os.WriteFile(features, []byte(servedFeatures), 0o666)
	stdout, _ := command(t, exitDone, "fit", ratings, "--features", features, "-k", "1", "--gamma", "2.5", "--never", "y", "--json", "--quiet")
	var got, want struct {
		Cost, Bound float64
		Selected    []string
	}
	json.Unmarshal(a.JSON, &got)
	json.Unmarshal([]byte(stdout), &want)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got.Selected) != 1 {
		t.Errorf("served %v, on the command line %v", got, want)
	}
	kinds := map[string]bool{}
	for _, e := range c.events {
		kinds[e.Event] = true
	}
	if !kinds["search"] || !kinds["log"] {
		t.Errorf("events %v", kinds)
	}
	if _, still := textfile.InMemory("ratings"); still {
		t.Error("the tables of an answered request are still held")
	}

	pairs := "row,column\nann,c\nzoe,a\n"
	predict := fmt.Sprintf(`{"id":2,"verb":"predict","arguments":[%q,"pairs"],"options":{"output":"answer.csv"},"results":["answer.csv"],"tables":[{"name":"pairs","bytes":%d}]}`,
		filepath.Join(c.folder, "model"), len(pairs))
	for range 2 { // the second time with the model in memory
		a, results := c.ask(predict, pairs)
		if a.Exit != exitDone || len(results) != 1 || strings.Count(results[0], "\n") != 3 || !strings.Contains(results[0], "zoe,a,") {
			t.Errorf("%+v %q", a, results)
		}
	}

	a, _ = c.ask(`{"id":3,"verb":"fit","arguments":["ratings"],"options":{"features":"features","k":1,"json":true},"tables":[{"name":"ratings","bytes":16},{"name":"features","bytes":15}]}`,
		"ann,a,1\nbob,b,x\n", "column,x\na,1\nb\n")
	if e := a.Error; a.Exit != exitUsage || e == nil || e.File != "features" || e.Line != 3 || e.Problem == "" || e.Remedy == "" {
		t.Errorf("%+v %+v", a, a.Error)
	}
	a, _ = c.ask(`{"id":4,"verb":"fit","arguments":["x"],"options":{"gap":7}}`)
	if a.Exit != exitUsage || a.Error == nil || !strings.Contains(a.Error.Message, "--gap is 7, but must be") {
		t.Errorf("%+v %+v", a, a.Error)
	}
	c.close()
}

// TestServeCancel: requests are cancelled while they run and while they wait, and
// have answers that say so. Cancels that are late, or of no request, do nothing.
func TestServeCancel(t *testing.T) {
	c := newClient(t)
	dir := filepath.Join(c.folder, "hard")
	command(t, exitDone, "synth", "--rows", "300", "--columns", "100", "--features", "80", "--k", "15", "--noise", "3", "--missing", "0.7", "-o", dir, "--quiet")
	fit := fmt.Sprintf(`"verb":"fit","arguments":[%q],"options":{"features":%q,"k":15,"gamma":5,"time-limit":"10m"}}`, filepath.Join(dir, "ratings.csv"), filepath.Join(dir, "features.csv"))
	io.WriteString(c.in, `{"cancel":9}`+"\n"+`{"id":7,`+fit+"\n"+`{"id":8,`+fit+"\n"+`{"cancel":8}`+"\n")
	if a, _ := c.ask(`{"cancel":7}`); a.ID != 7 || a.Exit != exitEarly && a.Exit != exitInterrupted {
		t.Errorf("%+v", a)
	}
	a, _ := c.ask(`{"cancel":7}`)
	if a.ID != 8 || a.Exit != exitInterrupted || a.Error == nil || !strings.Contains(a.Error.Problem, "before there was a result") {
		t.Errorf("%+v", a)
	}
	for _, id := range []int{7, 9} {
		if a, _ := c.ask(fmt.Sprintf(`{"id":%d,"verb":"solvers"}`, id)); a.ID != id || a.Exit != exitDone {
			t.Errorf("%+v", a)
		}
	}
	c.close()
}

// TestServeForgets: what a request took is free after its answer.
func TestServeForgets(t *testing.T) {
	c := newClient(t)
	ask := func() {
		if a, _ := c.ask(fmt.Sprintf(`{"id":1,"verb":"features","arguments":["t"],"options":{"output":"o.csv"},"results":["o.csv"],"tables":[{"name":"t","bytes":%d}]}`, len(servedFeatures)), servedFeatures); a.Exit != exitDone {
			t.Fatalf("%+v", a)
		}
		c.events = nil
	}
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	ask()
	before := used()
	const requests = 50
	for range requests {
		ask()
	}
	if grown := (used() - before) / requests; grown > 2000 { // 20 MB for 10,000
		t.Errorf("each request leaves %d bytes", grown)
	}
	c.close()
}

// TestServeDistrustsRequests: announced lengths take no memory before their bytes come,
// tables that are too large and requests without an id are answered, endless lines are not read.
func TestServeDistrustsRequests(t *testing.T) {
	const huge = `{"id":1,"verb":"fit","tables":[{"name":"x","bytes":9000000000000000000}]}`
	in := bufio.NewReader(strings.NewReader(huge + "\nshort"))
	if err := (&server{}).read(t.Context(), in, math.MaxInt64, nil); err == nil || !strings.Contains(err.Error(), `in the middle of the table "x"`) {
		t.Errorf("a table that does not come: %v", err)
	}
	endless := bufio.NewReader(io.MultiReader(strings.NewReader(`{"id":1,"verb":"`), zeros{}))
	if err := (&server{}).read(t.Context(), endless, math.MaxInt64, nil); err == nil || !strings.Contains(err.Error(), "a line of the requests has more than") {
		t.Errorf("a line without end: %v", err)
	}
	requests := make(chan *request, 2)
	s := &server{pending: map[int]*request{}}
	in = bufio.NewReader(strings.NewReader(`{"id":1,"verb":"fit","tables":[{"name":"x","bytes":3},{"name":"y","bytes":3}]}` + "\nxxxyyy" + `{"verb":"solvers"}` + "\n"))
	must.Do(t, s.read(t.Context(), in, 5, requests))
	for _, want := range []string{"larger than the 5", "id 0"} {
		if a, _ := s.run(<-requests); a.Exit != exitUsage || a.Error == nil || !strings.Contains(a.Error.Message, want) {
			t.Errorf("%+v %+v, want %q", a, a.Error, want)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestServeRemovesWhatKilledServersLeft: a killed server cannot remove its folder, the next one does.
func TestServeRemovesWhatKilledServersLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	cmd := exec.Command("optcomplete", "serve")
	must.Get(cmd.StdinPipe())(t)
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	var hello struct{ Folder string }
	must.Do(t, json.Unmarshal([]byte(must.Get(bufio.NewReader(out).ReadString('\n'))(t)), &hello))
	live := newClient(t)
	if _, err := os.Stat(hello.Folder); err != nil {
		t.Error("the folder of a live server was removed:", err)
	}
	live.close()
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait()
	newClient(t).close()
	if left := must.Get(os.ReadDir(os.Getenv("TMPDIR")))(t); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

// TestServeDescribes every verb and setting of the table.
func TestServeDescribes(t *testing.T) {
	stdout, _ := command(t, exitDone, "serve", "--describe")
	var d description
	must.Do(t, json.Unmarshal([]byte(stdout), &d))
	described := map[string]bool{}
	for _, v := range d.Verbs {
		for _, s := range v.Settings {
			described[v.Verb+" "+s.Name] = true
		}
	}
	for _, s := range table {
		for _, verb := range s.Verbs {
			if !described[verb+" "+s.Name] && verb != "serve" {
				t.Errorf("%s --%s is not described", verb, s.Name)
			}
		}
	}
	if !described["fit threads"] {
		t.Error("settings of all verbs are not described")
	}
}
