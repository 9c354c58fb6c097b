#!/bin/sh
# Measures the service under load, with wrk on loopback, and prints a table for docs/service.md.
# Runs from the root of a checkout:
#
#   scripts/load.sh MODEL                a saved model; 10 s for each line, and 1,000 swaps
#                                        of the model under load, in at most 20 minutes
#   scripts/load.sh MODEL 10 50          50 swaps
#   scripts/load.sh MODEL 10 1000 600    and ten minutes of load, for the memory
#
# The generator shares the machine with the service: on two cores, each has about one. Where others
# share it too, look at the processor time a request, which depends on them less than the rates do.
set -eu

model=${1:?usage: scripts/load.sh MODEL [SECONDS [SWAPS [MEMORY-SECONDS]]]}
seconds=${2:-10}
swaps=${3:-1000}
flat=${4:-0}
longest=1200 # seconds for the swaps
command -v wrk >/dev/null || { echo 'load: wrk is not installed (apt-get install wrk)' >&2; exit 1; }
command -v python3 >/dev/null || { echo 'load: python3 is not installed' >&2; exit 1; }

work=$(mktemp -d) || exit 1
service=
trap '[ -z "$service" ] || kill "$service" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
go build -o "$work/optcomplete" ./cmd/optcomplete
mkdir "$work/served"
cp -r "$model" "$work/served/m"
address=127.0.0.1:${LOAD_PORT:-8077}
"$work/optcomplete" serve "$work/served/m" --listen "$address" --quiet 2>"$work/log" &
service=$!
for _ in $(seq 100); do
	curl -sf "http://$address/readyz" >/dev/null && break
	sleep 0.2
done

# The bodies: a pair, a row, and 10,000 pairs of known ids.
python3 - "$address" "$work" <<'P'
import json, random, sys, urllib.request
address, work = sys.argv[1:]
base = f"http://{address}/v1/models/m/"
ids = lambda what: [x["id"] for x in json.load(urllib.request.urlopen(base + what + "?limit=100"))["items"]]
rows, columns = ids("rows"), ids("columns")
random.seed(1)
pair = lambda: {"row": random.choice(rows), "column": random.choice(columns)}
def lua(name, body):
    open(f"{work}/{name}.lua", "w").write('wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [==[' + json.dumps(body) + "]==]\n")
lua("pair", {"pairs": [pair()]})
lua("row", {"row": rows[0], "n": 10})
lua("batch", {"pairs": [pair() for _ in range(10000)]})
P

memory() { curl -s "http://$address/metrics" | awk '/^optcomplete_memory_bytes/ { printf "%.0f MB", $2 / 1e6 }'; }

# spent is the processor time of the service, in ticks.
spent() { awk '{ print $14 + $15 }' "/proc/$service/stat"; }

# line NAME SCRIPT CALL CONNECTIONS PREDICTIONS: a line of the table.
line() {
	from=$(spent)
	wrk -t1 -c"$4" -d"${seconds}s" --latency -s "$work/$2.lua" "http://$address/v1/models/m/$3" >"$work/out"
	rate=$(awk '/^Requests\/sec/ { print $2 }' "$work/out")
	late=$(awk '/ 99% / { print $2 }' "$work/out")
	failed=$(awk '/Non-2xx/ { print $NF }' "$work/out")
	cpu=$(awk -v ticks="$(($(spent) - from))" -v hz="$(getconf CLK_TCK)" '/requests in/ { printf "%.3f ms", 1000 * ticks / hz / $1 }' "$work/out")
	each=$(awk "BEGIN { printf \"%.0f\", $rate * $5 }")
	echo "| $1 | $4 | $rate | $each | $late | $cpu | ${failed:-0} | $(memory) |"
}

echo "| request | connections | requests/s | predictions/s | p99 | processor time a request | failed | memory |"
echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
line 'predict one pair' pair predict 64 1
line 'recommend 10' row recommend 16 1
line 'predict 10,000 pairs' batch predict 4 10000

# Memory over time: every minute, and at the end.
if [ "$flat" -gt 0 ]; then
	echo
	wrk -t1 -c64 -d"${flat}s" -s "$work/pair.lua" "http://$address/v1/models/m/predict" >"$work/out" &
	generator=$!
	for minute in $(seq $(((flat + 59) / 60))); do
		sleep $((flat - (minute - 1) * 60 < 60 ? flat - (minute - 1) * 60 : 60))
		echo "memory after $minute min of load: $(memory)"
	done
	wait "$generator"
fi

# Swaps under load: the folder is replaced at once, as fit -o does it.
[ "$swaps" -gt 0 ] || exit 0
until=$(($(date +%s) + longest))
wrk -t1 -c8 -d"$((longest + 30))s" -s "$work/pair.lua" "http://$address/v1/models/m/predict" >"$work/out" &
generator=$!
before=0
for n in $(seq "$swaps"); do
	[ "$(date +%s)" -lt "$until" ] || break
	cp -r "$model" "$work/served/next"
	mv -T --exchange "$work/served/next" "$work/served/m" 2>/dev/null || {
		mv "$work/served/m" "$work/served/old"
		mv "$work/served/next" "$work/served/m"
	}
	rm -rf "$work/served/next" "$work/served/old"
	for _ in $(seq 300); do
		now=$(curl -s "http://$address/metrics" | awk '/^optcomplete_model_swaps_total/ { print $2 }')
		[ "$now" -gt "$before" ] && break
		sleep 0.1
	done
	before=$now
done
kill -INT "$generator" 2>/dev/null || :
wait "$generator" || :
refused=$(curl -s "http://$address/metrics" | awk '/^optcomplete_model_refused_total/ { print $2 }')
echo
echo "$before swaps of $swaps under load, $refused refused, $(awk '/Non-2xx/ { n = $NF } END { print n + 0 }' "$work/out") requests failed, $(memory); load of the machine $(cut -d' ' -f1 /proc/loadavg) on $(nproc) cores"
