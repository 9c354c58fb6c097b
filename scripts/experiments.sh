#!/bin/sh
# Runs the studies and puts their tables and figures into docs/.
#
#   scripts/experiments.sh RATINGS FEATURES [FOLDER]    real data
#   scripts/experiments.sh paper [FOLDER]               the paper's own experiments
#
# Results are kept in FOLDER (default bench-real, bench-paper); what is there
# already is not computed again. docs/notes/experiments.md keeps its text: only what
# stands between the lines "<!-- begin NAME -->" and "<!-- end NAME -->" is
# replaced.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

# put NAME FILE: replaces the part of the document called NAME by the file.
put() {
	awk -v name="$1" -v file="$2" '
		$0 == "<!-- end " name " -->" { skip = 0 }
		!skip { print }
		$0 == "<!-- begin " name " -->" { skip = 1; while ((getline line < file) > 0) print line }
	' "$root/docs/notes/experiments.md" >"$folder/experiments.md"
	cp "$folder/experiments.md" "$root/docs/notes/experiments.md"
}

study="$root/scripts/study.py"
if [ "$1" = paper ]; then
	folder=${2:-bench-paper}
	mkdir -p "$folder"
	paper() { "$study" paper -o "$folder/cells" "$@" >/dev/null; }
	synthetic=certified,optcomplete,cutplanes,imc,softimpute,effects
	paper --panels mu,n,m,p,k --methods $synthetic --seeds 10 --limit 10
	paper --panels large --methods $synthetic --seeds 1 --limit 30 --memory 16G
	paper --panels netflix --methods certified,full,full+remainder,imc,softimpute,effects --seeds 1 --limit 30 --memory 16G
	for panel in mu n m p k large netflix; do
		put "paper-$panel" "$folder/cells/paper-$panel.md"
	done
	for panel in n m p k; do
		cp "$folder/cells/paper-$panel.svg" "$root/docs/notes/paper-$panel.svg"
	done
	exit
fi

ratings=$1 features=$2
mkdir -p "${3:-bench-real}"
folder=$(cd "${3:-bench-real}" && pwd) # go build -C is elsewhere
go build -C "$root" -o "$folder/optcomplete" ./cmd/optcomplete
data="--features $features --complete-features --min-entries 10"

"$study" --program "$folder/optcomplete" real --ratings "$ratings" --features "$features" --complete-features --min-entries 10 \
	-k 5,10 --seed 31 --seeds 3 --limit 20 --methods full+remainder,full,softimpute,imc -o "$folder/cells" >/dev/null
if [ ! -e "$folder/path.txt" ]; then
	"$folder/optcomplete" path "$ratings" $data --k-max 12 --folds 3 --bootstrap 20 --bootstrap-k 5 \
		-o "$folder/path.csv" --plot "$folder/path.svg" >"$folder/path.tmp"
	mv "$folder/path.tmp" "$folder/path.txt"
fi
cp "$folder/cells/gap.svg" "$root/docs/notes/gap.svg"
cp "$folder/path.svg" "$root/docs/notes/path.svg"

put study "$folder/cells/real.md"
{ echo '```'; cat "$folder/path.txt"; echo '```'; } >"$folder/path.md"
put path "$folder/path.md"
