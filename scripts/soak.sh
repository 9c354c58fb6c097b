#!/bin/sh
# Attacks the program for SOAK_TIME seconds (3600 if not given), and prints what
# was tried as a table for docs/reliability.md. Runs from the root of a checkout:
#
#   make soak                  an hour
#   make soak SOAK_TIME=600    ten minutes
#
# The time is shared: a third for certificates against exact arithmetic, half for
# fuzzing every format, the rest for kills, interrupts, full disks and crafted
# models. The first failure is printed and ends the run with exit code 1.
set -u

total=${SOAK_TIME:-3600}
log=$(mktemp -d) || exit 1
trap 'rm -rf "$log"' EXIT
start=$(date +%s)
failed=0

# run NAME COMMAND...: its output goes to the log.
run() {
	name=$1
	shift
	if ! "$@" >"$log/$name" 2>&1; then
		echo "FAILED: $*"
		tail -n 40 "$log/$name"
		failed=1
	fi
}

# Certificates. The number of instances is what a third of the time allows.
run exact env OPTCOMPLETE_EXACT=$((total / 12 + 10)) go test ./internal/exact -count=1 -v -timeout 240m
run search go test ./search ./objective -count=1 -rapid.checks=$((total / 4 + 100)) -timeout 240m

# Faults: kills at random moments, interrupts, full disks, bit flips, crafted models.
run faults env OPTCOMPLETE_CRAFTED=$([ "$total" -lt 1800 ] || echo all) go test ./cmd/optcomplete -count=1 -v -timeout 240m $([ "$total" -lt 1800 ] && echo -short) \
	-run 'TestKilled|TestInterrupt|TestFullDisk|TestSecondWriter|TestCrafted|TestNamesCannot'
run resumes go test . -count=1 -v -timeout 240m -run 'TestInterrupt'
run flips go test ./model ./internal/checksum ./data/pack ./internal/atomicfile ./checkpoint -count=1 -v -timeout 240m -run 'Damage|Flip|Changed|Stale|Reserve|Killed|Bit'

# Every format, each for its part of half of the time.
targets='./data:FuzzReadFeatures ./data/ingest:FuzzAnyText ./data/ingest:FuzzCSV ./data/ingest:FuzzMatrixMarket ./data/ingest:FuzzNetflix
./data/ingest:FuzzMovieLens ./data/ingest:FuzzParquet ./data/ingest:FuzzPack ./data/pack:FuzzOpen ./data/pack:FuzzSealed
./internal/columnar:FuzzRead ./internal/textfile:FuzzUnpack ./proof:FuzzTamperedProof ./cmd/optcomplete:FuzzModelJSON'
count=$(echo "$targets" | wc -w)
for target in $targets; do
	run "fuzz-${target#*:}" go test "${target%%:*}" -run '^$' -fuzz "^${target#*:}\$" -fuzztime $((total / 2 / count + 1))s
done

# executions of a fuzz target: the last figure it printed.
executions() { sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log/fuzz-$1" | tail -n 1; }

echo "Run of $((($(date +%s) - start) / 60)) minutes on $(nproc) processors, $(go env GOVERSION), $(git rev-parse --short HEAD)."
echo
echo '| tried | how often | failures |'
echo '| --- | --- | --- |'
for target in $targets; do
	name=${target#*:}
	echo "| \`$name\`, inputs | $(executions "$name") | $(grep -c '^--- FAIL' "$log/fuzz-$name") |"
done
for name in exact search faults resumes flips; do
	echo "| $name: tests passed | $(grep -c '^ *--- PASS\|^ok' "$log/$name") | $(grep -c '^ *--- FAIL' "$log/$name") |"
done
echo
grep -h 'killed, \|crafted models\|instances' "$log/faults" "$log/exact" | sed 's/^ *[a-z_]*\.go:[0-9]*: */- /' | sort -u
exit $failed
