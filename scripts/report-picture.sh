#!/bin/sh
# Makes docs/report.png, the picture of a report in the README, from the generated
# films of the demo. Needs a browser: scripts/install-browser.sh.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
go build -o "$folder/optcomplete" ./cmd/optcomplete
cd "$folder"
./optcomplete demo -o films --quiet >/dev/null
cd "$root"
go -C tools/browser run ./picture -width 1180 -height 760 -o "$root/docs/report.png" "$folder/films/report.html"
