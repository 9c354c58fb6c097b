package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"optcomplete/internal/kernel"
	"optcomplete/internal/must"
)

// The manual is docs/*.md and the README. Its commands stand in indented blocks,
// in fences marked sh, and in fences marked console, where a command begins with
// "$ " and is followed by what it prints on stdout.
//
// A comment before a block marks commands that are not run, with the reason:
// <!-- not run: takes hours -->. A comment "# exit code 3" at the end of a command
// says which one it must have; otherwise it is 0.

const manualRoot = "../.."

// manualPages are the files of the manual, from the root of the repository.
func manualPages(t *testing.T) []string {
	pages, err := filepath.Glob(filepath.Join(manualRoot, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages: ", err)
	}
	pages = append([]string{filepath.Join(manualRoot, "README.md")}, pages...)
	for i := range pages {
		pages[i], _ = filepath.Rel(manualRoot, pages[i])
	}
	return pages
}

// docCommand is a command of a page.
type docCommand struct {
	line   int    // of the page, from 1
	text   string // as a shell takes it
	notRun string // why it is not run
	shown  bool   // what it prints is shown, in lines [from, to) of the page
	from   int
	to     int
}

var (
	marked  = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	program = regexp.MustCompile(`^(\S+=\S+ )*(\./)?(optcomplete|go|make|head|tail|cat|gzip|zcat|zstd|ls|printf|/usr/bin/time|scripts/\S+|git|python3?|duckdb) ?`)
)

// docCommands finds the commands among the lines of a page.
func docCommands(lines []string) (commands []docCommand) {
	fence, reason := "", ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if info, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
			if fence == "" {
				fence = "```" + info
			} else {
				fence, reason = "", ""
			}
			continue
		}
		if m := marked.FindStringSubmatch(line); m != nil {
			reason = m[1]
			continue
		}
		text, found := "", false
		switch {
		case fence == "```console":
			text, found = strings.CutPrefix(line, "$ ")
		case fence == "```sh":
			text, found = line, program.MatchString(line)
		case fence == "":
			indented := strings.HasPrefix(line, "    ")
			if !indented && strings.TrimSpace(line) != "" {
				reason = "" // a block ends with the next paragraph
			}
			if text = strings.TrimSpace(line); indented && program.MatchString(text) {
				found = true
			}
		}
		if !found {
			continue
		}
		c := docCommand{line: i + 1, text: text, notRun: reason}
		for strings.HasSuffix(c.text, `\`) && i+1 < len(lines) {
			i++
			c.text = strings.TrimSuffix(c.text, `\`) + strings.TrimSpace(lines[i])
		}
		if fence == "```console" {
			c.from, c.to = i+1, i+1
			for c.to < len(lines) && !strings.HasPrefix(lines[c.to], "$ ") && !strings.HasPrefix(lines[c.to], "```") {
				c.to++
			}
			c.shown = c.to > c.from
			i = c.to - 1
		}
		commands = append(commands, c)
	}
	return commands
}

// TestManualCommands runs every command of the manual, page by page, each page in
// a folder of its own with the files of manualFiles, and compares what is shown
// with what is printed, but for times.
func TestManualCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the manual")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell: ", err)
	}
	for _, page := range manualPages(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(manualRoot, page)
			text := must.Get(os.ReadFile(path))(t)
			lines := strings.Split(string(text), "\n")
			commands := docCommands(lines)
			if len(commands) == 0 {
				return
			}
			folder := t.TempDir()
			manualFiles(t, folder)
			type replacement struct {
				from, to int
				lines    []string
			}
			var anew []replacement
			for _, c := range commands {
				if c.notRun != "" {
					t.Logf("%s:%d: not run (%s): %s", page, c.line, c.notRun, c.text)
					continue
				}
				out := runDoc(t, page, folder, &c)
				if t.Failed() {
					return
				}
				if !c.shown || !kernel.Accelerated() { // others round differently
					continue
				}
				shown := lines[c.from:c.to]
				got := strings.Split(strings.TrimRight(out, "\n"), "\n")
				for i := range got {
					got[i] = strings.TrimRight(got[i], " ")
				}
				if last := len(shown) - 1; shown[last] == "…" && len(shown) > 1 && len(got) > last {
					got = append(got[:last:last], "…")
				}
				switch {
				case timeless(got) == timeless(shown):
				case *update:
					anew = append(anew, replacement{c.from, c.to, got})
				default:
					t.Errorf("%s:%d: %s\nshown:\n%s\nprinted:\n%s\n(make manual writes it)",
						page, c.line, c.text, strings.Join(shown, "\n"), strings.Join(got, "\n"))
				}
			}
			if len(anew) == 0 {
				return
			}
			for _, r := range slices.Backward(anew) {
				lines = slices.Replace(lines, r.from, r.to, r.lines...)
			}
			must.Do(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666))
		})
	}
}

var (
	someTime = regexp.MustCompile(`\b\d[\d.]* ?(ns|µs|ms|s|m\d+s)\b`)
	comment  = regexp.MustCompile(`\s+# .*$`)
	exitCode = regexp.MustCompile(`# exit code (\d)`)
)

func timeless(lines []string) string {
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimRight(someTime.ReplaceAllString(line, "(time)"), " "))
	}
	return strings.Join(out, "\n")
}

