package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/internal/must"
	"optcomplete/internal/passtest"
	"optcomplete/pass"
)

// packed is a folder of packs, open, and its source as a fit sees it: columns
// numbered anew, some without entries, some entries left out.
func packed(t *testing.T) (pack.Packed, data.Source) {
	t.Helper()
	m := passtest.Source(3000, 90)
	dir := t.TempDir()
	ids := make([]string, 90)
	ranks := make([]int32, 90)
	for j := range ids {
		ids[j], ranks[j] = fmt.Sprint("c", j), int32((j*7)%95)
	}
	w := must.Get(pack.Create(filepath.Join(dir, "one.pack"), ids, pack.WriterOptions{}))(t)
	for i := range 3000 {
		columns, values := m.Row(i)
		must.Do(t, w.Append(fmt.Sprint("r", i), columns, values))
	}
	must.Do(t, w.Close())
	one := must.Get(pack.Open(filepath.Join(dir, "one.pack")))(t)
	defer one.Close()
	if _, err := pack.WriteShards(context.Background(), one, filepath.Join(dir, "packs"), 100_000, 2); err != nil {
		t.Fatal(err)
	}
	p := must.Get(pack.OpenAny(filepath.Join(dir, "packs")))(t)
	t.Cleanup(func() { p.Close() })
	view, err := pass.Transformed(context.Background(), data.Renumber(p, 95, ranks), 1, "view", passtest.Odd{}, passtest.Shift{By: pass.Share([]float64{3, 4})})
	if err != nil {
		t.Fatal(err)
	}
	return p, view
}

func bits(t *testing.T, parts []pass.Part) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, gob.NewEncoder(&b).Encode(parts))
	return b.Bytes()
}

var passes = []pass.Pass{passtest.Summing{Price: 1}, passtest.Summing{Price: 5_000}, pass.Surveying{}}

func here(t *testing.T, s data.Source) []byte {
	t.Helper()
	parts := must.Get(pass.Run(context.Background(), s, 1, passes...))(t)
	return bits(t, parts)
}

// TestWorkersGiveTheBitsOfAThread plays the engine: every task is done by a worker
// of its own, one of them twice, in the wrong order.
func TestWorkersGiveTheBitsOfAThread(t *testing.T) {
	p, source := packed(t)
	want := here(t, source)
	t.Chdir(t.TempDir())
	tasks := []*pass.Task{}
	for _, each := range passes {
		tasks = append(tasks, &pass.Task{Pass: each})
	}
	r := pass.Reading{Source: source, Tasks: tasks}
	for name, encode := range pass.SharedOf(r) {
		content := must.Get(encode())(t)
		must.Do(t, os.WriteFile(sharedFile(name), content, 0o600))
	}
	_, columns, ranks, _ := data.Basis(pass.Base(source))
	must.Do(t, os.WriteFile("ranks", numberBytes(ranks), 0o600))
	b := base{Path: p.Path(), Checksum: p.Checksum(), Columns: columns, Ranks: "ranks"}
	message := must.Get(pass.Encode(r, func(data.Source) (string, error) { return b.String(), nil }, func(string) bool { return true }))(t)
	found := newGathered(r, pass.PlanOf(r), 5)
	(&Spark{settings: Settings{Version: "test"}, sum: programSum()}).expect(found, base64.StdEncoding.EncodeToString(message))
	for _, task := range []int{4, 1, 0, 4, 3, 2} {
		var out bytes.Buffer
		line := fmt.Sprintf("%d\t%s\t%d\t5\n", Protocol, base64.StdEncoding.EncodeToString(message), task)
		must.Do(t, NewWorker("test").Work(context.Background(), strings.NewReader(line), &out))
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			f := strings.Split(line, "\t")
			item := must.Get(strconv.Atoi(f[0]))(t)
			must.Do(t, found.add(item, f[1], f[2]))
		}
	}
	must.Do(t, found.complete("test"))
	found.results.Finish()
	var got []pass.Part
	for _, task := range tasks {
		got = append(got, task.Result)
	}
	if !bytes.Equal(bits(t, got), want) {
		t.Error("the bits differ")
	}
}

