package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsTheDemo: every line of the README's demo is one that the demo
// prints, in the same order.
func TestReadmeShowsTheDemo(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "It prints")
	_, block, _ = strings.Cut(block, "```\n")
	block, _, _ = strings.Cut(block, "```\n")
	t.Chdir(t.TempDir())
	stdout, stderr := command(t, exitDone, "demo", "--log-times=false")
	rest := strings.Split(stderr+stdout, "\n")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) < 20 {
		t.Fatalf("the README shows only\n%s", block)
	}
	for _, line := range lines {
		for len(rest) > 0 && rest[0] != line {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			t.Fatalf("the demo does not print this, or not there:\n%s\nbut\n%s%s", line, stderr, stdout)
		}
	}
}
