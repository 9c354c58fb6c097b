package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"optcomplete/internal/attack"
	"optcomplete/internal/settings"
)

// commands are what the attack runs, on the files that victims makes. What stands
// in the folder out is written by them.
var commands = []string{
	"fit ratings.csv --features films.csv -k 2 --time-limit 2s -o out/m --report out/r.html",
	"fit ratings.csv --features films.csv -k 2 --gamma 1 --holdout 0.2 -o m",
	"fit ratings.csv.gz --features films.csv -k 2 --gamma 1 --residual-rank 1",
	"fit ratings.parquet --features films.csv -k 2 --gamma 1 --json",
	"fit r.pack --features films.csv -k 2 --gamma 1 --sampling always --checkpoint run",
	"fit ratings.csv --features numbers.csv -k 2 --gamma 1 --model paper --method cutplanes --save-cuts out/cuts",
	"fit ratings.csv --features numbers.csv -k 2 --gamma 1 --model paper --method optcomplete --certify",
	"fit ratings.csv --features numbers.csv -k 2 --gamma 1 --model pooled --proof out/proof.zst",
	"fit ratings.csv --features numbers.csv --row-features people.csv -k 2 --gamma 1",
	"fit ratings.csv --features films.csv --method softimpute",
	"fit ratings.csv --features films.csv -k 2 --gamma 1 --warm-start m",
	"path ratings.csv --features films.csv --k-max 3 --gamma 1 -o out/p.csv --plot out/p.svg",
	"path ratings.csv --features films.csv --k-max 2 --json --time-limit 1s",
	"path ratings.csv --features numbers.csv --row-features people.csv --k-max 2 --gamma 1",
	"verify p ratings.csv --features numbers.csv --proof proof.zst",
	"features films.csv -o out/f.csv", "features films.csv --json",
	"predict m pairs.csv", "predict m pairs.csv --features films.csv -o out/x.parquet", "predict m pairs.csv --interval 90",
	"complete m -o out/c.csv", "complete m --wide", "recommend m --all --json", "recommend m --row r01 --ratings ratings.csv",
	"fold-in m ratings.csv -o out/f", "fold-in m ratings.csv --complete out/c.csv -o out/u.csv",
	"explain m", "explain m --row r01 --column c01 --json", "evaluate m ratings.csv --resamples 3", "report m -o out/r.html",
	"report m --path path.json", "compare m p",
	"regress films.csv --target Runtime -k 2 --gamma 1 -o out/g", "regress films.csv --target Runtime -k 2 --path --json",
	"pack ratings.csv -o out/r.pack", "pack ratings.csv --features films.csv --shards 1MB -o out/shards",
	"inspect r.pack", "master --cuts cuts", "synth --rows 20 --columns 10 --features 4 -o out/s", "synth --rows 20 --stream",
	"serve", "completion bash", "solvers",
}

