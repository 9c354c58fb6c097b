package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/model"
)

// command runs the program and wants the exit code.
func command(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(args, &out, &errs); got != code {
		t.Fatalf("%s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, errs.String())
	}
	return out.String(), errs.String()
}

// says runs a command line, which must end with the code and print all of these, on
// stdout or stderr.
func says(t *testing.T, line string, code int, wants ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr = command(t, code, strings.Fields(line)...)
	for _, want := range wants {
		if !strings.Contains(stdout+stderr, want) {
			t.Errorf("%s does not say %q:\n%s", line, want, stdout+stderr)
		}
	}
	return stdout, stderr
}

// fitted is the command line of a fit on a small instance.
func fitted(t *testing.T, more ...string) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "instance")
	command(t, exitDone, "synth", "--rows", "60", "--columns", "40", "--features", "12", "--k", "3", "--noise", "0.1", "-o", dir)
	return append([]string{"fit", filepath.Join(dir, "ratings.csv"), "--features", filepath.Join(dir, "features.csv"), "--model", "paper", "-k", "3", "--gamma", "1"}, more...)
}

func summaryOf(t *testing.T, code int, args []string) (s model.Summary, fields map[string]any) {
	t.Helper()
	out, _ := command(t, code, append(args, "--json", "--quiet")...)
	must.Do(t, json.Unmarshal([]byte(out), &s))
	must.Do(t, json.Unmarshal([]byte(out), &fields))
	return s, fields
}

// TestMethodsSelectTheSame and say in JSON what they have proven, and how.
func TestMethodsSelectTheSame(t *testing.T) {
	args := fitted(t)
	certified, fields := summaryOf(t, exitDone, args)
	for _, absent := range []string{"solver", "master_nodes", "sampled_gap", "sample_rows"} {
		if _, is := fields[absent]; is {
			t.Errorf("the certified method has %q", absent)
		}
	}
	for _, test := range []struct {
		flags     []string
		certified bool
		status    string
		sampled   bool
	}{
		{[]string{"--method", "cutplanes"}, true, "optimal", false},
		{[]string{"--method", "optcomplete"}, false, "sampled", true},
		{[]string{"--method", "optcomplete", "--sample-rows", "30", "--sample-constant", "2", "--certify"}, true, "optimal", true},
	} {
		s, fields := summaryOf(t, exitDone, append(args[:len(args):len(args)], test.flags...))
		if s.Method != test.flags[1] || s.Certified != test.certified || s.Status.String() != test.status || s.Solver != "embedded" || s.SolverVersion == "" {
			t.Errorf("%v: method %q, certified %v, status %q, solver %q %q", test.flags, s.Method, s.Certified, s.Status, s.Solver, s.SolverVersion)
		}
		if strings.Join(s.Selected, ",") != strings.Join(certified.Selected, ",") || s.Cost != certified.Cost {
			t.Errorf("%v: selected %v of cost %v, want %v of cost %v", test.flags, s.Selected, s.Cost, certified.Selected, certified.Cost)
		}
		if _, is := fields["sampled_gap"]; is != test.sampled {
			t.Errorf("%v: sampled_gap is there: %v", test.flags, is)
		}
		if !s.Certified && (s.Bound != 0 || s.Gap != 1) {
			t.Errorf("%v: not certified, but bound %v and gap %v", test.flags, s.Bound, s.Gap)
		}
	}
}

// TestMasterIsWrittenAtAnyIteration, in both formats, with as many cuts.
func TestMasterIsWrittenAtAnyIteration(t *testing.T) {
	cuts := filepath.Join(t.TempDir(), "cuts.jsonl")
	s, _ := summaryOf(t, exitDone, fitted(t, "--method", "cutplanes", "--save-cuts", cuts))
	if s.Cuts < 3 {
		t.Fatalf("%d cuts are too few for the test", s.Cuts)
	}
	lp, _ := command(t, exitDone, "master", "--cuts", cuts, "--iteration", "2")
	if strings.Count(lp, " cut") != 2+1 { // and one in the comment
		t.Errorf("the master of iteration 2 is\n%s", lp)
	}
	out := filepath.Join(t.TempDir(), "master.mps")
	command(t, exitDone, "master", "--cuts", cuts, "--format", "mps", "-o", out)
	mps := must.Get(os.ReadFile(out))(t)
	if !strings.Contains(string(mps), "ROWS") || strings.Count(string(mps), " G  cut")+strings.Count(string(mps), " G cut") != s.Cuts {
		t.Errorf("the last master of %d cuts is\n%s", s.Cuts, mps)
	}
}

// TestMethodMistakesAreNamed with exit code 2, a failing solver with 1, a limit
// with 3.
func TestMethodMistakesAreNamed(t *testing.T) {
	args := fitted(t)
	for _, test := range []struct {
		code  int
		flags string
		want  string
	}{
		{exitUsage, "--method magic", `--method is "magic", but must be certified`},
		{exitUsage, "--solver highs", "--solver does not apply to the method certified: it is for the methods cutplanes, optcomplete"},
		{exitUsage, "--method cutplanes --certify", "--certify does not apply to the method cutplanes: it is for the method optcomplete"},
		{exitUsage, "--method cutplanes --solver cplex", `--solver is "cplex", but must be embedded`},
		{exitUsage, "--method optcomplete --sample-rows 0", "--sample-rows is 0"},
		{exitUsage, "--method optcomplete --sample-constant -1", "--sample-constant is -1"},
		{exitFailed, "--method cutplanes --solver gurobi", `program "gurobi_cl" not found`},
		{exitEarly, "--method cutplanes --time-limit 1ns", ""},
		{exitEarly, "--method optcomplete --time-limit 1ns", ""},
	} {
		t.Setenv("PATH", "")
		_, stderr := command(t, test.code, append(args[:len(args):len(args)], strings.Fields(test.flags)...)...)
		if !strings.Contains(stderr, test.want) {
			t.Errorf("%s: %s", test.flags, stderr)
		}
	}
	for _, test := range []struct{ flags, want string }{
		{"", "which cuts?"},
		{"--cuts none.jsonl", "none.jsonl: cannot be read: no such file"},
		{"--cuts none.jsonl --format sav", `--format is "sav"`},
		{"--cuts none.jsonl --iteration 0", "--iteration is 0"},
	} {
		_, stderr := command(t, exitUsage, append([]string{"master"}, strings.Fields(test.flags)...)...)
		if !strings.Contains(stderr, test.want) {
			t.Errorf("master %s: %s", test.flags, stderr)
		}
	}
}

// TestSolversLists every solver, found or not.
func TestSolversLists(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("OPTCOMPLETE_SOLVERS", "")
	out, _ := command(t, exitDone, "solvers")
	for _, want := range []string{"embedded  1        in this program\n", "gurobi    not found\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}
