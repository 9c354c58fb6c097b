#!/bin/sh
# Attacks the program for about SOAK_TIME seconds (3600 if not given), and prints
# what was tried as a table for docs/notes/reliability.md. Runs from the root of a
# checkout:
#
#   make soak                    an hour
#   make soak SOAK_TIME=600      ten minutes
#   make soak SOAK_SEED=12345    the cases of the run that printed this seed
#
# A third of the time goes to certificates against exact arithmetic, half to
# fuzzing every format, the rest to kills, interrupts, damaged files, absurd
# settings and crafted models. Every part takes the time that it is given, so a
# slow or shared machine tries less and does not take longer, but for building the
# tests, which comes on top. A failure is printed when it happens, and ends the run with exit code 1.
set -u

total=${SOAK_TIME:-3600}
seed=${SOAK_SEED:-$(date +%s)}
log=$(mktemp -d) || exit 1
trap 'rm -rf "$log"' EXIT
trap 'exit 130' INT TERM
start=$(date +%s)
failed=0

# part SHARE: so many thousandths of the time, one second at least.
part() { echo "$((total * $1 / 1000 + 1))s"; }

# fail NAME COMMAND...: tells of a failure.
fail() {
	name=$1
	shift
	echo "FAILED: $*"
	grep -v '^attack: \|^=== \|^--- PASS' "$log/$name" | tail -n 60
	failed=1
}

# try NAME SHARE ARGUMENTS...: tests that go on for their share of the time, each.
try() {
	name=$1
	share=$2
	shift 2
	echo "$(date +%T) $*" >&2
	OPTCOMPLETE_ATTACK=$(part "$share") OPTCOMPLETE_ATTACK_FROM=$seed \
		go test -count=1 -v -timeout 24h "$@" >"$log/$name" 2>&1 || fail "$name" go test "$@"
}

echo "$(date +%T) building" >&2
go test -run '^$' ./internal/exact ./regress ./search ./objective ./cmd/optcomplete . ./model/store ./data/pack ./internal/atomicfile ./checkpoint >"$log/build" 2>&1 || fail build go test

# Certificates.
try exact 20 ./internal/exact
try regress 20 ./regress -run TestNasty
until=$(($(date +%s) + total / 30))
rounds=0
while [ $rounds = 0 ] || [ "$(date +%s)" -lt $until ]; do
	rounds=$((rounds + 1))
	try search$rounds 0 ./search ./objective -rapid.checks=50 -rapid.seed=$((seed + rounds))
done

# Faults.
try verbs 60 ./cmd/optcomplete -run TestAttackOnEveryVerb
try killed 40 ./cmd/optcomplete -run TestKilled
try crafted 40 ./cmd/optcomplete -run TestCrafted
try flips 5 ./model/store ./data/pack -run 'TestChangedModel|TestEvery|TestKilled'
try others 1 . ./cmd/optcomplete ./internal/atomicfile ./checkpoint -run 'TestInterrupt|TestFullDisk|TestSecondWriter|TestNamesCannot|Stale|Reserve|Damage'

# lost NAME PACKAGE TARGET: whether only the fuzzer failed: its time ended in the
# middle of an input, or it lost a process, by no input that it can name
# (go.dev/issue/52569, go.dev/issue/56238), as on a busy machine it does.
lost() {
	input=$(sed -n 's/.*Failing input written to //p' "$log/$1")
	if [ -z "$input" ]; then
		grep -q 'context deadline exceeded' "$log/$1"
		return
	fi
	grep -q 'hung or terminated unexpectedly' "$log/$1" && go test "$2" -run "$3/${input##*/}" >"$log/again" 2>&1 || return 1
	rm -f "$2/$input"
	sed -i 's/Failing input written/input written that does not fail/' "$log/$1"
}

# Every format.
targets='./data:FuzzReadFeatures ./data/ingest:FuzzAnyText ./data/ingest:FuzzCSV ./data/ingest:FuzzMatrixMarket ./data/ingest:FuzzNetflix
./data/ingest:FuzzMovieLens ./data/ingest:FuzzParquet ./data/ingest:FuzzPack ./data/pack:FuzzOpen ./data/pack:FuzzSealed
./internal/columnar:FuzzRead ./internal/textfile:FuzzUnpack ./proof:FuzzTamperedProof ./cmd/optcomplete:FuzzModelJSON ./engine/internal/connect:FuzzFields'
count=$(echo "$targets" | wc -w)
for target in $targets; do
	name=fuzz-${target#*:}
	echo "$(date +%T) $target" >&2
	set -- "${target%%:*}" -run '^$' -fuzz "^${target#*:}\$" -fuzztime "$(part $((500 / count)))" -fuzzminimizetime 20x
	go test "$@" >"$log/$name" 2>&1 || lost "$name" "${target%%:*}" "${target#*:}" || fail "$name" go test "$@"
done

# inputs of a fuzz target: the last figure it printed.
inputs() { sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log/fuzz-$1" | tail -n 1 | grep . || echo 0; }

# listed FILE...: what the tests reported, as lines of a table.
listed() { cat "$@" | sed -n 's/.*attack: | /| /p'; }

# passed NAME: how many tests did.
passed() { grep -c '^--- PASS' "$log/$1"; }

echo
echo "$((($(date +%s) - start + 30) / 60)) minutes on $(nproc) processors, $(go env GOVERSION), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown), SOAK_SEED=$seed."
echo
echo '| tried | how often | wrong | |'
echo '| --- | ---: | ---: | --- |'
listed "$log/exact" "$log/regress" "$log/verbs" "$log/killed" "$log/crafted" "$log/flips" "$log/others"
echo "| properties of search and costs: runs of their tests | $(cat "$log"/search* | grep -c '^--- PASS') | $(cat "$log"/search* | grep -c '^--- FAIL') | 50 random instances each time in each that draws them |"
echo "| other faults: full disks, second writers, names with control characters, stale files; tests | $(passed others) | $(grep -c '^--- FAIL' "$log/others") | |"
for target in $targets; do
	name=${target#*:}
	echo "| inputs of $name in ${target%%:*} | $(inputs "$name") | $(grep -c 'Failing input written' "$log/fuzz-$name") | |"
done
[ $failed = 0 ] && printf '\nNothing false, nothing lost.\n'
exit $failed