// victims makes one file of every kind in a folder.
func victims(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	command(t, exitDone, "synth", "--rows", "25", "--columns", "12", "--features", "4", "--k", "2", "--missing", "0.3", "-o", "data")
	for from, to := range map[string]string{"ratings.csv": "ratings.csv", "features.csv": "numbers.csv", "test.csv": "pairs.csv"} {
		must(os.Rename(filepath.Join("data", from), to))
	}
	must(os.RemoveAll("data"))
	films, people := "film,Genre,Runtime,Budget\n", "row,Age,Town\n"
	for c := range 12 {
		films += fmt.Sprintf("c%02d,%s,%d,%g\n", c+1, []string{"Horror|SciFi", "Drama", "\"\x1b[2J, =1+1\""}[c%3], 90+c*c%17, float64(c*c%7)+0.25)
	}
	for r := range 25 {
		people += fmt.Sprintf("r%02d,%d,%s\n", r+1, 20+r*r%31, []string{"Rome", "Bonn", ""}[r%3])
	}
	must(os.WriteFile("films.csv", []byte(films), 0o666))
	must(os.WriteFile("people.csv", []byte(people), 0o666))
	fit := []string{"fit", "ratings.csv", "--gamma", "1", "-k", "2", "--features"}
	command(t, exitDone, append(fit, "films.csv", "--holdout", "0.2", "-o", "m")...)
	command(t, exitDone, append(fit, "numbers.csv", "--model", "pooled", "--proof", "proof.zst", "-o", "p")...)
	command(t, exitDone, append(fit, "numbers.csv", "--model", "paper", "--method", "cutplanes", "--save-cuts", "cuts")...)
	command(t, exitDone, "pack", "ratings.csv", "-o", "r.pack")
	command(t, exitDone, "fit", "r.pack", "--features", "films.csv", "-k", "2", "--gamma", "1", "--sampling", "always", "--checkpoint", "run")
	command(t, exitDone, "complete", "m", "-o", "ratings.parquet")
	text, _ := command(t, exitDone, "path", "ratings.csv", "--features", "films.csv", "--k-max", "2", "--gamma", "1", "--json")
	must(os.WriteFile("path.json", []byte(text), 0o666))
	zip := exec.Command("gzip", "-k", "ratings.csv")
	if err := zip.Run(); err != nil {
		must(os.WriteFile("ratings.csv.gz", []byte("no gzip here"), 0o666))
	}
	must(os.Mkdir("out", 0o777))
	folder, err := os.Getwd()
	must(err)
	return folder
}

// TestAttackOnEveryVerb runs the program with damaged files, absurd settings, and
// interrupts at random moments: it ends in time, with one of its exit codes, says
// what is wrong in words, asks for no memory to speak of, and touches no file but
// its outputs.
func TestAttackOnEveryVerb(t *testing.T) {
	from := victims(t)
	few := 120
	if testing.Short() {
		few = 20
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	tried, wrong, interrupted, codes := 0, 0, 0, map[int]int{}
	next := make(chan uint64)
	for range 2 {
		wait.Go(func() {
			for seed := range next {
				r := rand.New(rand.NewPCG(seed, 11))
				a := assault{r: r, dir: filepath.Join(t.TempDir(), "x")}
				err := a.run(from)
				mu.Lock()
				if tried++; err != nil {
					wrong++
					t.Errorf("seed %d: %s (damaged: %s): %v", seed, a.shown(), a.damaged, err)
				}
				if codes[a.code]++; a.after > 0 {
					interrupted++
				}
				mu.Unlock()
			}
		})
	}
	for seed := range attack.Rounds(few) {
		next <- seed
	}
	close(next)
	wait.Wait()
	var ended []string
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		ended = append(ended, fmt.Sprintf("%d with exit code %d", codes[code], code))
	}
	attack.Report(t, "runs of all verbs with damaged files, absurd settings or interrupts", tried, wrong, "%d interrupted; %s", interrupted, strings.Join(ended, ", "))
}

// assault is one run of the program.
type assault struct {
	r       *rand.Rand
	dir     string
	args    []string
	damaged string        // the file that was
	after   time.Duration // when it is interrupted; 0: not at all
	code    int
}

func (a *assault) shown() string { return "optcomplete " + strings.Join(quoted(a.args), " ") }

func quoted(words []string) (out []string) {
	for _, w := range words {
		if strings.ContainsAny(w, " \t\n\x00\x1b*|") || w == "" {
			w = fmt.Sprintf("%q", w)
		}
		out = append(out, w)
	}
	return out
}

// absurd are values for settings.
var absurd = []string{"", "-1", "0", "1", "2", "3", "0.5", "1e308", "1e-320", "nan", "inf", "99999999999", "9223372036854775807", "x", "r01", "c01", "auto", "none", "all",
	"/dev/null", "/dev/full", "nowhere/x", "m", "p", "r.pack", "ratings.csv", "films.csv", "m/model.json", ".", "..", "out", "out/new", "Genre", "\x1b[2J", "1s", "1ns", "Genre:type=list", ",", "\x00"}

