package main

import (
	"os"
	"strings"
	"testing"
)

// TestGoldenReadme: the README shows what the demo prints, but for the choice of
// gamma and the next best selections.
func TestGoldenReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the demo")
	}
	const path, fence = "../../README.md", "```\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), "It prints")
	begin := at + strings.Index(string(text[at:]), fence) + len(fence)
	end := begin + strings.Index(string(text[begin:]), fence)
	shown := string(text[begin:end])

	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	stdout, stderr := command(t, exitDone, "demo", "--log-times=false")
	t.Chdir(folder)
	head, rest, _ := strings.Cut(stderr, "\n\n")
	_, log, _ := strings.Cut(rest, "\n\n")
	result, _, _ := strings.Cut(stdout, "Next best selections seen\n")
	want := head + "\n\n" + log + result
	if *update {
		if err := os.WriteFile(path, []byte(string(text[:begin])+want+string(text[end:])), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != want {
		t.Errorf("the README shows\n%s\nbut the demo prints (make settings writes it anew)\n%s", shown, want)
	}
}
