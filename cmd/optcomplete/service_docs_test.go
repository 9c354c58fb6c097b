package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestServiceExamples runs the examples of docs/service.md, against the service that it starts.
func TestServiceExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the demo")
	}
	films, model := filepath.Join(t.TempDir(), "films"), filepath.Join(t.TempDir(), "model")
	ratings := filepath.Join(films, "ratings.csv")
	for _, args := range [][]string{{"demo", "-o", films}, {"fit", ratings, "--features", filepath.Join(films, "features.csv"), "-k", "5", "--holdout", "0.2", "-o", model}} {
		if code := run(append(args, "--quiet"), io.Discard, io.Discard); code != 0 {
			t.Fatal(args, code)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	log, ended := new(lines), make(chan error, 1)
	go func() {
		ended <- execute(ctx, newCommon(io.Discard, log), []string{"serve", model, "--listen", "127.0.0.1:0", "--ratings", ratings})
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	address := strings.TrimSuffix(log.address(t), "/")
	page := strings.ReplaceAll(string(must.Get(os.ReadFile(filepath.Join(manualRoot, "docs", "service.md")))(t)), "http://127.0.0.1:8080", address)
	wants := map[string]struct {
		program []string
		least   int // examples
		lines   int // that each prints, at least
	}{
		"bash": {[]string{"bash", "-ec"}, 4, 1}, "python": {[]string{"python3", "-c"}, 1, 3}, "js": {[]string{"node", "--input-type=module", "-e"}, 1, 2},
	}
	found := map[string]int{}
	for _, block := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		kind, text := block[1], block[2]
		want, is := wants[kind]
		if !is {
			continue
		}
		found[kind]++
		if _, err := exec.LookPath(want.program[0]); err != nil {
			t.Logf("%s examples are not run: %v", kind, err)
			continue
		}
		cmd := exec.Command(want.program[0], append(want.program[1:], text)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil || strings.Count(stdout.String(), "\n") < want.lines {
			t.Errorf("%s: %v\n%s%s", text, err, &stdout, &stderr)
		}
		if kind == "bash" {
			for _, line := range strings.Split(strings.TrimSpace(stdout.String()), "\n") {
				var answer map[string]any
				if err := json.Unmarshal([]byte(line), &answer); err != nil || answer["problem"] != nil {
					t.Errorf("%s: %s", text, line)
				}
			}
		}
	}
	for kind, want := range wants {
		if found[kind] < want.least {
			t.Errorf("the page has %d examples in %s", found[kind], kind)
		}
	}
}
