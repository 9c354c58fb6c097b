#!/usr/bin/env bash
# Measures what a cluster brings, on Spark's local-cluster on this machine: the overhead
# of a reading, the speeds of sending and receiving, and a whole fit of generated ratings
# on threads, on one executor and on two. Prints tables for docs/cluster.md.
#
#   scripts/cluster-bench.sh [ENTRIES] [FOLDER]
#
# ENTRIES is 10000000 unless given; 100000000 needs 1 GB of disk and 6
# minutes of processor time. FOLDER keeps the data and what was measured; without it they
# are removed.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD entries=${1:-10000000}
if [ $# -gt 1 ]; then mkdir -p "$2"; folder=$(cd "$2" && pwd); else folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; fi
go build -o "$folder/optcomplete" ./cmd/optcomplete
cd "$folder"
if [ ! -d ratings.packs ]; then
  ./optcomplete synth --netflix "$((entries / 50))x1000" --missing 0.95 --ratings ratings.pack -o data --quiet --force
  ./optcomplete pack ratings.pack --shards 16MB -o ratings.packs --quiet
  rm ratings.pack
fi
fit="fit ratings.packs --features data/features.csv --model paper --gamma 0.01 -k 3 --quiet --json"

# used is the processor seconds so far of the cluster: of the server, of what it has
# started, and of the workers.
cat > used.py <<'PY'
import glob, os, sys
parents, times, workers = {}, {}, set()
for stat in glob.glob("/proc/[0-9]*/stat"):
    try:
        text = open(stat).read()
        process = int(text.split()[0])
        fields = text.rsplit(")", 1)[1].split()
        parents[process] = int(fields[1])
        times[process] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        if os.path.basename(os.readlink(f"/proc/{process}/exe")).startswith("optcomplete-"):
            workers.add(process)
    except OSError:
        pass
server = int(sys.argv[1])
def below(process):
    while process > 1 and process != server:
        process = parents.get(process, 0)
    return process == server
print(sum(t for p, t in times.items() if p in workers or below(p)))
PY

# measure runs a fit here (threads) or there (executors): seconds, and processor seconds
# here and there.
cat > measure.sh <<'SH'
name=$1; shift
before=0; after=0
[ -z "${OPTCOMPLETE_SPARK_PROCESS:-}" ] || before=$(python3 used.py "$OPTCOMPLETE_SPARK_PROCESS")
python3 - "$name" "$@" > "$name.time" <<'PY'
import resource, subprocess, sys, time
start = time.time()
with open(sys.argv[1] + ".json", "w") as out:
    subprocess.run(sys.argv[2:], stdout=out, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.time() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
PY
[ -z "${OPTCOMPLETE_SPARK_PROCESS:-}" ] || after=$(python3 used.py "$OPTCOMPLETE_SPARK_PROCESS")
echo "$before $after" >> "$name.time"
SH

bash measure.sh threads ./optcomplete $fit --threads 2 -o model-threads
for executors in 1 2; do
  cat > on.sh <<SH
cd "$folder"
./optcomplete engine "\$OPTCOMPLETE_SPARK" --data ratings.packs --json --quiet > "engine$executors.json"
./optcomplete fit ratings.packs --features data/features.csv --model paper --gamma 0.01 -k 3 --quiet --engine "\$OPTCOMPLETE_SPARK" --dry-run --json > "dry$executors.json"
bash measure.sh "executors$executors" ./optcomplete $fit --engine "\$OPTCOMPLETE_SPARK" --engine-from 1000000 -o "model-executors$executors"
SH
  OPTCOMPLETE_EXECUTORS=$executors "$root/scripts/spark.sh" bash "$folder/on.sh"
done
python3 - "$entries" <<'PY'
import json, sys
def load(name): return json.load(open(name + ".json"))
runs = {"two threads": "threads", "one executor": "executors1", "two executors": "executors2"}
costs = {name: load(file)["selected"] for name, file in runs.items()}
assert len(set(map(tuple, costs.values()))) == 1, costs
print(f"\n{load('threads')['observed']:,} entries of {load('threads')['rows']:,} rows\n")
print("| | " + " | ".join(runs) + " |")
print("| --- |" + " --- |" * len(runs))
def row(label, values): print("| " + label + " | " + " | ".join(values) + " |")
time = {name: [list(map(float, line.split())) for line in open(file + ".time")] for name, file in runs.items()}
row("whole fit, seconds", [f"{t[0][0]:.1f}" for t in time.values()])
row("processor seconds here", [f"{t[0][1]:.1f}" for t in time.values()])
row("processor seconds there, Java included", ["" if t[1][1] == 0 else f"{t[1][1] - t[1][0]:.1f}" for t in time.values()])
row("most memory here, MB", [f"{t[0][2]:.0f}" for t in time.values()])
engines = [load(file).get("engine") for file in runs.values()]
row("readings there", ["" if e is None else str(e["remote_readings"]) for e in engines])
row("their seconds", ["" if e is None else f"{e['seconds']:.1f}" for e in engines])
row("rows per second", ["" if e is None else f"{e['rows_per_second']:.3g}" for e in engines])
row("MB received", ["" if e is None else f"{e['bytes_received'] / 1e6:.1f}" for e in engines])
dry = [None, load("dry1")["speeds"], load("dry2")["speeds"]]
row("a query that computes nothing, seconds", ["" if d is None else f"{d['query']:.2f}" for d in dry])
row("sent, MB/s", ["" if d is None else f"{d['send'] / 1e6:.0f}" for d in dry])
row("received, MB/s", ["" if d is None else f"{d['receive'] / 1e6:.0f}" for d in dry])
tests = [None, load("engine1")["test"], load("engine2")["test"]]
row("survey: first, again (seconds)", ["" if t is None else f"{t['first_seconds']:.1f}, {t['cluster_seconds']:.1f}" for t in tests])
row("the same here", ["" if t is None else f"{t['here_seconds']:.1f}" for t in tests])
row("estimate of --dry-run, seconds", [f"{load('dry2')['here_seconds']:.0f}", f"{load('dry1')['cluster_seconds']:.0f}", f"{load('dry2')['cluster_seconds']:.0f}"])
PY
# Same bits: of the columns, and of what the models predict for some rows.
for name in threads executors1 executors2; do
  cmp model-threads/columns.parquet "model-$name/columns.parquet"
  ./optcomplete complete "model-$name" --rows "$(head -n 2 data/test.csv | tail -n 1 | cut -d, -f1)" --quiet > "$name.csv"
  cmp threads.csv "$name.csv"
done
echo "same bits"
