package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// TestVerbsOnEngines: pack, fit, path, complete, evaluate and a dry run on an engine, with the bits of this
// machine: always on a command that starts a worker, and on a real cluster where
// scripts/spark.sh has started one.
func TestVerbsOnEngines(t *testing.T) {
	t.Run("command", func(t *testing.T) {
		verbsOn(t, "exec:cd $OPTCOMPLETE_ENGINE_FOLDER && exec $OPTCOMPLETE_ENGINE_PROGRAM worker --alone")
	})
	t.Run("OnSpark", func(t *testing.T) {
		address := os.Getenv("OPTCOMPLETE_SPARK")
		if address == "" {
			t.Skip("no Spark cluster: scripts/spark.sh starts one and runs this test")
		}
		verbsOn(t, address)
	})
}

func verbsOn(t *testing.T, address string) {
	program := engineProgram(t)
	do := func(args string, more ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(program, append(strings.Fields(args), more...)...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, stderr.String())
		}
		t.Logf("%s\n%s", args, stderr.String())
		if strings.HasPrefix(args, "pack") && len(more) > 0 && !strings.Contains(stderr.String(), "the executors wrote 1 pack of 1") {
			t.Errorf("%s: it was packed here", args)
		}
		if strings.Contains(args, "--engine-from") && !regexp.MustCompile(`Engine    [1-9][0-9]* readings? on the cluster`).Match(stderr.Bytes()) {
			t.Errorf("%s: nothing was done on the cluster", args)
		}
		return stdout.String()
	}
	do("synth --netflix 3000x200 --missing 0.9 -o data --quiet")
	do("pack data/ratings.csv --shards 1MB -o here.packs --quiet")
	if strings.HasPrefix(address, "sc:") {
		do("pack data/ratings.csv --shards 1MB -o there.packs --json", "--engine", address)
		sameFolders(t, "here.packs", "there.packs")
	}
	send := " --engine-from 40000 --engine-tasks 2"
	fit := " --features data/features.csv -k 2 --model paper --gamma 0.01 --holdout 0.2"
	do("fit here.packs --quiet -o here" + fit)
	do("fit here.packs -o there"+fit+send, "--engine", address)
	sameUses(t, do, "here", "there")
	path := "path data/ratings.csv --features data/features.csv --k-max 1 --folds 2 --model paper --gamma 0.01 --json"
	if here, there := withoutEngine(t, do(path+" --quiet")), withEngine(t, do(path+send, "--engine", address)); here != there {
		t.Errorf("the path is\n%s\nand here\n%s", there, here)
	}
	do("complete here --quiet -o here.csv")
	do("complete there -o there.csv"+send, "--engine", address)
	sameFiles(t, "here.csv", "there.csv")
	do("complete here --quiet --shards 1MB -o here.table")
	do("complete here --shards 1MB -o there.table"+send, "--engine", address)
	sameFolders(t, "here.table", "there.table")
	evaluate := "evaluate here data/ratings.csv --json --resamples 10"
	if here, there := withoutEngine(t, do(evaluate+" --quiet")), withEngine(t, do(evaluate+send, "--engine", address)); here != there {
		t.Errorf("the measures are\n%s\nand here\n%s", there, here)
	}
	if out := do("engine --data here.packs --quiet", address); !strings.Contains(out, "MB/s received") || !strings.Contains(out, "same bits") {
		t.Error(out)
	}
	if strings.HasPrefix(address, "exec:") { // to Spark these are readings like the others, and many
		lossesOn(t, do, send, address)
	}
	if out := do("fit here.packs --dry-run"+fit, "--engine", address); !strings.Contains(out, "Estimate") {
		t.Error(out)
	}
}

// lossesOn fits yes and no, and values with outliers, here and there: the same bits.
func lossesOn(t *testing.T, do func(args string, more ...string) string, send, address string) {
	t.Helper()
	ratings := must.Get(os.ReadFile("data/ratings.csv"))(t)
	liked := regexp.MustCompile(`(?m),[0-9.]+$`).ReplaceAllStringFunc(string(ratings), func(value string) string {
		if value >= ",4" {
			return ",yes"
		}
		return ",no"
	})
	must.Do(t, os.WriteFile("liked.csv", []byte(liked), 0o666))
	for _, fit := range []string{"fit liked.csv --loss logistic", "fit data/ratings.csv --loss huber --delta 1 --nonnegative Drama"} {
		fit += " --features data/features.csv -k 1 --gamma 0.001 --column-shrinkage 4 --gap 0.5 --holdout 0.2 --json"
		here, there := do(fit+" --quiet"), do(fit+send, "--engine", address)
		if here, there = withoutTimes(withoutEngine(t, here)), withoutTimes(withEngine(t, there)); here != there {
			t.Errorf("%s is\n%s\nand here\n%s", fit, there, here)
		}
	}
}

