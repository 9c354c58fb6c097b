package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestManualLinks: links between pages and notes, to sections and to files lead somewhere,
// and every page is in the index.
func TestManualLinks(t *testing.T) {
	sections := map[string]map[string]bool{}
	sectionsOf := func(page string) map[string]bool {
		if sections[page] == nil {
			sections[page] = headings(t, page)
		}
		return sections[page]
	}
	linked := map[string]bool{}
	notes, _ := filepath.Glob(filepath.Join(manualRoot, "docs", "notes", "*.md"))
	for i := range notes {
		notes[i], _ = filepath.Rel(manualRoot, notes[i])
	}
	for _, page := range append(manualPages(t), notes...) {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			target, section, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(manualRoot, file)); err != nil {
				t.Errorf("%s: there is no %s", page, m[1])
				continue
			}
			if section != "" && !sectionsOf(file)[section] {
				t.Errorf("%s: %s has no section #%s", page, file, section)
			}
			if page == filepath.Join("docs", "README.md") {
				linked[file] = true
			}
		}
	}
	for _, page := range manualPages(t) {
		if strings.HasPrefix(page, "docs") && page != filepath.Join("docs", "README.md") && !linked[page] {
			t.Errorf("docs/README.md does not mention %s", page)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// prose is a page without its fenced blocks.
func prose(t *testing.T, page string) string {
	text := must.Get(os.ReadFile(filepath.Join(manualRoot, page)))(t)
	var out []string
	for i, part := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			out = append(out, part)
		}
	}
	return strings.Join(out, "")
}

// headings are the sections of a page, as their links are written.
func headings(t *testing.T, page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(prose(t, page), -1) {
		found[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return found
}

// TestManualGo: a whole program in the manual compiles, and other lines of Go stand in an
// example that is compiled.
func TestManualGo(t *testing.T) {
	compiled := must.Get(os.ReadFile(filepath.Join(manualRoot, "manual_test.go")))(t)
	var programs []string
	for _, page := range manualPages(t) {
		text := must.Get(os.ReadFile(filepath.Join(manualRoot, page)))(t)
		for _, block := range goBlock.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(block[1], "package main\n") {
				file := filepath.Join(t.TempDir(), "main.go")
				must.Do(t, os.WriteFile(file, []byte(block[1]), 0o600))
				programs = append(programs, file)
				continue
			}
			for line := range strings.SplitSeq(block[1], "\n") {
				line = comment.ReplaceAllString(strings.ReplaceAll(line, " // ", " # "), "")
				if !strings.Contains(string(compiled), strings.TrimSpace(line)) {
					t.Errorf("%s: this is not in manual_test.go: %s", page, line)
				}
			}
		}
	}
	if len(programs) == 0 {
		t.Error("there is no program")
	}
	for _, file := range programs {
		build := exec.Command("go", "vet", file)
		build.Dir = manualRoot
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestManualNames: what docs/paper.md says is in a file of Go is there.
func TestManualNames(t *testing.T) {
	checked := 0
	cells := strings.FieldsFunc(strings.ReplaceAll(prose(t, "docs/paper.md"), `\|`, ""), func(r rune) bool { return r == '|' || r == '\n' })
	for _, cell := range cells {
		from := 0
		for _, at := range inFile.FindAllStringSubmatchIndex(cell, -1) {
			before, file := cell[from:at[0]], cell[at[2]:at[3]]
			from = at[1]
			source, err := os.ReadFile(filepath.Join(manualRoot, file))
			if err != nil {
				t.Error(err)
				continue
			}
			for _, m := range name.FindAllStringSubmatch(before, -1) {
				declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type )` + m[1] + `\b`)
				if checked++; !declared.Match(source) {
					t.Errorf("docs/paper.md: %s is not in %s", m[1], file)
				}
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d names were found", checked)
	}
}

var (
	goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

	inFile = regexp.MustCompile(`\]\(\.\./([\w/]+\.go)\)`)
	name   = regexp.MustCompile("`(?:\\w+\\.)?([A-Za-z]\\w*)`")
)

var (
	measures = regexp.MustCompile(`<!-- not run: .*(measure|minute|hour|benchmark).* -->|on (2|two) cores|of processor time`)
	dated    = regexp.MustCompile(`\b\d{1,2}\s+(November|December|January|February|March|April|May|June|July|August|September|October)\s+20\d\d\b`)
)

// TestWhatWasMeasuredSaysWhen: a section, or the head of its page, says when its figures were measured where its commands
// are not run by tests.
func TestWhatWasMeasuredSaysWhen(t *testing.T) {
	notes, _ := filepath.Glob(filepath.Join(manualRoot, "docs", "notes", "*.md"))
	for _, page := range append(must.Get(filepath.Glob(filepath.Join(manualRoot, "docs", "*.md")))(t), notes...) {
		text := string(must.Get(os.ReadFile(page))(t))
		sections := strings.Split(text, "\n## ")
		for _, section := range sections {
			title, _, _ := strings.Cut(section, "\n")
			if strings.Contains(section, "<!-- not run: ") && measures.MatchString(section) && !dated.MatchString(section) && !dated.MatchString(sections[0]) {
				t.Errorf("%s: %q does not say when it was measured", filepath.Base(page), title)
			}
		}
	}
}
