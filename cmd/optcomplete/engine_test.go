package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVerbsOnSpark: pack, fit, path and a dry run on a real cluster, with the bits of
// this machine. scripts/spark.sh starts one.
func TestVerbsOnSpark(t *testing.T) {
	address := os.Getenv("OPTCOMPLETE_SPARK")
	if address == "" {
		t.Skip("no Spark cluster: scripts/spark.sh starts one and runs this test")
	}
	program := filepath.Join(t.TempDir(), "optcomplete")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(t.TempDir())
	do := func(args string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, stderr.String())
		}
		t.Logf("%s\n%s", args, stderr.String())
		if strings.Contains(args, "--engine-from") && !regexp.MustCompile(`Engine    [1-9][0-9]* readings? on the cluster`).Match(stderr.Bytes()) {
			t.Errorf("%s: nothing was done on the cluster", args)
		}
		return stdout.String()
	}
	cluster := " --engine " + address
	do("synth --netflix 3000x200 --missing 0.9 -o data --quiet")
	do("pack data/ratings.csv --shards 1MB -o here.packs --quiet")
	do("pack data/ratings.csv --shards 1MB -o there.packs" + cluster)
	sameFolders(t, "here.packs", "there.packs")
	send := cluster + " --engine-from 40000 --engine-tasks 2"
	fit := " --features data/features.csv -k 2 --model paper --gamma 0.01 --holdout 0.2"
	do("fit here.packs --quiet -o here" + fit)
	do("fit here.packs -o there" + fit + send)
	sameFolders(t, "here", "there")
	path := " data/ratings.csv --features data/features.csv --k-max 1 --folds 2 --model paper --gamma 0.01 --json"
	if here, there := withoutTimes(do("path"+path+" --quiet")), withoutTimes(do("path"+path+send)); here != there {
		t.Errorf("the path is\n%s\nand here\n%s", there, here)
	}
	if out := do("fit there.packs --dry-run" + fit + cluster); !strings.Contains(out, "Estimate") {
		t.Error(out)
	}
}

var timesOfRun = regexp.MustCompile(`(?m)^.*"?(seconds|load|choose|select|certify|complete|total|checksum|model\.json)"?: .*$`)

// withoutTimes is JSON without its times, and without the checksum of itself.
func withoutTimes(text string) string { return timesOfRun.ReplaceAllString(text, "") }

// sameFolders compares two folders, but for times.
func sameFolders(t *testing.T, a, b string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(a, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%s holds %v: %v", a, files, err)
	}
	for _, file := range files {
		one, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(b, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".json") {
			one, two = []byte(withoutTimes(string(one))), []byte(withoutTimes(string(two)))
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs on the cluster", file)
		}
	}
}