// sameUses wants the same of a model whose rows are in one file and of one whose rows the
// executors have written, from every verb that uses models.
func sameUses(t *testing.T, do func(args string, more ...string) string, one, several string) {
	t.Helper()
	if shards, _ := filepath.Glob(filepath.Join(several, "rows-*.parquet")); len(shards) == 0 || isThere(filepath.Join(several, "rows.parquet")) {
		t.Fatalf("the rows are in %v", shards)
	}
	for _, file := range []string{"columns.parquet", "seen.parquet"} {
		sameFiles(t, filepath.Join(one, file), filepath.Join(several, file))
	}
	must.Do(t, os.WriteFile("new.csv", []byte("row,column,value\nx,film005,3\nx,film009,4\nx,film011,1\n"), 0o666))
	for _, verb := range []string{"complete model --wide", "predict model new.csv", "recommend model --row viewer0007", "explain model", "explain model --row viewer0007",
		"evaluate model data/ratings.csv --resamples 0", "fold-in model new.csv"} {
		var said []string
		for _, folder := range []string{one, several} {
			must.Do(t, os.Rename(folder, "model"))
			said = append(said, do(verb+" --quiet"))
			must.Do(t, os.Rename("model", folder))
		}
		if said[0] != said[1] || len(said[0]) < 20 {
			t.Errorf("%s says\n%.300s\nand of rows in several files\n%.300s", verb, said[0], said[1])
		}
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	one := must.Get(os.ReadFile(a))(t)
	two := must.Get(os.ReadFile(b))(t)
	if !bytes.Equal(one, two) {
		t.Errorf("%s and %s differ", a, b)
	}
}

var timesOfRun = regexp.MustCompile(`(?m)^.*"?(seconds|load|choose|select|certify|complete|total|checksum|model\.json)"?: .*$`)

// withoutTimes is JSON without its times, and without the checksum of itself.
func withoutTimes(text string) string { return timesOfRun.ReplaceAllString(text, "") }

// withEngine is withoutEngine of what was done on a cluster: it must say what that did.
func withEngine(t *testing.T, text string) string {
	t.Helper()
	if !strings.Contains(text, `"remote_readings"`) {
		t.Errorf("no engine in\n%.500s", text)
	}
	return withoutEngine(t, text)
}

// withoutEngine is JSON without times, and without what the cluster did.
func withoutEngine(t *testing.T, text string) string {
	t.Helper()
	all := map[string]any{}
	must.Do(t, json.Unmarshal([]byte(text), &all))
	if e, ok := all["engine"].(map[string]any); ok {
		for _, name := range []string{"executors", "tasks", "tasks_done", "items", "rows", "rows_per_second", "restarted_workers", "retried_tasks", "repeated_readings", "seconds"} {
			if _, ok := e[name].(float64); !ok {
				t.Errorf("engine has no %s", name)
			}
		}
	}
	delete(all, "engine")
	out := must.Get(json.MarshalIndent(all, "", " "))(t)
	return withoutTimes(string(out))
}

// sameFolders compares two folders, but for times.
func sameFolders(t *testing.T, a, b string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(a, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%s holds %v: %v", a, files, err)
	}
	for _, file := range files {
		one := must.Get(os.ReadFile(file))(t)
		two := must.Get(os.ReadFile(filepath.Join(b, filepath.Base(file))))(t)
		if strings.HasSuffix(file, ".json") {
			one, two = []byte(withoutTimes(string(one))), []byte(withoutTimes(string(two)))
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs on the cluster", file)
		}
	}
}

// TestPrintConfigShowsNoToken, nor other keys that are sent as headers.
func TestPrintConfigShowsNoToken(t *testing.T) {
	out, _ := command(t, exitDone, "fit", "--engine", "sc://head:443/;token=SECRET;x-key=SECRET", "--print-config")
	if strings.Contains(out, "SECRET") || !strings.Contains(out, "sc://head:443/;use_ssl=true") {
		t.Error(out)
	}
}