// slow are settings that ask for work without end, or for other machines.
var slow = []string{"threads", "engine", "engine-program", "engine-folder", "netflix", "seeds", "bootstrap", "repeats", "watch", "serve", "temp", "features-config"}

// run tries the program once in a copy of the folder, and tells what is wrong.
func (a *assault) run(from string) error {
	if err := os.CopyFS(a.dir, os.DirFS(from)); err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(a.dir))
	a.args = strings.Fields(commands[a.r.IntN(len(commands))])
	if a.r.IntN(3) > 0 {
		if err := a.damage(); err != nil {
			return err
		}
	}
	if a.damaged == "" || a.r.IntN(3) == 0 {
		a.set()
	}
	before, err := sums(a.dir)
	if err != nil {
		return err
	}
	cmd := exec.Command("optcomplete", a.args...)
	cmd.Dir = a.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdin = strings.NewReader("{\"verb\":\"features\",\"args\":[\"films.csv\"]}\n{\"x\":")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if a.r.IntN(5) == 0 {
		a.after = time.Duration(1 + a.r.IntN(200_000_000))
	}
	if err := cmd.Start(); err != nil {
		if slices.ContainsFunc(a.args, func(s string) bool { return strings.Contains(s, "\x00") }) {
			return nil // no system can start it
		}
		return err
	}
	if a.after > 0 {
		signal := []os.Signal{os.Interrupt, syscall.SIGTERM}[a.r.IntN(2)]
		defer time.AfterFunc(a.after, func() { cmd.Process.Signal(signal) }).Stop()
	}
	hung := time.AfterFunc(2*time.Minute, func() { cmd.Process.Signal(syscall.SIGQUIT) })
	cmd.Wait()
	if !hung.Stop() {
		return fmt.Errorf("did not end in two minutes\n%.2000s", stderr.String())
	}
	a.code = cmd.ProcessState.ExitCode()
	after, err := sums(a.dir)
	if err != nil {
		return err
	}
	return errors.Join(a.ended(stdout.String(), stderr.String(), cmd.ProcessState), a.kept(before, after))
}

