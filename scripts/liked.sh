#!/bin/sh
# Fits goodbooks as liked (4 or 5 stars) or not, by the logistic loss: k features,
# all features (a logistic ridge), and the effects of users and books, scored on the
# same tenth of the entries. Prints one line for each.
#
#   scripts/liked.sh RATINGS FEATURES [K] [FOLDER]
set -eu
ratings=$1 features=$2 k=${3:-5} folder=${4:-bench-liked}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
go build -C "$root" -o "$(cd "$folder" && pwd)/optcomplete" ./cmd/optcomplete
unpack() { case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac; }
unpack "$ratings" | awk -F, 'NR == 1 { print "user,item,liked"; next } { print $1 "," $2 "," ($3 >= 4) }' >"$folder/liked.csv"
fit() { # name, flags
	name=$1
	shift
	"$folder/optcomplete" fit "$folder/liked.csv" --features "$features" --holdout 0.1 --seed 11 --gap 0.01 "$@" --json >"$folder/$name.json" 2>"$folder/$name.log" || [ $? -eq 3 ]
}
fit selected -k "$k"
all=$(sed -n 's/^  "features": \([0-9]*\),.*/\1/p' "$folder/selected.json")
# Of one selection there is nothing to search; the limit spares the costs without each feature.
fit ridge -k "$all" --gamma 0.01 --time-limit 120s
show() { # name, file, the line after which the metrics stand
	awk -v name="$1" -v from="$3" '
		index($0, from) { on = 1 }
		on && /"log_loss"/ && !l { gsub(/[^0-9.]/, "", $2); l = $2 }
		on && /"auc":/ && !a { gsub(/[^0-9.]/, "", $2); a = $2 }
		on && /"brier"/ && !b { gsub(/[^0-9.]/, "", $2); b = $2 }
		END { printf "%-28s log-loss %.5f  AUC %.4f  Brier %.5f\n", name, l, a, b }' "$2"
}
show "effects of users and books" "$folder/selected.json" '"row and column effects"'
show "$k features" "$folder/selected.json" '"holdout": {'
show "all $all features (ridge)" "$folder/ridge.json" '"holdout": {'
sed -n 's/^  "\(gap\|cost\|bound\|gamma\|refit_gamma\)": \(.*\),/  \1 \2/p' "$folder/selected.json"
