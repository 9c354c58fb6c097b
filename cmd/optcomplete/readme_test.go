package main

import (
	"os"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestGoldenReadme: the README shows what the demo prints of the search and of its
// result. It is short, and its picture is on the first screen.
func TestGoldenReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the demo")
	}
	const path, fence = "../../README.md", "```\n"
	text := must.Get(os.ReadFile(path))(t)
	before, rest, opened := strings.Cut(string(text), fence)
	shown, _, closed := strings.Cut(rest, fence)
	if !opened || !closed {
		t.Fatalf("%s has no block between lines of ```: the first one is what the demo prints", path)
	}
	begin := len(before) + len(fence)
	end := begin + len(shown)

	folder := must.Get(os.Getwd())(t)
	t.Chdir(t.TempDir())
	stdout, stderr := command(t, exitDone, "demo", "--log-times=false")
	t.Chdir(folder)
	log := stderr[strings.Index(stderr, "    Nodes"):]
	result, _, _ := strings.Cut(stdout, "Next best selections seen\n")
	want := ""
	for line := range strings.Lines(log + result) {
		if !strings.HasPrefix(line, "Search ") && !strings.HasPrefix(line, "Readings ") {
			want += line
		}
	}
	if *update {
		must.Do(t, os.WriteFile(path, []byte(string(text[:begin])+want+string(text[end:])), 0o666))
		return
	}
	lines := strings.Split(string(text), "\n")
	if first := strings.Join(lines[:25], "\n"); len(lines) > 151 || !strings.Contains(first, "![") {
		t.Errorf("the README has %d lines, and a picture among the first 25: %v", len(lines)-1, strings.Contains(first, "!["))
	}
	if shown != want {
		t.Errorf("the README shows\n%s\nbut the demo prints (make settings writes it anew)\n%s", shown, want)
	}
}
