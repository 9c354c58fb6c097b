package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/held"
	"optcomplete/internal/must"
)

// client talks to a server in this process.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	folder string
	ended  chan error
	events []event
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
			var e event
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
	if _, still := held.Get("ratings"); still {
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

// TestServeCancel: a request that is cancelled before there is a result still has
// an answer, which says so, and the next one is not cancelled.
func TestServeCancel(t *testing.T) {
	c := newClient(t)
	io.WriteString(c.in, `{"cancel":7}`+"\n") // before its turn: what is being computed may end first
	a, _ := c.ask(fmt.Sprintf(`{"id":7,"verb":"fit","arguments":["ratings"],"options":{"features":"features","k":1,"json":true},"tables":[{"name":"ratings","bytes":%d},{"name":"features","bytes":%d}]}`,
		len(servedRatings), len(servedFeatures)), servedRatings, servedFeatures)
	if a.ID != 7 || a.Exit != exitInterrupted || a.Error == nil || !strings.Contains(a.Error.Problem, "before there was a result") {
		t.Errorf("%+v", a)
	}
	if a, _ := c.ask(`{"id":8,"verb":"solvers"}`); a.ID != 8 || a.Exit != exitDone {
		t.Errorf("%+v", a)
	}
	c.close()
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
