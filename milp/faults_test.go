//go:build unix

package milp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"optcomplete/internal/must"
)

// fake is a program that takes the place of HiGHS and does what the shell
// script says. It runs in the folder of the model file.
func fake(t *testing.T, script string) *External {
	t.Helper()
	path := filepath.Join(t.TempDir(), "highs")
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
	return &External{Path: path, Grace: 200 * time.Millisecond, adapter: adapters[0]}
}

// faulty is a master of 4 features, 2 to select. Its optimum is s1 s2 with
// eta 1; the file's scale is 1/2, so that eta there is 0.5.
func faulty() *Master {
	m := &Master{P: 4, K: 2, Cuts: []Cut{{Constant: 3, Gradient: []float64{-1, -1, -0.5, -0.25}}}}
	if FileScale(m) != 0.5 {
		panic("the fake answers below assume a scale of 1/2")
	}
	return m
}

// answerOf is a HiGHS solution file.
func answerOf(status, eta string, weights ...string) string {
	text := "cat > solution.txt <<'END'\nModel status\n" + status + "\n\n# Primal solution values\nFeasible\nObjective " + eta + "\n# Columns 5\neta " + eta + "\n"
	for j, w := range weights {
		text += "s" + strconv.Itoa(j+1) + " " + w + "\n"
	}
	return text + "# Rows 0\nEND\n"
}

func TestFakeSolverIsBelievedWhenRight(t *testing.T) {
	s, err := fake(t, answerOf("Optimal", "0.5", "1", "1.0000001", "0", "0")).Solve(context.Background(), faulty(), Options{TimeLimit: 5 * time.Second})
	if err != nil || s.Objective != 1 || s.Bound > 1 || s.Bound < 1-1e-5 {
		t.Fatalf("%+v, %v", s, err)
	}
}

func TestFaultsGiveTypedErrors(t *testing.T) {
	is := func(target any) func(error) bool { return func(err error) bool { return errors.As(err, target) } }
	wrong := func() any { return new(*AnswerError) }
	garbled := func() any { return new(*GarbageError) }
	for _, c := range []struct {
		name, script string
		ok           func(error) bool
		says         string
	}{
		{"crashes", "echo out of licences >&2; exit 3", is(new(*CrashError)), "exit code 3: out of licences"},
		{"is killed", "kill -9 $$", is(new(*KilledError)), "signal"},
		{"hangs", "sleep 60", is(new(*HungError)), "still running"},
		{"hangs and ignores signals", "trap '' TERM INT HUP; while :; do sleep 1; done", is(new(*HungError)), "still running"},
		{"writes nothing", "exit 0", is(garbled()), "status"},
		{"prints garbage", "head -c 3000 /dev/urandom; head -c 3000 /dev/urandom > solution.txt", is(garbled()), "cannot read"},
		{"truncated after the status", "printf 'Model status\\nOptimal\\n' > solution.txt", is(garbled()), "no columns"},
		{"truncated in the columns", answerOf("Optimal", "0.5", "1", "1"), is(garbled()), "ends early"},
		{"truncated in a number", answerOf("Optimal", "0.5", "1", "1", "0", "0e"), is(garbled()), "s4"},
		{"not a number", answerOf("Optimal", "nan", "1", "1", "0", "0"), is(garbled()), "eta"},
		{"too few features", answerOf("Optimal", "1", "1", "0", "0", "0"), is(wrong()), "selects 1 features, want 2"},
		{"too many features", answerOf("Optimal", "0.25", "1", "1", "1", "0"), is(wrong()), "selects 3"},
		{"fractional", answerOf("Optimal", "0.5", "1", "0.5", "0.5", "0"), is(wrong()), "0.5"},
		{"nearly integral", answerOf("Optimal", "0.5", "1", "0.99999", "0.00001", "0"), is(wrong()), "neither 0 nor 1"},
		{"unknown variable", answerOf("Optimal", "0.5", "1", "1", "0", "0", "0"), is(wrong()), `"s5"`},
		{"too good an objective", answerOf("Optimal", "0.4", "1", "1", "0", "0"), is(wrong()), "claims the objective 0.8"},
		{"objective of another selection", answerOf("Optimal", "0.75", "1", "1", "0", "0"), is(wrong()), "claims"},
		{"not optimal though it says so", answerOf("Optimal", "0.75", "1", "0", "1", "0"), is(wrong()), "exchanging"},
		{"stops with an answer", answerOf("Time limit reached", "0.75", "1", "0", "1", "0"), is(new(*NotOptimalError)), "Time limit reached"},
		{"stops without an answer", "printf 'Model status\\nTime limit reached\\n\\n# Primal solution values\\nNone\\n' > solution.txt", is(new(*NotOptimalError)), "without an answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			solver := fake(t, c.script)
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			_, err := solver.Solve(context.Background(), faulty(), Options{TimeLimit: 300 * time.Millisecond})
			if err == nil || !c.ok(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %T: %v; want one that says %q", err, err, c.says)
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			noChildren(t)
		})
	}
}

