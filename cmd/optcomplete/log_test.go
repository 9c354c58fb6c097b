package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"optcomplete/internal/rounding"
	"optcomplete/search"
)

// made writes an instance with 20 features, or with 60, which takes a tree, and
// gives the arguments of a fit on it.
func made(t *testing.T, features, k string, flags string) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "instance")
	command(t, exitDone, "synth", "--rows", "60", "--columns", "40", "--features", features, "--k", k, "--missing", "0.6", "--noise", "0.3", "--seed", "3", "-o", dir, "--quiet")
	return append([]string{"fit", filepath.Join(dir, "ratings.csv"), "--features", filepath.Join(dir, "features.csv"), "-k", k, "--log-times=false"}, strings.Fields(flags)...)
}

// TestGoldenLogs: a log without times is the same to the byte in every run and
// for every number of threads.
func TestGoldenLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a dozen fits")
	}
	for _, c := range []struct {
		name, features, k, flags string
		code                     int
	}{
		{"certified", "60", "8", "--model paper --gamma 1", exitDone},
		{"gamma", "20", "4", "--holdout 0.2 --seed 5", exitDone},
		{"sampled", "20", "4", "--model paper --gamma 1 --method optcomplete --certify", exitDone},
		{"limit", "60", "8", "--model paper --gamma 3 --max-nodes 3", exitEarly},
	} {
		name, code := c.name, c.code
		t.Run(name, func(t *testing.T) {
			args := made(t, c.features, c.k, c.flags)
			stdout, stderr := command(t, code, args...)
			golden(t, "testdata/golden/log-"+name+".txt", []byte(stderr+stdout))
			again, log := command(t, code, append(args, "--threads", "1")...)
			if again != stdout || log != stderr {
				t.Errorf("another number of threads gives another log:\n%s\n%s", log, again)
			}
			if out, log := command(t, code, append(args, "--quiet")...); log != "" || out != stdout {
				t.Errorf("--quiet prints %q", log)
			}
		})
	}
}

// TestPrintedBoundsAreTheReportedOnes: the last line of the log has the cost, the
// bound and the gap of the JSON, rounded to stay true.
func TestPrintedBoundsAreTheReportedOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a dozen fits")
	}
	for _, test := range []struct {
		features, k, flags string
		code               int
	}{
		{"60", "8", "--model paper --gamma 3 --max-nodes 1", exitEarly},
		{"60", "8", "--model paper --gamma 3 --max-nodes 4", exitEarly},
		{"60", "8", "--model full --gamma 0.02 --max-nodes 2 --gap 0.1", exitDone},
		{"20", "4", "--model paper --gamma 30", exitDone},
		{"20", "4", "--model pooled --gamma 1 --gap 0.01", exitDone},
		{"20", "4", "--model paper --gamma 0.1 --method cutplanes", exitDone},
	} {
		flags, code := test.flags, test.code
		args := made(t, test.features, test.k, flags)
		_, log := command(t, code, append(args, "--json")...)
		s, _ := summaryOf(t, code, args)
		lines := strings.Split(strings.TrimSpace(log), "\n")
		last := strings.Fields(lines[len(lines)-1])
		want := []string{costText(s.Cost, s.Bound, logDigits), rounding.Down(s.Bound, logDigits)}
		want = append(want, strings.Fields(rounding.PercentUp(s.Gap))...)
		if s.Gap < 1 && strings.Join(last[2:6], " ") != strings.Join(want, " ") {
			t.Errorf("%s: the log ends with %q, the result is %v of %v", flags, last, want, s.Gap)
		}
		stdout, _ := command(t, code, args...)
		for _, text := range []string{"Bound     " + rounding.Down(s.Bound, summaryDigits), "Gap       " + rounding.PercentUp(s.Gap)} {
			if !strings.Contains(stdout, text+"\n") && !strings.Contains(stdout, text+"  ") {
				t.Errorf("%s: no %q in\n%s", flags, text, stdout)
			}
		}
	}
}

// logOf prints events on a terminal of some width.
func logOf(width int, events ...search.Event) string {
	var out bytes.Buffer
	c := newCommon(&out, &out)
	c.logTimes, c.errTerminal.width = false, width
	l := newSearchLog(c)
	for _, e := range events {
		l.event(e)
	}
	return out.String()
}

