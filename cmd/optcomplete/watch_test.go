package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"optcomplete/internal/must"
)

// lines is what a verb prints, read while it runs.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// address waits for the address that a verb prints.
func (l *lines) address(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`https?://[0-9.:]+/`)
	for range 2000 {
		if at := found.FindString(l.String()); at != "" {
			return at
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("no address:", l.String())
	return ""
}

// get asks until an answer pleases.
func get(t *testing.T, url string, to any, pleases func() bool) {
	t.Helper()
	for range 2000 {
		r, err := http.Get(url)
		if err == nil {
			text, _ := io.ReadAll(r.Body)
			r.Body.Close()
			if json.Unmarshal(text, to) == nil && pleases() {
				return
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s: %+v", url, to)
}

type models struct {
	Models []struct {
		Name     string
		Selected []string
	}
}

// A watched run shows its log, its search with names and its model, and stays until Ctrl-C.
func TestWatchedRuns(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "table.csv"), []byte("y,a,b,c\n1,1,3,0\n2,2,1,0\n3.5,3,4,1\n4,4,1,0\n5.5,5,5,1\n6,6,9,0\n"), 0o666))
	if code := run([]string{"synth", "--rows", "60", "--columns", "30", "--features", "8", "-k", "3", "-o", filepath.Join(dir, "s"), "--quiet"}, io.Discard, io.Discard); code != 0 {
		t.Fatal(code)
	}
	ratings, features := filepath.Join(dir, "s", "ratings.csv"), filepath.Join(dir, "s", "features.csv")
	for _, c := range []struct {
		args   []string
		search bool
		points int
		model  string
	}{
		{[]string{"fit", ratings, "--features", features, "-k", "3"}, true, 0, "fit"},
		{[]string{"fit", ratings, "--features", features, "-k", "3", "-o", filepath.Join(dir, "kept")}, true, 0, "kept"},
		{[]string{"path", ratings, "--features", features, "--k-max", "4"}, false, 4, ""},
		{[]string{"regress", filepath.Join(dir, "table.csv"), "--target", "y", "-k", "1", "-o", filepath.Join(dir, "line")}, true, 0, "line"},
	} {
		ctx, stop := context.WithCancel(context.Background())
		log, ended := new(lines), make(chan error, 1)
		go func() { ended <- execute(ctx, newCommon(io.Discard, log), append(c.args, "--watch", "127.0.0.1:0")) }()
		url := log.address(t)
		var fit struct {
			Running bool
			Problem string
			Search  *struct{ Selected []string }
			Points  []any
			Log     []string
		}
		get(t, url+"v1/fit", &fit, func() bool { return !fit.Running })
		if fit.Problem != "" || c.search && (fit.Search == nil || len(fit.Search.Selected) == 0) || len(fit.Points) != c.points || len(fit.Log) == 0 {
			t.Errorf("%v: %+v", c.args, fit)
		}
		var all models
		get(t, url+"v1/models", &all, func() bool { return len(all.Models) == map[bool]int{true: 1}[c.model != ""] })
		if c.model != "" && all.Models[0].Name != c.model {
			t.Errorf("%v: %+v", c.args, all)
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("%v: %v", c.args, err)
		}
	}
	for _, address := range []string{"0.0.0.0:0", "8080"} {
		if err := execute(context.Background(), newCommon(io.Discard, io.Discard), []string{"fit", ratings, "--features", features, "-k", "3", "--watch", address}); exitCodeOf(err) != exitUsage {
			t.Errorf("--watch %s: %v", address, err)
		}
	}
}

// serve with a token: it listens, says where, wants the token, and ends.
func TestServeListens(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "table.csv"), []byte("y,a,b\n1,1,3\n2,2,1\n3.5,3,4\n4,4,1\n5.5,5,5\n"), 0o666))
	must.Do(t, os.WriteFile(filepath.Join(dir, "token"), []byte("0123456789abcdef\n"), 0o600))
	model := filepath.Join(dir, "line")
	if code := run([]string{"regress", filepath.Join(dir, "table.csv"), "--target", "y", "-k", "1", "-o", model, "--quiet"}, io.Discard, io.Discard); code != 0 {
		t.Fatal(code)
	}
	ctx, stop := context.WithCancel(context.Background())
	log, ended := new(lines), make(chan error, 1)
	go func() {
		ended <- execute(ctx, newCommon(io.Discard, log), []string{"serve", model, "--listen", "127.0.0.1:0", "--token-file", filepath.Join(dir, "token"), "--log", "json"})
	}()
	url := log.address(t)
	ask := func(token string) (int, string) {
		q := must.Get(http.NewRequest("POST", url+"v1/models/line/predict", strings.NewReader(`{"records": [{"a": 3}, {"a": "4", "b": null}]}`)))(t)
		q.Header.Set("Authorization", "Bearer "+token)
		r := must.Get(http.DefaultClient.Do(q))(t)
		defer r.Body.Close()
		return r.StatusCode, string(must.Get(io.ReadAll(r.Body))(t))
	}
	if status, text := ask("wrong"); status != http.StatusUnauthorized {
		t.Error(status, text)
	}
	if status, text := ask("0123456789abcdef"); status != http.StatusOK || strings.Count(text, `"value"`) != 2 {
		t.Error(status, text)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), `"msg":"request"`); n != 2 {
		t.Errorf("%d lines for 2 requests:\n%s", n, log)
	}
}