func TestAlwaysAndNeverAreVerified(t *testing.T) {
	m := faulty()
	m.Never = []int{0}
	var wrong *AnswerError
	_, err := fake(t, answerOf("Optimal", "0.5", "1", "1", "0", "0")).Solve(context.Background(), m, Options{})
	if !errors.As(err, &wrong) {
		t.Errorf("a never-feature selected: %v", err)
	}
	m = faulty()
	m.Always = []int{3}
	_, err = fake(t, answerOf("Optimal", "0.5", "1", "1", "0", "0")).Solve(context.Background(), m, Options{})
	if !errors.As(err, &wrong) {
		t.Errorf("an always-feature left out: %v", err)
	}
}

func TestWorseThanTheStartIsAnError(t *testing.T) {
	// Two exchanges away from the optimum, and no single one helps.
	m := &Master{P: 4, K: 2, Cuts: []Cut{
		{Constant: 0, Gradient: []float64{0, 0, 1, -1}}, {Constant: 0, Gradient: []float64{0, 0, -1, 1}},
		{Constant: 0.5, Gradient: []float64{0, 0, -0.25, -0.25}},
	}}
	eta := number(m.Value([]int{0, 1}) * FileScale(m))
	var wrong *AnswerError
	solver := fake(t, answerOf("Optimal", eta, "1", "1", "0", "0"))
	if _, err := solver.Solve(context.Background(), m, Options{}); err != nil {
		t.Fatalf("without a start nothing contradicts it: %v", err)
	}
	if _, err := solver.Solve(context.Background(), m, Options{Start: []int{3, 2}}); !errors.As(err, &wrong) {
		t.Errorf("the start is better, yet: %v", err)
	}
}

func TestMissingSolverIsNotFound(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(SolversVariable, t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, name := range Names()[1:] {
		solver := must.Get(New(name, ""))(t)
		var missing *NotFoundError
		if _, err := solver.Solve(context.Background(), faulty(), Options{}); !errors.As(err, &missing) || !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := solver.Version(context.Background()); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found := Find(context.Background(), ""); len(found) != 1 || found[0].Name != "embedded" {
		t.Errorf("found %v", found)
	}
}

// TestNothingIsRunThatWasNotNamed: a program in a folder where one merely works
// is not run, and one in a folder that is named is.
func TestNothingIsRunThatWasNotNamed(t *testing.T) {
	root := t.TempDir()
	bin := filepath.Join(root, ".tools", "bin")
	ran := filepath.Join(root, "ran")
	must.Do(t, os.MkdirAll(bin, 0o777))
	program := "#!/bin/sh\ntouch " + ran + "\necho 'HiGHS version 9.8.7'\n"
	for name, text := range map[string]string{"go.mod": "module any\n", ".tools/bin/highs": program, "highs": program, "bin/highs": program} {
		path := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o777))
	}
	t.Setenv(SolversVariable, "")
	t.Setenv("XDG_CACHE_HOME", root)
	t.Chdir(root)
	for _, path := range []string{"/nowhere", "", "."} { // Go refuses what is found by way of "."
		t.Setenv("PATH", path)
		if found := Find(context.Background(), ""); len(found) != 1 {
			t.Errorf("PATH=%s: found %v", path, found)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Fatal("a program was run that nobody named")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/bin:/usr/bin")
	for _, path := range []string{bin, filepath.Join(bin, "highs"), ".tools/bin", ".tools/bin/highs"} {
		if found := Find(context.Background(), path); len(found) != 2 || found[1].Version != "9.8.7" || found[1].Path != filepath.Join(bin, "highs") {
			t.Errorf("%s: found %v", path, found)
		}
	}
	if _, err := New("embedded", bin); err == nil {
		t.Error("the embedded solver runs no program, but takes a path to one")
	}
	empty, _ := New("highs", t.TempDir())
	t.Setenv("PATH", bin)
	if _, err := empty.Version(context.Background()); !errors.Is(err, ErrNotFound) {
		t.Errorf("a folder without the program: %v", err)
	}
}

func TestHungSolverDiesWithItsChildren(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	solver := fake(t, "sleep 300 & echo $! > "+pids+"\n(sleep 301; true) & echo $! >> "+pids+"\nsleep 302")
	start := time.Now()
	_, err := solver.Solve(context.Background(), faulty(), Options{TimeLimit: 300 * time.Millisecond})
	var hung *HungError
	if !errors.As(err, &hung) {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
	gone(t, pids)
}

func TestChildrenLeftBehindAreKilled(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	solver := fake(t, "sleep 300 & echo $! > "+pids+"\n"+answerOf("Optimal", "0.5", "1", "1", "0", "0"))
	if _, err := solver.Solve(context.Background(), faulty(), Options{TimeLimit: 20 * time.Second}); err != nil {
		t.Fatal(err)
	}
	gone(t, pids)
}

func TestCancelStopsTheProgram(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := fake(t, "sleep 60").Solve(ctx, faulty(), Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	noChildren(t)
}

// gone checks that no process of the listed ids runs.
func gone(t *testing.T, file string) {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	for _, field := range strings.Fields(string(text)) {
		pid := must.Get(strconv.Atoi(field))(t)
		for deadline := time.Now().Add(2 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("process %d still runs", pid)
				break
			}
		}
	}
	noChildren(t)
}

// running tells whether a process exists and is not just waiting to be reaped
// by its new parent, which is not us.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// noChildren checks that this process has no child left, not even a zombie.
func noChildren(t *testing.T) {
	t.Helper()
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("a child is left: %d, %v", pid, err)
	}
}
