#!/bin/sh
# Times whole fits of the paper's synthetic data by the program, from files to a saved
# model: reading, choosing γ, selecting, proving and fitting every row. Prints rows for
# the table of the README: data, time until proven, whole time, processor time.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
go build -o "$folder/optcomplete" ./cmd/optcomplete
cd "$folder"
one() { # rows columns features k missing
	./optcomplete synth --rows "$1" --columns "$2" --features "$3" --k "$4" --missing "$5" --noise 0.01 --seed 1 -o data --force >/dev/null 2>&1
	/usr/bin/time -f '%U %S %e' -o used ./optcomplete fit data/ratings.csv --features data/features.csv --model paper -k "$4" --json -o model --quiet >fit.json
	read -r user system wall <used
	of() { sed -n "s/.*\"$1\": \([0-9.e-]*\).*/\\1/p" fit.json | head -n 1; }
	status=$(sed -n 's/.*"status": "\(.*\)".*/\1/p' fit.json)
	echo "$1, $2, $3, $4, $5: $status, γ $(of choose) s, selected $(of select) s, proven $(of certify) s later; whole $wall s, processor $(echo "$user $system" | awk '{print $1+$2}') s"
}
one 100 100 50 5 0.5
one 100 100 1000 5 0.5
one 100 100 50 30 0.5
one 10000 1000 100 5 0.95