func TestWorkerSaysWhatIsWrong(t *testing.T) {
	p, source := packed(t)
	t.Chdir(t.TempDir())
	r := pass.Reading{Source: source, Tasks: []*pass.Task{{Pass: pass.Surveying{}}}}
	encoded := func(b base) string {
		message := must.Get(pass.Encode(r, func(data.Source) (string, error) { return b.String(), nil }, func(string) bool { return false }))(t)
		return base64.StdEncoding.EncodeToString(message)
	}
	good := base{Path: p.Path(), Checksum: p.Checksum(), Columns: 95}
	elsewhere, other, sent := good, good, good
	elsewhere.Path, other.Checksum, sent.Sent = "/nowhere/x.packs", "0", true
	for line, want := range map[string]string{
		"":                                    kindError,
		"9\tx\t0\t1":                          kindError,
		"2\t!\t0\t1":                          kindError,
		"2\tAAAA\t0\t1":                       kindError,
		"2\tAAAA\t3\t1":                       kindError,
		"2\t" + encoded(good) + "\t0\t1":      kindParts,
		"2\t" + encoded(elsewhere) + "\t0\t1": kindMissing,
		"2\t" + encoded(sent) + "\t0\t1":      kindMissing,
		"2\t" + encoded(other) + "\t0\t1":     kindError,
	} {
		var out bytes.Buffer
		must.Do(t, NewWorker("test").Work(context.Background(), strings.NewReader(line+"\n"), &out))
		if !strings.Contains(out.String(), "\t"+want+"\t") {
			t.Errorf("%.40q is answered by %.300s", line, out.String())
		}
	}
}

// TestEngineThatIsNotThere is an error in one sentence, without the token.
func TestEngineThatIsNotThere(t *testing.T) {
	_, err := Open(context.Background(), Settings{Address: "sc://127.0.0.1:1/;token=SECRET"})
	if err == nil || !strings.Contains(err.Error(), "does not answer") || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("the error is %v", err)
	}
}

// sparkVariable is the address of a Spark Connect server with two executors on
// this machine; scripts/spark.sh starts one.
const sparkVariable = "OPTCOMPLETE_SPARK"

// TestSpark runs passes on a real cluster, also while one of its workers and one of
// its executors are killed.
func TestSpark(t *testing.T) {
	address := os.Getenv(sparkVariable)
	if address == "" {
		t.Skip("no Spark cluster: scripts/spark.sh starts one and runs this test")
	}
	program := filepath.Join(t.TempDir(), "optcomplete")
	build := exec.Command("go", "build", "-o", program, "./enginetest")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	_, source := packed(t)
	want := here(t, source)
	spark, err := Open(ctx, Settings{Address: address, Program: program, Least: 1, Tasks: 7, Version: "test", Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	defer spark.Close()
	run := func(what string) {
		t.Helper()
		parts, err := pass.Run(pass.WithRunner(ctx, spark), source, 1, passes...)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !bytes.Equal(bits(t, parts), want) {
			t.Errorf("%s: the bits differ", what)
		}
	}
	run("first")
	kill(t, spark.program) // the process that the tasks of an executor share
	run("after a worker was killed")
	executor(t)
	run("after an executor was killed")
	if spark.Stats.Remote != 3 || spark.Stats.Restarted < 1 || spark.Stats.Retried < 1 {
		t.Errorf("%+v", spark.Stats)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := pass.Run(pass.WithRunner(stopped, spark), source, 1, passes...); err == nil {
		t.Error("a cancelled reading has a result")
	}
	run("after one was cancelled")
	one := must.Get(spillTo(filepath.Join(t.TempDir(), "unseen.pack"), passtest.Source(3000, 90)))(t)
	defer one.Close()
	source, want = one, here(t, one)
	run("data that were sent")
	if _, err := Open(ctx, Settings{Address: address, Program: "/bin/false", Version: "test"}); err == nil {
		t.Error("an executor that answers nothing is taken")
	}
}

// kill kills one process by the name of its program, which no other has.
func kill(t *testing.T, name string) {
	t.Helper()
	found := must.Get(filepath.Glob("/proc/[0-9]*/exe"))(t)
	for _, exe := range found {
		if target, err := os.Readlink(exe); err == nil && filepath.Base(target) == name {
			end(t, filepath.Base(filepath.Dir(exe)))
			return
		}
	}
	t.Errorf("no process of %s is there", name)
}

// executor kills an executor: a child of the server that scripts/spark.sh started.
func executor(t *testing.T) {
	t.Helper()
	server := os.Getenv("OPTCOMPLETE_SPARK_PROCESS")
	found := must.Get(filepath.Glob("/proc/[0-9]*/cmdline"))(t)
	for _, cmdline := range found {
		text, _ := os.ReadFile(cmdline)
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(cmdline), "status"))
		if bytes.Contains(text, []byte("CoarseGrainedExecutorBackend")) && strings.Contains(string(status), "PPid:\t"+server+"\n") {
			end(t, filepath.Base(filepath.Dir(cmdline)))
			return
		}
	}
	t.Error("no executor is there")
}

func end(t *testing.T, process string) {
	t.Helper()
	number := must.Get(strconv.Atoi(process))(t)
	p, err := os.FindProcess(number)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}