// ended tells what is wrong with how the program ended and with what it said.
func (a *assault) ended(stdout, stderr string, state *os.ProcessState) error {
	if !slices.Contains([]int{exitDone, exitFailed, exitUsage, exitEarly, exitInterrupted}, a.code) || a.code == exitInterrupted && a.after == 0 {
		if last := stderr[strings.LastIndexByte(strings.TrimSuffix(stderr, "\n"), '\n')+1:]; a.code == -1 && a.after > 0 &&
			(len(stdout)+len(stderr) == 0 || strings.HasPrefix(last, "optcomplete: ")) {
			return nil // before the program listened, or after it had said its last word
		}
		return fmt.Errorf("%v\n%.2000s", state, stderr)
	}
	for _, word := range []string{"panic", "goroutine ", "runtime error", "Go value", "Go struct", "strconv.", "reflect", "%!", "interface {}"} {
		if strings.Contains(stderr, word) {
			return fmt.Errorf("exit code %d, and %q in\n%.2000s", a.code, word, stderr)
		}
	}
	if a.code == exitEarly && len(stdout) == 0 {
		return fmt.Errorf("stopped early, and no result was printed\n%.2000s", stderr)
	}
	if quiet := slices.Contains(a.args, "serve"); a.code != exitDone && !quiet && len(stderr)+len(stdout) == 0 {
		return fmt.Errorf("exit code %d without a word", a.code)
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok && usage.Maxrss > 1<<20 { // kilobytes
		return fmt.Errorf("took %d MB of memory", usage.Maxrss>>10)
	}
	return nil
}

// kept tells what was changed or left that is no output.
func (a *assault) kept(before, after map[string][32]byte) (err error) {
	named := func(path string) bool { // by the command line, or in a folder that it names
		return slices.ContainsFunc(a.args, func(arg string) bool {
			_, value, ok := strings.Cut(arg, "=")
			if !ok {
				value = arg
			}
			rel, err := filepath.Rel(filepath.Clean(value), path)
			return value != "" && err == nil && !strings.HasPrefix(rel, "..") && filepath.Clean(value) != "."
		})
	}
	for path, sum := range before {
		if now, ok := after[path]; (!ok || now != sum) && !a.writes(path) && !(named(path) && (strings.HasPrefix(path, "m/") || strings.HasPrefix(path, "run/") || strings.HasPrefix(path, "p/"))) {
			err = errors.Join(err, fmt.Errorf("exit code %d, and %s was replaced or removed", a.code, path))
		}
	}
	for path := range after {
		if _, ok := before[path]; ok || slices.Contains(a.args, "--checkpoint=.") && (path == "answers.log" || path == "run.txt") || strings.HasPrefix(path, "out/") && !strings.HasPrefix(filepath.Base(path), ".") {
			continue
		}
		if !named(path) {
			err = errors.Join(err, fmt.Errorf("exit code %d, and %s was left", a.code, path))
		}
	}
	return err
}

// writes tells whether the command line gives a file as an output.
func (a *assault) writes(path string) bool {
	return slices.ContainsFunc(a.args, func(arg string) bool {
		name, value, ok := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		s := table.Find(a.args[0], name)
		return ok && filepath.Clean(value) == path && s != nil && (s.Group == inOutput || name == "save-cuts")
	})
}

// damage changes one file that the command reads.
func (a *assault) damage() error {
	var files []string
	for _, arg := range a.args[1:] {
		filepath.WalkDir(filepath.Join(a.dir, arg), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && !strings.Contains(path, "/out/") {
				files = append(files, path)
			}
			return nil
		})
	}
	if len(files) == 0 {
		return nil
	}
	path := files[a.r.IntN(len(files))]
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return err
	}
	a.damaged, _ = filepath.Rel(a.dir, path)
	at := a.r.IntN(len(b))
	words := []string{"1e999", "nan", "-", "\"", ",", "\n", "\x00", "\xff\xfe", "\x1b]52;c;aGk=\a", "=cmd()", "99999999999999999999", "{", "[", "}", "null", strings.Repeat("9", 70000)}
	switch a.r.IntN(7) {
	case 0, 1:
		for range 1 + a.r.IntN(4) {
			b[a.r.IntN(len(b))] ^= 1 << a.r.IntN(8)
		}
	case 2:
		b = b[:at]
	case 3:
		b = slices.Concat(b[:at], []byte(words[a.r.IntN(len(words))]), b[at:])
	case 4:
		b = slices.Concat(b[:at], b[a.r.IntN(at+1):])
	case 5:
		for x := at; x < min(at+8, len(b)); x++ {
			b[x] = 0xff
		}
	case 6:
		b = slices.Concat(b, b[a.r.IntN(len(b)):])
	}
	return os.WriteFile(path, b, 0o666)
}

// set gives settings of the verb values of all kinds.
func (a *assault) set() {
	verb := a.args[0]
	var all []settings.Setting
	for _, s := range table {
		if (len(s.Verbs) == 0 || slices.Contains(s.Verbs, verb)) && !slices.Contains(slow, s.Name) {
			all = append(all, s)
		}
	}
	for range 1 + a.r.IntN(3) {
		s := all[a.r.IntN(len(all))]
		if s.Type == settings.Switch {
			a.args = append(a.args, "--"+s.Name)
			continue
		}
		value := absurd[a.r.IntN(len(absurd))]
		if words := s.Words(); len(words) > 0 && a.r.IntN(2) == 0 {
			value = words[a.r.IntN(len(words))]
		}
		a.args = append(a.args, "--"+s.Name+"="+value)
	}
}

// sums are the checksums of the files in a folder.
func sums(dir string) (map[string][32]byte, error) {
	all := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = sha256.Sum256(b)
		return err
	})
	return all, err
}
