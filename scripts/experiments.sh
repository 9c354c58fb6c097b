#!/bin/sh
# Runs the real-data study and puts its tables and figures into docs/.
#
#   scripts/experiments.sh RATINGS FEATURES [FOLDER]
#
# Results are kept in FOLDER (default bench-real); what is there already is not
# computed again. docs/experiments.md keeps its text: only what stands between
# the lines "<!-- begin NAME -->" and "<!-- end NAME -->" is replaced.
set -eu
ratings=$1 features=$2 folder=${3:-bench-real}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
go build -C "$root" -o "$folder/optcomplete" ./cmd/optcomplete
data="--features $features --complete-features --min-entries 10"

"$folder/optcomplete" bench real --ratings "$ratings" $data -k 5,10 --seeds 5 --max-seconds 30 -o "$folder/study" >/dev/null
"$folder/optcomplete" bench real --ratings "$ratings" $data -k 5,10 --seeds 1 --models full --max-seconds 150 -o "$folder/gap" >/dev/null
if [ ! -e "$folder/path.txt" ]; then
	"$folder/optcomplete" path "$ratings" $data --k-max 12 --folds 3 --bootstrap 20 --bootstrap-k 5 \
		-o "$folder/path.csv" --plot "$folder/path.svg" >"$folder/path.tmp"
	mv "$folder/path.tmp" "$folder/path.txt"
fi
cp "$folder/gap/gap.svg" "$root/docs/gap.svg"
cp "$folder/path.svg" "$root/docs/path.svg"

# put NAME FILE: replaces the part of the document called NAME by the file.
put() {
	awk -v name="$1" -v file="$2" '
		$0 == "<!-- end " name " -->" { skip = 0 }
		!skip { print }
		$0 == "<!-- begin " name " -->" { skip = 1; while ((getline line < file) > 0) print line }
	' "$root/docs/experiments.md" >"$folder/experiments.md"
	cp "$folder/experiments.md" "$root/docs/experiments.md"
}
put study "$folder/study/real.md"
put gap "$folder/gap/real.md"
{ echo '```'; cat "$folder/path.txt"; echo '```'; } >"$folder/path.md"
put path "$folder/path.md"