// runDoc runs a command and gives its stdout.
func runDoc(t *testing.T, page, folder string, c *docCommand) string {
	want := 0
	if m := exitCode.FindStringSubmatch(c.text); m != nil {
		want = int(m[1][0] - '0')
	}
	text := comment.ReplaceAllString(c.text, "")
	switch first, rest, _ := strings.Cut(text, " "); {
	case text == "go build ./cmd/optcomplete":
		return "" // it is what this test runs
	case text == "go run ./cmd/optcomplete demo":
		return "" // TestGoldenReadme runs it
	case first == "./optcomplete":
		text = "optcomplete " + rest
	case first == "go" || first == "make" || strings.HasPrefix(first, "scripts/") || first == "git" || strings.HasPrefix(first, "python") || first == "duckdb":
		t.Errorf("%s:%d: %s is nothing that this test can run: mark it <!-- not run: reason -->", page, c.line, text)
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	// pipefail would be nice, but head ends its source with a signal.
	cmd := exec.CommandContext(ctx, "sh", "-c", text)
	cmd.Dir = folder
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("%s:%d: %s\nexit code %d, want %d (%v)\n%s", page, c.line, text, code, want, err, stderr.String())
	}
	t.Logf("%6.2f s  %s", time.Since(start).Seconds(), text)
	return stdout.String()
}

// manualFiles writes the files that the manual speaks of: a few people's ratings
// of a few films, with what is known about both, and a table for regressions.
func manualFiles(t *testing.T, folder string) {
	people := []string{"ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida", "jim", "kim", "lou", "max", "nan", "oli", "pam", "quy", "ray", "sue", "tom"}
	films := []string{"Alien", "Heat", "Up", "Fargo", "Jaws", "Big", "Speed", "Rocky", "Dune", "Babe", "Clue", "Gattaca", "Hook", "Antz", "Signs", "Troy", "Ali", "Elf", "Hugo", "Argo"}
	genres := []string{"Horror|SciFi", "Crime|Drama", "Comedy|Family", "Crime|Comedy", "Horror", "Comedy|Family", "Crime", "Drama", "SciFi", "Family"}
	write := func(name string, header string, n int, line func(i int) string) {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := range n {
			b.WriteString(line(i))
		}
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(b.String()), 0o666))
	}
	film := func(j int) string {
		switch j { // as the README has them
		case 0:
			return "Alien,Horror|SciFi,117,11\n"
		case 1:
			return "Heat,Crime|Drama,170,60\n"
		}
		return fmt.Sprintf("%s,%s,%d,%d\n", films[j%len(films)], genres[j*7%10], 80+j*37%90, 10+j*j*13%97)
	}
	rating := func(i, j int) float64 {
		crime := 0
		if strings.Contains(genres[j*7%10], "Crime") {
			crime = 1
		}
		return float64(2*3+(i%4-1)*crime+(i*31+j*17)%3+j*37%90*(i%3)/60) / 2
	}
	entries := func(from, to, skip, of int) func(x int) string {
		return func(x int) string {
			i, j := from+x/len(films), x%len(films)
			if keep := (i*7+j*3)%of == skip; i >= to || keep == (of == 4 && skip == 0) {
				return ""
			}
			return fmt.Sprintf("%s,%s,%g\n", people[i], films[j], rating(i, j))
		}
	}
	all := len(people) * len(films)
	write("ratings.csv", "row,column,value", all, entries(0, 18, 0, 4))
	write("test.csv", "row,column,value", all, entries(0, 18, 0, 5))
	write("new-ratings.csv", "row,column,value", all, entries(18, 20, 1, 2))
	write("films.csv", "film,Genre,Runtime,Budget", len(films), film)
	write("new-films.csv", "film,Genre,Runtime,Budget", 1, func(int) string { return "Ran,Drama|Family,162,12\n" })
	write("pairs.csv", "row,column", 6, func(i int) string {
		return fmt.Sprintf("%s,%s\n", []string{"ann", "bob", "zoe"}[i%3], []string{"Heat", "Up"}[i/3])
	})
	write("items.csv", "film,Runtime,Crime,Family,Budget", len(films), func(j int) string {
		return fmt.Sprintf("%s,%d,%d,%d,%d\n", films[j], 80+j*37%90, j*7%10%3%2, j%2, 10+j*j*13%97)
	})
	write("users.csv", "person,age,town,children", len(people)+1, func(i int) string {
		return fmt.Sprintf("%s,%d,%d,%d\n", append(people, "zoe")[i], 20+i*17%50, i%2, i*5%4)
	})
	write("houses.csv", "street,price,rooms,area,age,garden,floor,garage,distance,noise", 60, func(i int) string {
		rooms, area, age := 2+i*7%5, 50+i*31%90, i*13%80
		return fmt.Sprintf("s%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", i, 40*rooms+3*area-age+i*i%11, rooms, area, age, i%3, i%5, i%2, i*11%23, i*i%17)
	})
	write("patients.csv", "recovered,dose,age,weight", 40, func(i int) string {
		recovered := "no"
		if i*7%11+i/8 > 7 {
			recovered = "yes"
		}
		return fmt.Sprintf("%s,%d,%d,%d\n", recovered, i*7%11, 20+i*13%50, 50+i*5%40)
	})
	write("new-houses.csv", "rooms,area,age,garden,floor,garage,distance,noise", 3, func(i int) string {
		return fmt.Sprintf("%d,%d,%d,1,2,0,5,7\n", 2+i, 60+10*i, 5*i)
	})
}
