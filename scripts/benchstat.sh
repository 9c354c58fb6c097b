#!/bin/sh
# Is this checkout slower than another commit? Runs benchmarks of both in turn, so that
# they see the same machine, and compares them by benchstat.
#
#   scripts/benchstat.sh BASE [PACKAGE:BENCHMARK ...]      e.g. main~20 ./objective:Pass
#
# COUNT (6) is how often each runs, TIME (0.5s) how long. Output of the runs: $TMPDIR.
set -eu
base=${1:?name a commit to compare with}
shift
[ $# -gt 0 ] || set -- ./objective:Pass ./evaluate:Score ./model/estimate:Coefficients ./regress:Fit .:PaperRows
here=$(git rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'git -C "$here" worktree remove --force "$work/base" 2>/dev/null || true; rm -rf "$work/base" "$work"/*.test' EXIT
git worktree add --quiet --detach "$work/base" "$base"
for what; do
	package=${what%%:*} name=$(printf %s "${what%%:*}" | tr -c 'a-z\n' _)
	(cd "$work/base/$package" && go test -c -o "$work/$name-old.test" .)
	(cd "$here/$package" && go test -c -o "$work/$name-new.test" .)
	for _ in $(seq "${COUNT:-6}"); do
		for side in old new; do
			from=$here
			[ $side = new ] || from=$work/base
			(cd "$from/$package" && "$work/$name-$side.test" -test.run '^$' -test.bench "${what#*:}" -test.benchtime "${TIME:-0.5s}") >>"$work/$side.txt"
		done
	done
done
echo "the runs are in $work"
go run golang.org/x/perf/cmd/benchstat@latest "$work/old.txt" "$work/new.txt"
