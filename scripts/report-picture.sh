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
for program in ${OPTCOMPLETE_BROWSER:-} chromium chromium-browser google-chrome google-chrome-stable; do
	if command -v "$program" >/dev/null; then
		"$program" --headless --no-sandbox --hide-scrollbars --window-size=1180,760 --screenshot="$folder/report.png" "file://$folder/films/report.html"
		cp "$folder/report.png" docs/report.png
		exit
	fi
done
echo "$0: no browser (scripts/install-browser.sh)" >&2
exit 1