// TestSampledIsNeverMistakenForCertified: every number of samples is marked, none
// of all the entries is, and the two have different headings.
func TestSampledIsNeverMistakenForCertified(t *testing.T) {
	event := func(kind search.EventKind, sampled bool, gap float64) search.Event {
		return search.Event{Kind: kind, K: 3, Cost: 1.5, Bound: 1.5 * (1 - gap), Gap: gap, Sampled: sampled, Source: "greedy"}
	}
	text := logOf(80, event(search.EventIncumbent, true, 0.25), event(search.EventDone, true, 0),
		event(search.EventIncumbent, false, 0.25), event(search.EventDone, false, 0))
	sampled, certified, ok := strings.Cut(text, "On all observed entries")
	if !ok {
		t.Fatalf("no line between the two:\n%s", text)
	}
	if !strings.Contains(sampled, "Sampled gap") || strings.Contains(sampled, "Certified gap") || strings.Contains(sampled, " Bound") || !strings.Contains(sampled, "prove nothing") {
		t.Errorf("the heading of samples:\n%s", sampled)
	}
	if !strings.Contains(certified, "Certified gap") || strings.Contains(certified, "ampled gap") || strings.Contains(certified, "~") {
		t.Errorf("on all entries:\n%s", certified)
	}
	number := regexp.MustCompile(`(~?)(\d+\.\d+|\d+ %)`)
	found := number.FindAllStringSubmatch(sampled, -1)
	if len(found) != 6 {
		t.Fatalf("%d numbers in\n%s", len(found), sampled)
	}
	for _, m := range found {
		if m[1] != "~" {
			t.Errorf("%q is not marked:\n%s", m[0], sampled)
		}
	}
}

func TestHeadingComesAgain(t *testing.T) {
	var events []search.Event
	for i := range 3 * headingEvery {
		events = append(events, search.Event{Kind: search.EventIncumbent, K: 3, Nodes: i, Cost: 2 - float64(i)/100, Bound: math.Inf(-1), Gap: math.Inf(1), Source: "leaf"})
	}
	text := logOf(80, events...)
	if n := strings.Count(text, "  Incumbent  "); n != 3 {
		t.Errorf("%d headings for %d lines:\n%s", n, len(events), text)
	}
	if n := strings.Count(text, "\nL "); n != len(events) {
		t.Errorf("%d of %d incumbents are marked", n, len(events))
	}
	if strings.Count(strings.Join(strings.Fields(text), " "), legend) != 1 { // however its lines are broken
		t.Errorf("no legend, or several:\n%s", text)
	}
}

// TestNarrowTerminalsLoseColumns: no line is longer than the terminal is wide,
// and what matters most stays longest.
func TestNarrowTerminalsLoseColumns(t *testing.T) {
	e := search.Event{Kind: search.EventDone, K: 3, Nodes: 1234567, Open: 12345, Cost: 1.5, Bound: 1.2345678, Gap: 0.2, Cuts: 123456, Passes: 123456}
	for width, lost := range map[int][]string{
		200: nil, 80: nil, 75: nil,
		70: {"Open"}, 60: {"Open", "Cuts"}, 50: {"Open", "Cuts", "Passes", "Nodes"}, 45: {"Open", "Cuts", "Passes", "Nodes"}, 40: {"Open", "Cuts", "Passes", "Nodes", "Bound"}, 20: {"Open", "Cuts", "Passes", "Nodes", "Bound"},
	} {
		text := logOf(width, e)
		lines := strings.Split(text, "\n")
		heading, line := lines[len(lines)-3], lines[len(lines)-2]
		for _, c := range logColumns[:len(logColumns)-1] {
			if is := strings.Contains(heading, " "+c.name); is == contains(lost, c.name) {
				t.Errorf("width %d: %s is there: %v\n%s", width, c.name, is, text)
			}
		}
		if width >= 40 && len(line) >= width {
			t.Errorf("width %d: %d letters\n%s", width, len(line), line)
		}
	}
}

func contains(list []string, word string) bool {
	return strings.Contains(" "+strings.Join(list, " ")+" ", " "+word+" ")
}

// TestColours are for terminals that want them.
func TestColours(t *testing.T) {
	if got := (terminal{color: true}).style(green, "x"); got != escape+"32mx"+escape+"0m" {
		t.Errorf("%q", got)
	}
	for _, plain := range []terminal{{}, {is: true}, terminalOf(new(bytes.Buffer))} {
		if got := plain.style(green, "x"); got != "x" {
			t.Errorf("%+v: %q", plain, got)
		}
	}
}

func TestWays(t *testing.T) {
	for _, c := range []struct {
		p, k int
		want string
	}{{59, 5, "5,006,386 selections"}, {4, 4, "1 selection"}, {1000, 30, "2.4e+57 selections"}, {3, 4, "impossible"}} {
		if got := ways(c.p, c.k); got != c.want {
			t.Error(fmt.Sprint(c.p, c.k), got, c.want)
		}
	}
}
